import Addresses
import ByteReading

/// Reads a profile line by line, and a line word by word.
struct ClusterProfileReader {
  private(set) var functions: [ClusterProfile.Function] = []
  private let bytes: FileBytes
  private var line = 0
  /// The part of the present line that was not read yet.
  private var rest = 0..<0
  private var nextLine: Int
  /// The compile unit that a line has stated for the next function.
  private var unit: [UInt8]?
  /// The blocks of the present function.
  private var blocks: Set<UInt32> = []
  private var known: Set<Name> = []
  /// A number for each unit, from 1: a unit may be as long as the file, and have many functions.
  private var unitNumbers: [[UInt8]: Int] = [:]

  private struct Name: Hashable {
    /// The number of the compile unit of the function; 0 without a unit.
    var unit: Int
    var name: [UInt8]
  }

  init(_ bytes: FileBytes) {
    self.bytes = bytes
    nextLine = bytes.all.indices.lowerBound
  }

  mutating func read() throws(ParseError) {
    var hasVersion = false
    while stepToNextLine() {
      guard let specifier = nextWord(), specifier.first != UInt8(ascii: "#") else { continue }
      if hasVersion {
        try read(specifier)
      } else {
        guard specifier == Array("v1".utf8), rest.isEmpty else {
          throw specifier.first == UInt8(ascii: "v")
            ? error(.unsupported(found: "\(text(specifier)), this tool reads v1"), "version")
            : error(.missing, "version")
        }
        hasVersion = true
      }
    }
    if !hasVersion { throw error(.missing, "version") }
    try checkLast()
  }

  private mutating func read(_ specifier: [UInt8]) throws(ParseError) {
    switch specifier {
    case [UInt8(ascii: "m")]:
      guard let name = nextWord() else { throw error(.missing, "compile unit") }
      unit = name
    case [UInt8(ascii: "f")]: try readFunction()
    case [UInt8(ascii: "c")]: try readCluster()
    default: throw error(.unsupported(found: "'\(text(specifier))'"), "specifier")
    }
    if let word = nextWord() {
      throw error(.invalid(expected: "the end of the line", found: text(word)), "compile unit")
    }
  }

  private mutating func readFunction() throws(ParseError) {
    try checkLast()
    var names: [[UInt8]] = []
    var unitNumber = 0
    if let unit { unitNumber = number(ofUnit: unit) }
    while let name = nextWord() {
      guard known.insert(Name(unit: unitNumber, name: name)).inserted else {
        throw error(.invalid(expected: "each function once", found: text(name)), "function name")
      }
      names.append(name)
      let limit = ParsingLimits.profileNames
      guard UInt64(known.count) <= limit else {
        throw error(.tooLarge(limit: limit, found: UInt64(known.count)), "function names")
      }
    }
    guard !names.isEmpty else { throw error(.missing, "function name") }
    functions.append(ClusterProfile.Function(unit: unit, names: names, clusters: []))
    unit = nil
    blocks = []
  }

  private mutating func number(ofUnit unit: [UInt8]) -> Int {
    if let known = unitNumbers[unit] { return known }
    unitNumbers[unit] = unitNumbers.count + 1
    return unitNumbers.count
  }

  private mutating func readCluster() throws(ParseError) {
    guard !functions.isEmpty else { throw error(.missing, "function of a cluster") }
    var cluster: [UInt32] = []
    while let word = nextWord() {
      if word.contains(UInt8(ascii: ".")) {
        throw error(.unsupported(found: "\(text(word)), a clone"), "block ID")
      }
      guard let id = Self.number(word) else {
        throw error(.invalid(expected: "a number", found: text(word)), "block ID")
      }
      guard blocks.insert(id).inserted else {
        throw error(.invalid(expected: "each block once", found: text(word)), "block ID")
      }
      guard id > 0 || cluster.isEmpty else {
        throw error(.invalid(expected: "the entry first", found: "0 inside"), "block ID")
      }
      cluster.append(id)
    }
    guard !cluster.isEmpty else { throw error(.missing, "block ID") }
    functions[functions.count - 1].clusters.append(cluster)
  }

  /// - Throws: if the last function has no cluster.
  private func checkLast() throws(ParseError) {
    if let last = functions.last, last.clusters.isEmpty {
      throw error(.missing, "cluster of a function")
    }
  }

  /// - Returns: whether there is a next line.
  private mutating func stepToNextLine() -> Bool {
    let end = bytes.all.indices.upperBound
    guard nextLine < end else { return false }
    let lineEnd = bytes.firstIndex(of: UInt8(ascii: "\n"), in: nextLine..<end) ?? end
    rest = nextLine..<lineEnd
    nextLine = lineEnd + 1
    line += 1
    return true
  }

  /// Reads the next word of the line; `nil` at the end of the line.
  private mutating func nextWord() -> [UInt8]? {
    func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == 9 || byte == 13 }
    guard let start = rest.first(where: { !isBlank(bytes[$0]) }) else {
      rest = rest.upperBound..<rest.upperBound
      return nil
    }
    let end = (start..<rest.upperBound).first { isBlank(bytes[$0]) } ?? rest.upperBound
    rest = end..<rest.upperBound
    return bytes.copy(start..<end)
  }

  /// Returns the value of a decimal number; `nil` unless it is below 2^32.
  private static func number(_ digits: [UInt8]) -> UInt32? {
    digits.first == UInt8(ascii: "+") ? nil : UInt32(String(decoding: digits, as: UTF8.self))
  }

  /// Returns the beginning of a word, for messages.
  private func text(_ word: [UInt8]) -> String {
    String(decoding: word.prefix(80), as: UTF8.self)
  }

  private func error(_ reason: ParseError.Reason, _ field: String) -> ParseError {
    ParseError(
      reason, field, at: FileOffset(rawValue: UInt64(rest.lowerBound)), line: max(line, 1))
  }
}
