import Addresses
import FaultEstimate
import ImageModel

/// A function to be laid out; `section` indexes the sections of the sample.
struct SampleFunction {
  var name: String
  var address: UInt64
  var size: UInt64
  var section: UInt32 = 0
}

/// A section to be laid out.
struct SampleSection {
  var name: String
  var address: UInt64
  var size: UInt64
}

/// One `.text` that holds all small addresses.
let wideText = [SampleSection(name: ".text", address: 0, size: 1 << 40)]

func sampleLayout(
  _ functions: [SampleFunction], sections: [SampleSection] = wideText
) -> Layout {
  var names = NameTable()
  return Layout(
    sections: sections.map {
      Section(
        name: SymbolName($0.name),
        range: AddressRange(start: StatedAddress(rawValue: $0.address), size: $0.size),
        isExecutable: true)
    },
    functions: functions.map {
      Function(
        name: names.append($0.name.utf8.map { $0 })!,  // far below 4 GiB
        address: StatedAddress(rawValue: $0.address), size: $0.size, section: $0.section)
    },
    names: names)
}

extension Layout {
  /// The indexes of the functions with these names, in the order of the names.
  func indexes(_ wanted: [String]) -> [Int] {
    wanted.flatMap { name in
      functions.indices.filter { self.name(of: functions[$0]).description == name }
    }
  }
}

extension LayoutComparison {
  /// The startup functions are those of these names in each layout.
  init(before: Layout, after: Layout, startup: [SymbolName], pageSize: PageSize) {
    func indexes(_ name: SymbolName, _ layout: Layout) -> [Int] {
      layout.functions.indices.filter { layout.name(of: layout.functions[$0]) == name }
    }
    self.init(
      before: before, after: after,
      startup: startup.map {
        StartupFunction(name: $0, before: indexes($0, before), after: indexes($0, after))
      }, pageSize: pageSize)
  }
}
