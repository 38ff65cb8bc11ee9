import ImageModel
import JSON

/// How a figure came to be. Each figure of a report says it, in text and in JSON.
package enum Provenance: String, JSONValue, Sendable {
  /// Computed from a layout by a model; nothing was run.
  case predicted
  /// Counted in a run.
  case measured

  package func write(to json: inout JSONWriter) { rawValue.write(to: &json) }
}

/// `1 function`, `7 functions`; a noun with another plural brings its own.
package func counted(_ count: Int, _ noun: String, _ plural: String? = nil) -> String {
  "\(count) \(count == 1 ? noun : plural ?? noun + "s")"
}

extension PageSize {
  /// `4 KiB`; in bytes below 1 KiB.
  package var wording: String {
    switch bytes {
    case ..<1024: "\(bytes) byte"
    case ..<(1 << 20): "\(bytes >> 10) KiB"
    case ..<(1 << 30): "\(bytes >> 20) MiB"
    default: "\(bytes >> 30) GiB"
    }
  }
}

/// How a name is shown to people. JSON always carries the name that stands in the file.
package typealias NameWording = (SymbolName) -> String

/// The name as it stands in the file; bytes that are not UTF-8 become U+FFFD.
package func mangled(_ name: SymbolName) -> String { name.description }
