import ByteReading
import ImageModel
import OrderFileFormat
import Symbolication
import TraceFormat

/// Opens the files that a command line names, and says which one was wrong.
package enum InputFile {
  /// The bytes of the file at `path`; `-` is stdin.
  package static func bytes(_ path: String) throws(Diagnostic) -> FileBytes {
    do {
      return path == "-" ? try FileBytes(descriptor: 0) : try FileBytes(path: path)
    } catch {
      throw Diagnostic(opening: path, error)
    }
  }

  package static func trace(_ path: String) throws(Diagnostic) -> TraceFile {
    try traceFile(try bytes(path), path)
  }

  package static func traceFile(_ bytes: FileBytes, _ path: String) throws(Diagnostic) -> TraceFile
  {
    do { return try TraceFile(parsing: bytes) } catch {
      throw Diagnostic("\(error)", context: [path], hint: isTrace(bytes) ? nil : Self.traceHint)
    }
  }

  package static func isTrace(_ bytes: FileBytes) -> Bool {
    bytes.count >= TraceHeader.magic.count
      && bytes.copy(0..<TraceHeader.magic.count) == TraceHeader.magic
  }

  /// Whether this is a file of machine code, linked or not, or an archive of such.
  package static func isObjectFile(_ bytes: FileBytes) -> Bool {
    if bytes.hasPrefix("!<arch>\n", at: 0) || bytes.hasPrefix("!<thin>\n", at: 0) { return true }
    guard bytes.count >= 4 else { return false }
    return switch UInt32(bigEndian: bytes.loadUnaligned(UInt32.self, at: 0)) {
    case 0x7f45_4c46: true  // ELF
    case 0xfeed_face, 0xfeed_facf, 0xcefa_edfe, 0xcffa_edfe: true  // Mach-O
    case 0xcafe_babe, 0xcafe_babf: true  // fat
    default: false
    }
  }

  /// - Parameter format: of the images that it is for, if that is known.
  package static func orderFile(
    _ bytes: FileBytes, _ path: String, of format: ImageFormat? = nil,
    hint: String? = nil
  ) throws(Diagnostic) -> OrderFile {
    do { return try OrderFileDialect(guessedFrom: bytes, of: format).read(bytes) } catch {
      throw Diagnostic("\(error)", context: [path], hint: hint)
    }
  }

  private static let traceHint =
    "a trace is what 'orderfile record' or ORDERFILE_TRACE wrote; see 'orderfile record --help'"
}
