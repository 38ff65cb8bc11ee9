// The conversion from object files to the model: from the bytes of a linked image to an `Image`.

import Addresses
import ByteReading
import ImageModel
import ObjectFormat

extension Image {
  /// Reads the linked image at `path` and, if it is stripped, its debug file.
  ///
  /// - Parameters:
  ///   - debugFile: the debug file that the user names; `nil` searches the system's debug folders.
  ///   - slice: the slice of a universal file.
  /// - Returns: the image, and warnings: for example that it is stripped, or that symbols were skipped.
  /// - Throws: a diagnostic that begins with `path`, or with `debugFile`; of severity `mismatch` if the debug
  ///   file does not belong to the image.
  package static func reading(
    path: String, debugFile: String? = nil, slice: SliceChoice = SliceChoice()
  ) throws(Diagnostic) -> (image: Image, warnings: [Diagnostic]) {
    let bytes: FileBytes
    do { bytes = try FileBytes(path: path) } catch { throw Diagnostic(opening: path, error) }
    return try reading(bytes, path: path, debugFile: debugFile, slice: slice)
  }

  /// Reads the linked image in `bytes`; `path` is used in the result, in messages, and for finding the debug
  /// file beside it.
  ///
  /// - Parameter open: opens a debug file by its path.
  package static func reading(
    _ bytes: FileBytes, path: String, debugFile: String? = nil, slice: SliceChoice = SliceChoice(),
    debugRoots: [String] = DebugFileRequest.systemRoots,
    opening open: (String) throws(SystemError) -> FileBytes = {
      (path: String) throws(SystemError) in try FileBytes(regularFileAt: path)
    }
  ) throws(Diagnostic) -> (image: Image, warnings: [Diagnostic]) {
    let file = try inContext(path) { () throws(ParseError) in try ObjectFile(parsing: bytes) }
    if case .fat(let file) = file {
      let image = try slice.choose(from: file, at: path)
      var result = try reading(image, path, debugFile, debugRoots, open)
      result.image.isSlice = file.slices.count > 1
      return result
    }
    guard let image = file.image else {
      throw Diagnostic(
        "unsupported file: found an archive, expected a linked image", context: [path])
    }
    try slice.check(image.architecture, of: path)
    return try reading(image, path, debugFile, debugRoots, open)
  }

  private static func reading(
    _ file: some ImageFile, _ path: String, _ debugFile: String?, _ debugRoots: [String],
    _ open: (String) throws(SystemError) -> FileBytes
  ) throws(Diagnostic) -> (image: Image, warnings: [Diagnostic]) {
    do { try file.requireReadableImage() } catch {
      throw Diagnostic(error.message, context: [path], hint: error.hint)
    }
    let (functions, search) = try inContext(path) { () throws(ParseError) in
      let request = DebugFileRequest(
        for: file, at: path, debugFile: debugFile, roots: debugRoots)
      return try NamedFunctions.finding(in: file, request, opening: open)
    }
    var warnings = functions.warnings
    if debugFile != nil {
      if let search {
        if search.functions == nil, let refusal = search.refusal { throw refusal }
      } else {
        warnings.append(Diagnostic("debug file ignored: the image has a symbol table"))
      }
    }
    return try inContext(path) { () throws(ParseError) in
      let (initializers, problems) = file.initializersAndWarnings()
      warnings += problems
      for index in warnings.indices { warnings[index].context.insert(path, at: 0) }
      var image = Image(
        path: path, id: try file.imageID(), architecture: file.architecture,
        headerAddress: file.headerAddress, layout: functions.layout(of: file),
        initializers: initializers, guards: file.guards(), symbolSource: functions.source)
      image.segments = file.mappedSegments
      image.libraryName = file.libraryName()
      image.linker = file.linker
      // A damaged table counts as a missing table, because only a few reports need it.
      image.callbackPlaces = try? file.callbackPlaces()
      return (image, warnings)
    }
  }
}

/// Adds the path to a parser's error.
private func inContext<T>(
  _ path: String, _ body: () throws(ParseError) -> T
) throws(Diagnostic) -> T {
  do { return try body() } catch { throw Diagnostic("\(error)", context: [path]) }
}

extension Diagnostic {
  /// The error that the file at `path` can't be read. On a Mac, a bundle looks like a file.
  package init(opening path: String, _ error: SystemError) {
    let folder = path.reversed().drop { $0 == "/" }
    let isBundle = [".app", ".appex", ".framework", ".bundle", ".xctest", ".dSYM"].contains {
      folder.starts(with: $0.reversed())
    }
    self.init(
      "\(error)", context: [path],
      hint: error.isOfFolder && isBundle ? "give the image file in the folder of this bundle" : nil)
  }

  /// The error for a file that is not linked.
  static func notLinked(
    found: some CustomStringConvertible, _ field: String, at position: FileOffset
  ) -> Diagnostic {
    let reason = ParseError.Reason.unsupported(found: "\(found), expected a linked image")
    return Diagnostic("\(ParseError(reason, field, at: position))")
  }
}
