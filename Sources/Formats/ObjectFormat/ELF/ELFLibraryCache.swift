// ld.so.cache: the libraries in the folders that the machine's administrator lists, as ldconfig(8) finds them. glibc's
// loader looks a name up here before it looks into its own folders.
//
//   magic      "glibc-ld.so.cache1.1", 20 bytes
//   nlibs      the number of entries; len_strings: the bytes of their names; flags; 3 unused; extension_offset; 12 unused
//   entries    24 bytes each: flags, the offsets of name and path, an unused number, and the capabilities that the
//              processor needs (0: none)
//
// Offsets count from the magic. A cache from before glibc 2.32 may begin with a table in an older form, which ends
// where the next multiple of 8 begins. Numbers have the byte order of the machine that wrote them.
// glibc's sysdeps/generic/dl-cache.h

import Addresses
import ByteReading

package struct ELFLibraryCache: Sendable {
  /// The paths of libraries by their names, in the order of the cache; entries that need capabilities of the
  /// processor are left out.
  private var paths: [[UInt8]: [[UInt8]]] = [:]

  package init() {}

  /// - Throws: `invalid` for another magic; `truncated` for a table that exceeds the file; `tooLarge` if names
  ///   overlap too much.
  /// - Complexity: O(*n*) for *n* bytes.
  package init(parsing bytes: FileBytes) throws(ParseError) {
    var input = ByteCursor(bytes)
    if bytes.hasPrefix("ld.so-1.7.0", at: 0) {
      try input.skip(12, "magic")
      let count = UInt64(try input.read(UInt32.self, "nlibs"))
      try input.skip(count * 12, "nlibs")
      try input.align(to: 8, from: FileOffset(rawValue: 0), "magic")
    }
    let start = input.position
    let magic = try input.readRange(20, "magic")
    guard bytes.isEqual(magic.indices, to: "glibc-ld.so.cache1.1") else {
      throw ParseError(
        .invalid(
          expected: "glibc-ld.so.cache1.1",
          found: hexadecimalBytes(bytes, magic.indices)), "magic", at: start)
    }
    let count = UInt64(try input.read(UInt32.self, "nlibs"))
    try input.skip(24, "len_strings")
    let names = StringTable(bytes, start..<bytes.all.upperBound)
    var budget = ByteBudget(namesIn: bytes.count)
    for _ in 0..<count {
      try input.skip(4, "flags")
      let key = try input.read(UInt32.self, "key")
      let value = try input.read(UInt32.self, "value")
      try input.skip(4, "osversion")
      guard try input.read(UInt64.self, "hwcap") == 0, let name = names.name(at: key),
        let path = names.name(at: value)
      else { continue }
      try budget.take(name.byteCount + path.byteCount, "names", at: names.range.lowerBound)
      paths[bytes.copy(name.indices), default: []].append(bytes.copy(path.indices))
    }
  }

  /// The paths of libraries called `name`, each perhaps for another machine.
  package func paths(of name: [UInt8]) -> [[UInt8]] { paths[name] ?? [] }
}
