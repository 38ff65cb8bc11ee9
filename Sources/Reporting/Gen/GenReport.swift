import ImageModel
import JSON

/// What `orderfile gen` did for one image, and what it left out.
package struct GenReport: Sendable {
  package static let schema = "orderfile.gen/1"

  /// The order file that was written; `-` is stdout.
  package var outputPath: String
  package var dialect: String
  /// The image in the traces.
  package var recordedImage: String
  /// What the names were looked up in; `nil` if the recorded names were taken as they are.
  package var layoutPath: String?
  package var traces: [String]
  /// Bodies that the launches used.
  package var recordedFunctions: Int
  /// How many of them are in the layout.
  package var resolvedFunctions: Int
  /// Initializers that no trace saw.
  package var untracedInitializers: Int
  /// Lines naming a function; aliases have lines of their own.
  package var entries: Int
  /// Of the ordered functions, in bytes.
  package var startupBytes: UInt64
  /// Of all code sections, in bytes.
  package var textBytes: UInt64
  /// Recorded functions that no line stands for.
  package var missing: [NameWithReason]
  /// Hits in code that has no name.
  package var unnamedHits: Int
  package var lostRecords: UInt64

  package init(
    outputPath: String, dialect: String, recordedImage: String, layoutPath: String?,
    traces: [String], recordedFunctions: Int, resolvedFunctions: Int, untracedInitializers: Int,
    entries: Int, startupBytes: UInt64, textBytes: UInt64, missing: [NameWithReason],
    unnamedHits: Int, lostRecords: UInt64
  ) {
    self.outputPath = outputPath
    self.dialect = dialect
    self.recordedImage = recordedImage
    self.layoutPath = layoutPath
    self.traces = traces
    self.recordedFunctions = recordedFunctions
    self.resolvedFunctions = resolvedFunctions
    self.untracedInitializers = untracedInitializers
    self.entries = entries
    self.startupBytes = startupBytes
    self.textBytes = textBytes
    self.missing = missing
    self.unnamedHits = unnamedHits
    self.lostRecords = lostRecords
  }

  /// The report as one JSON object per image in an array: `orderfile.gen/1`.
  package static func json(_ reports: [GenReport]) -> [UInt8] {
    JSONWriter.document { json in
      json.array("images") { json in
        for report in reports {
          json.object { report.writeMembers(to: &$0) }
        }
      }
      json.member("schema", schema)
    }
  }

  private func writeMembers(to json: inout JSONWriter) {
    json.member("dialect", dialect)
    json.member("entries", entries)
    if let layoutPath { json.member("layoutPath", layoutPath) }
    json.member("lostRecords", lostRecords)
    json.array("missing") { json in
      for missing in missing {
        json.object { json in
          json.member("name", missing.name)
          json.member("reason", missing.reason)
        }
      }
    }
    json.member("outputPath", outputPath)
    json.member("recordedFunctions", recordedFunctions)
    json.member("recordedImage", recordedImage)
    json.member("resolvedFunctions", resolvedFunctions)
    json.member("startupBytes", startupBytes)
    json.member("textBytes", textBytes)
    json.array("traces") { json in for trace in traces { json.element(trace) } }
    json.member("unnamedHits", unnamedHits)
    json.member("untracedInitializers", untracedInitializers)
  }

  /// The counts in one paragraph, and with `explain` each function that was left out.
  package func text(explain: Bool, names: NameWording = mangled) -> String {
    var text = "ordered \(resolvedFunctions) of \(counted(recordedFunctions, "recorded function"))"
    if textBytes > 0 {
      text += " (\(ByteCount(startupBytes)) of \(ByteCount(textBytes)) of code)"
    }
    if untracedInitializers > 0 {
      text += ", and \(counted(untracedInitializers, "initializer")) that no trace saw,"
    }
    text += " in \(counted(entries, "entry", "entries")): \(printable(outputPath))"
    if unnamedHits > 0 { text += "\n\(counted(unnamedHits, "hit")) in code without a name" }
    guard !missing.isEmpty else { return text }
    text += "\nleft out: \(counted(missing.count, "function"))"
    if !explain { return text + reasons }
    for missing in missing {
      text += "\n  \(printable(names(missing.name))): \(missing.reason)"
    }
    return text
  }

  /// The reasons with their counts, most frequent first.
  private var reasons: String {
    var counts: [String: Int] = [:]
    for missing in missing { counts[missing.reason, default: 0] += 1 }
    let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    return ": " + sorted.map { "\($0.value) \($0.key)" }.joined(separator: "; ")
      + " (--explain lists them)"
  }
}
