import ImageModel
import JSON

/// Whether a figure is predicted or measured. Each report states it for each figure, in text and in JSON.
package enum Provenance: String, JSONValue, Sendable {
  /// The figure was computed from a layout by a model; no program ran.
  case predicted
  /// The figure was counted or timed in a launch.
  case measured

  package func write(to json: inout JSONWriter) { rawValue.write(to: &json) }
}

/// Returns a count and its noun: `1 function`, `7 functions`. `plural` is for irregular nouns.
package func counted(_ count: Int, _ noun: String, _ plural: String? = nil) -> String {
  "\(count) \(count == 1 ? noun : plural ?? noun + "s")"
}

extension PageSize {
  /// `4 KiB`; sizes below 1 KiB are in bytes.
  package var wording: String {
    switch bytes {
    case ..<1024: "\(bytes) byte"
    case ..<(1 << 20): "\(bytes >> 10) KiB"
    case ..<(1 << 30): "\(bytes >> 20) MiB"
    default: "\(bytes >> 30) GiB"
    }
  }
}

/// How names are shown to people. JSON always has the name as in the file.
package typealias NameWording = (SymbolName) -> String

/// Returns the name as it is in the file; bytes that are not UTF-8 become U+FFFD.
package func mangled(_ name: SymbolName) -> String { name.description }
