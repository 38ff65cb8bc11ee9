// A launch, as a profile counts it: the functions of each image by their addresses, and their names. The names of a
// known function are only compared, so that the time for a trace depends on the trace, and not on what was folded
// before.

import Addresses
import ImageModel
import ProfileFormat

extension ProfileFold {
  /// Adds the launch that `trace` recorded, `weight` times.
  ///
  /// - Parameter launches: what the launch used of each image to keep.
  /// - Returns: `false` if there would be more launches than a profile can count; then nothing is added.
  /// - Complexity: O(*u*) for *u* functions and blocks and their names, on average.
  package mutating func add(
    _ trace: Trace, _ launches: [RecordedFunctions], weight: UInt64 = 1
  ) -> Bool {
    let numbers = launches.map { image(Profile.Image($0.image, of: trace)) }
    let program = zip(launches, numbers).first { $0.0.image.path == trace.program }?.1
    let uses = Self.joined(
      zip(launches, numbers).map { launch, number in launch.counted(as: number) })
    guard let places = add(Launch(trace), uses: uses, program: program, weight: weight) else {
      return false
    }
    for (uses, places) in zip(uses, places) {
      let functions = Dictionary(
        uniqueKeysWithValues: zip(uses.uses.lazy.map(\.address), places.functions))
      let data = Dictionary(uniqueKeysWithValues: zip(uses.data.lazy.map(\.address), places.data))
      for (launch, number) in zip(launches, numbers) where number == uses.image {
        for use in launch.uses {
          guard let place = functions[use.address] else { continue }
          describe(
            place, size: use.size, objectFile: use.objectFile, names: use.names)
        }
        // A large variable is touched often, and may have many names.
        var isDescribed: Set<StatedAddress> = []
        for datum in launch.dataUses.lazy.flatMap(\.counted) {
          guard isDescribed.insert(datum.address).inserted, let place = data[datum.address] else {
            continue
          }
          describe(
            place, isData: true, size: datum.size, objectFile: nil, names: datum.names)
        }
      }
    }
    return true
  }

  /// Joins the uses of an image that a trace has at two paths.
  private static func joined(_ uses: [ImageUses]) -> [ImageUses] {
    var joined: [ImageUses] = []
    for use in uses {
      guard let known = joined.firstIndex(where: { $0.image == use.image }) else {
        joined.append(use)
        continue
      }
      let isUsed = Set(joined[known].uses.map(\.address))
      joined[known].uses += use.uses.filter { !isUsed.contains($0.address) }
      joined[known].unnamedHits += use.unnamedHits
      let isTouched = Set(joined[known].data.map(\.address))
      joined[known].data += use.data.filter { !isTouched.contains($0.address) }
    }
    return joined
  }
}

extension ProfileFold.Launch {
  init(_ trace: Trace) {
    self.init(end: trace.end)
    lostRecords = trace.lostRecords
    inFlightRecords = trace.inFlightRecords
    unattributedHits = trace.unattributedHits
    workload = trace.workload?.summary
  }
}

extension RecordedFunctions {
  /// The uses by address: of functions, of code without a name whose first byte is known, and of data.
  fileprivate func counted(as image: Int) -> ProfileFold.ImageUses {
    var counted = ProfileFold.ImageUses(image: image, uses: [])
    counted.uses.reserveCapacity(uses.count)
    var unnamed = unnamedUses[...]
    var entries: Set<StatedAddress> = []
    func add(_ use: UnnamedUse) {
      guard case .entry(let address) = use.code else {
        counted.unnamedHits += 1
        return
      }
      if entries.insert(address).inserted {
        counted.uses.append(ProfileFold.FunctionUse(address: address))
      }
    }
    for use in uses {
      while let next = unnamed.first, next.step < use.step { add(unnamed.removeFirst()) }
      counted.uses.append(
        ProfileFold.FunctionUse(
          address: use.address, nanoseconds: use.nanoseconds, blocks: use.distinctBlocks))
    }
    for use in unnamed { add(use) }
    var isTouched: Set<StatedAddress> = []
    for use in dataUses {
      counted.data += use.counted.filter { isTouched.insert($0.address).inserted }
        .map { ProfileFold.FunctionUse(address: $0.address, nanoseconds: use.touch.nanoseconds) }
    }
    return counted
  }
}

extension RecordedFunctions.DataUse {
  /// The data that were touched; the granule itself if no data in the granule have a name.
  fileprivate var counted: [RecordedImage.Body] {
    data.isEmpty
      ? [RecordedImage.Body(address: touch.bytes.start, size: touch.bytes.size, names: [])] : data
  }
}

extension RecordedFunctions.Use {
  fileprivate var distinctBlocks: [FunctionBlock] {
    if blocks.isEmpty { return [] }
    var isListed: Set<FunctionBlock> = []
    return blocks.map(\.block).filter { isListed.insert($0).inserted }
  }
}

extension Profile.Image {
  init(_ image: TraceImage, of trace: Trace) {
    self.init(path: image.path, id: image.id)
    machine = trace.machine
    recordingMethods = [trace.method]
    text = image.text
    guardCount = image.guardCount
    blockCount = image.blockCount
    hasExecutedRuns = image.hasExecutedRuns
  }
}
