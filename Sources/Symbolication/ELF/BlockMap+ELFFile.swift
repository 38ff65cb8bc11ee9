import Addresses
import ByteReading
import ImageModel
import ObjectFormat

extension BlockMap {
  /// The blocks of a linked image; `nil` if no code of it was compiled with a map.
  ///
  /// Left out are discarded functions, whose addresses are outside of all code, and functions that do not
  /// begin at the start of a function of the image: such a map is of another build.
  ///
  /// - Parameter functions: the first bytes of all functions of the image, ascending.
  /// - Throws: the error in the map.
  /// - Complexity: O(*n* log *n*) for *n* blocks.
  package init?(of bytes: FileBytes, functions: [StatedAddress]) throws(ParseError) {
    guard case .elf(let file) = try ObjectFile(parsing: bytes) else { return nil }
    try self.init(file, functions: functions)
  }

  /// - Parameter debugFile: contains the map if it was stripped from the image.
  init?(
    _ file: ELFFile, functions: [StatedAddress], debugFile: ELFFile? = nil
  ) throws(ParseError) {
    var found = try file.blockMap()
    if found == nil { found = try debugFile?.blockMap() }
    guard let map = found else { return nil }
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
        // Padding instructions before an aligned block run if control falls through.
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

/// The code of an image, queried by ascending addresses. Stubs are not included, although a frame description
/// covers them.
struct CodeRanges {
  /// Ascending. For a file without sections, its segments.
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

  /// - Parameter address: not below that of the call before.
  mutating func range(holding address: StatedAddress) -> AddressRange? {
    while index < ranges.count, ranges[index].end <= address { index += 1 }
    return index < ranges.count && ranges[index].contains(address) ? ranges[index] : nil
  }
}

extension [StatedAddress] {
  /// - Precondition: the ranges ascend.
  /// - Complexity: O(log *n*).
  func containsSorted(_ address: StatedAddress) -> Bool {
    let index = partitioningIndex { $0 >= address }
    return index < count && self[index] == address
  }
}
