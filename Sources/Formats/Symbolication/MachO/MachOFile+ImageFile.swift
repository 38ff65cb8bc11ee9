import Addresses
import ByteReading
import DebugInfo
import ImageModel
import ObjectFormat
import OrderFileFormat

extension MachOFile: ImageFile {
  static var format: ImageFormat { .machO }
  var architecture: Architecture { Architecture(header.architecture.description) }
  var headerAddress: StatedAddress? {
    segments.first { $0.name.elementsEqual("__TEXT".utf8) }?.range.start
  }

  var mappedSegments: [(name: SymbolName, range: AddressRange)] {
    segments.filter { $0.fileSize > 0 }.map { (SymbolName(bytes: $0.name), $0.range) }
  }

  func requireReadableImage() throws(Diagnostic) {
    guard header.type.isLinkedImage else {
      var error = Diagnostic.notLinked(
        found: header.type, "filetype", at: FileOffset(rawValue: range.lowerBound.rawValue + 12))
      if header.type == .debugSymbols {
        error.remedies = [
          Remedy("give the image instead of its dSYM"),
          Remedy("give the image, and the dSYM with '--debug-file'", option: "--debug-file"),
        ]
      }
      throw error
    }
    let encrypted: ByteRange?
    do { encrypted = try encryptedRange() } catch { throw Diagnostic("\(error)") }
    guard encrypted == nil else {
      throw Diagnostic(
        "unsupported image: encrypted by the App Store",
        hint: "give the image of the archive that was uploaded")
    }
  }

  /// The ID in `LC_UUID`. Without this command, a weak ID: the 64-bit FNV-1a hash of all load commands as in the file,
  /// big-endian. The recorder computes the same hash. Stripping changes the weak ID.
  package func imageID() throws(ParseError) -> ImageID {
    if let uuid = try uuid() { return ImageID(kind: .uuid, bytes: uuid) }
    let start = range.indices.lowerBound + 32  // sizeof(mach_header_64)
    return ImageID(weakOf: bytes, start..<start + Int(header.commandsSize))
  }

  /// Apple's new linker, which its authors call ld-prime, counts its versions from 1000 on, and the classic linker's
  /// versions are lower: Xcode 15 has 1015.7 and 907 (<https://github.com/apple-opensource/ld64/issues/2>).
  var linker: String? {
    guard let version = (try? linkerVersion()) ?? nil else { return nil }
    return switch version.tool {
    case .lld: OrderFileDialect.ld64LLD.name
    case .ld: (version.major < 1000 ? OrderFileDialect.ld64 : .ldPrime).name
    }
  }

  func libraryName() -> String? {
    guard let name = (try? installName()) ?? nil else { return nil }
    return bytes.text(name.indices).split(separator: "/").last.map(String.init)
  }

  /// All sections except debug information, which has addresses but isn't loaded.
  func sectionsInMemory() -> [Section] {
    sections.compactMap { section in
      guard !section.attributes.contains(.debug), !section.segmentName.elementsEqual("__DWARF".utf8)
      else { return nil }
      return Section(
        name: SymbolName(bytes: section.name), range: section.range,
        isExecutable: section.holdsInstructions)
    }
  }

  func guards() -> AddressRange? {
    sections.first { $0.sectionName.elementsEqual("__sancov_guards".utf8) }?.range
  }

  /// The Objective-C runtime calls the `+load` methods of an image before its initializers.
  func initializersAndWarnings() -> (addresses: [StatedAddress], [Diagnostic]) {
    let reason = "not a pointer to code of this image"
    var addresses: [StatedAddress] = []
    var warnings: [Diagnostic] = []
    do {
      let methods = try loadMethods()
      addresses += methods.addresses
      warnings += Diagnostic.skipped(methods.unknownCount, "+load method", reason)
    } catch { warnings.append(.unread("+load methods", error)) }
    do {
      let initializers = try initializers()
      addresses += initializers.addresses
      warnings += Diagnostic.skipped(initializers.unknownCount, "initializer", reason)
    } catch { warnings.append(.unread("initializers", error)) }
    return (addresses, warnings)
  }

  func functions(inSymbolsOf file: MachOFile) throws(ParseError) -> NamedFunctions? {
    var functions = try MachOFunctions(of: self)
    let table = try file.symbolTable()
    if let table { functions.add(table) }
    // A debug file has the symbols that the image had before it was stripped. So only a debug file without functions
    // counts as stripped.
    let isStripped =
      file.header.type == .debugSymbols ? functions.isEmpty : functions.isStripped
    guard !isStripped else { return nil }
    var found = functions.finish()
    if let table { DebugMap(table).nameObjectFiles(of: &found) }
    return found
  }

  func functions(inDWARFOf file: MachOFile) throws(ParseError) -> NamedFunctions? {
    guard let debug = try DebugFunctions(file) else { return nil }
    var functions = try MachOFunctions(of: self)
    functions.add(debug)
    if let table = try symbolTable() { functions.add(table) }
    return functions.finish()
  }

  func exportedFunctions() throws(ParseError) -> (NamedFunctions, lack: Diagnostic) {
    var functions = try MachOFunctions(of: self)
    if let table = try symbolTable() { functions.add(table) }
    var message = "missing symbols: no function has a name"
    if let unnamed = functions.unnamedStarts() {
      message = "missing symbols: \(unnamed.count) of \(unnamed.of) functions have no name"
    }
    let lack = Diagnostic(
      message,
      remedies: [
        Remedy("use the unstripped image"),
        Remedy("give its dSYM with '--debug-file'", option: "--debug-file"),
      ])
    return (functions.finish(), lack)
  }
}
