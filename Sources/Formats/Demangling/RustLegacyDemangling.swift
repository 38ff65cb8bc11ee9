import ByteReading

/// The path of a legacy Rust name, `_ZN4core3fmt5Write9write_fmt17ha895ff31def4cd70E`, without its hash, and
/// the index of the suffix that compilers appended; `nil` for a name without a hash, which may be C++.
///
/// The scheme is the same as for nested names in Itanium C++. Characters that C++ does not allow are escaped: `$LT$` is
/// `<`, `$u20$` is a blank, `..` is `::`.
func demangleRustLegacy(_ bytes: [UInt8]) -> (text: String, end: Int)? {
  let ending = NameEnding(of: bytes, in: bytes.indices)
  guard ending.cuts.contains(.rustHash) else { return nil }
  var position = bytes.starts(with: "__".utf8) ? 1 : 0
  guard bytes[position...].starts(with: "_ZN".utf8) else { return nil }
  position += 3
  var path: [String] = []
  while position < ending.baseEnd {
    var count = 0
    let digits = position
    while position < ending.baseEnd, isDigit(bytes[position]) {
      count = count * 10 + Int(bytes[position] - UInt8(ascii: "0"))
      guard count <= ending.baseEnd else { return nil }
      position += 1
    }
    guard position > digits, count > 0, ending.baseEnd - position >= count,
      let element = unescaped(bytes[position..<position + count])
    else { return nil }
    path.append(element)
    position += count
  }
  // The hash (`17h`, 16 digits and `E`) was removed above.
  return path.isEmpty ? nil : (path.joined(separator: "::"), ending.baseEnd + 20)
}

private func unescaped(_ element: ArraySlice<UInt8>) -> String? {
  var rest = element
  // An identifier can't begin with `$`, so a `_` precedes it.
  if rest.starts(with: "_$".utf8) { rest = rest.dropFirst() }
  var text: [UInt8] = []
  while let byte = rest.first {
    if byte == UInt8(ascii: "$") {
      guard let end = rest.dropFirst().firstIndex(of: byte),
        let replacement = replacement(
          String(decoding: rest[rest.startIndex + 1..<end], as: UTF8.self))
      else { return nil }
      text += Array(replacement.utf8)
      rest = rest[(end + 1)...]
    } else if rest.starts(with: "..".utf8) {
      text += Array("::".utf8)
      rest = rest.dropFirst(2)
    } else {
      text.append(byte)
      rest = rest.dropFirst()
    }
  }
  return String(validating: text, as: UTF8.self)
}

private func replacement(_ escape: String) -> String? {
  switch escape {
  case "SP": return "@"
  case "BP": return "*"
  case "RF": return "&"
  case "LT": return "<"
  case "GT": return ">"
  case "LP": return "("
  case "RP": return ")"
  case "C": return ","
  default:
    guard escape.first == "u", escape.utf8.count <= 7,
      escape.utf8.dropFirst().allSatisfy(isLowerHexDigit),
      let code = UInt32(escape.dropFirst(), radix: 16), code >= 0x20,
      let scalar = Unicode.Scalar(code)
    else { return nil }
    return String(scalar)
  }
}
