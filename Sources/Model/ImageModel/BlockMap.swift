import Addresses

/// The basic blocks of the code of an image that was compiled with a map of them. A basic block runs from its first
/// byte to its last if it runs at all.
///
/// A block belongs to a function and has a number in that function, its ID. Builds of the same code with the same
/// options give it the same ID, wherever it lies: a linker that orders functions moves it, and a compiler that splits a
/// function moves it, may change its size, and may put it elsewhere than after the entry.
package struct BlockMap: Sendable {
  package struct Block: Hashable, Sendable {
    package var start: StatedAddress
    /// The size of the block in bytes, below 4 GiB; a block may be empty.
    package var size: UInt32
    package var id: UInt32
    /// The index of the function in `functions`.
    package fileprivate(set) var function: UInt32 = 0
    /// Whether it is entered when an exception is thrown.
    package var isLandingPad: Bool
    /// Whether control may continue after the block's last byte.
    package var fallsThrough: Bool

    package init(
      start: StatedAddress, size: UInt32, id: UInt32, isLandingPad: Bool = false,
      fallsThrough: Bool = true
    ) {
      self.start = start
      self.size = size
      self.id = id
      self.isLandingPad = isLandingPad
      self.fallsThrough = fallsThrough
    }

    package var range: AddressRange { AddressRange(start: start, size: UInt64(size)) }
  }

  package struct Function: Hashable, Sendable {
    /// The address of the function's first byte.
    package var entry: StatedAddress
    /// The blocks of the function, as indexes into `blocks`: in the order of the code, the part with the entry first.
    package fileprivate(set) var blocks = 0..<0
    /// A hash of the code of all blocks; `nil` if the compiler wrote none.
    package var hash: UInt64?
    /// The index in the map's hashes of the hash of the first block; `nil` if the compiler wrote no hashes.
    fileprivate var firstHash: Int?
    /// Whether the function's blocks are in several places.
    package var isSplit: Bool

    package init(entry: StatedAddress, hash: UInt64? = nil, isSplit: Bool = false) {
      self.entry = entry
      self.hash = hash
      self.isSplit = isSplit
    }
  }

  /// The functions, ascending by entry; each entry occurs once.
  package private(set) var functions: [Function] = []
  /// The blocks of all functions, function by function.
  package private(set) var blocks: [Block] = []
  /// The compiler's hashes of blocks, for the functions that have them.
  private var hashes: [UInt64] = []
  /// The indexes in `blocks` of blocks that are not empty and do not overlap, ascending by address.
  private var byAddress: [UInt32] = []
  /// Whether the compiler stated IDs. If not, the IDs count the blocks of a function in the order of the code.
  package let statesIDs: Bool

  /// - Parameters:
  ///   - functions: the functions, in any order; of two functions with the same entry, the first is kept.
  ///   - hashes: for each function the compiler's hashes of its blocks, in the order of the blocks.
  ///   - blocks: appends the blocks of the function at that index. Of two blocks that overlap, only the block that
  ///     begins first is found by its address; of two blocks that begin at the same address, only the longer.
  /// - Complexity: O(*n* log *n*) for *n* blocks.
  package init(
    of functions: [Function], blockCount: Int = 0,
    statesIDs: Bool = true, hashes: [[UInt64]?]? = nil,
    blocks append: (_ function: Int, inout [Block]) -> Void
  ) {
    self.statesIDs = statesIDs
    let order = functions.indices.sorted { (functions[$0].entry, $0) < (functions[$1].entry, $1) }
    self.functions.reserveCapacity(order.count)
    blocks.reserveCapacity(blockCount)
    for index in order where functions[index].entry != self.functions.last?.entry {
      let first = blocks.count
      append(index, &blocks)
      for block in first..<blocks.count { blocks[block].function = UInt32(self.functions.count) }
      self.functions.append(functions[index])
      self.functions[self.functions.count - 1].blocks = first..<blocks.count
      if let hashes = hashes?[index], hashes.count == blocks.count - first {
        self.functions[self.functions.count - 1].firstHash = self.hashes.count
        self.hashes += hashes
      }
    }
    byAddress.reserveCapacity(blocks.count)
    let sorted = blocks.indices.map { UInt32($0) }.sorted { [blocks] in
      let (a, b) = (blocks[Int($0)], blocks[Int($1)])
      return (a.start, b.size, $0) < (b.start, a.size, $1)
    }
    var end: StatedAddress?
    for index in sorted where blocks[Int(index)].size > 0 {
      let range = blocks[Int(index)].range
      guard end ?? range.start <= range.start else { continue }
      end = range.end
      byAddress.append(index)
    }
  }

  /// The blocks with code, ascending and without overlap.
  package var ranges: [AddressRange] { byAddress.map { blocks[Int($0)].range } }
}

extension BlockMap {
  /// The block with code that begins at `address`.
  ///
  /// - Complexity: O(log *n*).
  package func block(at address: StatedAddress) -> Block? {
    let place = byAddress.partitioningIndex { blocks[Int($0)].start >= address }
    guard place < byAddress.count else { return nil }
    let block = blocks[Int(byAddress[place])]
    return block.start == address ? block : nil
  }

  /// The block whose code contains `address`.
  ///
  /// - Complexity: O(log *n*).
  package func block(containing address: StatedAddress) -> Block? {
    let next = byAddress.partitioningIndex { blocks[Int($0)].start > address }
    guard next > 0 else { return nil }
    let block = blocks[Int(byAddress[next - 1])]
    return block.range.contains(address) ? block : nil
  }

  /// The code of the blocks that begin in `range`, ascending.
  ///
  /// - Complexity: O(log *n* + *k*) for *k* such blocks.
  package func ranges(beginningIn range: AddressRange) -> [AddressRange] {
    let first = byAddress.partitioningIndex { blocks[Int($0)].start >= range.start }
    return byAddress[first...].lazy.map { blocks[Int($0)].range }.prefix { $0.start < range.end }
      .map { $0 }
  }

  /// The function whose first byte is at `entry`.
  ///
  /// - Complexity: O(log *n*).
  package func function(at entry: StatedAddress) -> Function? {
    let index = functions.partitioningIndex { $0.entry >= entry }
    return index < functions.count && functions[index].entry == entry ? functions[index] : nil
  }

  /// The blocks of `function`, the part with the entry first.
  package func blocks(of function: Function) -> ArraySlice<Block> { blocks[function.blocks] }

  /// The compiler's hashes of the blocks of `function`, in the order of the blocks; `nil` if the compiler wrote no
  /// hashes.
  package func blockHashes(of function: Function) -> ArraySlice<UInt64>? {
    function.firstHash.map { hashes[$0..<$0 + function.blocks.count] }
  }

  /// The function that `block` belongs to.
  package func function(of block: Block) -> Function { functions[Int(block.function)] }
}
