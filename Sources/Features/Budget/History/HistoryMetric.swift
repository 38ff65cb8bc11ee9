import ByteReading
import JSON

/// A figure of one commit.
package struct HistoryMetric: Hashable, Sendable {
  /// The name of the figure: a lower-case letter, then letters and digits, such as `textPages`. If the figure is of
  /// a stage or of a row of `stages`, the name of the stage or row and a dot precede it: `first screen.milliseconds`.
  package var name: String
  package var unit: Unit
  package var direction: Direction
  /// The value of the figure, from 0 to `maximum`.
  package var value: Double
  /// The sample whose median is the value; `nil` for a count that repeats exactly.
  package var sample: Sample?

  package enum Unit: String, CaseIterable, JSONReadable, Sendable {
    case bytes, entries, faults, findings, functions, instructions, libraries, milliseconds, pages,
      ratio, requests, seconds, tasks, windows, words
  }

  /// Whether lower or higher values of a figure are better.
  package enum Direction: String, CaseIterable, JSONReadable, Sendable {
    case higher, lower, none
  }

  package struct Sample: Hashable, Sendable {
    /// The quartiles of the values.
    package var low: Double
    package var high: Double
    package var count: Int

    package init(low: Double, high: Double, count: Int) {
      self.low = low
      self.high = high
      self.count = count
    }
  }

  package init(
    _ name: String, _ unit: Unit, _ direction: Direction, _ value: Double, sample: Sample? = nil
  ) {
    self.name = name
    self.unit = unit
    self.direction = direction
    self.value = value
    self.sample = sample
  }

  package init(_ name: String, _ unit: Unit, _ direction: Direction, _ value: Int) {
    self.init(name, unit, direction, Double(value))
  }

  /// Makes a metric from the share of `part` in `whole`; `nil` if `whole` is 0.
  package init?(_ name: String, _ direction: Direction, share part: Int, of whole: Int) {
    guard whole > 0 else { return nil }
    self.init(name, .ratio, direction, Double(part) / Double(whole))
  }

  /// The part of the name before the last dot: the stage, or the row of `stages`; `nil` if the name has no dot.
  package var stage: String? { Self.parts(of: name).stage }

  /// The name without the stage.
  package var quantity: String { Self.parts(of: name).quantity }

  static func parts(of name: String) -> (stage: String?, quantity: String) {
    guard let dot = name.lastIndex(of: ".") else { return (nil, name) }
    return (String(name[..<dot]), String(name[name.index(after: dot)...]))
  }

  /// Whether the value differs from `other` by more than the samples explain. Counts without a sample repeat exactly, so
  /// any difference counts.
  ///
  /// Medians of samples are compared by their notches, which are 1.57 times the distance of the quartiles, divided by
  /// the root of the number of values (McGill, Tukey and Larsen, *Variations of Box Plots*, 1978): if nothing has
  /// changed, 95 % of pairs of medians differ by less than the root of the sum of the squares of both notches.
  package func differs(from other: HistoryMetric) -> Bool {
    func squaredNotch(_ metric: HistoryMetric) -> Double {
      guard let sample = metric.sample, sample.count > 0 else { return 0 }
      let distance = 1.57 * (sample.high - sample.low)
      return distance * distance / Double(sample.count)
    }
    let margin = (squaredNotch(self) + squaredNotch(other)).squareRoot()
    return abs(value - other.value) > margin
  }

  /// Returns whether a change to a higher value, or to a lower value, is better; `nil` if neither direction is better.
  package func isBetter(increase: Bool) -> Bool? {
    switch direction {
    case .higher: increase
    case .lower: !increase
    case .none: nil
    }
  }
}

/// This extension writes and reads the members itself: the values are checked, and a sample is in three members.
extension HistoryMetric: JSONReadableObject, JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    if let sample { json.member("count", sample.count) }
    json.member("direction", direction.rawValue)
    if let sample { json.member("high", ShortNumber(sample.high)) }
    if let sample { json.member("low", ShortNumber(sample.low)) }
    json.member("name", name)
    json.member("unit", unit.rawValue)
    json.member("value", ShortNumber(value))
  }

  package init(_ object: JSONObject) throws(ParseError) {
    name = try object.value("name")
    guard Self.isName(name) else {
      throw object.invalid(
        "name",
        expected: "a lower-case letter, then letters and digits, perhaps after a stage and a dot",
        found: "'\(name.prefix(40))'")
    }
    unit = try object.value("unit")
    direction = try object.value("direction")
    value = try Self.value("value", of: object)
    guard object.has("count") else { return }
    let sample = Sample(
      low: try Self.value("low", of: object), high: try Self.value("high", of: object),
      count: try object.value("count"))
    guard sample.count > 0 else {
      throw object.invalid("count", expected: "at least 1", found: "\(sample.count)")
    }
    guard sample.low <= sample.high else {
      throw object.invalid(
        "high", expected: "at least 'low', \(sample.low)", found: "\(sample.high)")
    }
    self.sample = sample
  }

  /// Returns whether `text` is the name of a figure: a lower-case letter, followed by at most 63 letters and digits. A stage
  /// of at most 300 bytes and a dot may precede it.
  private static func isName(_ text: String) -> Bool {
    let (stage, text) = parts(of: text)
    guard stage.map({ (1...300).contains($0.utf8.count) }) ?? true else { return false }
    let lowerCase = UInt8(ascii: "a")...UInt8(ascii: "z")
    return (1...64).contains(text.utf8.count)
      && text.utf8.first.map(lowerCase.contains) ?? false
      && text.utf8.allSatisfy {
        lowerCase.contains($0) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
      }
  }

  /// The largest value of a figure. No file has more bytes, and sums of values up to this one are finite.
  private static let maximum = 1e20

  private static func value(_ key: String, of object: JSONObject) throws(ParseError) -> Double {
    let value: Double = try object.value(key)
    guard (0...maximum).contains(value) else {
      throw object.invalid(key, expected: "a number from 0 to 1e20", found: "\(value)")
    }
    return value
  }
}

/// A number that is written without an empty fraction: `143`, not `143.0`.
package struct ShortNumber: JSONValue, CustomStringConvertible {
  private let value: Double
  package init(_ value: Double) { self.value = value }

  package var description: String {
    abs(value) < 1e15 ? Int(exactly: value).map { "\($0)" } ?? "\(value)" : "\(value)"
  }
  package func write(to json: inout JSONWriter) { json.write(literal: description) }
}
