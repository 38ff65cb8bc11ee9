// The contents of a profile in the form of recorded launches, so that commands use profiles as they use traces.

import Addresses
import ImageModel
import ProfileFormat

extension Profile {
  /// Everything that launches used, image by image, as if it were one launch. Functions ascend by their median
  /// position. A function has all blocks that ran in any launch.
  ///
  /// - Complexity: O(*n* log *n*) for *n* functions.
  package var unitedLaunch: [RecordedFunctions] {
    let order = functions.indices.map { ($0, functions[$0].positions.median ?? 0) }
      .sorted { a, b in
        let (first, second) = (functions[a.0], functions[b.0])
        return (first.image, a.1, second.support, first.address)
          < (second.image, b.1, first.support, second.address)
      }
    return recordedFunctions(
      of: Launch(
        hash: 0, weight: 1, functions: order.map { UInt32($0.0) },
        blocks: order.map { functions[$0.0].blocks.indices.map { UInt32($0) } }))
  }

  /// Returns what `launch` used, image by image.
  package func recordedFunctions(of launch: Launch) -> [RecordedFunctions] {
    var launches: [RecordedFunctions] = []
    var rest = launch.functions.indices
    while let first = rest.first {
      let image = functions[Int(launch.functions[first])].image
      let part = rest.prefix { functions[Int(launch.functions[$0])].image == image }
      rest = rest.dropFirst(part.count)
      launches.append(recordedFunctions(part, of: launch, inImage: image))
    }
    return launches
  }

  private func recordedFunctions(
    _ part: Range<Int>, of launch: Launch, inImage image: Int
  ) -> RecordedFunctions {
    var named: [RecordedFunctions.Use] = []
    var unnamed: [RecordedFunctions.UnnamedUse] = []
    for (step, index) in part.enumerated() {
      let function = functions[Int(launch.functions[index])]
      guard !function.names.isEmpty else {
        unnamed.append(.init(step: step, code: .entry(function.address)))
        continue
      }
      var recorded = RecordedFunctions.Use(
        step: step, address: function.address, size: function.size, names: function.names,
        objectFile: function.objectFile)
      recorded.blocks = launch.blocks(of: index).map {
        RecordedFunctions.ExecutedBlock(step: step, block: function.blocks[Int($0)].block)
      }
      named.append(recorded)
    }
    return RecordedFunctions(
      TraceImage(images[image], number: image + 1), uses: named, unnamedUses: unnamed)
  }
}

extension Profile {
  /// The combinations of images that whole launches used, and each other image alone; as indexes into `images`.
  package var processes: [[Int]] {
    var combinations: Set<[Int]> = []
    for launch in launches {
      var used: [Int] = []
      for function in launch.functions where used.last != functions[Int(function)].image {
        used.append(functions[Int(function)].image)
      }
      combinations.insert(used)
    }
    let known = Set(combinations.joined())
    return combinations.sorted { $0.lexicographicallyPrecedes($1) }
      + images.indices.filter { !known.contains($0) }.map { [$0] }
  }
}

extension TraceImage {
  /// The image of a profile in the form of a trace's image, loaded at its stated addresses.
  package init(_ image: Profile.Image, number: Int = 1) {
    self.init(
      number: UInt64(number), path: image.path, id: image.id, slide: Slide(rawValue: 0),
      text: image.text, guardCount: image.guardCount)
    blockCount = image.blockCount
    hasExecutedRuns = image.hasExecutedRuns
  }
}

extension Trace {
  /// A trace that has everything that the launches of `profile` used, with the names of functions.
  ///
  /// - Parameter path: the path of the profile, for messages.
  package init(_ profile: Profile, path: String) {
    let program = profile.images.max { $0.programLaunches < $1.programLaunches }
    self.init(path: path, program: program?.path ?? "", processNumber: nil)
    isSealed = true
    machine = program?.machine ?? 0
    lostRecords = profile.counts.lostRecords
    inFlightRecords = Int(clamping: profile.counts.inFlightRecords)
    unattributedHits = Int(clamping: profile.counts.unattributedHits)
    let methods = profile.images.reduce(into: Set<Trace.RecordingMethod>()) {
      $0.formUnion($1.recordingMethods)
    }
    // Of several methods of recording, the one that sees least is stated.
    method =
      [.instrumentation, .imported, .breakpoints, .emulation].first(where: methods.contains)
      ?? .imported
    images = profile.images.enumerated().map { TraceImage($1, number: $0 + 1) }
    for launch in profile.unitedLaunch {
      let image = Int(launch.image.number) - 1
      let entries =
        launch.uses.map { ($0.step, $0.address) }
        + launch.unnamedUses.compactMap { use in
          if case .entry(let address) = use.code { (use.step, address) } else { nil }
        }
      for (_, address) in entries.sorted(by: { $0.0 < $1.0 }) {
        hits.append(Hit(step: hits.count, image: image, entry: address, thread: nil))
      }
      for use in launch.uses {
        names += use.names.map {
          RecordedName(image: image, address: use.address, size: use.size, name: $0)
        }
        blockHits += use.blocks.compactMap { executed in
          use.address.advanced(by: executed.block.offset).map {
            BlockHit(
              step: hits.count, image: image,
              block: AddressRange(start: $0, size: executed.block.size))
          }
        }
      }
    }
    names.sort { ($0.image, $0.address, $0.name) < ($1.image, $1.address, $1.name) }
    dataHits = profile.data.enumerated().map { step, datum in
      let byte = AddressRange(start: datum.address, size: 1)
      return DataHit(image: datum.image, touch: DataTouch(step: step, bytes: byte))
    }
  }
}
