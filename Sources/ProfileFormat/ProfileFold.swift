// Folding launches
//
// Functions are found by image and address in a table. So folding a launch takes time for what it used, and memory
// grows with the distinct functions and blocks of all launches, besides the launches that are kept whole. A launch is
// kept only if its hash is among the smallest so far, which a hundred launches later is seldom.

import Addresses
import ByteReading
import ImageModel

/// Launches that are being folded into a profile.
package struct ProfileFold: Sendable {
  /// What a launch used of one image.
  package struct ImageUses: Sendable {
    /// From `image(_:)`; each image once in a launch.
    package var image: Int
    /// Each function once, in the order of first uses.
    package var uses: [FunctionUse]
    /// Hits in code of which only an address inside is known, or none.
    package var unnamedHits = 0

    package init(image: Int, uses: [FunctionUse], unnamedHits: Int = 0) {
      self.image = image
      self.uses = uses
      self.unnamedHits = unnamedHits
    }
  }

  /// The first use of a function in a launch.
  package struct FunctionUse: Sendable {
    package var address: StatedAddress
    /// `nil` if the launch has no times.
    package var nanoseconds: UInt64?
    /// Each once, in the order of first uses.
    package var blocks: [FunctionBlock]

    package init(
      address: StatedAddress, nanoseconds: UInt64? = nil, blocks: [FunctionBlock] = []
    ) {
      self.address = address
      self.nanoseconds = nanoseconds
      self.blocks = blocks
    }
  }

  /// A launch, but for what it used.
  package struct Launch: Sendable {
    package var end: Trace.LaunchEnd
    package var lostRecords: UInt64 = 0
    package var inFlightRecords = 0
    package var unattributedHits = 0
    package var workload: WorkloadSummary?

    package init(end: Trace.LaunchEnd) { self.end = end }
  }

  package private(set) var counts = Profile.Counts()
  private var images: [FoldedImage] = []
  /// Images with the same key are of several machines. There is one, unless somebody chose the IDs.
  private var placesOfImage: [Profile.Image.Key: [Int]] = [:]
  /// Ascending by hash, then by content; at most `Profile.keptLaunches`.
  private var launches: [KeptLaunch] = []
  private var workloads: [WorkloadSummary] = []

  package init() {}

  private struct FoldedImage: Sendable {
    var image: Profile.Image
    var functions: [Profile.Function] = []
    var placeOfFunction = AddressTable()
    /// The places of blocks in a function's `blocks`, for functions with blocks.
    var placeOfBlock: [Int: [FunctionBlock: Int]] = [:]

    /// The names with which functions were described first, one behind the other; and for each function where its is, and
    /// the size. So a launch whose names are all known, as those of nearly all launches, reads no names but these, in
    /// about the order of the file.
    private var texts: [UInt8] = []
    private var descriptions: [(text: Range<Int>, size: UInt64)] = []

    init(image: Profile.Image) { self.image = image }

    func isDescribed(
      _ function: Int, _ size: UInt64, _ file: FileBytes, _ range: Range<Int>
    ) -> Bool {
      guard function < descriptions.count, descriptions[function].size == size else { return false }
      return file.isEqual(range, to: texts, in: descriptions[function].text)
    }

    mutating func noteFirst(_ name: SymbolName, of function: Int, _ size: UInt64) {
      while descriptions.count <= function { descriptions.append((0..<0, 0)) }
      guard descriptions[function].text.isEmpty else { return }
      descriptions[function] = (texts.count..<texts.count + name.bytes.count, size)
      texts += name.bytes
    }

    /// The place in `functions` of the one at `address`, which is added if it is new.
    mutating func place(of address: StatedAddress) -> Int {
      let place = placeOfFunction.place(of: address, orAdding: functions.count)
      if place == functions.count {
        functions.append(Profile.Function(image: 0, address: address))
      }
      return place
    }

    mutating func place(of block: FunctionBlock, in function: Int) -> Int {
      if let known = placeOfBlock[function]?[block] { return known }
      let place = functions[function].blocks.count
      functions[function].blocks.append(Profile.Block(block, support: 0))
      placeOfBlock[function, default: [:]][block] = place
      return place
    }

    /// Counts what a launch used of this image, and says where it is.
    mutating func count(_ part: ImageUses, _ weight: UInt64) -> KeptLaunch.Part {
      var places = KeptLaunch.Part(image: part.image, functions: [], blocks: [])
      places.functions.reserveCapacity(part.uses.count)
      let hasBlocks = part.uses.contains { !$0.blocks.isEmpty }
      var buckets = PositionHistogram.AscendingBuckets()
      for use in part.uses {
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
  }

  /// A whole launch, with places in `images`.
  private struct KeptLaunch: Sendable {
    struct Part: Equatable, Sendable {
      var image: Int
      /// Places in the image's `functions`, and in their `blocks`; without blocks `blocks` is empty. There are many.
      var functions: [Int32]
      var blocks: [[Int32]]
    }
    var hash: UInt64
    var weight: UInt64
    var parts: [Part]
  }

  /// The number of `image`, which is added if it is new. Its path, methods and numbers are joined with those of the image
  /// with the same key, unless that is of another machine: then they stay apart. Its counts of launches are ignored.
  package mutating func image(_ image: Profile.Image) -> Int {
    let key = image.key
    for known in placesOfImage[key] ?? [] where images[known].image.mayBeOfMachine(of: image) {
      images[known].image.join(image)
      return known
    }
    placesOfImage[key, default: []].append(images.count)
    var new = image
    (new.launches, new.programLaunches, new.unnamedHits) = (0, 0, 0)
    images.append(FoldedImage(image: new))
    return images.count - 1
  }

  /// Adds what is known of a function.
  ///
  /// - Parameters:
  ///   - function: its place, from `add`.
  ///   - names: in any order.
  package mutating func describe(
    _ function: Int, of image: Int, size: UInt64?, objectFile: SymbolName?, names: [SymbolName]
  ) {
    images[image].functions[function].join(size: size, objectFile: objectFile)
    if images[image].functions[function].names == names { return }
    for name in names { images[image].functions[function].join(name) }
  }

  /// Adds a name of a function, which is in a file. If it is the name that the function was described with first, nothing
  /// is copied.
  ///
  /// - Parameters:
  ///   - function: its place, from `add`.
  ///   - size: in bytes; 0 if unknown.
  package mutating func describe(
    _ function: Int, of image: Int, size: UInt64, nameIn file: FileBytes, at range: Range<Int>
  ) {
    if images[image].isDescribed(function, size, file, range) { return }
    images[image].functions[function].join(size: size > 0 ? size : nil, objectFile: nil)
    let name = SymbolName(bytes: file.copy(range))
    images[image].functions[function].join(name)
    images[image].noteFirst(name, of: function, size)
  }

  /// Adds `weight` launches with the same uses.
  ///
  /// - Parameters:
  ///   - program: the image that the launch executed; `nil` if it is not among the images.
  ///   - weight: at least 1.
  /// - Returns: for each of `given` the places of the functions, by which they can be described; `nil` if there would be
  ///   more launches than a profile can count: then nothing is added.
  /// - Complexity: O(*u* log *k*) for *u* functions and blocks, and *k* images, on average.
  package mutating func add(
    _ launch: Launch, uses given: [ImageUses], program: Int?, weight: UInt64 = 1
  ) -> [[Int]]? {
    precondition(weight > 0, "a launch counts")
    guard weight <= Profile.maximumLaunches,
      counts.launches + weight <= Profile.maximumLaunches
    else { return nil }
    let parts = given.filter { !$0.uses.isEmpty || $0.unnamedHits > 0 }
      .sorted { images[$0.image].image.key < images[$1.image].image.key }
    counts.add(launch, functions: parts.reduce(0) { $0 + $1.uses.count }, weight: weight)
    if let workload = launch.workload { workloads.join(workload) }
    if let program { images[program].image.programLaunches += weight }
    var hash = LaunchHash()
    var kept: [KeptLaunch.Part] = []
    for part in parts {
      images[part.image].image.launches += weight
      images[part.image].image.unnamedHits.addSaturating(UInt64(part.unnamedHits), times: weight)
      guard !part.uses.isEmpty else { continue }
      hash.add(image: images[part.image].image)
      for use in part.uses { hash.add(use.address, blocks: use.blocks) }
      kept.append(images[part.image].count(part, weight))
    }
    if !kept.isEmpty { keep(KeptLaunch(hash: hash.value, weight: weight, parts: kept)) }
    return given.map { part in
      kept.first { $0.image == part.image }?.functions.map { Int($0) } ?? []
    }
  }

  /// Keeps `launch` if it is among those with the smallest hashes. Launches with the same hash have the same content,
  /// unless somebody made them so: then one of the contents stands for all.
  private mutating func keep(_ launch: KeptLaunch) {
    let place = launches.partitioningIndex { $0.hash >= launch.hash }
    if place < launches.count, launches[place].hash == launch.hash {
      launches[place].weight += launch.weight
      guard launches[place].parts != launch.parts else { return }
      if content(launch).lexicographicallyPrecedes(content(launches[place])) {
        launches[place].parts = launch.parts
      }
      return
    }
    guard place < Profile.keptLaunches else { return }
    launches.insert(launch, at: place)
    if launches.count > Profile.keptLaunches { launches.removeLast() }
  }

  /// What `launch` used, as numbers that do not depend on places.
  private func content(_ launch: KeptLaunch) -> [UInt64] {
    launch.parts.flatMap { part -> [UInt64] in
      let image = images[part.image]
      let key = image.image.key.bytes
      let uses = part.functions.enumerated().map { index, place -> [UInt64] in
        let function = image.functions[Int(place)]
        let blocks =
          part.blocks.isEmpty ? [] : part.blocks[index].map { function.blocks[Int($0)].block }
        return [function.address.rawValue, UInt64(blocks.count)]
          + blocks.flatMap { [$0.offset, $0.size] }
      }
      return [UInt64(key.count)] + key.map { UInt64($0) } + [UInt64(uses.count)] + uses.joined()
    }
  }
}

// MARK: Profiles

extension ProfileFold {
  /// Adds the launches of `profile`.
  ///
  /// - Returns: `false` if there would be more launches than a profile can count; then nothing is added.
  /// - Complexity: O(*n*) for *n* bytes in the file of the profile, on average.
  package mutating func add(_ profile: Profile) -> Bool {
    guard counts.launches + profile.counts.launches <= Profile.maximumLaunches else { return false }
    counts.add(profile.counts)
    for workload in profile.workloads { workloads.join(workload) }
    let numbers = profile.images.map { image($0) }
    for (number, image) in zip(numbers, profile.images) {
      images[number].image.addCounts(of: image)
    }
    var places: [Int32] = []
    places.reserveCapacity(profile.functions.count)
    var blockPlaces: [[Int32]] = []
    for function in profile.functions {
      let image = numbers[function.image]
      let place = images[image].place(of: function.address)
      places.append(Int32(place))
      images[image].functions[place].add(function)
      blockPlaces.append(
        function.blocks.map { block in
          let number = images[image].place(of: block.block, in: place)
          images[image].functions[place].blocks[number].support += block.support
          return Int32(number)
        })
    }
    for launch in profile.launches {
      var parts: [KeptLaunch.Part] = []
      for use in launch.uses {
        let function = Int(use.function)
        let image = numbers[profile.functions[function].image]
        if parts.last?.image != image {
          parts.append(KeptLaunch.Part(image: image, functions: [], blocks: []))
        }
        parts[parts.count - 1].functions.append(places[function])
        parts[parts.count - 1].blocks.append(
          use.blocks.map { blockPlaces[function][Int($0)] })
      }
      for index in parts.indices where parts[index].blocks.allSatisfy(\.isEmpty) {
        parts[index].blocks = []
      }
      keep(KeptLaunch(hash: launch.hash, weight: launch.weight, parts: parts))
    }
    return true
  }

  /// The profile of the launches so far.
  ///
  /// - Complexity: O(*n* log *n*) for *n* functions and blocks.
  package var profile: Profile {
    var profile = Profile()
    profile.counts = counts
    profile.workloads = workloads
    let order = images.indices.sorted { a, b in
      let (keyA, keyB) = (images[a].image.key, images[b].image.key)
      return keyA == keyB ? images[a].image.machine < images[b].image.machine : keyA < keyB
    }
    var numbers = images.map { _ in [UInt32]() }
    var blockNumbers = images.map { _ in [Int: [UInt32]]() }
    profile.functions.reserveCapacity(images.reduce(0) { $0 + $1.functions.count })
    for place in order {
      let folded = images[place]
      let image = profile.images.count
      profile.images.append(folded.image)
      numbers[place] = [UInt32](repeating: 0, count: folded.functions.count)
      let ascending = folded.functions.indices.sorted {
        folded.functions[$0].address < folded.functions[$1].address
      }
      for index in ascending {
        var function = folded.functions[index]
        function.image = image
        if !function.blocks.isEmpty {
          let blocks = function.blocks
          let sorted = blocks.indices.sorted { blocks[$0].block < blocks[$1].block }
          function.blocks = sorted.map { blocks[$0] }
          var ranks = [UInt32](repeating: 0, count: blocks.count)
          for (rank, block) in sorted.enumerated() { ranks[block] = UInt32(rank) }
          blockNumbers[place][index] = ranks
        }
        numbers[place][index] = UInt32(profile.functions.count)
        profile.functions.append(function)
      }
    }
    profile.launches = launches.map { launch in
      var uses: [Profile.Use] = []
      uses.reserveCapacity(launch.parts.reduce(0) { $0 + $1.functions.count })
      for part in launch.parts {
        for (index, function) in part.functions.enumerated() {
          let ranks = blockNumbers[part.image][Int(function)] ?? []
          let blocks = part.blocks.isEmpty ? [] : part.blocks[index].map { ranks[Int($0)] }
          uses.append(Profile.Use(function: numbers[part.image][Int(function)], blocks: blocks))
        }
      }
      return Profile.Launch(hash: launch.hash, weight: launch.weight, uses: uses)
    }
    return profile
  }
}
