import Addresses
import ByteReading
import ImageModel
import ObjectFormat

extension ObjectFile {
  /// The one image in the file; `nil` for a file of several files.
  var image: (any ImageFile)? {
    switch self {
    case .elf(let file): file
    case .machO(let file): file
    case .fat, .archive: nil
    }
  }
}

/// A file of one object format as the model needs it: a linked image, or the debug file of one.
///
/// What differs between formats is behind these members; the search for names is the same for all.
protocol ImageFile: Sendable {
  static var format: ImageFormat { get }
  var architecture: Architecture { get }
  /// See `Image.headerAddress`.
  var headerAddress: StatedAddress? { get }
  /// See `Image.segments`.
  var mappedSegments: [(name: SymbolName, range: AddressRange)] { get }

  /// - Throws: for a file that no linker has laid out, and for one that is encrypted.
  func requireReadableImage() throws(Diagnostic)

  /// A weak one for a file that carries no identity.
  func imageID() throws(ParseError) -> ImageID

  /// See `Image.libraryName`; `nil` also where it can't be read.
  func libraryName() -> String?

  /// The sections that take up address space, in the file's order.
  func sectionsInMemory() -> [Section]

  /// The guards of instrumented functions; `nil` if there are none.
  func guards() -> AddressRange?

  /// See `Image.callbackPlaces`.
  func callbackPlaces() throws(ParseError) -> [StatedAddress]?

  /// What the loader calls before `main`, in its order, and what is to be said of the others. What can't be read is
  /// left out: no name depends on it.
  func initializersAndWarnings() -> (addresses: [StatedAddress], [Diagnostic])

  /// The functions of this image that the symbol table of `file` names: of the image itself or of its
  /// debug file.
  ///
  /// - Returns: `nil` if the table was stripped.
  func functions(inSymbolsOf file: Self) throws(ParseError) -> NamedFunctions?

  /// The functions of this image that the DWARF in `file` describes, and those that it exports itself:
  /// they know aliases and assembly.
  ///
  /// - Returns: `nil` if `file` has no DWARF.
  func functions(inDWARFOf file: Self) throws(ParseError) -> NamedFunctions?

  /// What stripping leaves, and what to say of the rest.
  func exportedFunctions() throws(ParseError) -> (NamedFunctions, lack: Diagnostic)

  /// Where the debug file of this image, which is at `path`, may be; in the order of trial.
  ///
  /// - Parameter named: what the user names; nothing else is tried then.
  /// - Parameter roots: folders that distributions install debug files in.
  /// - Returns: also what is wrong with what the image says about its debug file; the rest is tried all the same.
  func debugFileCandidates(
    at path: String, named: String?, roots: [String]
  ) -> (candidates: [DebugFileRequest.Candidate], problem: ParseError?)

  /// The debug file of this image, out of `bytes`.
  ///
  /// - Throws: why it is none.
  func debugFile(in bytes: FileBytes, _ candidate: DebugFileRequest.Candidate) throws -> Self
}
