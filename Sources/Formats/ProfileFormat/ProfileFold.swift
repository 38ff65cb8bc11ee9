// Folding launches
//
// Functions and data are found by image and address in tables. So the time to fold a launch grows with the functions
// and data that it used. Memory grows with the distinct functions, blocks and data of all launches, and with the
// launches that are kept whole. A launch is kept only if its hash is among the smallest so far, which becomes rare
// after the first hundred launches.

import Addresses
import ByteReading
import ImageModel

/// Launches that are being folded into a profile.
package struct ProfileFold: Sendable {
  /// The functions and data of one image that a launch used.
  package struct ImageUses: Sendable {
    /// The number that `image(_:)` returned; each image occurs once in a launch.
    package var image: Int
    /// The functions that the launch used, each once, in the order of first uses.
    package var uses: [FunctionUse]
    /// The number of hits without a known function: only an address inside the function is known, or no address.
    package var unnamedHits = 0
    /// The data that the launch touched: each datum once, in the order of first touches, and without blocks.
    package var data: [FunctionUse]

    package init(
      image: Int, uses: [FunctionUse], unnamedHits: Int = 0, data: [FunctionUse] = []
    ) {
      self.image = image
      self.uses = uses
      self.unnamedHits = unnamedHits
      self.data = data
    }
  }

  /// Places of functions and of data, for `describe`.
  package struct Places: Sendable {
    package fileprivate(set) var functions: [Int] = []
    package fileprivate(set) var data: [Int] = []
  }

  /// The first use of a function in a launch, or the first touch of a datum.
  package struct FunctionUse: Sendable {
    package var address: StatedAddress
    /// The time of the first use; `nil` if the launch has no times.
    package var nanoseconds: UInt64?
    /// The basic blocks that ran, each once, in the order of first uses.
    package var blocks: [FunctionBlock]

    package init(
      address: StatedAddress, nanoseconds: UInt64? = nil, blocks: [FunctionBlock] = []
    ) {
      self.address = address
      self.nanoseconds = nanoseconds
      self.blocks = blocks
    }
  }

  /// A launch without the functions and data that it used.
  package struct Launch: Sendable {
    package var end: Trace.LaunchEnd
    package var lostRecords: UInt64 = 0
    package var inFlightRecords = 0
    package var unattributedHits = 0
    package var workload: WorkloadSummary?

    package init(end: Trace.LaunchEnd) { self.end = end }
  }

  package private(set) var counts = Profile.Counts()
  private var images: [Profile.Image] = []
  /// The images with each key. Images with the same key are of different machines; there is only one, unless somebody
  /// chose the IDs.
  private var placesOfImage: [Profile.Image.Key: [Int]] = [:]
  private var functions = FoldedFunctions()
  private var data = FoldedFunctions()
  /// The launches that are kept whole, ascending by hash; at most `Profile.keptLaunches`. Their numbers are places in
  /// `functions` and `data`, which the final profile sorts.
  private var launches: [Profile.Launch] = []
  private var workloads: [WorkloadSummary] = []

  package init() {}

  /// Returns the number of `image`, which is added if it is new. Its path, methods and numbers are joined with those of
  /// the known image with the same key, unless the known image is of another machine: then the two stay apart. The
  /// counts of launches of `image` are ignored.
  package mutating func image(_ image: Profile.Image) -> Int {
    let key = image.key
    for known in placesOfImage[key] ?? [] where images[known].mayBeOfMachine(of: image) {
      images[known].join(image)
      return known
    }
    placesOfImage[key, default: []].append(images.count)
    var new = image
    (new.launches, new.programLaunches, new.dataLaunches, new.unnamedHits) = (0, 0, 0, 0)
    images.append(new)
    return images.count - 1
  }

  /// Adds the known properties of a function.
  ///
  /// - Parameters:
  ///   - function: its place, from `add`.
  ///   - isData: whether it is a datum.
  ///   - names: in any order.
  package mutating func describe(
    _ function: Int, isData: Bool = false, size: UInt64?, objectFile: SymbolName?,
    names: [SymbolName]
  ) {
    if isData {
      data.describe(function, size: size, objectFile: objectFile, names: names)
    } else {
      functions.describe(function, size: size, objectFile: objectFile, names: names)
    }
  }

  /// Adds a name of a function, which is in a file. If it is the first name with which the function was described,
  /// nothing is copied.
  ///
  /// - Parameters:
  ///   - function: its place, from `add`.
  ///   - isData: whether it is a datum.
  ///   - size: the size of the function in bytes; 0 if unknown.
  package mutating func describe(
    _ function: Int, isData: Bool = false, size: UInt64, nameIn file: FileBytes,
    at range: Range<Int>
  ) {
    if isData {
      data.describe(function, size: size, nameIn: file, at: range)
    } else {
      functions.describe(function, size: size, nameIn: file, at: range)
    }
  }

  /// Adds `weight` launches with the same uses.
  ///
  /// - Parameters:
  ///   - program: the image that the launch executed; `nil` if it is not among the images.
  ///   - weight: the number of launches to add; at least 1.
  /// - Returns: for each of `given` the places of its functions and data; `nil` if there would be more launches than a
  ///   profile can count: then nothing is added.
  /// - Complexity: O(*u* log *k*) for *u* functions, blocks and data, and *k* images, on average.
  package mutating func add(
    _ launch: Launch, uses given: [ImageUses], program: Int?, weight: UInt64 = 1
  ) -> [Places]? {
    precondition(weight > 0, "a launch counts")
    guard weight <= Profile.maximumLaunches,
      counts.launches + weight <= Profile.maximumLaunches
    else { return nil }
    let parts = given.filter { !$0.uses.isEmpty || $0.unnamedHits > 0 || !$0.data.isEmpty }
      .sorted { images[$0.image].key < images[$1.image].key }
    let isEmpty = parts.allSatisfy { $0.uses.isEmpty && $0.data.isEmpty }
    counts.add(
      launch, functions: parts.reduce(0) { $0 + $1.uses.count }, isEmpty: isEmpty, weight: weight)
    if let workload = launch.workload { workloads.join(workload) }
    if let program { images[program].programLaunches += weight }
    let hasBlocks = parts.contains { $0.uses.contains { !$0.blocks.isEmpty } }
    var kept = Profile.Launch(hash: hash(parts), weight: weight)
    var places: [Int: Places] = [:]
    for part in parts {
      let usesCode = !part.uses.isEmpty || part.unnamedHits > 0
      if usesCode { images[part.image].launches += weight }
      images[part.image].unnamedHits.addSaturating(UInt64(part.unnamedHits), times: weight)
      if !part.data.isEmpty { images[part.image].dataLaunches += weight }
      let used = functions.count(part.uses, of: part.image, weight, countsBlocks: hasBlocks)
      let touched = data.count(part.data, of: part.image, weight, countsBlocks: false).functions
      kept.functions += used.functions
      kept.blocks += used.blocks
      kept.data += touched
      places[part.image] = Places(
        functions: used.functions.map { Int($0) }, data: touched.map { Int($0) })
    }
    if !isEmpty { keep(kept) }
    return given.map { places[$0.image] ?? Places() }
  }

  private func hash(_ parts: [ImageUses]) -> UInt64 {
    var hash = GrowingHash()
    for part in parts where !part.uses.isEmpty {
      hash.add(images[part.image], isData: false)
      for use in part.uses { hash.add(use.address, blocks: use.blocks) }
    }
    for part in parts where !part.data.isEmpty {
      hash.add(images[part.image], isData: true)
      for touch in part.data { hash.add(touch.address, blocks: []) }
    }
    return hash.value
  }

  /// Keeps `launch` if it is among the launches with the smallest hashes. Launches with the same hash have the same
  /// content, unless somebody chose contents that collide: then one of the contents represents all of them.
  private mutating func keep(_ launch: Profile.Launch) {
    let place = launches.partitioningIndex { $0.hash >= launch.hash }
    if place < launches.count, launches[place].hash == launch.hash {
      var launch = launch
      launch.weight += launches[place].weight
      launches[place].weight = launch.weight
      if launches[place] != launch,
        content(launch).lexicographicallyPrecedes(content(launches[place]))
      {
        launches[place] = launch
      }
      return
    }
    guard place < Profile.keptLaunches else { return }
    launches.insert(launch, at: place)
    if launches.count > Profile.keptLaunches { launches.removeLast() }
  }

  /// The functions and data that `launch` used, as numbers that do not depend on places.
  private func content(_ launch: Profile.Launch) -> [UInt64] {
    func address(_ function: Profile.Function) -> [UInt64] {
      let key = images[function.image].key.bytes
      return [UInt64(key.count)] + key.map { UInt64($0) } + [function.address.rawValue]
    }
    let uses = launch.functions.enumerated().flatMap { index, place -> [UInt64] in
      let function = functions.functions[Int(place)]
      let blocks = launch.blocks(of: index).map { function.blocks[Int($0)].block }
      return address(function) + [UInt64(blocks.count)] + blocks.flatMap { [$0.offset, $0.size] }
    }
    return [UInt64(launch.functions.count)] + uses
      + launch.data.flatMap { address(data.functions[Int($0)]) }
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
    for (number, image) in zip(numbers, profile.images) { images[number].addCounts(of: image) }
    let placesOfFunctions = functions.add(profile.functions, ofImages: numbers)
    let placesOfData = data.add(profile.data, ofImages: numbers)
    for launch in profile.launches { keep(launch.numbered(placesOfFunctions, placesOfData)) }
    return true
  }

  /// The profile of the launches so far.
  ///
  /// - Complexity: O(*n* log *n*) for *n* functions, blocks and data.
  package var profile: Profile {
    var profile = Profile()
    profile.counts = counts
    profile.workloads = workloads
    let order = images.indices.sorted { a, b in
      let (keyA, keyB) = (images[a].key, images[b].key)
      return keyA == keyB ? images[a].machine < images[b].machine : keyA < keyB
    }
    profile.images = order.map { images[$0] }
    var numbers = [Int](repeating: 0, count: images.count)
    for (number, place) in order.enumerated() { numbers[place] = number }
    let (sortedFunctions, numbersOfFunctions) = functions.sorted(byImages: numbers)
    let (sortedData, numbersOfData) = data.sorted(byImages: numbers)
    profile.functions = sortedFunctions
    profile.data = sortedData
    profile.launches = launches.map { $0.numbered(numbersOfFunctions, numbersOfData) }
    return profile
  }
}

extension Profile.Launch {
  /// Returns this launch with other numbers of its functions, of their blocks, and of its data.
  fileprivate func numbered(
    _ numbersOfFunctions: FoldedFunctions.Numbers, _ numbersOfData: FoldedFunctions.Numbers
  ) -> Self {
    var launch = self
    launch.functions = functions.map { numbersOfFunctions.functions[Int($0)] }
    launch.blocks = zip(functions, blocks).map { function, blocks in
      let numbers = numbersOfFunctions.blocks[Int(function)] ?? []
      return blocks.map { numbers[Int($0)] }
    }
    launch.data = data.map { numbersOfData.functions[Int($0)] }
    return launch
  }
}
