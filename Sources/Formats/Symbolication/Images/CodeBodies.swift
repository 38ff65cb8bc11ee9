import Addresses
import Demangling
import ImageModel

/// The pieces of code in a layout that count. They do not overlap.
package struct CodeBodies {
  package struct Body {
    package var bytes: AddressRange
    /// The function, as an index into the layout's functions; `nil` for code between functions.
    package var function: Int?
  }

  /// All bodies, ascending by address.
  package private(set) var all: [Body] = []

  /// Whether the bytes between two functions may be padding that aligns the second function. Up to 63 bytes always may.
  private static func isPadding(from start: StatedAddress, to end: StatedAddress) -> Bool {
    let size = end.rawValue - start.rawValue
    let alignment = UInt64(1) << end.rawValue.trailingZeroBitCount
    return size < max(alignment, 64)
  }

  package init(_ layout: Layout) {
    let hasRecorder = layout.functions.contains { isCallback(layout.names[$0.name]) }
    var end = StatedAddress(rawValue: 0)
    var section: UInt32?
    var index = 0
    while index < layout.functions.count {
      let aliases = layout.functions(at: layout.functions[index].address)
      index = aliases.upperBound
      let widest = layout.functions[aliases.upperBound - 1]
      let range = layout.sections[Int(widest.section)].range
      guard layout.sections[Int(widest.section)].isExecutable, range.contains(widest.address) else {
        continue
      }
      let next = index < layout.functions.count ? layout.functions[index].address : range.end
      let reach =
        widest.size.map { AddressRange(start: widest.address, size: $0).end } ?? next
      let start = max(widest.address, end)
      let isContinued = section == widest.section
      if isContinued, layout.imageFormat == .elf, widest.address > end,
        !Self.isPadding(from: end, to: widest.address)
      {
        all.append(Body(bytes: AddressRange(end, widest.address), function: nil))
      }
      end = max(end, min(reach, range.end))
      section = widest.section
      guard end > start, !Self.isLeftOut(aliases, of: layout, hasRecorder: hasRecorder) else {
        continue
      }
      all.append(Body(bytes: AddressRange(start, end), function: aliases.upperBound - 1))
    }
  }

  /// Whether a body is code that does not count.
  private static func isLeftOut(
    _ aliases: Range<Int>, of layout: Layout, hasRecorder: Bool
  ) -> Bool {
    let section = layout.sections[Int(layout.functions[aliases.lowerBound].section)]
    if section.isLinkageTable || section.name == CRuntime.startSection
      || section.name == CRuntime.endSection
    {
      return true
    }
    // Only the first names of a body are examined, because it may have thousands.
    return aliases.prefix(64).contains { index in
      let function = layout.functions[index]
      let name = layout.names[function.name]
      if CRuntime.isPart(SymbolName(bytes: name)) || isOutlined(name) { return true }
      let isMachO = layout.imageFormat == .machO
      let bare = isMachO ? name.dropFirst() : name
      if ["sancov.module_ctor", "__sanitizer_cov_"].contains(where: { bare.starts(with: $0.utf8) })
      {
        return true
      }
      if hasRecorder, RecorderFunctions.contain(bare) { return true }
      let part = NameEnding(of: Array(name), in: 0..<name.count).part
      return part == .mergedBody || part == .cold
    }
  }
}

extension AddressRange {
  fileprivate init(_ start: StatedAddress, _ end: StatedAddress) {
    self.init(start: start, size: end.rawValue - start.rawValue)
  }
}
