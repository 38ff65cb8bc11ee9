import Addresses

/// The way in which bytes violate their format. It does not contain the path of the file: the code that opened the file
/// adds it.
public struct ParseError: Error, Equatable, Sendable {
  /// The kind of violation.
  public enum Reason: Equatable, Sendable {
    /// The bytes end before the field does; both numbers are in bytes.
    case truncated(needed: UInt64, found: UInt64)
    /// The field's value makes no sense.
    case invalid(expected: String, found: String)
    /// The value is valid, but this reader doesn't support it.
    case unsupported(found: String)
    /// Something that the format requires is not there.
    case missing
    /// The file has more of something than `ParsingLimits` allows.
    case tooLarge(limit: UInt64, found: UInt64)
  }

  public var reason: Reason
  /// The field's name in the specification: `e_phnum`, `# Sections:`.
  public var field: String
  public var position: FileOffset
  /// The line of the error, from 1, for a format that consists of lines.
  public var line: Int?
  /// The column of the error in its line, from 1, in bytes.
  public var column: Int?

  public init(
    _ reason: Reason, _ field: String, at position: FileOffset, line: Int? = nil,
    column: Int? = nil
  ) {
    self.reason = reason
    self.field = field
    self.position = position
    self.line = line
    self.column = column
  }
}

extension ParseError: CustomStringConvertible {
  /// The error as text, such as `truncated e_phnum: expected 2 bytes, found 1 (at offset 0x38)`.
  public var description: String {
    let columnText = column.map { ", column \($0)" } ?? ""
    let place = line.map { "line \($0)\(columnText)" } ?? "offset \(position)"
    return switch reason {
    case .truncated where line != nil: "ends early, in '\(field)' (at \(place))"
    case .truncated(let needed, let found):
      "truncated \(field): expected \(needed) \(needed == 1 ? "byte" : "bytes"), "
        + "found \(found) (at \(place))"
    case .invalid(let expected, let found):
      "invalid \(field): expected \(expected), found \(found) (at \(place))"
    case .unsupported(let found): "unsupported \(field): found \(found) (at \(place))"
    case .missing: "missing \(field) (at \(place))"
    case .tooLarge(let limit, let found):
      "\(field) too large: expected at most \(limit), found \(found) (at \(place))"
    }
  }
}
