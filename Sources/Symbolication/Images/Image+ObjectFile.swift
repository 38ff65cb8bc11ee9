// The door between object files and the model: a linked image's bytes come in, an `Image` goes out.

import Addresses
import ByteReading
import ImageModel
import ObjectFormat

extension Image {
  /// Reads the linked image at `path`, and if it is stripped its debug file.
  ///
  /// - Parameters:
  ///   - debugFile: the debug file that the user names; `nil` looks where systems install them.
  ///   - slice: which image of a universal file.
  /// - Returns: the image, and what a user should know about it: that it was stripped, that symbols had
  ///   to be skipped.
  /// - Throws: a diagnostic that begins with `path`, or with `debugFile`; of severity `mismatch` if that is
  ///   not the image's.
  package static func reading(
    path: String, debugFile: String? = nil, slice: SliceChoice = SliceChoice()
  ) throws(Diagnostic) -> (image: Image, warnings: [Diagnostic]) {
    let bytes: FileBytes
    do { bytes = try FileBytes(path: path) } catch { throw Diagnostic(opening: path, error) }
    return try reading(bytes, path: path, debugFile: debugFile, slice: slice)
  }

  /// Reads the linked image in `bytes`; `path` is for the result, for messages, and for finding its debug
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
      // A damaged table is as good as none: all but a few reports do without.
      image.callbackPlaces = try? file.callbackPlaces()
      return (image, warnings)
    }
  }
}

/// Says which file a parser's complaint is about.
private func inContext<T>(
  _ path: String, _ body: () throws(ParseError) -> T
) throws(Diagnostic) -> T {
  do { return try body() } catch { throw Diagnostic("\(error)", context: [path]) }
}

extension Diagnostic {
  /// Why no file could be read at `path`. Apple's bundles look like files on a Mac.
  package init(opening path: String, _ error: SystemError) {
    let folder = path.reversed().drop { $0 == "/" }
    let isBundle = [".app", ".appex", ".framework", ".bundle", ".xctest", ".dSYM"].contains {
      folder.starts(with: $0.reversed())
    }
    self.init(
      "\(error)", context: [path],
      hint: error.isOfFolder && isBundle ? "a bundle is a folder: give the file in it" : nil)
  }

  /// A file that no linker has laid out.
  static func notLinked(
    found: some CustomStringConvertible, _ field: String, at position: FileOffset
  ) -> Diagnostic {
    let reason = ParseError.Reason.unsupported(found: "\(found), expected a linked image")
    return Diagnostic("\(ParseError(reason, field, at: position))")
  }
}
