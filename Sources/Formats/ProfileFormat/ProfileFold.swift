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
  private var images: [FoldedImage] = []
  /// The images with each key. Images with the same key are of different machines; there is only one, unless somebody
  /// chose the IDs.
  private var placesOfImage: [Profile.Image.Key: [Int]] = [:]
  /// The launches that are kept whole, ascending by hash, then by content; at most `Profile.keptLaunches`.
  private var launches: [KeptLaunch] = []
  private var workloads: [WorkloadSummary] = []

  package init() {}

  private struct FoldedImage: Sendable {
    var image: Profile.Image
    var functions = FoldedFunctions()
    var data = FoldedFunctions()
  }

  /// A whole launch, with places in `images`.
  private struct KeptLaunch: Sendable {
    struct Part: Equatable, Sendable {
      var image: Int
      /// Indexes into the image's `functions`, into the `blocks` of each of these functions, and into the image's `data`.
      /// `blocks` is empty if no blocks were recorded. The indexes have 32 bits, because there are many.
      var functions: [Int32] = []
      var blocks: [[Int32]] = []
      var data: [Int32] = []
    }
    var hash: UInt64
    var weight: UInt64
    var parts: [Part]
  }

  /// Returns the number of `image`, which is added if it is new. Its path, methods and numbers are joined with those of
  /// the known image with the same key, unless the known image is of another machine: then the two stay apart. The
  /// counts of launches of `image` are ignored.
  package mutating func image(_ image: Profile.Image) -> Int {
    let key = image.key
    for known in placesOfImage[key] ?? [] where images[known].image.mayBeOfMachine(of: image) {
      images[known].image.join(image)
      return known
    }
    placesOfImage[key, default: []].append(images.count)
    var new = image
    (new.launches, new.programLaunches, new.dataLaunches, new.unnamedHits) = (0, 0, 0, 0)
    images.append(FoldedImage(image: new))
    return images.count - 1
  }

  /// Adds the known properties of a function.
  ///
  /// - Parameters:
  ///   - function: its place, from `add`.
  ///   - isData: whether it is a datum.
  ///   - names: in any order.
  package mutating func describe(
    _ function: Int, of image: Int, isData: Bool = false, size: UInt64?, objectFile: SymbolName?,
    names: [SymbolName]
  ) {
    if isData {
      images[image].data.describe(function, size: size, objectFile: objectFile, names: names)
    } else {
      images[image].functions.describe(function, size: size, objectFile: objectFile, names: names)
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
    _ function: Int, of image: Int, isData: Bool = false, size: UInt64, nameIn file: FileBytes,
    at range: Range<Int>
  ) {
    if isData {
      images[image].data.describe(function, size: size, nameIn: file, at: range)
    } else {
      images[image].functions.describe(function, size: size, nameIn: file, at: range)
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
      .sorted { images[$0.image].image.key < images[$1.image].image.key }
    let isEmpty = parts.allSatisfy { $0.uses.isEmpty && $0.data.isEmpty }
    counts.add(
      launch, functions: parts.reduce(0) { $0 + $1.uses.count }, isEmpty: isEmpty, weight: weight)
    if let workload = launch.workload { workloads.join(workload) }
    if let program { images[program].image.programLaunches += weight }
    var kept: [KeptLaunch.Part] = []
    for part in parts {
      let usesCode = !part.uses.isEmpty || part.unnamedHits > 0
      if usesCode { images[part.image].image.launches += weight }
      images[part.image].image.unnamedHits.addSaturating(UInt64(part.unnamedHits), times: weight)
      guard !part.uses.isEmpty || !part.data.isEmpty else { continue }
      let used = images[part.image].functions.count(part.uses, weight)
      if !part.data.isEmpty { images[part.image].image.dataLaunches += weight }
      kept.append(
        KeptLaunch.Part(
          image: part.image, functions: used.functions, blocks: used.blocks,
          data: images[part.image].data.count(part.data, weight).functions))
    }
    if !kept.isEmpty { keep(KeptLaunch(hash: hash(parts), weight: weight, parts: kept)) }
    return given.map { part in
      guard let known = kept.first(where: { $0.image == part.image }) else { return Places() }
      return Places(functions: known.functions.map { Int($0) }, data: known.data.map { Int($0) })
    }
  }

  private func hash(_ parts: [ImageUses]) -> UInt64 {
    var hash = GrowingHash()
    for part in parts where !part.uses.isEmpty {
      hash.add(images[part.image].image, isData: false)
      for use in part.uses { hash.add(use.address, blocks: use.blocks) }
    }
    for part in parts where !part.data.isEmpty {
      hash.add(images[part.image].image, isData: true)
      for touch in part.data { hash.add(touch.address, blocks: []) }
    }
    return hash.value
  }

  /// Keeps `launch` if it is among the launches with the smallest hashes. Launches with the same hash have the same
  /// content, unless somebody chose contents that collide: then one of the contents represents all of them.
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

  /// The functions and data that `launch` used, as numbers that do not depend on places.
  private func content(_ launch: KeptLaunch) -> [UInt64] {
    launch.parts.flatMap { part -> [UInt64] in
      let image = images[part.image]
      let key = image.image.key.bytes
      let uses = part.functions.enumerated().map { index, place -> [UInt64] in
        let function = image.functions.functions[Int(place)]
        let blocks =
          part.blocks.isEmpty ? [] : part.blocks[index].map { function.blocks[Int($0)].block }
        return [function.address.rawValue, UInt64(blocks.count)]
          + blocks.flatMap { [$0.offset, $0.size] }
      }
      let data = part.data.map { image.data.functions[Int($0)].address.rawValue }
      return [UInt64(key.count)] + key.map { UInt64($0) } + [UInt64(uses.count)] + uses.joined()
        + [UInt64(data.count)] + data
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
    let functions = profile.functions.map { images[numbers[$0.image]].functions.add($0) }
    let data = profile.data.map { images[numbers[$0.image]].data.add($0).function }
    for launch in profile.launches {
      var parts: [KeptLaunch.Part] = []
      for use in launch.uses {
        let function = Int(use.function)
        let image = numbers[profile.functions[function].image]
        if parts.last?.image != image { parts.append(KeptLaunch.Part(image: image)) }
        parts[parts.count - 1].functions.append(functions[function].function)
        parts[parts.count - 1].blocks.append(use.blocks.map { functions[function].blocks[Int($0)] })
      }
      for index in parts.indices where parts[index].blocks.allSatisfy(\.isEmpty) {
        parts[index].blocks = []
      }
      var place = 0
      for datum in launch.data {
        let image = numbers[profile.data[Int(datum)].image]
        if place >= parts.count || parts[place].image != image {
          // The images of a profile ascend by their keys.
          let key = images[image].image.key
          place = parts.partitioningIndex { images[$0.image].image.key >= key }
          if place == parts.count || parts[place].image != image {
            parts.insert(KeptLaunch.Part(image: image), at: place)
          }
        }
        parts[place].data.append(data[Int(datum)])
      }
      keep(KeptLaunch(hash: launch.hash, weight: launch.weight, parts: parts))
    }
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
      let (keyA, keyB) = (images[a].image.key, images[b].image.key)
      return keyA == keyB ? images[a].image.machine < images[b].image.machine : keyA < keyB
    }
    var functionNumbers: [Int: FoldedFunctions.Numbers] = [:]
    var dataNumbers: [Int: FoldedFunctions.Numbers] = [:]
    profile.functions.reserveCapacity(images.reduce(0) { $0 + $1.functions.functions.count })
    for place in order {
      let folded = images[place]
      let image = profile.images.count
      profile.images.append(folded.image)
      functionNumbers[place] = folded.functions.append(to: &profile.functions, asOf: image)
      dataNumbers[place] = folded.data.append(to: &profile.data, asOf: image)
    }
    profile.launches = launches.map { launch in
      var whole = Profile.Launch(hash: launch.hash, weight: launch.weight, uses: [])
      whole.uses.reserveCapacity(launch.parts.reduce(0) { $0 + $1.functions.count })
      for part in launch.parts {
        guard let numbers = functionNumbers[part.image], let touched = dataNumbers[part.image]
        else { continue }
        for (index, function) in part.functions.enumerated() {
          let ranks = numbers.blocks[Int(function)] ?? []
          let blocks = part.blocks.isEmpty ? [] : part.blocks[index].map { ranks[Int($0)] }
          whole.uses.append(
            Profile.Use(function: numbers.functions[Int(function)], blocks: blocks))
        }
        whole.data += part.data.map { touched.functions[Int($0)] }
      }
      return whole
    }
    return profile
  }
}
