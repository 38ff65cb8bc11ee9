import CommandSupport
import ImageModel
import LibC
import Rendering

/// This process's standard streams. Results go to stdout; everything else goes to stderr, after the
/// result.
enum Console {
  /// Writes a result.
  ///
  /// - Throws: if writing fails, for example because the disk is full. An exit of the reader (`| head`) is no error:
  ///   the rest of the work and the exit status stay the same.
  static func print(_ bytes: [UInt8]) throws(Diagnostic) {
    do { try writeAll(bytes, to: STDOUT_FILENO) } catch {
      if error.errno == EPIPE { return }
      throw Diagnostic("unable to write: \(error)", context: ["stdout"])
    }
  }

  static func print(_ text: String) throws(Diagnostic) { try print(Array(text.utf8)) }

  static func printWarnings(_ warnings: [Diagnostic]) {
    for warning in warnings { printLine("warning", colour: 35, warning) }
  }

  static func printError(_ error: Diagnostic) { printLine("error", colour: 31, error) }

  /// Prints an error in the command line.
  static func printUsageError(_ text: String) { writeError(text) }

  /// Prints a line about what was done: progress, not a result.
  static func printNote(_ text: String) { writeError("orderfile: \(text)\n") }

  private static func printLine(_ kind: String, colour: Int, _ diagnostic: Diagnostic) {
    let kind = errorIsColoured ? "\u{1b}[1;\(colour)m\(kind):\u{1b}[0m" : "\(kind):"
    var text = (diagnostic.context.map(printable) + [lines(of: diagnostic.message)])
      .joined(separator: ": ")
    if let hint = diagnostic.hint { text += "\n  hint: \(lines(of: hint))" }
    writeError("orderfile: \(kind) \(text)\n")
  }

  /// Escapes line feeds, apart from our own. Ours precede indented lines, such as the last lines that a command
  /// printed. Names come from files: a line feed in a name must not begin a line that a CI system would take for a
  /// command.
  private static func lines(of text: String) -> String {
    var lines: [String] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let start = line.drop { $0 == " " }
      let isOwn = line.hasPrefix("  ") && !start.hasPrefix("::") && !start.hasPrefix("##")
      if isOwn || lines.isEmpty {
        lines.append(String(line))
      } else {
        lines[lines.count - 1] += "\n\(line)"
      }
    }
    return lines.map(printable).joined(separator: "\n")
  }

  private static func writeError(_ text: String) {
    // An error of writing to standard error can't be reported anywhere.
    try? writeAll(Array(text.utf8), to: STDERR_FILENO)
  }

  /// The number of columns if stdout is a terminal, else `nil`. COLUMNS overrides the terminal's own number.
  static var width: Int? { isatty(STDOUT_FILENO) == 1 ? width(of: STDOUT_FILENO) : nil }

  /// The number of columns of the terminal that is stderr; 80 if the terminal states no number.
  static var errorWidth: Int { width(of: STDERR_FILENO) }

  private static func width(of terminal: Int32) -> Int {
    if let columns = Int(variable("COLUMNS")), 20...10_000 ~= columns { return columns }
    var size = winsize()
    guard ioctl(terminal, UInt(TIOCGWINSZ), &size) == 0, size.ws_col >= 20 else { return 80 }
    return Int(size.ws_col)
  }

  /// Writes text that the next progress text overwrites.
  static func printProgress(_ text: String) { writeError(text) }

  /// Whether standard error is a terminal that understands escape sequences, and NO_COLOR is not set.
  static var errorIsColoured: Bool {
    guard isatty(STDERR_FILENO) == 1, variable("TERM") != "dumb" else { return false }
    return variable("NO_COLOR").isEmpty
  }

  /// Whether results are in colour: if CLICOLOR_FORCE is set, or if standard output is a terminal that understands
  /// escape sequences. If NO_COLOR is set, results are never in colour. <https://no-color.org>,
  /// <https://bixense.com/clicolors>
  static var outputIsColoured: Bool {
    guard variable("NO_COLOR").isEmpty else { return false }
    return colourIsForced || isatty(STDOUT_FILENO) == 1 && variable("TERM") != "dumb"
  }

  /// Whether results in files are in colour, too: if CLICOLOR_FORCE is set and NO_COLOR is not.
  static var colourIsForced: Bool {
    variable("NO_COLOR").isEmpty && !["", "0"].contains(variable("CLICOLOR_FORCE"))
  }

  /// Whether the locale's encoding is UTF-8, according to its name.
  static var isUTF8: Bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].map(variable).first { !$0.isEmpty } ?? ""
    let name = locale.lowercased()
    return name.contains("utf-8") || name.contains("utf8")
  }

  /// Returns the value of an environment variable; empty if it is not set.
  fileprivate static func variable(_ name: String) -> String { ownVariable(name) ?? "" }
}

extension LaunchEnvironment {
  /// The environment of this process.
  static var own: LaunchEnvironment {
    var environment = LaunchEnvironment(
      searchPath: ownVariable("PATH"), preload: ownVariable("LD_PRELOAD") ?? "",
      libraryPath: ownVariable("LD_LIBRARY_PATH"),
      temporaryFolder: ownVariable("TMPDIR"),
      sanitizerOptions: LaunchEnvironment.sanitizerVariables.compactMap(ownVariable),
      addressSanitizerOptions: ownVariable("ASAN_OPTIONS") ?? "",
      emulatorRoot: ownVariable("QEMU_LD_PREFIX"))
    environment.auditors = ownVariable("LD_AUDIT") ?? ""
    environment.compilerVariables = LaunchEnvironment.compilerVariableNames.compactMap { name in
      ownVariable(name).map { (name, $0) }
    }
    return environment
  }
}

/// Returns the value of a variable of this process's environment; `nil` if it is not set.
private func ownVariable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
