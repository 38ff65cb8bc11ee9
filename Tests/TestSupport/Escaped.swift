/// Returns `bytes` as ASCII text on one line, for goldens. Line feeds, tabs and backslashes are as in C; every other
/// byte outside of printable ASCII is `\xNN`.
package func escaped(_ bytes: some Sequence<UInt8>) -> String {
  var text = ""
  for byte in bytes {
    switch byte {
    case UInt8(ascii: "\n"): text += "\\n"
    case UInt8(ascii: "\t"): text += "\\t"
    case UInt8(ascii: "\\"): text += "\\\\"
    case 0x20..<0x7f: text.unicodeScalars.append(Unicode.Scalar(byte))
    default: text += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
  }
  return text
}
