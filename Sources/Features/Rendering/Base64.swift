/// Decodes `text` from Base64 with padding; returns `nil` for any other text.
package func decodedBase64(_ text: ArraySlice<UInt8>) -> [UInt8]? {
  guard text.count % 4 == 0 else { return nil }
  var bytes: [UInt8] = []
  bytes.reserveCapacity(text.count / 4 * 3)
  let padding = text.suffix(2).count { $0 == UInt8(ascii: "=") }
  var (bits, count): (UInt32, Int) = (0, 0)
  for character in text.dropLast(padding) {
    let digit: UInt8
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit = character - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): digit = character - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = character - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): digit = 62
    case UInt8(ascii: "/"): digit = 63
    default: return nil
    }
    bits = bits << 6 | UInt32(digit)
    count += 1
    guard count % 4 == 0 else { continue }
    bytes += [UInt8(bits >> 16 & 0xff), UInt8(bits >> 8 & 0xff), UInt8(bits & 0xff)]
    bits = 0
  }
  switch count % 4 {
  case 2: bytes.append(UInt8(bits >> 4 & 0xff))
  case 3: bytes += [UInt8(bits >> 10 & 0xff), UInt8(bits >> 2 & 0xff)]
  default: break
  }
  return bytes
}

/// Encodes `bytes` in Base64 with padding: <https://www.rfc-editor.org/rfc/rfc4648#section-4>.
package func base64(_ bytes: [UInt8]) -> [UInt8] {
  let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  var text: [UInt8] = []
  text.reserveCapacity((bytes.count + 2) / 3 * 4)
  for start in stride(from: 0, to: bytes.count, by: 3) {
    let group = bytes[start..<min(start + 3, bytes.count)]
    var bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    bits <<= UInt32(8 * (3 - group.count))
    for place in 0..<4 {
      text.append(
        place <= group.count ? digits[Int(bits >> UInt32(18 - 6 * place) & 63)] : UInt8(ascii: "="))
    }
  }
  return text
}
