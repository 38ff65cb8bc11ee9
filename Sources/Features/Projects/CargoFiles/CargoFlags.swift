import ImageModel

/// Flags for all crates. cargo takes them from one place only: `RUSTFLAGS`, else `[target] rustflags`, else
/// `[build] rustflags`. <https://doc.rust-lang.org/cargo/reference/config.html#buildrustflags>
package enum CargoFlags {
  /// Variables from which cargo takes flags for all crates instead of `[target] rustflags`.
  package static let variables = ["CARGO_ENCODED_RUSTFLAGS", "RUSTFLAGS"]

  /// The hint of all warnings about flags for all crates.
  private static let remedy =
    "put the flags into [target.TRIPLE] rustflags of .cargo/config.toml"

  /// - Parameters:
  ///   - variables: the names in `CargoFlags.variables` that are set.
  ///   - folder: the current folder, absolute: cargo reads the configuration there and in the folders above it.
  package static func warnings(variables: [String], in folder: String) -> [Diagnostic] {
    var warnings = variables.map { name in
      Diagnostic(
        "this variable replaces [target] rustflags, and recompiles all crates when it changes",
        context: [name], hint: remedy)
    }
    for file in CargoSettings.configurationFiles(in: folder) {
      guard let line = lineOfBuildFlags(in: file.text) else { continue }
      warnings.append(
        Diagnostic(
          "cargo ignores [build] rustflags where RUSTFLAGS or [target] rustflags are set",
          context: ["\(file.path):\(line)"], hint: remedy))
    }
    return warnings
  }

  /// Returns the number of the line that sets `build.rustflags`; `nil` if no line does.
  package static func lineOfBuildFlags(in text: String) -> Int? {
    CargoSettings(text).lines.first { line in
      line.table == "[build]" && line.setting.hasPrefix("rustflags=")
        || line.table.isEmpty && line.setting.hasPrefix("build.rustflags=")
    }?.number
  }
}
