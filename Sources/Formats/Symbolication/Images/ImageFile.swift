import Addresses
import ByteReading
import ImageModel
import ObjectFormat

extension ObjectFile {
  /// The only image in the file; `nil` for a file with several.
  var image: (any ImageFile)? {
    switch self {
    case .elf(let file): file
    case .machO(let file): file
    case .fat, .archive: nil
    }
  }
}

extension ImageFile {
  var linker: String? { nil }
}

/// A file of one object format as the model needs it: a linked image, or the debug file of a linked image.
///
/// These members hide the differences between formats; the search for names is the same for all.
protocol ImageFile: Sendable {
  static var format: ImageFormat { get }
  var architecture: Architecture { get }
  /// See `Image.headerAddress`.
  var headerAddress: StatedAddress? { get }
  /// See `Image.segments`.
  var mappedSegments: [(name: SymbolName, range: AddressRange)] { get }

  /// - Throws: for a file that is not linked, and for an encrypted file.
  func requireReadableImage() throws(Diagnostic)

  /// Returns the ID of the image; a weak ID if the file states none.
  func imageID() throws(ParseError) -> ImageID

  /// See `Image.linker`.
  var linker: String? { get }

  /// Returns the library's name, as `Image.libraryName` describes; `nil` also if the name can't be read.
  func libraryName() -> String?

  /// The sections that take up address space, in the file's order.
  func sectionsInMemory() -> [Section]

  /// The guards of instrumented functions; `nil` if there are none.
  func guards() -> AddressRange?

  /// See `Image.callbackPlaces`.
  func callbackPlaces() throws(ParseError) -> [StatedAddress]?

  /// The functions that the loader calls before `main`, in its order, and warnings about functions that can't be read.
  /// These are left out, because no name depends on them.
  func initializersAndWarnings() -> (addresses: [StatedAddress], [Diagnostic])

  /// The functions of this image that the symbol table of `file` names; `file` is the image itself or its
  /// debug file.
  ///
  /// - Returns: `nil` if the table was stripped.
  func functions(inSymbolsOf file: Self) throws(ParseError) -> NamedFunctions?

  /// The functions of this image that the DWARF in `file` describes, and the functions that the image exports, which
  /// include aliases and assembly.
  ///
  /// - Returns: `nil` if `file` has no DWARF.
  func functions(inDWARFOf file: Self) throws(ParseError) -> NamedFunctions?

  /// The functions that remain in a stripped image, and the warning about the rest.
  func exportedFunctions() throws(ParseError) -> (NamedFunctions, lack: Diagnostic)

  /// The possible places of the debug file of this image, whose path is `path`, in the order in which to try
  /// them.
  ///
  /// - Parameter named: the path that the user named; nothing else is tried then.
  /// - Parameter roots: folders that distributions install debug files in.
  /// - Returns: also the error in the image's reference to its debug file; the other places are returned nevertheless.
  func debugFileCandidates(
    at path: String, named: String?, roots: [String]
  ) -> (candidates: [DebugFileRequest.Candidate], problem: ParseError?)

  /// The debug file of this image, read from `bytes`.
  ///
  /// - Throws: the reason why `bytes` are not this debug file.
  func debugFile(in bytes: FileBytes, _ candidate: DebugFileRequest.Candidate) throws -> Self
}
