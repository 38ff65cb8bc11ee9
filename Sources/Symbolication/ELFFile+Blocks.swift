import Addresses
import ByteReading
import ImageModel
import ObjectFormat

extension ELFFile {
  /// The first bytes of what symbols and frame descriptions call functions, ascending, each once. Stubs
  /// are none, though a frame description covers them all.
  func functionStarts() throws(ParseError) -> [StatedAddress] {
    var starts = try frameStarts()
    var table = try symbolTable()
    if table == nil { table = try dynamicSymbolTable() }
    table?.forEachSymbol { symbol in
      let isFunction = symbol.type == .function || symbol.type == .indirectFunction
      if isFunction, symbol.sectionIndex.isInSection { starts.append(symbol.value) }
    }
    starts.sort()
    var code = CodeRanges(self)
    var unique: [StatedAddress] = []
    for start in starts where unique.last != start && code.range(holding: start) != nil {
      unique.append(start)
    }
    return unique
  }
}

extension BlockMap {
  /// The blocks of a linked image; `nil` if no code of it was compiled with a map.
  ///
  /// Left out is what the linker left out, whose addresses lie outside of all code, and what does not
  /// begin where a function does: such a map is of another build.
  ///
  /// - Throws: what is wrong with the map, or with the tables that tell functions.
  /// - Complexity: O(*n* log *n*) for *n* blocks.
  package init?(of bytes: FileBytes) throws(ParseError) {
    guard case .elf(let file) = try ObjectFile(parsing: bytes) else { return nil }
    try self.init(file, functions: try file.functionStarts())
  }

  /// - Parameter functions: ascending.
  init?(_ file: ELFFile, functions: [StatedAddress]) throws(ParseError) {
    guard let map = try file.blockMap() else { return nil }
    var isFunction = false
    let runs = map.runs.filter { run in
      if !run.isFurtherPart { isFunction = functions.containsSorted(run.address) }
      return isFunction
    }
    var code = CodeRanges(file)
    var blocks: [AddressRange] = []
    blocks.reserveCapacity(map.blocks.count)
    for run in runs.sorted(by: { $0.address < $1.address }) {
      guard let section = code.range(holding: run.address) else { continue }
      for (index, block) in zip(run.blocks, map.blocks[run.blocks]) {
        guard let start = run.address.advanced(by: UInt64(block.offset)) else { break }
        var size = UInt64(block.size)
        // Instructions that do nothing fill up to an aligned block, and run where control falls through.
        if size > 0, block.flags.contains(.fallsThrough), index + 1 < run.blocks.upperBound {
          size = UInt64(map.blocks[index + 1].offset - block.offset)
        }
        let range = AddressRange(start: start, size: size)
        if section.contains(start), range.end <= section.end { blocks.append(range) }
      }
    }
    guard !blocks.isEmpty else { return nil }
    self.init(blocks)
  }
}

/// The code of an image, asked for by ascending addresses.
private struct CodeRanges {
  /// Ascending. A file without sections has its segments.
  private let ranges: [AddressRange]
  private var index = 0

  init(_ file: ELFFile) {
    let sections = file.sections.filter { section in
      section.flags.contains(.executable)
        && !file.bytes.text(section.name.indices).hasPrefix(".plt")
    }.map(\.range)
    let segments = file.segments.filter { $0.type == .load && $0.isExecutable }.map(\.range)
    ranges = (sections.isEmpty ? segments : sections).sorted { $0.start < $1.start }
  }

  /// - Parameter address: not below the one before.
  mutating func range(holding address: StatedAddress) -> AddressRange? {
    while index < ranges.count, ranges[index].end <= address { index += 1 }
    return index < ranges.count && ranges[index].contains(address) ? ranges[index] : nil
  }
}

extension [StatedAddress] {
  /// - Precondition: they ascend.
  /// - Complexity: O(log *n*).
  func containsSorted(_ address: StatedAddress) -> Bool {
    var low = 0
    var high = count
    while low < high {
      let middle = low + (high - low) / 2
      if self[middle] < address { low = middle + 1 } else { high = middle }
    }
    return low < count && self[low] == address
  }
}
