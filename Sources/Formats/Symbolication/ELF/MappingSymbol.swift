import ByteReading

/// Whether `name` is a mapping symbol, which states the kind of the bytes that follow: `$x`, `$d.4`, `$t`, `$a`; and
/// `$xrv64i2p1`, in which RISC-V states the instruction set.
/// <https://github.com/ARM-software/abi-aa/blob/main/aaelf64/aaelf64.rst#mapping-symbols>
/// <https://github.com/riscv-non-isa/riscv-elf-psabi-doc/blob/master/riscv-elf.adoc#mapping-symbol>
package func isMappingSymbol(_ bytes: FileBytes, _ name: Range<Int>) -> Bool {
  guard name.count >= 2, bytes[name.lowerBound] == UInt8(ascii: "$") else { return false }
  switch bytes[name.lowerBound + 1] {
  case UInt8(ascii: "a"), UInt8(ascii: "d"), UInt8(ascii: "t"), UInt8(ascii: "x"):
    return name.count == 2 || bytes[name.lowerBound + 2] == UInt8(ascii: ".")
      || name.count >= 4 && bytes.hasPrefix("$xrv", at: name.lowerBound)
  default:
    return false
  }
}
