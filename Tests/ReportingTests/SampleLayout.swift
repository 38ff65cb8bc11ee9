import Addresses
import FaultEstimate
import ImageModel

/// A layout with `.init` at 0x1000 and `.text` at 0x2000, and functions given by name, address and
/// size.
func sampleLayout(_ functions: [(name: SymbolName, address: UInt64, size: UInt64)]) -> Layout {
  var names = NameTable()
  func section(_ name: SymbolName, _ start: UInt64, _ size: UInt64, code: Bool = true) -> Section {
    Section(
      name: name, range: AddressRange(start: StatedAddress(rawValue: start), size: size),
      isExecutable: code)
  }
  return Layout(
    sections: [
      section(".init", 0x1000, 27), section(".text", 0x2000, 0x4_0000),
      section(".data", 0x5_0000, 0x100, code: false),
    ],
    functions: functions.map {
      Function(
        name: names.append($0.name.bytes)!,  // far below 4 GiB
        address: StatedAddress(rawValue: $0.address), size: $0.size,
        section: $0.address < 0x2000 ? 0 : 1,
        inputSection: $0.address < 0x2000
          ? nil : names.append(Array(".text.".utf8) + $0.name.bytes),
        isLocal: $0.name.bytes.contains(0xff))
    },
    names: names)
}

/// A Mach-O layout with a megabyte of functions from the second page of 16 KiB on, then what a launch
/// reads besides and what it doesn't.
func sampleMachOLayout(_ functions: [(name: SymbolName, address: UInt64, size: UInt64)]) -> Layout {
  var names = NameTable()
  func section(_ name: SymbolName, _ start: UInt64, _ size: UInt64) -> Section {
    Section(
      name: name, range: AddressRange(start: StatedAddress(rawValue: start), size: size),
      isExecutable: name == "__TEXT,__text" || name == "__TEXT,__stubs")
  }
  return Layout(
    sections: [
      section("__TEXT,__text", 0x1_0000_4000, 0x10_0000),
      section("__TEXT,__stubs", 0x1_0010_4000, 1200),
      section("__TEXT,__init_offsets", 0x1_0010_44b0, 8),
      section("__TEXT,__objc_methname", 0x1_0010_44b8, 50_000),
      section("__TEXT,__cstring", 0x1_0011_0808, 100_000),
      section("__DATA_CONST,__got", 0x1_0012_c000, 800),
    ],
    functions: functions.map {
      Function(
        name: names.append($0.name.bytes)!,  // far below 4 GiB
        address: StatedAddress(rawValue: $0.address), size: $0.size, section: 0)
    },
    names: names)
}

/// Upper case stands for demangled here.
func upperCase(_ name: SymbolName) -> String { name.description.uppercased() }

extension LayoutComparison {
  /// The startup functions are those of these names in each layout.
  init(
    before: Layout, after: Layout, startup: [SymbolName], pageSize: PageSize,
    facts: (before: LaunchFacts, after: LaunchFacts) = (LaunchFacts(), LaunchFacts())
  ) {
    func indexes(_ name: SymbolName, _ layout: Layout) -> [Int] {
      layout.functions.indices.filter { layout.name(of: layout.functions[$0]) == name }
    }
    self.init(
      before: before, after: after,
      startup: startup.map {
        StartupFunction(name: $0, before: indexes($0, before), after: indexes($0, after))
      }, pageSize: pageSize, facts: facts)
  }
}
