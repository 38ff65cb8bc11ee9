import Addresses
import ImageModel

extension LaunchFacts {
  /// The facts that follow from the names and sections of an ELF layout, without the code: the C runtime and,
  /// unless `hasCode`, whole linkage tables.
  ///
  /// The code is assumed to be one mapping whose file offsets equal its addresses.
  package init(of layout: Layout, hasCode: Bool) {
    self.init()
    let code = layout.sections.filter { $0.isExecutable && $0.range.size > 0 }.map(\.range)
    if let start = code.map(\.start).min(), let end = code.map(\.end).max() {
      executableMappings = [
        FileMapping(
          range: AddressRange(start: start, size: end.rawValue - start.rawValue),
          offset: FileOffset(rawValue: start.rawValue & 0xffff_ffff))
      ]
    }
    for function in layout.functions {
      let name = layout.name(of: function)
      if CRuntime.startNames.contains(name) { atStart.append(Touch(.cRuntime, function.knownBody)) }
      if CRuntime.endNames.contains(name) { atEnd.append(Touch(.cRuntime, function.knownBody)) }
    }
    for section in layout.sections where section.range.size > 0 {
      if section.name == CRuntime.startSection {
        atStart.append(Touch(.cRuntime, section.range))
      } else if section.name == CRuntime.endSection {
        atEnd.append(Touch(.cRuntime, section.range))
      } else if section.isLinkageTable, !hasCode {
        atStart.append(Touch(.linkageTable, section.range))
      }
    }
  }
}
