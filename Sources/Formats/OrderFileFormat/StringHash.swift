import CXXHash

extension [UInt8] {
  /// The hash by which ld64.lld's order files name a string, in a line `CSTR;HASH`: the lowest 31 bits of XXH3 of its bytes,
  /// without the zero that ends it. Strings that are different can have the same hash; the linker then moves all of
  /// them.
  ///
  /// <https://github.com/llvm/llvm-project/blob/main/lld/MachO/SectionPriorities.cpp>
  ///
  /// - Complexity: O(*n*) for *n* bytes.
  package var stringHash: UInt32 { UInt32(orderfile_xxh3(self, count) & 0x7fff_ffff) }
}
