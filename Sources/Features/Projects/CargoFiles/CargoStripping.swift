/// Where a profile of cargo sets `strip`, so that images lose the symbols by which functions are ordered.
package enum CargoStripping {
  /// Returns the environment variable that sets `strip` for `profile`.
  /// <https://doc.rust-lang.org/cargo/reference/config.html#profilenamestrip>
  package static func variable(for profile: String) -> String {
    "CARGO_PROFILE_\(profile.uppercased().replacing("-", with: "_"))_STRIP"
  }

  /// Whether cargo strips symbols if `strip` has this value, which may be in quotes.
  package static func isStripping(_ value: String) -> Bool {
    ["true", "symbols"].contains(value.filter { $0 != "\"" && $0 != "'" })
  }

  /// Returns the number of the line that strips the images of `profile`, or of a profile that it inherits; `nil` if no
  /// line does.
  ///
  /// - Parameter text: the text of a manifest or a configuration file, or the value of `--config`.
  /// - Complexity: O(*n*) for *n* bytes and each inherited profile.
  package static func line(for profile: String, in text: String) -> Int? {
    let lines = CargoSettings(text).lines
    var profile = profile
    // Profiles that inherit each other are an error of cargo.
    for _ in 0..<10 {
      func value(_ key: String) -> (number: Int, text: Substring)? {
        for line in lines {
          let prefix =
            line.table == "[profile.\(profile)]"
            ? "\(key)=" : line.table.isEmpty ? "profile.\(profile).\(key)=" : nil
          if let prefix, line.setting.hasPrefix(prefix) {
            return (line.number, line.setting.dropFirst(prefix.count))
          }
        }
        return nil
      }
      if let found = value("strip") { return isStripping(String(found.text)) ? found.number : nil }
      guard let parent = value("inherits") else { return nil }
      profile = parent.text.filter { $0 != "\"" && $0 != "'" }
    }
    return nil
  }
}
