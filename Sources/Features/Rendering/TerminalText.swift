// Names on a terminal. Names come from files: they may contain blanks, newlines and escape sequences, which
// must not break a table or reach the terminal.

/// Returns `text` with each control character written as an escape: `\n`, `\t`, `\x1b`.
package func printable(_ text: String) -> String {
  guard text.unicodeScalars.contains(where: isControl) else { return text }
  var escaped = ""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\n": escaped += "\\n"
    case "\r": escaped += "\\r"
    case "\t": escaped += "\\t"
    case _ where isControl(scalar):
      let hex = String(scalar.value, radix: 16)
      escaped += "\\x" + (hex.count == 1 ? "0" : "") + hex
    default: escaped.unicodeScalars.append(scalar)
    }
  }
  return escaped
}

/// Whether the scalar is of C0, DEL or C1, or changes the writing direction of the rest of the line.
private func isControl(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0..<0x20, 0x7f..<0xa0, 0x200e...0x200f, 0x2028...0x202e, 0x2066...0x2069: true
  default: false
  }
}

/// Returns the approximate number of terminal columns of `text`: 2 for wide East Asian characters and emoji, 0 for
/// combining marks, 1 for any other character.
package func columns(of text: String) -> Int {
  if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
  return text.reduce(0) { $0 + columns(of: $1) }
}

private func columns(of character: Character) -> Int {
  guard let first = character.unicodeScalars.first else { return 0 }
  switch first.value {
  case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff,
    0xfe30...0xfe6f, 0xff00...0xff60, 0xffe0...0xffe6, 0x1f300...0x1faff, 0x20000...0x3fffd:
    return 2
  default: return first.properties.canonicalCombiningClass == .notReordered ? 1 : 0
  }
}

/// Returns `text`, or its beginning and end around `…` if it is wider than `width` columns. The end is kept because
/// mangled names of one module differ there.
package func shortened(_ text: String, to width: Int) -> String {
  guard columns(of: text) > width else { return text }
  var head = ""
  var tail = ""
  var room = width - 1
  var front = text[...]
  var takesFront = true
  while let next = takesFront ? front.first : front.last, columns(of: next) <= room {
    room -= columns(of: next)
    if takesFront {
      head.append(next)
      front.removeFirst()
    } else {
      tail.append(next)
      front.removeLast()
    }
    takesFront.toggle()
  }
  return head + "…" + String(tail.reversed())
}

/// Shortens a list of names, separated by commas, to `width` columns: `app, libused.so and 3 more`. The first name is
/// shortened if it alone is too long.
package func shortenedList(_ text: String, to width: Int) -> String {
  guard columns(of: text) > width else { return text }
  let names = text.split(separator: ", ", omittingEmptySubsequences: false)
  guard names.count > 1 else { return shortened(text, to: width) }
  func ending(_ rest: Int) -> String { " and \(rest) more" }
  var line = ""
  for (count, name) in names.enumerated() {
    let longer = line + (line.isEmpty ? "" : ", ") + name
    let end = ending(names.count - count - 1)
    guard columns(of: longer) + columns(of: end) <= width else {
      guard line.isEmpty else { return line + ending(names.count - count) }
      return shortened(longer, to: max(1, width - columns(of: end))) + end
    }
    line = longer
  }
  return line
}
