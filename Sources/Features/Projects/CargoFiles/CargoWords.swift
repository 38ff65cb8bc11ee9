import Rendering

/// The words of a call of `cargo orderfile`: options of cargo, and words for the program after `--`.
package struct CargoWords: Hashable, Sendable {
  package var options: [String]
  package var program: [String]

  package init(_ words: [String]) {
    let end = words.firstIndex(of: "--") ?? words.endIndex
    options = Array(words[..<end])
    program = Array(words[end...].dropFirst())
  }

  /// Returns the value of an option that is written as two words or as one; `nil` if the option is not given.
  package func value(of option: String) -> String? {
    for (index, word) in options.enumerated() {
      if word.hasPrefix(option + "=") { return String(word.dropFirst(option.count + 1)) }
      if word == option, index + 1 < options.count { return options[index + 1] }
    }
    return nil
  }

  private var choosesProfile: Bool {
    value(of: "--profile") != nil || options.contains("--release") || options.contains("-r")
  }

  /// Whether the options choose a target of a package.
  var choosesTarget: Bool {
    options.contains("--lib")
      || ["--bin", "--example", "--test", "--bench"].contains { value(of: $0) != nil }
  }

  /// The name of the package that the options choose; `nil` if they choose none.
  var package: String? {
    (value(of: "--package") ?? value(of: "-p")).map { String($0.prefix { $0 != "@" }) }
  }

  /// The profile that is built.
  package var profile: String { value(of: "--profile") ?? "release" }

  /// Returns the command that builds one target. The words after its `--` are only for the crate that is linked, so
  /// that cargo compiles no other crate again.
  ///
  /// - Parameters:
  ///   - selection: further options, which choose the target.
  ///   - linkWords: words for the compiler driver that links.
  ///   - targetFolder: the target folder of this build; `nil` for the folder that the options name.
  package func build(
    selection: [String] = [], linkWords: [String], targetFolder: String? = nil
  ) -> [String] {
    let place = targetFolder.map { ["--target-dir", $0] }
    return ["cargo", "rustc", "--message-format=json-render-diagnostics"]
      + (choosesProfile ? [] : ["--release"])
      + (place == nil ? options : options(without: "--target-dir")) + (place ?? []) + selection
      + ["--"] + linkWords.map { "-Clink-arg=\($0)" }
  }

  private func options(without option: String) -> [String] {
    var kept: [String] = []
    var isValue = false
    for word in options {
      if !isValue, word != option, !word.hasPrefix(option + "=") { kept.append(word) }
      isValue = !isValue && word == option
    }
    return kept
  }

  /// The command that prints the paths of the target folder and the workspace.
  package var metadata: [String] {
    var words = ["cargo", "metadata", "--no-deps", "--format-version", "1"]
    for option in ["--manifest-path", "--config"] {
      if let value = value(of: option) { words += [option, value] }
    }
    return words + options.filter { ["--offline", "--locked", "--frozen"].contains($0) }
  }

  /// Returns a call of another verb with the same options, for hints.
  package func command(_ verb: String) -> String {
    (["cargo", "orderfile", verb] + options.map(shellWord)).joined(separator: " ")
  }
}
