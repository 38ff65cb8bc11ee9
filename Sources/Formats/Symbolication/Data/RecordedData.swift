// Finds data of the recorded build in another build.
//
// A variable is found by its name, and its touched bytes are as far from its start as in the recorded build. A string
// without a name is found by its contents, if the other build has exactly one equal string: linkers keep one copy of
// each string. Other data without a name, such as tables of `switch`, can't be found: their contents depend on where
// code is.

import Addresses
import ByteReading
import ImageModel

/// The data of a build in which a launch was recorded.
package struct RecordedData {
  private let data: DataLayout
  private let bytes: FileBytes

  package init(_ data: DataLayout, of bytes: FileBytes) {
    self.data = data
    self.bytes = bytes
  }

  /// The places in another build of the data that a launch touched.
  package struct Places: Hashable, Sendable {
    /// The ranges of the touched data that were found, in the order of first touches.
    package var found: [AddressRange] = []
    /// The number of touches whose place is unknown. Each is on one more page at most.
    package var unknown = 0

    package init() {}
  }

  /// - Parameters:
  ///   - touches: in this build, in the order of first touches; touches outside its sections of data don't count.
  ///   - other: the data of the other build, whose bytes are `otherBytes`.
  /// - Complexity: O(*n* log *s* + *b*) for *n* touches, *s* symbols and *b* bytes of data and names, on average.
  package func places(
    of touches: [AddressRange], in other: DataLayout, _ otherBytes: FileBytes
  ) -> Places {
    var names = SymbolMap(other.layout)
    var strings: LiteralStrings?
    var places = Places()
    for touch in touches {
      let parts = data.places(in: touch)
      let found = parts.compactMap { part in
        switch part {
        case .symbol(let aliases): self.place(of: touch, in: aliases, other, &names)
        case .string(let index):
          place(of: touch, in: data.strings[index], other, otherBytes, &strings)
        case .unnamed:
          data.literal(at: touch, of: bytes).flatMap {
            place(of: touch, in: $0, other, otherBytes, &strings)
          }
        }
      }
      // If a granule has several variables or strings, the launch touched at least one of them: the place is unknown
      // only if none is found.
      if found.isEmpty, !parts.isEmpty { places.unknown += 1 }
      places.found += found
    }
    return places
  }

  /// Returns the place in `other` of the part of a string that `touch` overlaps; `nil` if `other` has no such string,
  /// or several.
  private func place(
    of touch: AddressRange, in string: CString, _ other: DataLayout, _ bytes: FileBytes,
    _ strings: inout LiteralStrings?
  ) -> AddressRange? {
    let known = strings ?? LiteralStrings(of: other, bytes)
    strings = known
    guard let part = string.range.intersection(touch),
      let start = known.start(of: self.bytes.copy(string.contents))
    else { return nil }
    let offset = part.start.rawValue - string.range.start.rawValue
    return AddressRange(start: StatedAddress(rawValue: start.rawValue + offset), size: part.size)
  }

  /// Returns the place in `other` of the part of a variable that `touch` overlaps; `nil` if it is unknown which
  /// variable it is.
  private func place(
    of touch: AddressRange, in aliases: Range<Int>, _ other: DataLayout, _ names: inout SymbolMap
  ) -> AddressRange? {
    let variable = data.layout.functions[aliases.upperBound - 1].knownBody
    guard let part = variable.intersection(touch) else { return nil }
    for alias in aliases {
      let name = data.layout.name(of: data.layout.functions[alias])
      let starts = names.resolve(name).functions.map { other.layout.functions[$0].address }
      guard let start = starts.first, starts.allSatisfy({ $0 == start }) else { continue }
      let names = other.layout.functions(at: start)
      let body = other.layout.functions[names.upperBound - 1].knownBody
      let offset = part.start.rawValue - variable.start.rawValue
      // If the variable is smaller now, it is unknown which of its bytes are touched.
      guard offset < body.size else { return AddressRange(start: start, size: 1) }
      return AddressRange(
        start: StatedAddress(rawValue: start.rawValue + offset),
        size: min(part.size, body.size - offset))
    }
    return nil
  }
}

extension DataLayout {
  /// The string without a name that has a byte in `range`; `nil` if there is none, or if its bytes do not look like
  /// text.
  fileprivate func literal(at range: AddressRange, of bytes: FileBytes) -> CString? {
    guard let section = layout.section(containing: range.start), let contents = contents[section]
    else { return nil }
    let whole = contents.indices
    let base = layout.sections[section].range.start
    let offset = Int(clamping: range.start.rawValue - base.rawValue)
    guard offset < whole.count else { return nil }
    var start = whole.lowerBound + offset
    let limit = min(start + Int(clamping: range.size), whole.upperBound)
    let first = max(whole.lowerBound, start - LiteralStrings.longest)
    let last = min(whole.upperBound, start + LiteralStrings.longest)
    // The first byte that is no zero selects the string. It may belong to the end of one string, although another
    // string begins later in the granule.
    while start < limit, bytes[start] == 0 { start += 1 }
    guard start < limit else { return nil }
    let touched = start
    while start > first, bytes[start - 1] != 0 { start -= 1 }
    guard start == whole.lowerBound || bytes[start - 1] == 0,
      let end = bytes.firstIndex(of: 0, in: touched..<last),
      LiteralStrings.isText(bytes, start..<end)
    else { return nil }
    return CString(
      range: AddressRange(
        start: StatedAddress(rawValue: base.rawValue + UInt64(start - whole.lowerBound)),
        size: UInt64(end - start + 1)), contents: start..<end)
  }
}

/// The strings of a build by their contents.
private struct LiteralStrings {
  /// The start of a string by its contents; `nil` if several strings have these contents.
  private var startOfText: [NameKey: StatedAddress?] = [:]

  /// How many bytes before and after the touched byte are searched for the ends of its string. The search is limited
  /// because a damaged image may have no zeros.
  static let longest = 4096

  init(of data: DataLayout, _ bytes: FileBytes) {
    for (section, contents) in zip(data.layout.sections, data.contents) {
      guard let contents else { continue }
      for string in CString.all(in: contents, of: bytes, at: section.range.start)
      where Self.isText(bytes, string.contents) {
        let key = NameKey(bytes.copy(string.contents))
        let isKnown = startOfText.keys.contains(key)
        startOfText.updateValue(isKnown ? nil : string.range.start, forKey: key)
      }
    }
  }

  func start(of text: [UInt8]) -> StatedAddress? { startOfText[NameKey(text)] ?? nil }

  /// Whether the bytes look like text of at least two characters, and not like numbers.
  static func isText(_ bytes: FileBytes, _ range: Range<Int>) -> Bool {
    range.count >= 2
      && range.allSatisfy { bytes[$0] >= 0x20 && bytes[$0] != 0x7f || 0x08...0x0d ~= bytes[$0] }
  }
}
