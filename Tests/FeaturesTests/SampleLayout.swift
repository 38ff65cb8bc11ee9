import ImageModel
import ModelSamples

/// Returns a layout with `.init` at 0x1000, `.text` at 0x2000, and functions with the given names, addresses and sizes.
func sampleLayout(_ functions: [(name: SymbolName, address: UInt64, size: UInt64)]) -> Layout {
  sampleLayout(
    functions.map {
      let isInit = $0.address < 0x2000
      return SampleFunction(
        name: $0.name, address: $0.address, size: $0.size, section: isInit ? 0 : 1,
        inputSection: isInit ? nil : SymbolName(bytes: Array(".text.".utf8) + $0.name.bytes),
        isLocal: $0.name.bytes.contains(0xff))
    },
    sections: [
      SampleSection(name: ".init", address: 0x1000, size: 27),
      SampleSection(name: ".text", address: 0x2000, size: 0x4_0000),
      SampleSection(name: ".data", address: 0x5_0000, size: 0x100, isExecutable: false),
    ])
}

/// Returns a Mach-O layout with a megabyte of functions from the second page of 16 KiB on, followed by sections that a
/// launch reads and sections that it does not read.
func sampleMachOLayout(_ functions: [(name: SymbolName, address: UInt64, size: UInt64)]) -> Layout {
  func section(_ name: SymbolName, _ start: UInt64, _ size: UInt64) -> SampleSection {
    SampleSection(
      name: name, address: start, size: size,
      isExecutable: name == "__TEXT,__text" || name == "__TEXT,__stubs")
  }
  return sampleLayout(
    functions.map { SampleFunction(name: $0.name, address: $0.address, size: $0.size) },
    sections: [
      section("__TEXT,__text", 0x1_0000_4000, 0x10_0000),
      section("__TEXT,__stubs", 0x1_0010_4000, 1200),
      section("__TEXT,__init_offsets", 0x1_0010_44b0, 8),
      section("__TEXT,__objc_methname", 0x1_0010_44b8, 50_000),
      section("__TEXT,__cstring", 0x1_0011_0808, 100_000),
      section("__DATA_CONST,__got", 0x1_0012_c000, 800),
    ], format: .machO)
}

/// Returns the name in upper case, which tests take for demangled.
func upperCase(_ name: SymbolName) -> String { name.description.uppercased() }
