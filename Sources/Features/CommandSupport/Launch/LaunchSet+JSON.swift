// A file of launches, as people write it:
//
//     {
//       "launches": [
//         {"command": ["vim", "-u", "NONE", "notes.txt"], "name": "edit", "script": "edit.script"},
//         {"command": ["build/server"], "name": "serve", "required": false, "untilReady": "port=8080"}
//       ],
//       "schema": "orderfile.launches/1"
//     }
//
// docs/how-to/LAUNCHES.md describes the keys. All paths are relative to the folder in which `orderfile` runs, as on the
// command line.

import Addresses
import ByteReading
import JSON
import LibC
import ProcessLaunch
import Rendering

extension LaunchSet: ReadableDocument {
  package static let schema = "orderfile.launches/1"

  package func writeMembers(to json: inout JSONWriter) {
    json.member("launches", launches)
    json.member("schema", Self.schema)
  }

  /// Reads launches. The steps of their scripts are missing. Unlike other documents, a file of launches may have no unknown
  /// members.
  ///
  /// - Complexity: O(*n* log *n*) for *n* bytes.
  package init(parsing bytes: FileBytes) throws(ParseError) {
    self = try LineNumbers.placing(bytes) { (bytes) throws(ParseError) in
      try Self(unplaced: bytes)
    }
    let lines = LineNumbers(of: bytes)
    for index in launches.indices { lines.number(&launches[index].line) }
  }

  /// Reads launches whose `line`s are byte offsets instead of line numbers.
  private init(unplaced bytes: FileBytes) throws(ParseError) {
    let object = try JSONObject(document: bytes, schema: Self.schema)
    try object.refuseMembers(besides: ["launches", "schema"])
    launches = try object.value("launches")
    guard (1...Self.mostLaunches).contains(launches.count) else {
      throw object.invalid(
        "launches", expected: "1 to \(Self.mostLaunches) launches", found: "\(launches.count)")
    }
    var lines: [String: Int] = [:]
    for launch in launches {
      guard lines.updateValue(launch.line, forKey: launch.name) == nil else {
        throw ParseError(
          .invalid(expected: "each name once", found: "'\(launch.name)' again"), "name",
          at: FileOffset(rawValue: UInt64(launch.line)))
      }
    }
  }
}

extension DescribedLaunch: JSONReadable, JSONWritableObject {
  private static let keys = [
    "command", "count", "environment", "folder", "input", "name", "required", "script",
    "timeoutSeconds", "untilReady",
  ]

  package func writeMembers(to json: inout JSONWriter) {
    json.member("command", command)
    if count > 1 { json.member("count", count) }
    if !environment.isEmpty {
      json.member("environment", environment.map { "\($0.name)=\($0.value)" })
    }
    json.optional("folder", folder)
    json.optional("input", input)
    json.member("name", name)
    if !isRequired { json.member("required", isRequired) }
    json.optional("script", script?.path)
    json.optional("timeoutSeconds", timeout)
    json.optional("untilReady", readiness?.option)
  }

  package init(parsing cursor: inout JSONCursor, _ field: String) throws(ParseError) {
    let place = cursor.nextPosition
    let object = try JSONObject(parsing: &cursor, field)
    try object.refuseMembers(besides: Self.keys)
    self.init(
      name: try object.value("name"), command: try object.value("command"),
      line: Int(clamping: place.rawValue))
    guard Self.isName(name) else {
      throw object.invalid(
        "name",
        expected: "1 to 60 letters, digits, '-' or '_' of ASCII, the first a letter or digit",
        found: "'\(printable(String(name.prefix(70))))'")
    }
    guard let program = command.first, !program.isEmpty else {
      throw object.invalid("command", expected: "a program and its arguments", found: "no program")
    }
    guard !command.contains(where: Self.hasNUL) else {
      throw object.invalid("command", expected: "words without NUL", found: "NUL")
    }
    environment = try Self.variables(of: object)
    folder = try Self.path("folder", of: object)
    input = try Self.path("input", of: object)
    script = try Self.path("script", of: object).map { TerminalScript(path: $0, steps: []) }
    isRequired = try object.optional("required") ?? true
    count = try object.optional("count") ?? 1
    guard (1...LaunchSet.mostTimes).contains(count) else {
      throw object.invalid("count", expected: "1 to \(LaunchSet.mostTimes)", found: "\(count)")
    }
    timeout = try object.optional("timeoutSeconds")
    if let timeout, !(timeout > 0 && timeout < 1e9) {
      throw object.invalid("timeoutSeconds", expected: "seconds above 0", found: "\(timeout)")
    }
    if let text: String = try object.optional("untilReady") {
      guard let sign = Readiness(text) else {
        throw object.invalid(
          "untilReady", expected: "'port=NUMBER', 'line=TEXT' or 'mark=NAME'",
          found: "'\(printable(String(text.prefix(60))))'")
      }
      readiness = sign
    }
    guard script != nil else { return }
    if input != nil {
      throw object.invalid(
        "input", expected: "no input beside a script, which types the input", found: "a file")
    }
    if case .output = readiness {
      throw object.invalid(
        "untilReady",
        expected: "'wait' and 'ready' in the script, because the program writes to its terminal",
        found: "'line='")
    }
  }

  private static func isName(_ name: String) -> Bool {
    guard let first = name.first, first != "-", first != "_", name.utf8.count <= 60 else {
      return false
    }
    return name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
  }

  private static func hasNUL(_ word: String) -> Bool { word.utf8.contains(0) }

  private static func path(_ key: String, of object: JSONObject) throws(ParseError) -> String? {
    guard let path: String = try object.optional(key) else { return nil }
    guard !path.isEmpty, !hasNUL(path) else {
      throw object.invalid(key, expected: "a path", found: path.isEmpty ? "none" : "NUL")
    }
    return path
  }

  /// The variables that `orderfile` itself sets for launches.
  private static let own = ["LD_PRELOAD", "LD_AUDIT", "ASAN_OPTIONS", "TERM"]

  /// Reads `NAME=value` for each variable. A shell can assign to each name.
  private static func variables(of object: JSONObject) throws(ParseError) -> [Variable] {
    let texts: [String] = try object.optional("environment") ?? []
    var names: Set<String> = []
    return try texts.map { text throws(ParseError) in
      func invalid(_ expected: String, _ found: String) -> ParseError {
        object.invalid("environment", expected: expected, found: found)
      }
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      let isName = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
      guard parts.count == 2, let first = name.first, !first.isNumber, isName, !hasNUL(text) else {
        throw invalid(
          "'NAME=value', the name of ASCII letters, digits and '_'",
          "'\(printable(String(text.prefix(60))))'")
      }
      guard !own.contains(name), !name.hasPrefix("ORDERFILE_") else {
        throw invalid("a variable that orderfile does not set itself", "'\(name)'")
      }
      guard names.insert(name).inserted else {
        throw invalid("each variable once", "'\(name)' again")
      }
      return Variable(name: name, value: String(parts[1]))
    }
  }
}
