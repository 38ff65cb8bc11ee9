// The part of a Swift name that stays when a file is renamed, or a closure added.
//
// The demangler prints the tree of a name completely, so the texts of two names are equal if the trees are. What
// compilers compute or count is printed in two ways:
//
//     (load in _5B37C2F0A9D14E6C8B1F02D3E4A59687)    private declarations, with a hash of the file's name
//     closure #2 in, row #1 () in                    closures, local functions and types

import ByteReading

/// A demangled Swift name without discriminators.
package enum SwiftNameForm: CaseIterable, Hashable, Sendable {
  /// Without the hashes of file names.
  case withoutHashes
  /// Without those, and without the numbers of closures and local declarations.
  case withoutNumbers

  /// The name in this form; `nil` if it is not Swift's, if it can't be demangled, or if nothing is left out of it.
  ///
  /// - Complexity: O(*n* + *t*) for *n* bytes and *t* bytes of text.
  package func text(ofMangled name: [UInt8]) -> [UInt8]? {
    let start = name.first == UInt8(ascii: "_") ? 1 : 0
    guard Mangling(of: name, in: name.indices) == .swift, mayHold(name) else { return nil }
    let ending = NameEnding(of: name, in: name.indices)
    guard ending.part == .whole, let text = demangleSwift(name[start..<ending.baseEnd]) else {
      return nil
    }
    let bytes = Array(text.utf8)
    var form = withoutFileHashes(bytes)
    if self == .withoutNumbers { form = withoutCounts(form) }
    return form.count < bytes.count ? form : nil
  }

  /// Whether the mangled name can have what this form leaves out: most have not, and demangling takes a thousand times as
  /// long as this.
  private func mayHold(_ name: [UInt8]) -> Bool {
    zip(name, name.dropFirst()).contains { first, second in
      switch (first, second) {
      case (UInt8(ascii: "L"), UInt8(ascii: "L")): true
      case (UInt8(ascii: "L"), _):
        self == .withoutNumbers && (second == UInt8(ascii: "_") || isDigit(second))
      case (UInt8(ascii: "f"), _):
        self == .withoutNumbers && second | 0x20 == UInt8(ascii: "u")
      default: false
      }
    }
  }
}

/// Removes each ` in _` that 32 upper-case hexadecimal digits and a parenthesis follow, with the digits.
private func withoutFileHashes(_ text: [UInt8]) -> [UInt8] {
  let mark = Array(" in _".utf8)
  let digits = 32
  var result: [UInt8] = []
  result.reserveCapacity(text.count)
  var index = 0
  while index < text.count {
    let end = index + mark.count + digits
    if text[index] == mark[0], end < text.count, text[end] == UInt8(ascii: ")"),
      text[index...].starts(with: mark),
      text[index + mark.count..<end].allSatisfy({ isDigit($0) || $0 &- UInt8(ascii: "A") < 6 })
    {
      index = end
    } else {
      result.append(text[index])
      index += 1
    }
  }
  return result
}

/// Removes the digits after each ` #`.
private func withoutCounts(_ text: [UInt8]) -> [UInt8] {
  var result: [UInt8] = []
  result.reserveCapacity(text.count)
  var isCount = false
  for byte in text {
    if isCount, isDigit(byte) { continue }
    isCount = byte == UInt8(ascii: "#") && result.last == UInt8(ascii: " ")
    result.append(byte)
  }
  return result
}
