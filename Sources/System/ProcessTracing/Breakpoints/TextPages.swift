import Addresses

/// Code in a process. It is read in large pieces, in ascending order, and changed pages are written back.
struct TextPages {
  private let mapping: ProcessMapping
  private let memory: ProcessMemory
  /// The address of the first byte of `bytes`.
  private var start: LoadedAddress
  /// The current piece; it is shorter if memory can't be read.
  private(set) var bytes: [UInt8] = []
  private var changed: Range<Int>?

  /// The size of a piece in bytes: a multiple of every page size.
  private static let piece: UInt64 = 1 << 20

  init(of mapping: ProcessMapping, _ memory: ProcessMemory) {
    self.mapping = mapping
    self.memory = memory
    start = mapping.addresses.lowerBound
  }

  /// The index of `address` in `bytes`; `bytes` may end before it.
  ///
  /// - Precondition: `address` lies in the mapping, and is not below the address of an earlier call.
  mutating func index(of address: LoadedAddress) -> Int {
    if address - start >= UInt64(bytes.count) {
      writeBack()
      let before = address - mapping.addresses.lowerBound
      start = mapping.addresses.lowerBound + (before - before % Self.piece)
      let count = min(Self.piece, mapping.addresses.upperBound - start)
      bytes = memory.read(Int(count), at: start)
    }
    return Int(address - start)
  }

  mutating func replace(_ index: Int, with new: [UInt8]) {
    bytes.replaceSubrange(index..<index + new.count, with: new)
    // Unchanged pages between two changed pages are written, too, unless they are many.
    let page = index & ~4095..<min((index & ~4095) + 4096, bytes.count)
    if let pages = changed, page.lowerBound - pages.upperBound <= 16 * 4096 {
      changed = pages.lowerBound..<max(pages.upperBound, page.upperBound)
    } else {
      writeBack()
      changed = page
    }
  }

  mutating func writeBack() {
    if let changed { memory.write(bytes[changed], at: start + UInt64(changed.lowerBound)) }
    changed = nil
  }
}
