import ByteReading

/// What the name of an input section says about the function in it, when the compiler gave each
/// function a section of its own (`-ffunction-sections`): `.text.unlikely._Z3foov` holds `_Z3foov` or a
/// part of it.
struct FunctionSectionName {
  /// Which part of the function the section holds.
  enum Part {
    /// All of it, or all but its cold part.
    case whole
    /// A cold function, or the cold part of one whose other part is elsewhere; GCC uses one prefix for
    /// both.
    case unlikely
    /// The cold part that LLVM's machine function splitter cut off.
    case split
  }

  /// Where the function's name stands in the map; not empty.
  let function: Range<Int>
  let part: Part

  // Longest first. `.text.unlikely` alone holds all cold functions of an object file and names none.
  private static let prefixes: [(prefix: StaticString, part: Part)] = [
    (".text.unlikely.", .unlikely), (".text.split.", .split), (".text.startup.", .whole),
    (".text.hot.", .whole), (".text.exit.", .whole), (".text.unknown.", .whole),
    (".text.", .whole), (".gnu.linkonce.t.", .whole),
  ]
  private static let groups: [StaticString] = [
    "unlikely", "split", "startup", "hot", "exit", "unknown",
  ]

  /// - Parameter name: where the section's name stands in `bytes`.
  /// - Returns: `nil` if the name names no function: `.text`, `.text.hot`.
  init?(_ bytes: FileBytes, _ name: Range<Int>) {
    // Nearly all names begin so; the list is for the rest.
    guard
      bytes.hasPrefix(".text.", at: name.lowerBound) || bytes.hasPrefix(".gnu", at: name.lowerBound)
    else { return nil }
    for (prefix, part) in Self.prefixes where bytes.hasPrefix(prefix, at: name.lowerBound) {
      let start = name.lowerBound + prefix.utf8CodeUnitCount
      guard start < name.upperBound else { return nil }
      function = start..<name.upperBound
      self.part = part
      for group in Self.groups
      where function.count == group.utf8CodeUnitCount && bytes.hasPrefix(group, at: start) {
        return nil
      }
      return
    }
    return nil
  }
}
