import CommandSupport

/// The lines of a manifest or a configuration file of cargo, each with its table. This is not a TOML reader: it does
/// not recognize settings that extend over several lines or whose keys are in quotes.
struct CargoSettings {
  /// The configuration files of cargo in `folder`, an absolute path, and in the folders above it, from the bottom up.
  static func configurationFiles(in folder: String) -> [(path: String, text: String)] {
    var files: [(path: String, text: String)] = []
    var parts = folder.split(separator: "/")
    while true {
      let above = parts.map { "/\($0)" }.joined()
      for name in ["config.toml", "config"] {
        let path = "\(above)/.cargo/\(name)"
        guard let bytes = try? InputFile.bytes(path) else { continue }
        files.append((path, bytes.text(0..<bytes.count)))
      }
      if parts.popLast() == nil { return files }
    }
  }

  struct Line: Hashable, Sendable {
    /// The number of the line, from 1.
    var number: Int
    /// The header of the line's table, such as `[package]`; empty above the first table.
    var table: String
    /// A setting, such as `build=false`, or the header of a table, such as `[package]`. Blanks and comments are removed.
    var setting: String
    /// The line as it is in the file.
    var text: Substring
  }

  let lines: [Line]

  /// - Complexity: O(*n*) for *n* bytes.
  init(_ text: String) {
    var table = ""
    lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
      .map { index, text in
        let setting = text.prefix { $0 != "#" }.filter { $0 != " " && $0 != "\t" }
        if setting.hasPrefix("[") { table = setting }
        return Line(number: index + 1, table: table, setting: setting, text: text)
      }
  }
}
