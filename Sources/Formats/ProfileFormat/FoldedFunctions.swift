import Addresses
import ByteReading
import ImageModel

/// The functions of one image, or its data, that launches used so far, in the order in which they were added.
struct FoldedFunctions: Sendable {
  private(set) var functions: [Profile.Function] = []
  private var placeOfFunction = AddressTable()
  /// The places of blocks in a function's `blocks`, for functions with blocks.
  private var placeOfBlock: [Int: [FunctionBlock: Int]] = [:]

  /// The names with which functions were described first, concatenated; and for each function the range of its name and
  /// its size. So a launch whose names are all known, like nearly all launches, is compared with this text alone, in
  /// about the order of the file.
  private var texts: [UInt8] = []
  private var descriptions: [(text: Range<Int>, size: UInt64)] = []

  /// The place in `functions` of the function at `address`, which is added if it is new.
  private mutating func place(of address: StatedAddress) -> Int {
    let place = placeOfFunction.place(of: address, orAdding: functions.count)
    if place == functions.count {
      functions.append(Profile.Function(image: 0, address: address))
    }
    return place
  }

  private mutating func place(of block: FunctionBlock, in function: Int) -> Int {
    if let known = placeOfBlock[function]?[block] { return known }
    let place = functions[function].blocks.count
    functions[function].blocks.append(Profile.Block(block, support: 0))
    placeOfBlock[function, default: [:]][block] = place
    return place
  }

  /// Counts the functions that `weight` launches used, in the order of first uses.
  ///
  /// - Returns: the places in `functions`, and in their `blocks`; without blocks `blocks` is empty.
  mutating func count(
    _ uses: [ProfileFold.FunctionUse], _ weight: UInt64
  ) -> (functions: [Int32], blocks: [[Int32]]) {
    var places: (functions: [Int32], blocks: [[Int32]]) = ([], [])
    places.functions.reserveCapacity(uses.count)
    let hasBlocks = uses.contains { !$0.blocks.isEmpty }
    var buckets = PositionHistogram.AscendingBuckets()
    for use in uses {
      let place = self.place(of: use.address)
      places.functions.append(Int32(place))
      functions[place].count(in: buckets.next(), use.nanoseconds, weight)
      guard hasBlocks else { continue }
      places.blocks.append(
        use.blocks.map { block in
          let number = self.place(of: block, in: place)
          functions[place].blocks[number].support += weight
          return Int32(number)
        })
    }
    return places
  }

  /// Adds a function of a profile.
  ///
  /// - Returns: its place, and the places of its blocks.
  mutating func add(_ function: Profile.Function) -> (function: Int32, blocks: [Int32]) {
    let place = self.place(of: function.address)
    functions[place].add(function)
    let blocks = function.blocks.map { block in
      let number = self.place(of: block.block, in: place)
      functions[place].blocks[number].support += block.support
      return Int32(number)
    }
    return (Int32(place), blocks)
  }

  /// - Parameter names: the names of the function, in any order.
  mutating func describe(
    _ function: Int, size: UInt64?, objectFile: SymbolName?, names: [SymbolName]
  ) {
    functions[function].join(size: size, objectFile: objectFile)
    if functions[function].names == names { return }
    for name in names { functions[function].join(name) }
  }

  /// - Parameter size: the size of the function in bytes; 0 if it is unknown.
  mutating func describe(
    _ function: Int, size: UInt64, nameIn file: FileBytes, at range: Range<Int>
  ) {
    if isDescribed(function, size, file, range) { return }
    let name = SymbolName(bytes: file.copy(range))
    describe(function, size: size > 0 ? size : nil, objectFile: nil, names: [name])
    noteFirst(name, of: function, size)
  }

  private func isDescribed(
    _ function: Int, _ size: UInt64, _ file: FileBytes, _ range: Range<Int>
  ) -> Bool {
    guard function < descriptions.count, descriptions[function].size == size else { return false }
    return file.isEqual(range, to: texts, in: descriptions[function].text)
  }

  private mutating func noteFirst(_ name: SymbolName, of function: Int, _ size: UInt64) {
    while descriptions.count <= function { descriptions.append((0..<0, 0)) }
    guard descriptions[function].text.isEmpty else { return }
    descriptions[function] = (texts.count..<texts.count + name.bytes.count, size)
    texts += name.bytes
  }
}

extension FoldedFunctions {
  /// The index of each function and of each of its blocks in a profile.
  struct Numbers {
    /// The index in the profile of each function, by the function's index in `functions`.
    fileprivate(set) var functions: [UInt32]
    /// The indexes in the profile of the blocks of each function that has blocks, by the function's index in
    /// `functions`.
    fileprivate(set) var blocks: [Int: [UInt32]] = [:]
  }

  /// Appends the functions to `all` as functions of `image`, ascending by address, and their blocks ascending.
  func append(to all: inout [Profile.Function], asOf image: Int) -> Numbers {
    var numbers = Numbers(functions: [UInt32](repeating: 0, count: functions.count))
    let ascending = functions.indices.sorted { functions[$0].address < functions[$1].address }
    for index in ascending {
      var function = functions[index]
      function.image = image
      if !function.blocks.isEmpty {
        let blocks = function.blocks
        let sorted = blocks.indices.sorted { blocks[$0].block < blocks[$1].block }
        function.blocks = sorted.map { blocks[$0] }
        var ranks = [UInt32](repeating: 0, count: blocks.count)
        for (rank, block) in sorted.enumerated() { ranks[block] = UInt32(rank) }
        numbers.blocks[index] = ranks
      }
      numbers.functions[index] = UInt32(all.count)
      all.append(function)
    }
    return numbers
  }
}
