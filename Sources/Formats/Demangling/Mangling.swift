import ByteReading

/// The mangling schemes that are recognized.
package enum Mangling: Sendable {
  case swift, itanium, rustV0, none

  /// Recognizes the scheme by the first bytes, with or without Mach-O's leading `_`.
  package init(of bytes: [UInt8], in range: Range<Int>) {
    self.init(ofBare: bytes, in: range)
    if self == .none, range.first.map({ bytes[$0] == UInt8(ascii: "_") }) ?? false {
      self.init(ofBare: bytes, in: range.dropFirst())
    }
  }

  /// Recognizes the scheme by the first bytes of a name without Mach-O's leading `_`.
  package init(ofBare bytes: [UInt8], in range: Range<Int>) {
    func begins(_ text: StaticString) -> Bool { ByteReading.begins(with: text, bytes, range) }
    func isTag(_ offset: Int) -> Bool {
      range.count > offset && isUpperCase(bytes[range.lowerBound + offset])
    }
    switch true {
    case begins("_Z"): self = .itanium
    case begins("$s"), begins("$S"), begins("$e"): self = .swift
    case begins("_R") && isTag(2): self = .rustV0
    default: self = .none
    }
  }
}
