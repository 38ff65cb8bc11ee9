import ByteReading
import ImageModel
import OrderFileFormat
import Symbolication
import TraceFormat

/// Opens the files that a command line names, and says which one was wrong.
enum InputFile {
  /// The bytes of the file at `path`; `-` is stdin.
  static func bytes(_ path: String) throws(Diagnostic) -> FileBytes {
    do {
      return path == "-" ? try FileBytes(descriptor: 0) : try FileBytes(path: path)
    } catch {
      throw Diagnostic("\(error)", context: [path])
    }
  }

  static func trace(_ path: String) throws(Diagnostic) -> TraceFile {
    try traceFile(try bytes(path), path)
  }

  static func traceFile(_ bytes: FileBytes, _ path: String) throws(Diagnostic) -> TraceFile {
    do { return try TraceFile(parsing: bytes) } catch {
      throw Diagnostic("\(error)", context: [path], hint: isTrace(bytes) ? nil : Self.traceHint)
    }
  }

  static func isTrace(_ bytes: FileBytes) -> Bool {
    bytes.count >= TraceHeader.magic.count
      && bytes.copy(0..<TraceHeader.magic.count) == TraceHeader.magic
  }

  static func isELF(_ bytes: FileBytes) -> Bool { bytes.hasPrefix("\u{7f}ELF", at: 0) }

  static func orderFile(
    _ bytes: FileBytes, _ path: String, hint: String? = nil
  ) throws(Diagnostic) -> OrderFile {
    do { return try OrderFileDialect(guessedFrom: bytes).read(bytes) } catch {
      throw Diagnostic("\(error)", context: [path], hint: hint)
    }
  }

  private static let traceHint =
    "a trace is what 'orderfile record' or ORDERFILE_TRACE wrote; see 'orderfile record --help'"
}
