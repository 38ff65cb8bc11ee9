/// Returns a small ELF image whose functions lie one after the other from 0x1000 on. Without functions, it is stripped.
///
/// - Parameter size: the size of each function, in bytes.
package func sampleImage(_ functions: [String], size: UInt64 = 16, id: [UInt8]) -> [UInt8] {
  var elf = ELFWriter()
  elf.addText(size: max(0x100, Int(size) * functions.count))
  if !functions.isEmpty {
    elf.addSymbols(
      functions.enumerated().map {
        .init($0.element, value: 0x1000 + size * UInt64($0.offset), size: size)
      })
  }
  elf.addBuildID(id)
  return elf.bytes()
}
