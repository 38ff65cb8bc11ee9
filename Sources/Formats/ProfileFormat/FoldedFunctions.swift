import Addresses
import ByteReading
import ImageModel

/// The functions of all images that launches used so far, or the data, in the order in which they were added.
struct FoldedFunctions: Sendable {
  private(set) var functions: [Profile.Function] = []
  /// The places in `functions` of the functions of each image.
  private var placesOfImage: [AddressTable] = []
  /// The places of blocks in a function's `blocks`, for functions with blocks.
  private var placeOfBlock: [Int: [FunctionBlock: Int]] = [:]

  /// The names with which functions were described first, concatenated; and for each function the range of its name and
  /// its size. So a launch whose names are all known, like nearly all launches, is compared with this text alone, in
  /// about the order of the file.
  private var texts: [UInt8] = []
  private var descriptions: [(text: Range<Int>, size: UInt64)] = []

  /// The place in `functions` of the function at `address` in `image`, which is added if it is new.
  private mutating func place(of address: StatedAddress, in image: Int) -> Int {
    while placesOfImage.count <= image { placesOfImage.append(AddressTable()) }
    let place = placesOfImage[image].place(of: address, orAdding: functions.count)
    if place == functions.count {
      functions.append(Profile.Function(image: image, address: address))
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

  /// Counts the functions of `image` that `weight` launches used, in the order of first uses.
  ///
  /// - Returns: the places in `functions`, and in the `blocks` of each of these functions if `countsBlocks`.
  mutating func count(
    _ uses: [ProfileFold.FunctionUse], of image: Int, _ weight: UInt64, countsBlocks: Bool
  ) -> (functions: [UInt32], blocks: [[UInt32]]) {
    var places: (functions: [UInt32], blocks: [[UInt32]]) = ([], [])
    places.functions.reserveCapacity(uses.count)
    var buckets = PositionHistogram.AscendingBuckets()
    for use in uses {
      let place = self.place(of: use.address, in: image)
      places.functions.append(UInt32(place))
      functions[place].count(in: buckets.next(), use.nanoseconds, weight)
      guard countsBlocks else { continue }
      places.blocks.append(
        use.blocks.map { block in
          let number = self.place(of: block, in: place)
          functions[place].blocks[number].support += weight
          return UInt32(number)
        })
    }
    return places
  }

  /// Adds functions of a profile.
  ///
  /// - Parameter images: the number here of each image of the profile.
  /// - Returns: the places of the functions and of their blocks.
  mutating func add(_ added: [Profile.Function], ofImages images: [Int]) -> Numbers {
    var places = Numbers()
    places.functions.reserveCapacity(added.count)
    for (index, function) in added.enumerated() {
      let place = self.place(of: function.address, in: images[function.image])
      places.functions.append(UInt32(place))
      functions[place].add(function)
      guard !function.blocks.isEmpty else { continue }
      places.blocks[index] = function.blocks.map { block in
        let number = self.place(of: block.block, in: place)
        functions[place].blocks[number].support += block.support
        return UInt32(number)
      }
    }
    return places
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
  /// Other numbers for the functions of a list and for their blocks.
  struct Numbers {
    /// The number of each function, by its index in the list.
    fileprivate(set) var functions: [UInt32] = []
    /// The numbers of the blocks of each function that has blocks, by the function's index in the list.
    fileprivate(set) var blocks: [Int: [UInt32]] = [:]
  }

  /// Returns the functions ascending by image and address, with their blocks ascending, and their numbers in this order.
  ///
  /// - Parameter images: the number of each image in this order.
  func sorted(byImages images: [Int]) -> ([Profile.Function], Numbers) {
    var sorted: [Profile.Function] = []
    sorted.reserveCapacity(functions.count)
    var numbers = Numbers(functions: [UInt32](repeating: 0, count: functions.count))
    let ascending = functions.indices.sorted { a, b in
      (images[functions[a].image], functions[a].address)
        < (images[functions[b].image], functions[b].address)
    }
    for index in ascending {
      var function = functions[index]
      function.image = images[function.image]
      if !function.blocks.isEmpty {
        let blocks = function.blocks
        let order = blocks.indices.sorted { blocks[$0].block < blocks[$1].block }
        function.blocks = order.map { blocks[$0] }
        var ranks = [UInt32](repeating: 0, count: blocks.count)
        for (rank, block) in order.enumerated() { ranks[block] = UInt32(rank) }
        numbers.blocks[index] = ranks
      }
      numbers.functions[index] = UInt32(sorted.count)
      sorted.append(function)
    }
    return (sorted, numbers)
  }
}
