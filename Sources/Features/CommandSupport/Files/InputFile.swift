import ByteReading
import ImageModel
import JSON
import OrderFileFormat
import ProfileFormat
import Symbolication
import TraceFormat

/// Opens the files that a command line names. Errors name the file.
package enum InputFile {
  /// Returns the bytes of the file at `path`, which is opened once; `-` is stdin. A trace is copied if its program may
  /// still write or truncate it.
  package static func bytes(_ path: String) throws(Diagnostic) -> FileBytes {
    do {
      return path == "-"
        ? try FileBytes.reading(
          0, limit: ParsingLimits.trace, copyingIf: TraceHeader.mayGrow)
        : try FileBytes.opening(
          path, limit: ParsingLimits.trace, copyingIf: TraceHeader.mayGrow)
    } catch {
      throw Diagnostic(opening: path, error)
    }
  }

  /// Returns the bytes of a regular file, as `bytes(_:)` does; `nil` if the file can't be read.
  static func regularFile(_ path: String) -> FileBytes? {
    try? FileBytes.opening(
      path, isRegular: true, limit: ParsingLimits.trace, copyingIf: TraceHeader.mayGrow)
  }

  /// Returns the member `schema` of the JSON document, or of the first line, at the start of `bytes`; `nil` for
  /// anything but JSON.
  package static func schema(of bytes: FileBytes, _ path: String) throws(Diagnostic) -> String? {
    guard bytes.hasPrefix("{", at: 0) else { return nil }
    var cursor = JSONCursor(bytes)
    do { return try JSONObject(parsing: &cursor, "document").value("schema") } catch {
      throw Diagnostic(
        "\(error)", context: [path],
        hint: error.reason == .missing
          ? "a document is what a command of orderfile wrote with --json" : nil)
    }
  }

  /// Returns whether the file is a history. Its first line states the schema of histories, or its contents are of no
  /// known kind and its name ends in `.jsonl`.
  package static func isHistory(_ bytes: FileBytes, _ path: String) throws(Diagnostic) -> Bool {
    guard let schema = try schema(of: bytes, path) else {
      guard case .other = FileKind(of: bytes) else { return false }
      return path.hasSuffix(".jsonl")
    }
    return schema.hasPrefix("orderfile.history/")
  }

  package static func trace(_ path: String) throws(Diagnostic) -> TraceFile {
    try traceFile(try bytes(path), path)
  }

  /// - Parameter bytes: the bytes of the file, as `bytes(_:)` returns them.
  package static func traceFile(_ bytes: FileBytes, _ path: String) throws(Diagnostic) -> TraceFile
  {
    guard bytes.count <= ParsingLimits.trace else { throw Diagnostic(opening: path, .tooLarge) }
    do { return try TraceFile(parsing: bytes) } catch {
      throw Diagnostic(reading: "trace", path, bytes, error)
    }
  }

  package static func profile(_ bytes: FileBytes, _ path: String) throws(Diagnostic) -> Profile {
    do { return try Profile(parsing: bytes) } catch {
      throw Diagnostic(reading: "profile", path, bytes, error)
    }
  }

  /// - Parameters:
  ///   - format: the format of the images that the order file is for, if known.
  ///   - linker: the name of the linker that read the order file, if known.
  package static func orderFile(
    _ bytes: FileBytes, _ path: String, of format: ImageFormat? = nil, linker: String? = nil,
    hint: String? = nil
  ) throws(Diagnostic) -> OrderFile {
    let dialect =
      linker.flatMap(OrderFileDialect.init(name:))
      ?? OrderFileDialect(guessedFrom: bytes, of: format)
    do { return try dialect.read(bytes) } catch {
      throw Diagnostic("\(error)", context: [path], hint: hint)
    }
  }

  /// Reads an order file that an option names.
  ///
  /// - Throws: an error also for text that is evidently something else.
  package static func namedOrderFile(
    _ bytes: FileBytes, _ path: String, of format: ImageFormat, linker: String? = nil
  ) throws(Diagnostic) -> OrderFile {
    let order = try orderFile(bytes, path, of: format, linker: linker)
    if let reason = order.reasonAgainst(path: path, isNamed: true) {
      throw Diagnostic("invalid order file: expected names, found \(reason)", context: [path])
    }
    return order
  }
}

extension Diagnostic {
  /// Makes an error about a trace or a profile, in the words of a user who has only the file.
  fileprivate init(
    reading kind: String, _ path: String, _ bytes: FileBytes, _ error: ParseError
  ) {
    guard !FieldPayload.begins(bytes) else {
      self.init(
        "not a trace: found a payload, which is the launch of one device", context: [path],
        hint: "'orderfile merge --recorded IMAGE' folds payloads of many devices into a profile")
      return
    }
    guard TraceHeader.begins(bytes) || Profile.begins(bytes) else {
      self.init(
        "not a trace: found \(FileKind(of: bytes).wording(bytes))", context: [path],
        hint:
          "a trace is what 'orderfile record' or ORDERFILE_TRACE wrote; see 'orderfile record --help'"
      )
      return
    }
    guard error.isOfMissingEnd(in: bytes) else {
      self.init("\(error)", context: [path])
      return
    }
    self.init(
      "the \(kind) ends early, at byte \(bytes.count)", context: [path],
      hint: kind == "trace" ? "copy it again, or record again" : "copy it again, or merge again")
  }
}

extension ParseError {
  /// Whether the error means that the file ends too early.
  fileprivate func isOfMissingEnd(in bytes: FileBytes) -> Bool {
    guard case .truncated(let needed, _) = reason else { return false }
    let (end, overflow) = position.rawValue.addingReportingOverflow(needed)
    return overflow || end > UInt64(bytes.count)
  }
}
