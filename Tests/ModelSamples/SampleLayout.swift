import Addresses
import ImageModel

/// A function to be laid out.
package struct SampleFunction {
  package var name: SymbolName
  package var address: UInt64
  package var size: UInt64
  /// The index of the section in the sample's sections.
  package var section: UInt32
  package var inputSection: SymbolName?
  package var objectFile: SymbolName?
  package var compiledObjectFile: SymbolName?
  package var isLocal: Bool

  package init(
    name: SymbolName, address: UInt64, size: UInt64 = 16, section: UInt32 = 0,
    inputSection: SymbolName? = nil, objectFile: SymbolName? = nil,
    compiledObjectFile: SymbolName? = nil, isLocal: Bool = false
  ) {
    self.name = name
    self.address = address
    self.size = size
    self.section = section
    self.inputSection = inputSection
    self.objectFile = objectFile
    self.compiledObjectFile = compiledObjectFile
    self.isLocal = isLocal
  }
}

/// A section to be laid out.
package struct SampleSection {
  package var name: SymbolName
  package var address: UInt64
  package var size: UInt64
  package var isExecutable: Bool

  package init(name: SymbolName, address: UInt64, size: UInt64, isExecutable: Bool = true) {
    self.name = name
    self.address = address
    self.size = size
    self.isExecutable = isExecutable
  }
}

/// A section `.text` that contains all small addresses.
package let wideText = [SampleSection(name: ".text", address: 0, size: 1 << 40)]

package func sampleLayout(
  _ functions: [SampleFunction], sections: [SampleSection] = wideText,
  absent: [(name: SymbolName, reason: AbsentSymbol.Reason)] = [], format: ImageFormat = .elf
) -> Layout {
  var names = NameTable()
  // The sum is far below 4 GiB.
  func add(_ name: SymbolName) -> NameReference { names.append(name.bytes)! }
  let functions = functions.map {
    PlacedSymbol(
      name: add($0.name), address: StatedAddress(rawValue: $0.address), size: $0.size,
      section: $0.section, inputSection: $0.inputSection.map(add),
      objectFile: $0.objectFile.map(add),
      compiledObjectFile: $0.compiledObjectFile.map(add), isLocal: $0.isLocal)
  }
  let absentSymbols = absent.map { AbsentSymbol(name: add($0.name), reason: $0.reason) }
  return Layout(
    imageFormat: format,
    sections: sections.map {
      Section(
        name: $0.name,
        range: AddressRange(start: StatedAddress(rawValue: $0.address), size: $0.size),
        isExecutable: $0.isExecutable)
    }, functions: functions, names: names, absentSymbols: absentSymbols)
}

extension Layout {
  /// The indexes of the functions with these names, in the order of the names.
  package func indexes(_ wanted: [SymbolName]) -> [Int] {
    wanted.flatMap { name in functions.indices.filter { self.name(of: functions[$0]) == name } }
  }
}
