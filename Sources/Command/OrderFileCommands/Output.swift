import CommandSupport
import ImageModel

/// The destination of a command's result: a file, or stdout for `-`.
enum Output {
  case standardOutput
  case file(OutputFile)

  /// - Parameter inputs: the paths of the files that the result is made of; the result must not replace them.
  /// - Throws: if the file can't be written, before any work is done; also if it is one of `inputs`.
  init(_ path: String, madeOf inputs: [String] = []) throws(Diagnostic) {
    try OutputFile.check(path, isNoneOf: inputs)
    self = path == "-" ? .standardOutput : .file(try OutputFile(path))
  }

  /// The path as the user gave it.
  var path: String {
    switch self {
    case .standardOutput: "-"
    case .file(let file): file.path
    }
  }

  /// The file; `nil` for stdout.
  var file: OutputFile? {
    if case .file(let file) = self { return file }
    return nil
  }

  /// Writes all of `document`. A file gets its name only when it is complete.
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

  /// Writes all of `bytes`. A file gets its name only when it is complete.
  func finish(_ bytes: [UInt8]) throws(Diagnostic) {
    switch self {
    case .standardOutput: try Console.print(bytes)
    case .file(let file): try file.finish(bytes)
    }
  }
}
