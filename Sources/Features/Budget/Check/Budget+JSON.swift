// The budget file:
//
//     {
//       "allowedLibraries": ["libc.so.6", "libicu*"],
//       "allowedTasks": ["database of first screen", "* of later"],
//       "limits": [
//         {"againstBase": "+2", "image": "app", "max": 150, "metric": "pages.textPages", "pageSizeBytes": 4096},
//         {"max": "5%", "metric": "diff.stale"}
//       ],
//       "schema": "orderfile.budget/1"
//     }
//
// People write this file (`StrictDocument.swift`). For this reason, the extensions here write and read the members of a
// budget and of its limits themselves.

import Addresses
import Audit
import ByteReading
import CommandSupport
import ImageModel
import JSON
import LaunchMeasurement
import Rendering

extension Budget: ReadableDocument {
  package static let schema = "orderfile.budget/1"

  package func writeMembers(to json: inout JSONWriter) {
    json.optional("allowedLibraries", libraries)
    json.optional("allowedTasks", tasks)
    json.member("limits", limits)
    json.member("schema", Self.schema)
  }

  /// Reads a budget. Unlike other documents, a budget may have no unknown members.
  package init(parsing bytes: FileBytes) throws(ParseError) {
    self = try LineNumbers.placing(bytes) { (bytes) throws(ParseError) in
      try Self(unplaced: bytes)
    }
    let lines = LineNumbers(of: bytes)
    for index in limits.indices { lines.number(&limits[index].line) }
    if var libraries {
      lines.number(&libraries.line)
      self.libraries = libraries
    }
    if var tasks {
      lines.number(&tasks.line)
      self.tasks = tasks
    }
  }

  /// Reads a budget whose `line`s are byte offsets instead of line numbers.
  private init(unplaced bytes: FileBytes) throws(ParseError) {
    let object = try JSONObject(document: bytes, schema: Self.schema)
    try object.refuseMembers(besides: ["allowedLibraries", "allowedTasks", "limits", "schema"])
    limits = try object.value("limits")
    guard limits.count <= Self.mostLimits else {
      throw object.invalid(
        "limits", expected: "at most \(Self.mostLimits)", found: "\(limits.count)")
    }
    libraries = try object.optional("allowedLibraries")
    tasks = try object.optional("allowedTasks")
    guard !limits.isEmpty || libraries != nil || tasks != nil else {
      throw object.invalid("limits", expected: "at least one", found: "none")
    }
  }
}

extension Budget.AllowedNames: JSONReadable, JSONValue {
  package func write(to json: inout JSONWriter) {
    patterns.map { SymbolName(bytes: $0.bytes) }.write(to: &json)
  }

  package init(parsing cursor: inout JSONCursor, _ field: String) throws(ParseError) {
    line = Int(clamping: cursor.nextPosition.rawValue)
    let names = try [SymbolName](parsing: &cursor, field)
    patterns = names.map { LibraryPattern(bytes: $0.bytes) }
  }
}

extension Budget.Limit: JSONReadable, JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    if let againstBase { json.member("againstBase", againstBase.description) }
    json.optional("image", image)
    json.optional("max", maximum)
    json.member("metric", figure.id)
    json.optional("min", minimum)
    json.optional("pageSizeBytes", pageSize)
    json.optional("state", state)
  }

  private static let keys = [
    "againstBase", "image", "max", "metric", "min", "pageSizeBytes", "state",
  ]

  package init(parsing cursor: inout JSONCursor, _ field: String) throws(ParseError) {
    let place = cursor.nextPosition
    let object = try JSONObject(parsing: &cursor, field)
    try object.refuseMembers(besides: Self.keys)
    let metric: String = try object.value("metric")
    guard let figure = BudgetFigure(id: metric) else {
      throw object.invalid(
        "metric", expected: BudgetFigure.known(like: metric),
        found: misspelt(metric, BudgetFigure.allWordings))
    }
    self.init(
      figure, image: try object.optional("image"), pageSize: try object.optional("pageSizeBytes"),
      state: try object.optional("state"), maximum: try object.optional("max"),
      minimum: try object.optional("min"), line: Int(clamping: place.rawValue))
    if let text: String = try object.optional("againstBase") {
      guard let allowance = Allowance(text) else {
        throw object.invalid(
          "againstBase", expected: "'+2' or '+2%'", found: "'\(printable(String(text.prefix(40))))'"
        )
      }
      againstBase = allowance
    }
    try check(object)
  }

  /// - Throws: if the parts do not fit the figure.
  private func check(_ object: JSONObject) throws(ParseError) {
    if maximum == nil, minimum == nil, againstBase == nil {
      throw object.invalid(
        "limit", expected: "max, min or againstBase for \(figure.id)", found: "none of them")
    }
    for (key, bound) in [("max", maximum), ("min", minimum)] {
      guard let bound else { continue }
      if figure.isTime {
        throw object.invalid(
          key, expected: "againstBase, because times of other launches can't be compared",
          found: "\(bound)")
      }
      if key == "min", figure.isStageTime {
        throw object.invalid(
          key, expected: "max or againstBase, because less time is better", found: "\(bound)")
      }
      if case .share = bound, !figure.isShare {
        throw object.invalid(key, expected: "a whole number", found: "\"\(bound)\"")
      }
      if case .count = bound, figure.isShare {
        throw object.invalid(key, expected: "a share as \"5%\"", found: "\(bound)")
      }
    }
    if let state {
      let states = CacheState.allCases.map(\.rawValue)
      guard figure.hasStates, states.contains(state) else {
        throw object.invalid(
          "state",
          expected: figure.hasStates
            ? "one of \(states.joined(separator: ", "))" : "none for \(figure.id)",
          found: misspelt(state, states))
      }
    }
    if figure.hasStates, pageSize != nil {
      throw object.invalid("pageSizeBytes", expected: "none for \(figure.id)", found: "a size")
    }
    guard let againstBase else { return }
    guard figure.direction != .none else {
      throw object.invalid(
        "againstBase",
        expected: "max or min, because neither more nor less of \(figure.id) is better",
        found: "'\(againstBase)'")
    }
    guard againstBase.isLess == (figure.direction == .higher) else {
      throw object.invalid(
        "againstBase", expected: figure.direction == .higher ? "'-2%'" : "'+2' or '+2%'",
        found: "'\(againstBase)'")
    }
    if case .count = againstBase.amount, figure.isShare || figure.isTime {
      throw object.invalid("againstBase", expected: "a percentage", found: "'\(againstBase)'")
    }
  }
}

extension Bound: JSONValue, JSONReadable {
  package func write(to json: inout JSONWriter) {
    switch self {
    case .count(let count): json.write(literal: "\(count)")
    case .share(let share): share.description.write(to: &json)
    }
  }

  package init(parsing cursor: inout JSONCursor, _ field: String) throws(ParseError) {
    let place = cursor.nextPosition
    var text = cursor
    if let bytes = try? text.readString(field) {
      cursor = text
      let word = String(decoding: bytes, as: UTF8.self)
      guard word.hasSuffix("%"), let share = Share(word) else {
        throw ParseError(
          .invalid(
            expected: "a number, or a share as \"5%\"",
            found: "\"\(printable(String(word.prefix(40))))\""), field, at: place)
      }
      self = .share(share)
      return
    }
    let count: Int = try cursor.readInteger(field)
    guard (0...Self.largest).contains(count) else {
      throw ParseError(.invalid(expected: "0 to 2^53", found: "\(count)"), field, at: place)
    }
    self = .count(count)
  }
}
