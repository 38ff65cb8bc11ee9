import Addresses
import ByteReading

/// Finds the tag, comment or processing instruction that is still open where the scanned part of a document ends.
///
/// A parser has to keep such markup in memory until its end. A CDATA section is text, which no parser has to keep.
///
/// The document is scanned from its start in one pass, in as many steps as wanted.
struct OpenMarkup {
  private enum Kind { case tag, comment, characterData, instruction }

  private let bytes: FileBytes
  /// The end of the bytes that were scanned.
  private var position = 0
  /// Where the open markup starts; `nil` in text.
  private var opening: Int?
  /// The kind of the open markup; `nil` until its whole opening was scanned.
  private var kind: Kind?
  /// The quotation mark of the open attribute value.
  private var quote: UInt8?

  init(_ bytes: FileBytes) { self.bytes = bytes }

  /// The index at which the open tag, comment or processing instruction starts; `nil` in text.
  var start: Int? { kind == .characterData ? nil : opening }

  /// Scans to `end`, an index in the document.
  ///
  /// - Complexity: O(*n*) for *n* bytes that were not scanned before.
  mutating func scan(to end: Int) {
    while position < end {
      guard let opening else {
        guard let next = bytes.firstIndex(of: UInt8(ascii: "<"), in: position..<end) else {
          position = end
          return
        }
        opening = next
        position = next
        continue
      }
      if kind == nil {
        guard let found = Self.kind(of: bytes, at: opening, end: end) else { return }
        (kind, position) = found
      }
      guard scanMarkup(to: end) else { return }
      (self.opening, kind) = (nil, nil)
    }
  }

  /// - Returns: the kind of markup at `start`, and the index after its opening; `nil` if the opening may be cut off at `end`.
  private static func kind(of bytes: FileBytes, at start: Int, end: Int) -> (Kind, Int)? {
    let openings: [(StaticString, Kind)] = [
      ("<!--", .comment), ("<![CDATA[", .characterData), ("<?", .instruction),
    ]
    for (opening, kind) in openings {
      let count = min(opening.utf8CodeUnitCount, end - start)
      guard matches(bytes, at: start, opening, count: count) else { continue }
      return count == opening.utf8CodeUnitCount ? (kind, start + count) : nil
    }
    return (.tag, start + 1)
  }

  private static func matches(
    _ bytes: FileBytes, at start: Int, _ text: StaticString, count: Int
  ) -> Bool {
    text.withUTF8Buffer { text in
      (0..<count).allSatisfy { bytes[start + $0] == text[$0] }
    }
  }

  /// - Returns: whether the open markup ends before `end`.
  private mutating func scanMarkup(to end: Int) -> Bool {
    switch kind {
    case .comment: return skip(through: "-->", to: end)
    case .characterData: return skip(through: "]]>", to: end)
    case .instruction: return skip(through: "?>", to: end)
    case .tag, nil: return skipTag(to: end)
    }
  }

  private mutating func skipTag(to end: Int) -> Bool {
    while position < end {
      if let open = quote {
        guard let close = bytes.firstIndex(of: open, in: position..<end) else {
          position = end
          return false
        }
        position = close + 1
        quote = nil
        continue
      }
      let byte = bytes[position]
      position += 1
      if byte == UInt8(ascii: ">") { return true }
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { quote = byte }
    }
    return false
  }

  /// Skips all bytes through `closing`, which may be cut off at `end`: then the next call finds it.
  ///
  /// - Returns: whether `closing` ends before `end`.
  private mutating func skip(through closing: StaticString, to end: Int) -> Bool {
    let count = closing.utf8CodeUnitCount
    let last = closing.utf8Start[count - 1]
    while let found = bytes.firstIndex(of: last, in: position..<end) {
      position = found + 1
      let first = position - count
      if let opening, first > opening, Self.matches(bytes, at: first, closing, count: count) {
        return true
      }
    }
    position = end
    return false
  }
}
