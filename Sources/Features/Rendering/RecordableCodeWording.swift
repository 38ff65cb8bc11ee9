import ByteReading
import ImageModel
import JSON
import PagesFormat

extension RecordableCode {
  /// The share in percent, cut off after the first decimal; `nil` for an image without code.
  package var percent: Double? {
    Percentage.of(portion.recordable, portion.all)
  }

  /// The recordable part as text, such as `2 of 4861 functions are instrumented, 0.1% of the code`.
  package var wording: String {
    let count = "\(functions.recordable) of \(counted(Int(clamping: functions.all), "function"))"
    let verb = functions.recordable == 1 ? "is" : "are"
    let what =
      switch means {
      case .callback: "\(count) \(verb) instrumented"
      case .breakpoint: "\(count) could get a breakpoint"
      case .execution: "\(count) could be recorded"
      }
    guard bytes != nil, let percent else { return what }
    return "\(what), \(percent)% of the code"
  }

  /// `lib/core.cpp (120.1 KiB), util.cpp (8.2 KiB) and 12 more`; empty if no unit is known.
  ///
  /// - Parameter limit: the number of units to name.
  package func unseenUnits(keeping limit: Int) -> String {
    let shown = unseen.prefix(limit).map { "\($0.wording()) (\(ByteCount($0.bytes).wording))" }
    let rest = unseen.count - shown.count
    return shown.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }
}

extension RecordableCode.Means {
  /// The words for code that could not be recorded.
  package var lack: String {
    switch self {
    case .callback: "without a callback"
    case .breakpoint: "without a breakpoint"
    case .execution: "unseen"
    }
  }
}

extension RecordableCode.Unit {
  /// Returns the unit's name. If it has none, returns its largest function and the number of its other functions.
  package func wording(_ names: NameWording = mangled) -> String {
    if let name { return printable(name.description) }
    let count = counted(functions, "function")
    guard let largestFunction else { return "\(count) without a name" }
    let name = printable(names(largestFunction))
    guard functions > 1 else { return name }
    return "\(name) and \(counted(functions - 1, "more function")) of unknown files"
  }
}

/// This extension writes and reads the members itself, because each portion is in two members.
extension RecordableCode: JSONReadableObject, JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    if let bytes { json.member("allBytes", bytes.all) }
    json.member("allFunctions", functions.all)
    if let bytes { json.member("bytes", bytes.recordable) }
    json.member("functions", functions.recordable)
    json.member("means", means.rawValue)
    json.optional("percent", percent)
    json.member("unseen", unseen)
  }

  package init(_ object: JSONObject) throws(ParseError) {
    self.init(
      means: try object.value("means"),
      functions: Portion(
        recordable: try object.value("functions"), all: try object.value("allFunctions")),
      bytes: object.has("bytes")
        ? Portion(recordable: try object.value("bytes"), all: try object.value("allBytes")) : nil,
      unseen: try object.value("unseen"))
  }
}

extension RecordableCode.Unit: JSONListedObject {
  package static let members = JSONMembers(
    Self.init, optionalMember("name", \.name), optionalMember("largestFunction", \.largestFunction),
    countMember("functions", \.functions), member("bytes", \.bytes))
}

extension RecordableCode.Means: JSONReadable {}
