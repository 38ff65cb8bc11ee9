// The possible length of a demangled Swift name.
//
// Most of a name is printed once: identifiers, and operators of one to three letters that print a few words each. But
// `A<index>` repeats an earlier part, and a part may contain such references, so each 10 bytes of a name can double its
// text. The estimate adds up what each byte can print. A reference to part *i* prints at most all the text up to the
// end of that part. Only the demangler knows which parts are counted, but each identifier is a counted part. So part
// *i* ended at the latest with identifier *i* or, if there are fewer identifiers before the reference, before the
// reference.
//
// Digits begin an identifier, or are an index or a repeat count. Where they may be an index or a count, the following
// characters are not skipped as an identifier but read as operators: this can only increase the estimate.
//
// <https://github.com/swiftlang/swift/blob/main/docs/ABI/Mangling.rst>, Substitutions and Identifiers

import ByteReading

/// An upper bound for the bytes of identifiers in a demangled name, and approximately for its words.
struct SwiftTextSize {
  private let name: ArraySlice<UInt8>
  private var position: Int
  private var total: UInt64 = 0
  /// The value of `total` after each identifier.
  private var identifiers: [UInt64] = []

  /// The limit of the estimate, which is far above all sizes of interest and far below an overflow.
  private static let most: UInt64 = 1 << 40

  /// - Complexity: O(*n*) for *n* bytes.
  init(of name: ArraySlice<UInt8>) {
    self.name = name
    position = name.startIndex
    while position < name.endIndex, total < Self.most { readNext() }
  }

  var bytes: UInt64 { total }

  private mutating func readNext() {
    let byte = name[position]
    if byte == UInt8(ascii: "A") {
      readReferences()
    } else if isDigit(byte) {
      readDigits()
    } else {
      total += 1
      position += 1
    }
  }

  /// Reads `A`, then lower-case letters and one upper-case letter, each for a part, or `_`; digits before a
  /// letter are a repeat count or part of a larger index.
  private mutating func readReferences() {
    position += 1
    var count: UInt64 = 1
    while position < name.endIndex {
      let byte = name[position]
      if isDigit(byte) {
        count = max(readNumber(), 1)
        continue
      }
      guard isLowerCase(byte) || isUpperCase(byte) || byte == UInt8(ascii: "_") else { return }
      let index = Int(byte | 0x20) - Int(UInt8(ascii: "a"))
      let isKnown = byte != UInt8(ascii: "_") && index < identifiers.count
      let part = isKnown ? identifiers[index] : total + 1
      let (product, overflow) = part.multipliedReportingOverflow(by: count)
      total = min(Self.most, total + (overflow ? Self.most : min(product, Self.most)))
      count = 1
      position += 1
      if !isLowerCase(byte) { return }
    }
  }

  private mutating func readDigits() {
    let start = position
    let before = start > name.startIndex ? name[start - 1] : 0
    let isSubstituted = name[start] == UInt8(ascii: "0")
    let count = readNumber()
    let after = position < name.endIndex ? name[position] : 0
    let isIndex =
      after == UInt8(ascii: "_") || before == UInt8(ascii: "S")
      || before == UInt8(ascii: "_") && start > name.startIndex + 1 && isDigit(name[start - 2])
    if isIndex {
      if count == 33 { skipDiscriminator() }
      total += 8
    } else if isSubstituted {
      position = start + 1
      readSubstitutedIdentifier()
    } else if count <= name.endIndex - position {
      total += count
      position += Int(count)
      identifiers.append(total)
    }
  }

  /// Skips `_` and 32 hexadecimal digits, which distinguish private names of two files. The characters may also be an
  /// index, followed by references.
  private mutating func skipDiscriminator() {
    let digits = name[position...].dropFirst().prefix(32)
    guard digits.count == 32, digits.allSatisfy({ isDigit($0) || (0x41...0x46).contains($0) })
    else { return }
    for (byte, next) in zip(digits, digits.dropFirst()) where byte == UInt8(ascii: "A") {
      let index = Int(next) - 0x41
      total += index >= 0 && index < identifiers.count ? identifiers[index] : total
      total = min(total, Self.most)
    }
    total += 32
    position = digits.endIndex
  }

  /// Reads the rest of an identifier after `0`: with letters for words of earlier identifiers, or in Punycode.
  private mutating func readSubstitutedIdentifier() {
    if position < name.endIndex, name[position] == UInt8(ascii: "0") {
      position += 1
      let count = readNumber()
      guard count <= name.endIndex - position else { return }
      total += 8 * count  // each digit of Punycode may give a Unicode character
      position += Int(count)
    } else {
      var hasWords = true
      repeat {
        while hasWords, position < name.endIndex,
          isLowerCase(name[position]) || isUpperCase(name[position])
        {
          total += 16
          hasWords = isLowerCase(name[position])
          position += 1
        }
        if position < name.endIndex, name[position] == UInt8(ascii: "0") {
          position += 1
          break
        }
        let count = readNumber()
        guard count > 0, count <= name.endIndex - position else { return }
        total += count
        position += Int(count)
      } while hasWords
    }
    identifiers.append(total)
  }

  /// - Returns: 2^20 for a larger number, and 0 without digits.
  private mutating func readNumber() -> UInt64 {
    var value: UInt64 = 0
    while position < name.endIndex, isDigit(name[position]) {
      value = min(value * 10 + UInt64(name[position] - UInt8(ascii: "0")), 1 << 20)
      position += 1
    }
    return value
  }
}
