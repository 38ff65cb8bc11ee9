import ByteReading
import ImageModel

/// The end of a mangled name: where the part that is stable between builds ends, and which suffixes follow.
///
/// It is found from the last bytes, without an allocation.
package struct NameEnding: Sendable {
  /// The end of the stable part of the name, as an index into the bytes that were passed to `init`.
  package private(set) var baseEnd: Int
  package private(set) var part = NamedPart.whole
  package private(set) var cuts: CanonicalName.Cuts = []
  /// Whether the stable part is a Rust v0 name, which contains more hashes.
  package private(set) var isRustV0 = false

  /// - Complexity: O(*n*) for *n* bytes; all of them are examined only for the `@` of a version.
  package init(of bytes: [UInt8], in range: Range<Int>) {
    baseEnd = range.upperBound
    cutVersion(bytes, range)
    let mangling = Mangling(of: bytes, in: range)
    // Swift merges C++ functions of headers too, and no C++ function's own name ends in `Tm`. The name of a C function
    // may: `setTm`.
    let canBeMerged = mangling == .swift || mangling == .itanium
    while cutSuffix(bytes, range, canBeMerged: canBeMerged) {}
    if mangling == .itanium { cutRustHash(bytes, range) }
    isRustV0 = mangling == .rustV0
    if isRustV0 { cuts.insert(.rustHash) }
  }

  private mutating func cut(to end: Int, _ kind: CanonicalName.Cuts) {
    baseEnd = end
    cuts.insert(kind)
    if kind == .cold {
      part = .cold
    } else if kind == .partial, part != .cold {
      part = .partial
    } else if kind == .merged, part == .whole {
      part = .mergedBody
    }
  }
}

extension NameEnding {
  /// Removes `@V` or `@@V`. `@plt` stays: a PLT entry is not the function.
  private mutating func cutVersion(_ bytes: [UInt8], _ range: Range<Int>) {
    guard var at = lastIndex(ofAtSignIn: bytes, range), at + 1 < baseEnd,
      bytes[at + 1..<baseEnd].allSatisfy(isVersionByte),
      !matches("plt", bytes, at + 1..<baseEnd)
    else { return }
    if at > range.lowerBound, bytes[at - 1] == UInt8(ascii: "@") { at -= 1 }
    if at > range.lowerBound { cut(to: at, .version) }
  }

  /// Removes one suffix.
  ///
  /// - Returns: whether there was a suffix; a suffix with nothing before it is a name.
  private mutating func cutSuffix(
    _ bytes: [UInt8], _ range: Range<Int>, canBeMerged: Bool
  ) -> Bool {
    let last = baseEnd - 1
    guard last > range.lowerBound + 1 else { return false }
    if canBeMerged, bytes[last] == UInt8(ascii: "m"), bytes[last - 1] == UInt8(ascii: "T") {
      cut(to: last - 1, .merged)
      return true
    }
    if cutModuleHash(bytes, range) { return true }
    var wordEnd = baseEnd
    while wordEnd > range.lowerBound, isDigit(bytes[wordEnd - 1]) { wordEnd -= 1 }
    let isNumbered = wordEnd < baseEnd
    if isNumbered {
      guard wordEnd > range.lowerBound + 1, bytes[wordEnd - 1] == UInt8(ascii: ".") else {
        return false
      }
      wordEnd -= 1
    }
    var word = wordEnd
    let shortest = max(range.lowerBound, wordEnd - longestWord)
    while word > shortest, isWordByte(bytes[word - 1]) { word -= 1 }
    let hasWord = word > range.lowerBound + 1 && bytes[word - 1] == UInt8(ascii: ".")
    if hasWord, let kind = kind(bytes, word..<wordEnd, isNumbered: isNumbered) {
      guard kind != [] else { return false }
      cut(to: word - 1, kind)
      return true
    }
    guard isNumbered, !isCountedPerFile(bytes, range.lowerBound..<wordEnd) else { return false }
    cut(to: wordEnd, .number)
    return true
  }

  /// The kind of suffix that begins with `word`; empty if the number after the word is part of the name;
  /// `nil` for any other word.
  private func kind(
    _ bytes: [UInt8], _ word: Range<Int>, isNumbered: Bool
  ) -> CanonicalName.Cuts? {
    for (text, kind, number) in suffixes where matches(text, bytes, word) {
      switch number {
      case .always: return isNumbered ? kind : nil
      case .never: return isNumbered ? nil : kind
      case .maybe: return kind
      }
    }
    return nil
  }

  /// Removes the hash of a module, `.<32 hex>`, or `$<32 hex>` of older versions of LLVM.
  private mutating func cutModuleHash(_ bytes: [UInt8], _ range: Range<Int>) -> Bool {
    let mark = baseEnd - 33
    guard mark > range.lowerBound,
      bytes[mark] == UInt8(ascii: ".") || bytes[mark] == UInt8(ascii: "$"),
      bytes[mark + 1..<baseEnd].allSatisfy(isLowerHexDigit)
    else { return false }
    cut(to: mark, .promotion)
    return true
  }

  /// Removes `17h<16 hex>E`.
  private mutating func cutRustHash(_ bytes: [UInt8], _ range: Range<Int>) {
    let start = baseEnd - 20
    guard start > range.lowerBound + 3, bytes[baseEnd - 1] == UInt8(ascii: "E"),
      matches("17h", bytes, start..<start + 3),
      bytes[start + 3..<baseEnd - 1].allSatisfy(isLowerHexDigit)
    else { return }
    cut(to: start, .rustHash)
  }

  /// The demangled path of a Rust v0 name, without hashes; `nil` for all other names, and for a name that can't be
  /// read.
  package func rustV0Path(in bytes: [UInt8], from start: Int) -> [UInt8]? {
    isRustV0 ? demangleRustV0(bytes, in: start..<baseEnd) : nil
  }
}

/// Whether clang numbers the functions of this name within each file, one function per global variable. Without the
/// number, all such functions of the program would have the same name.
private func isCountedPerFile(_ bytes: [UInt8], _ base: Range<Int>) -> Bool {
  // With Mach-O's underscore the name begins with three underscores.
  let isMachO = begins(with: "___", bytes, base)
  let base = base.lowerBound + (isMachO ? 1 : 0)..<base.upperBound
  return matches("__cxx_global_var_init", bytes, base)
    || matches("__cxx_global_array_dtor", bytes, base)
}

private enum Numbering { case always, never, maybe }

/// Longer than all words of `suffixes`, so that the search for a word ends early.
private let longestWord = 12

private let suffixes: [(StaticString, CanonicalName.Cuts, Numbering)] = [
  ("llvm", .promotion, .always), ("cold", .cold, .maybe), ("isra", .isra, .always),
  ("constprop", .constantPropagation, .always), ("part", .partial, .always),
  ("lto_priv", .promotion, .always), ("__uniq", .promotion, .always),
  ("content", .promotion, .always), ("localalias", .localAlias, .maybe),
  ("specialized", .clone, .always), ("clone", .clone, .always), ("memprof", .clone, .always),
  ("argprom", .clone, .never), ("Tgm", .merged, .never),
  ("cfi", .controlFlowIntegrity, .never), ("cfi_jt", .controlFlowIntegrity, .never),
  // The numbers of these suffixes distinguish parts of a function.
  ("resume", [], .always), ("_omp_fn", [], .always), ("__part", [], .always),
]
