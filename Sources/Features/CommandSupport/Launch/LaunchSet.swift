import ByteReading
import ImageModel
import ProcessLaunch

/// The launches of a file: `--launches`.
package struct LaunchSet: Hashable, Sendable {
  /// In the order of the file, at least one.
  package var launches: [DescribedLaunch]

  /// The most launches of a file, and the most times that one is recorded: far more than anybody waits for.
  static let mostLaunches = 1000
  static let mostTimes = 1000

  package init(launches: [DescribedLaunch]) { self.launches = launches }

  /// Reads the file and the scripts that it names.
  ///
  /// - Throws: if a file can't be read, or is not of its form.
  package init(at path: String) throws(Diagnostic) {
    let bytes = try InputFile.bytes(path)
    do throws(ParseError) { try self.init(parsing: bytes) } catch {
      throw Diagnostic("\(error)", context: [path])
    }
    for index in launches.indices {
      launches[index].path = path
      try launches[index].readScript()
      if let input = launches[index].input {
        do throws(Diagnostic) { _ = try KeptInput.file(input) } catch {
          throw Diagnostic(
            error.message, context: launches[index].place + ["input"] + error.context,
            hint: error.hint)
        }
      }
    }
  }

  /// Returns the launches with these names, in the order of the file; all launches if there are no names.
  ///
  /// - Parameter path: the path of the file, for messages.
  /// - Throws: if a name is not in the file.
  package func launches(named names: [String], at path: String) throws(Diagnostic)
    -> [DescribedLaunch]
  {
    let known = launches.map(\.name)
    if let name = names.first(where: { !known.contains($0) }) {
      throw Diagnostic(
        "expected the name of a launch, found \(misspelt(name, known))",
        context: [path, "--only"], hint: "the file has: \(known.joined(separator: ", "))",
        severity: .usage)
    }
    return names.isEmpty ? launches : launches.filter { names.contains($0.name) }
  }
}

extension DescribedLaunch {
  /// Replaces the script, which has only a path, by the script that was read.
  fileprivate mutating func readScript() throws(Diagnostic) {
    guard let script else { return }
    let read = try TerminalScript(at: script.path)
    self.script = read
    guard read.hasReady else { return }
    guard readiness == nil else {
      throw Diagnostic(
        "the script has 'ready', and 'untilReady' also ends the launch",
        context: place + [script.path], hint: "remove one of them")
    }
    readiness = .script
  }
}
