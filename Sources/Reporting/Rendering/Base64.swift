/// `bytes` in Base64, with padding: <https://www.rfc-editor.org/rfc/rfc4648#section-4>.
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
