import ImageModel
import Workflows

/// Where a command's result goes: a file, or for `-` stdout.
enum Output {
  case standardOutput
  case file(OutputFile)

  /// - Throws: if the file can't be written, before any work is done.
  init(_ path: String) throws(Diagnostic) {
    self = path == "-" ? .standardOutput : .file(try OutputFile(path))
  }

  /// As the user gave it.
  var path: String {
    switch self {
    case .standardOutput: "-"
    case .file(let file): file.path
    }
  }

  /// Writes all of `document`; a file appears under its name then.
  func finish(_ document: OutputFile.Document) throws(Diagnostic) {
    switch self {
    case .standardOutput:
      var failure: Diagnostic?
      document { piece in
        guard failure == nil else { return }
        do throws(Diagnostic) { try Console.print(piece) } catch { failure = error }
      }
      if let failure { throw failure }
    case .file(let file): try file.finish(document)
    }
  }

  /// Writes everything; a file appears under its name then.
  func finish(_ bytes: [UInt8]) throws(Diagnostic) {
    switch self {
    case .standardOutput: try Console.print(bytes)
    case .file(let file): try file.finish(bytes)
    }
  }
}
