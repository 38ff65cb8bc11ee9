// The names that compilers give the input section of a function: GCC and clang with -ffunction-sections,
// swiftc with -function-sections, rustc always.
// <https://gcc.gnu.org/onlinedocs/gcc/Optimize-Options.html#index-ffunction-sections>
//
//     .text.f            the usual name
//     .text.unlikely.f   `unlikely` is a group of functions that the compiler considers cold
//     .text.unlikely     the functions of that group in an object without function sections; or `unlikely`
//     .text.unlikely.    the former, from LLVM, which thus distinguishes the two
//     .text.sorted.17.f  the usual name with a number, by which gold and GNU ld sort: `gen --rename-sections` and gcc
//     .text.split.f      what LLVM split off from f, f.cold; .text.eh.f are its landing pads, f.eh
//     .text              all other functions of such an object

/// The function that an input section is named for.
package struct FunctionSection {
  /// Which part of the function the section holds.
  package enum Part: Sendable {
    /// The section holds the whole function, or all but its cold part.
    case whole
    /// The section holds a cold function, or the cold part of a function whose other part is elsewhere; GCC uses one
    /// prefix for both.
    case unlikely
    /// The section holds the cold part that LLVM split off.
    case split
    /// The section holds the landing pads of exceptions, which LLVM split off.
    case landingPads

    /// The suffix after the function's name in the symbol of the part; `nil` if the section's name does not show it.
    package var suffix: String? {
      switch self {
      case .whole, .unlikely: nil
      case .split: ".cold"
      case .landingPads: ".eh"
      }
    }
  }

  /// The offset in bytes of the function's name within the section's name; at least one byte follows.
  package let nameStart: Int
  package let part: Part
  /// Whether the name is also the name of a group: `.text.hot`.
  package let isGroup: Bool

  /// - Returns: `nil` if `name` names no function: `.text`, `.text.hot.`, `.init`.
  package init?(_ name: RawSpan) {
    if Self.begins(name, with: ".text.") {
      let start = 6
      // Nearly all mangled names begin with `_`, and no group does.
      if Self.begins(name, with: "_", at: start) {
        self.init(nameStart: start, part: .whole, isGroup: false)
        return
      }
      if let end = Self.endOfNumber(name) {
        self.init(nameStart: end, part: .whole, in: name)
        return
      }
      for (group, part) in Self.groups where Self.begins(name, with: group, at: start) {
        let end = start + group.utf8CodeUnitCount
        if end == name.byteCount {
          self.init(nameStart: start, part: .whole, isGroup: true)
          return
        }
        guard Self.begins(name, with: ".", at: end) else { continue }
        self.init(nameStart: end + 1, part: part, in: name)
        return
      }
      self.init(nameStart: start, part: .whole, in: name)
    } else if Self.begins(name, with: ".gnu.linkonce.t.") {
      self.init(nameStart: 16, part: .whole, in: name)
    } else {
      return nil
    }
  }

  private init?(nameStart: Int, part: Part, in name: RawSpan) {
    guard nameStart < name.byteCount else { return nil }
    self.init(nameStart: nameStart, part: part, isGroup: false)
  }

  private init(nameStart: Int, part: Part, isGroup: Bool) {
    self.nameStart = nameStart
    self.part = part
    self.isGroup = isGroup
  }

  private static let groups: [(name: StaticString, part: Part)] = [
    ("unlikely", .unlikely), ("split", .split), ("eh", .landingPads), ("startup", .whole),
    ("hot", .whole), ("exit", .whole), ("unknown", .whole),
  ]

  /// The beginning of the names by which gold and GNU ld sort sections.
  package static let sortedPrefix: StaticString = ".text.sorted."

  /// The offset of the function's name in `.text.sorted.17.f`; `nil` for other names.
  private static func endOfNumber(_ name: RawSpan) -> Int? {
    guard begins(name, with: sortedPrefix) else { return nil }
    let start = sortedPrefix.utf8CodeUnitCount
    var end = start
    while end < name.byteCount,
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(
        name.unsafeLoad(fromByteOffset: end, as: UInt8.self))
    { end += 1 }
    return end > start && begins(name, with: ".", at: end) ? end + 1 : nil
  }

  /// Whether `section` is the section of a group of functions: `.text.hot`, `.text.unlikely`.
  package static func isGroup(_ section: [UInt8]) -> Bool {
    FunctionSection(section.span.bytes)?.isGroup ?? false
  }

  private static func begins(_ name: RawSpan, with text: StaticString, at start: Int = 0) -> Bool {
    guard name.byteCount - start >= text.utf8CodeUnitCount else { return false }
    return text.withUTF8Buffer { text in
      for index in text.indices
      where name.unsafeLoad(fromByteOffset: start + index, as: UInt8.self) != text[index] {
        return false
      }
      return true
    }
  }
}

extension FunctionSection {
  /// All names that the input section of function `symbol` can have, the usual one first.
  ///
  /// The compiler chooses the name by its analysis of the function: GCC puts `main` into
  /// `.text.startup.main`, or into `.text.unlikely.main` if it only calls cold functions. Without a link map
  /// the name is unknown, so a list may contain all of them; at most one exists. Groups that only
  /// profile-guided builds use are left out.
  package static func candidates(of symbol: [UInt8]) -> [[UInt8]] {
    [".text.", ".text.unlikely.", ".text.startup.", ".text.hot.", ".text.exit."].map {
      Array($0.utf8) + symbol
    }
  }

  /// The suffix after the name of a function in the symbol of its cold part.
  package static let coldSuffix = Array(".cold".utf8)

  /// The input section in which LLVM puts the cold part of function `symbol`.
  package static func split(from symbol: [UInt8]) -> [UInt8] { Array(".text.split.".utf8) + symbol }

  /// The only function in section `name`; `nil` if the name does not show it.
  ///
  /// `.text.hot.f` means the hot function `f`, not a function `hot.f`, and `.text.hot` means the function
  /// `hot`.
  package static func function(of name: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    FunctionSection(name.span.bytes).map { name.dropFirst($0.nameStart) }
  }

  /// The symbol at the start of section `name`: the symbol of the only function in it, or of a part that LLVM split
  /// off; `nil` if the name does not show it.
  package static func symbol(of name: ArraySlice<UInt8>) -> [UInt8]? {
    FunctionSection(name.span.bytes).map {
      name.dropFirst($0.nameStart) + Array(($0.part.suffix ?? "").utf8)
    }
  }

  /// Whether a compiler puts several functions into `section`, and not only `symbol`: `.text`, or
  /// `.text.startup` for a function other than `startup`.
  package static func isShared(_ section: ArraySlice<UInt8>, of symbol: ArraySlice<UInt8>) -> Bool {
    guard let function = FunctionSection(section.span.bytes) else {
      return section.elementsEqual(".text".utf8)
        || section.starts(with: ".text.".utf8) && section.last == UInt8(ascii: ".")
    }
    return function.isGroup && section.dropFirst(function.nameStart) != symbol
  }
}
