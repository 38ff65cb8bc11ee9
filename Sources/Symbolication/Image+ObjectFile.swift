// The door between object files and the model: a linked image's bytes come in, an `Image` goes out.

import Addresses
import ByteReading
import ImageModel
import ObjectFormat

extension Image {
  /// Reads the linked image at `path`, and if it is stripped its debug file.
  ///
  /// - Parameter debugFile: the debug file that the user names; `nil` looks where systems install them.
  /// - Returns: the image, and what a user should know about it: that it was stripped, that symbols had
  ///   to be skipped.
  /// - Throws: a diagnostic that begins with `path`, or with `debugFile`; of severity `mismatch` if that is
  ///   not the image's.
  package static func reading(
    path: String, debugFile: String? = nil
  ) throws(Diagnostic) -> (image: Image, warnings: [Diagnostic]) {
    let bytes: FileBytes
    do { bytes = try FileBytes(path: path) } catch { throw Diagnostic("\(error)", context: [path]) }
    return try reading(bytes, path: path, debugFile: debugFile)
  }

  /// Reads the linked image in `bytes`; `path` is for the result, for messages, and for finding its debug
  /// file beside it.
  ///
  /// - Parameter open: opens a debug file by its path.
  package static func reading(
    _ bytes: FileBytes, path: String, debugFile: String? = nil,
    debugRoots: [String] = DebugFileRequest.systemRoots,
    opening open: (String) throws(SystemError) -> FileBytes = {
      (path: String) throws(SystemError) in try FileBytes(path: path)
    }
  ) throws(Diagnostic) -> (image: Image, warnings: [Diagnostic]) {
    let file: ELFFile
    let found: (functions: NamedFunctions, search: DebugFileRequest.Outcome?)
    do throws(ParseError) {
      file = try linkedImage(bytes)
      let request = try DebugFileRequest(
        for: file, at: path, debugFile: debugFile, roots: debugRoots)
      found = try NamedFunctions.finding(in: file, request, opening: open)
    } catch {
      throw Diagnostic("\(error)", context: [path])
    }
    var warnings = found.functions.warnings
    if let search = found.search, search.functions == nil {
      if let debugFile, var reason = search.rejected.first?.reason {
        reason.context = [debugFile] + reason.context
        throw reason
      }
      warnings.append(.stripped(search))
    }
    if debugFile != nil, found.search == nil {
      warnings.append(Diagnostic("debug file ignored: the image has a symbol table"))
    }
    do throws(ParseError) {
      let initializers = try file.initializers()
      if initializers.unknownCount > 0 {
        warnings.append(
          .skipped(
            initializers.unknownCount, "initializer",
            "its relocation names no function of this image"))
      }
      let image = Image(
        path: path, id: try ImageID(file), architecture: Architecture(file.header),
        layout: found.functions.layout(file.allocatedSections()),
        initializers: initializers.addresses,
        guards: file.section(named: "__sancov_guards")?.range,
        symbolSource: found.functions.source)
      for index in warnings.indices { warnings[index].context.insert(path, at: 0) }
      return (image, warnings)
    } catch {
      throw Diagnostic("\(error)", context: [path])
    }
  }

  /// - Throws: `unsupported` for a file that no linker has laid out, besides what is wrong with it.
  private static func linkedImage(_ bytes: FileBytes) throws(ParseError) -> ELFFile {
    switch try ObjectFile(parsing: bytes) {
    case .elf(let file):
      guard file.header.type == .executable || file.header.type == .sharedObject else {
        throw ParseError(
          .unsupported(found: "\(file.header.type), expected a linked image"), "e_type",
          at: FileOffset(rawValue: 16))
      }
      return file
    case .machO:
      throw ParseError(
        .unsupported(found: "a Mach-O file"), "magic", at: FileOffset(rawValue: 0))
    case .fat:
      throw ParseError(
        .unsupported(found: "a universal Mach-O file"), "magic", at: FileOffset(rawValue: 0))
    case .archive:
      throw ParseError(
        .unsupported(found: "an archive of object files"), "magic", at: FileOffset(rawValue: 0))
    }
  }
}

extension ELFFile {
  /// The sections that take up address space, in the file's order.
  func allocatedSections() -> [Section] {
    sections.compactMap { section in
      // .tbss takes space in each thread, and none at the address it states.
      let isThreadZero = section.flags.contains(.threadLocal) && section.type == .noBits
      guard section.flags.contains(.allocated), !isThreadZero else { return nil }
      return Section(
        name: SymbolName(bytes: bytes.copy(section.name.indices)), range: section.range,
        isExecutable: section.flags.contains(.executable))
    }
  }

  /// What the loader calls before `main`, in its order, and how many more there are whose address the file
  /// does not say. `DT_INIT` is left out: it names the C runtime's `_init`, which does nothing where there
  /// is an `.init_array`.
  func initializers() throws(ParseError) -> (addresses: [StatedAddress], unknownCount: Int) {
    var addresses: [StatedAddress] = []
    var unknownCount = 0
    for type in [ELFSectionType.preinitArray, .initArray] {
      for section in sections where section.type == type {
        for address in try pointers(in: section) {
          if let address { addresses.append(address) } else { unknownCount += 1 }
        }
      }
    }
    return (addresses, unknownCount)
  }
}

extension Diagnostic {
  fileprivate static func stripped(_ search: DebugFileRequest.Outcome) -> Diagnostic {
    Diagnostic(
      "missing symbol table: only exported functions have names" + search.rejections,
      hint: "give the unstripped image, or its debug file with '--debug-file'")
  }
}
