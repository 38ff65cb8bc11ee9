// Section names as gold and GNU ld match them: fnmatch(3) without escapes (FNM_NOESCAPE), so that a backslash
// is an ordinary byte. A literal metacharacter is written as a class of one: `[*]`. Both linkers were tested
// with each metacharacter: GNU ld 2.40 treats quoted names as globs too.

private let globMetacharacters: [UInt8] = Array("*?[".utf8)

/// A glob that matches `name` and nothing else.
///
/// gold also looks each line up as a plain name, so there `[*]` also matches a section that is itself
/// called `[*]`.
///
/// - Parameter alsoEscaped: whether the byte at an index must be escaped although it is not a metacharacter.
func glob(matchingOnly name: [UInt8], alsoEscaped: (Int) -> Bool = { _ in false }) -> [UInt8] {
  var glob: [UInt8] = []
  glob.reserveCapacity(name.count)
  for (i, byte) in name.enumerated() {
    if globMetacharacters.contains(byte) || alsoEscaped(i) {
      glob += [UInt8(ascii: "["), byte, UInt8(ascii: "]")]
    } else {
      glob.append(byte)
    }
  }
  return glob
}

/// The only name that `glob` matches; `nil` if it can match several names, or if only a search could decide this.
func onlyName(matchedBy glob: [UInt8]) -> [UInt8]? {
  var name: [UInt8] = []
  name.reserveCapacity(glob.count)
  let lastClosing = glob.lastIndex(of: UInt8(ascii: "]"))
  var i = 0
  while i < glob.count {
    switch glob[i] {
    case UInt8(ascii: "*"), UInt8(ascii: "?"): return nil
    case UInt8(ascii: "["):
      guard i + 2 < glob.count, glob[i + 2] == UInt8(ascii: "]") else {
        // A bracket that is never closed matches itself.
        if let lastClosing, lastClosing > i { return nil }
        name.append(glob[i])
        i += 1
        continue
      }
      // `[]]` is the class of `]`, found like any other; `[!]` and `[^]` would begin a negation.
      guard glob[i + 1] != UInt8(ascii: "!"), glob[i + 1] != UInt8(ascii: "^") else { return nil }
      name.append(glob[i + 1])
      i += 3
    default:
      name.append(glob[i])
      i += 1
    }
  }
  return name
}
