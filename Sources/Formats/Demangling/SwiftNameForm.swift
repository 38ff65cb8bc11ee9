// The part of a Swift name that stays the same when a file is renamed or a closure is added.
//
// The demangler prints the tree of a name completely, so the texts of two names are equal if the trees are. Hashes and
// numbers that compilers compute are printed in these ways:
//
//     (load in _5B37C2F0A9D14E6C8B1F02D3E4A59687)    private declarations, with a hash of the file's name
//     closure #2 in, row #1 () in                    closures, local functions and types
//     [Closure Propagated : $s4Feed5startyyFyycfU0_  the mangled name of a closure for which a function is specialized

import ByteReading

/// A demangled Swift name without discriminators.
package enum SwiftNameForm: CaseIterable, Hashable, Sendable {
  /// The demangled name without the hashes of file names.
  case withoutHashes
  /// The demangled name without the hashes of file names, and without the numbers of closures and local declarations.
  case withoutNumbers

  /// The name in this form; `nil` if the name is not a Swift name, if it can't be demangled, or if this form leaves
  /// nothing out of it.
  ///
  /// - Complexity: O(*n* + *t*) for *n* bytes and *t* bytes of text.
  package func text(ofMangled name: [UInt8]) -> [UInt8]? { text(ofMangled: name, depth: 0) }

  private func text(ofMangled name: [UInt8], depth: Int) -> [UInt8]? {
    let start = name.first == UInt8(ascii: "_") ? 1 : 0
    guard Mangling(of: name, in: name.indices) == .swift, mayHold(name) else { return nil }
    let ending = NameEnding(of: name, in: name.indices)
    guard ending.part == .whole, let text = demangleSwift(name[start..<ending.baseEnd]) else {
      return nil
    }
    let bytes = Array(text.utf8)
    var form = withoutFileHashes(bytes)
    if self == .withoutNumbers { form = withoutCounts(form) }
    if depth < Self.mostNames { form = replacingMangledNames(form, depth: depth) }
    return form != bytes ? form : nil
  }

  /// The depth to which mangled names inside of mangled names are replaced. Compilers write one
  /// level.
  private static let mostNames = 2

  /// Replaces each mangled name in `text` by its form.
  private func replacingMangledNames(_ text: [UInt8], depth: Int) -> [UInt8] {
    func isOfName(_ byte: UInt8) -> Bool {
      isDigit(byte) || (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "_")
        || byte == UInt8(ascii: "$")
    }
    guard text.contains(UInt8(ascii: "$")) else { return text }
    var result: [UInt8] = []
    var index = 0
    while index < text.count {
      guard text[index] == UInt8(ascii: "$"), result.last == UInt8(ascii: " ") else {
        result.append(text[index])
        index += 1
        continue
      }
      let end = text[index...].firstIndex { !isOfName($0) } ?? text.count
      let name = Array(text[index..<end])
      result += self.text(ofMangled: name, depth: depth + 1) ?? name
      index = end
    }
    return result
  }

  /// Whether the mangled name can contain a part that this form leaves out. Most names contain no such part, and
  /// demangling takes a thousand times as long as this test.
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
