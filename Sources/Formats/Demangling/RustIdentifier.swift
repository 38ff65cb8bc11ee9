import ByteReading

/// An identifier in the path of a mangled Rust name.
struct RustIdentifier {
  let bytes: ArraySlice<UInt8>
  let isPunycode: Bool
  var isEmpty: Bool { bytes.isEmpty }

  /// The decoded Punycode, in which `_` replaces the usual `-` before the digits; `nil` if it is not
  /// well-formed, or longer than any real name. <https://www.rfc-editor.org/rfc/rfc3492>
  var decoded: String? {
    guard bytes.count <= 256 else { return nil }
    let delimiter = bytes.lastIndex(of: UInt8(ascii: "_"))
    var scalars = bytes[..<(delimiter ?? bytes.startIndex)].map { Unicode.Scalar($0) }
    let digits = bytes[(delimiter.map { $0 + 1 } ?? bytes.startIndex)...]
    guard !digits.isEmpty else { return nil }
    var code = 128
    var index = 0
    var bias = 72
    var damping = 700
    var position = digits.startIndex
    while position < digits.endIndex {
      var delta = 0
      var weight = 1
      var k = 36
      while true {
        guard position < digits.endIndex else { return nil }
        let byte = digits[position]
        position += 1
        guard isLowerCase(byte) || isDigit(byte) else { return nil }
        let digit = isDigit(byte) ? Int(byte) - 22 : Int(byte) - 97
        delta += digit * weight
        let threshold = min(max(k - bias, 1), 26)
        if digit < threshold { break }
        weight *= 36 - threshold
        k += 36
        guard weight < 1 << 40, delta < 1 << 40 else { return nil }
      }
      index += delta
      let count = scalars.count + 1
      code += index / count
      index %= count
      guard code <= 0x10ffff, let scalar = Unicode.Scalar(UInt32(code)) else { return nil }
      scalars.insert(scalar, at: index)
      index += 1
      // The step `adapt` of RFC 3492, section 6.1.
      delta /= damping
      damping = 2
      delta += delta / count
      k = 0
      while delta > 455 {
        delta /= 35
        k += 36
      }
      bias = k + 36 * delta / (delta + 38)
    }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars)
    return String(text)
  }
}
