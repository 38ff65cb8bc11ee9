// A sealed trace is folded without copying its names, because in a fold of thousands of launches nearly all names are
// known. The table of names is sorted, so it is also the table of functions in which hits are looked up. The result is
// the same as in the general way (`ProfileFold+Trace.swift`), but takes less time.

import Addresses
import ByteReading
import ImageModel
import ProfileFormat
import TraceFormat

extension ProfileFold {
  /// Adds the launch that the sealed trace `file` recorded, `weight` times.
  ///
  /// - Parameter isWanted: whether to keep what the launch used of an image.
  /// - Returns: `false` if there would be more launches than a profile can count; then nothing is added.
  /// - Complexity: O(*h* log *n*) for *h* hits and *n* names, on average.
  package mutating func add(
    sealed file: TraceFile, path: String, weight: UInt64 = 1,
    of isWanted: (TraceImage) -> Bool = { _ in true }
  ) -> Bool {
    let trace = Trace(file, path: path, readsNames: false)
    // The launch did not use images without hits. Images with the same ID are one image, whatever their paths.
    let isUsed = trace.usedImages
    var groups: [[Int]] = []
    var numbers: [Int] = []
    for group in trace.imageGroups
    where group.contains(where: isUsed.contains) && isWanted(trace.images[group[0]]) {
      let number = image(Profile.Image(trace.images[group[0]], of: trace))
      if let known = numbers.firstIndex(of: number) {
        groups[known] += group
      } else {
        groups.append(group)
        numbers.append(number)
      }
    }
    var groupOfImage = [Int?](repeating: nil, count: trace.images.count)
    for (number, group) in groups.enumerated() {
      for image in group { groupOfImage[image] = number }
    }
    var used = SealedBodies.all(file, trace, groups.count, groupOfImage)
    used.count(trace, groupOfImage)
    let program = zip(groups, numbers).first { group, _ in
      group.contains { trace.images[$0].path == trace.program }
    }?.1
    let uses = zip(numbers, used).map {
      ImageUses(image: $0, uses: $1.uses, unnamedHits: $1.unnamedHits, data: $1.touches)
    }
    guard let places = add(Launch(trace), uses: uses, program: program, weight: weight) else {
      return false
    }
    // Functions are described in the order of the name table, so that their names are compared with the known names in
    // one pass.
    for (used, places) in zip(used, places) {
      for (use, entries) in zip(used.placeOfUse, used.entries) where use >= 0 {
        for entry in entries {
          let entry = file.nameTable[entry]
          describe(
            places.functions[Int(use)], size: entry.size, nameIn: file.bytes,
            at: entry.text)
        }
      }
      for (body, touch) in used.placeOfTouch {
        for entry in used.entries[body] {
          let entry = file.nameTable[entry]
          describe(
            places.data[touch], isData: true, size: entry.size, nameIn: file.bytes,
            at: entry.text)
        }
      }
      for (touch, size) in used.unnamedTouches {
        describe(
          places.data[touch], isData: true, size: size, objectFile: nil, names: [])
      }
    }
    return true
  }
}

/// The functions and data that a sealed trace names in one image, and their first uses.
private struct SealedBodies {
  /// The addresses of the first bytes of the bodies, ascending.
  var starts: [StatedAddress] = []
  /// The sizes of the bodies in bytes; 0 if unknown.
  var sizes: [UInt64] = []
  /// The range of each body's names in the table of names.
  var entries: [Range<Int>] = []
  var uses: [ProfileFold.FunctionUse] = []
  var unnamedHits = 0
  /// For each function its place in `uses`; -1 if the function was not used.
  private(set) var placeOfUse: [Int32] = []
  private var unnamedEntries: Set<StatedAddress> = []
  /// The first touches of data, in the order of the trace.
  private(set) var touches: [ProfileFold.FunctionUse] = []
  /// For each body that was touched its place in `touches`.
  private(set) var placeOfTouch: [(body: Int, touch: Int)] = []
  /// The places in `touches` of granules without a name, and their sizes.
  private(set) var unnamedTouches: [(touch: Int, size: UInt64)] = []
  private var isTouched: Set<StatedAddress> = []

  /// - Returns: one element for each group of images.
  static func all(
    _ file: TraceFile, _ trace: Trace, _ count: Int, _ groupOfImage: [Int?]
  ) -> [SealedBodies] {
    var groupOfNumber: [UInt64: Int] = [:]
    for (image, group) in zip(trace.images, groupOfImage) {
      if let group, groupOfNumber[image.number] == nil { groupOfNumber[image.number] = group }
    }
    var all = [SealedBodies](repeating: SealedBodies(), count: count)
    for (place, entry) in file.nameTable.enumerated() {
      guard let group = groupOfNumber[UInt64(entry.image)] else { continue }
      all[group].add(entry, place)
    }
    for index in all.indices {
      let count = all[index].starts.count
      all[index].uses.reserveCapacity(count)
      all[index].placeOfUse = [Int32](repeating: -1, count: count)
    }
    return all
  }

  private mutating func add(_ entry: TraceNameEntry, _ place: Int) {
    if let last = starts.indices.last, starts[last] == entry.address,
      entries[last].upperBound == place
    {
      sizes[last] = max(sizes[last], entry.size)
      entries[last] = entries[last].lowerBound..<place + 1
    } else {
      starts.append(entry.address)
      sizes.append(entry.size)
      entries.append(place..<place + 1)
    }
  }

  /// Returns the function whose body contains `address`.
  private func body(holding address: StatedAddress) -> Int? {
    guard var body = starts.indices.first, starts[body] <= address else { return nil }
    var count = starts.count
    // Both results of the comparison take the same instructions, because processors can't predict the result.
    while count > 1 {
      let half = count / 2
      body += starts[body + half] <= address ? half : 0
      count -= half
    }
    let distance = address.rawValue - starts[body].rawValue
    return distance == 0 || distance < sizes[body] ? body : nil
  }

  fileprivate mutating func count(_ hit: Hit) {
    let entered = hit.entry.flatMap(body)
    if let entered { use(entered, hit.nanoseconds) }
    var ran: Int?
    if let address = hit.calledFrom {
      if let entered, address >= starts[entered],
        address.rawValue - starts[entered].rawValue < sizes[entered]
      {
        return
      }
      ran = body(holding: address)
      if let ran { use(ran, hit.nanoseconds) }
    }
    guard entered == nil, ran == nil else { return }
    guard let entry = hit.entry else {
      unnamedHits += 1
      return
    }
    if unnamedEntries.insert(entry).inserted {
      uses.append(ProfileFold.FunctionUse(address: entry))
    }
  }

  fileprivate mutating func count(_ hit: BlockHit) {
    guard let body = body(holding: hit.block.start) else { return }
    use(body, nil)
    let offset = hit.block.start.rawValue - starts[body].rawValue
    uses[Int(placeOfUse[body])].blocks.append(FunctionBlock(offset: offset, size: hit.block.size))
  }

  fileprivate mutating func count(_ touch: DataTouch) {
    var bodies: [Int] = []
    for address in touch.bytes.addresses {
      if let body = body(holding: address), body != bodies.last { bodies.append(body) }
    }
    for body in bodies where isTouched.insert(starts[body]).inserted {
      placeOfTouch.append((body, touches.count))
      touches.append(
        ProfileFold.FunctionUse(address: starts[body], nanoseconds: touch.nanoseconds))
    }
    guard bodies.isEmpty, isTouched.insert(touch.bytes.start).inserted else { return }
    unnamedTouches.append((touches.count, touch.bytes.size))
    touches.append(
      ProfileFold.FunctionUse(address: touch.bytes.start, nanoseconds: touch.nanoseconds))
  }

  private mutating func use(_ body: Int, _ nanoseconds: UInt64?) {
    guard placeOfUse[body] < 0 else { return }
    placeOfUse[body] = Int32(uses.count)
    uses.append(ProfileFold.FunctionUse(address: starts[body], nanoseconds: nanoseconds))
  }

  fileprivate mutating func removeRepeatedBlocks() {
    for index in uses.indices where uses[index].blocks.count > 1 {
      var isListed: Set<FunctionBlock> = []
      uses[index].blocks.removeAll { !isListed.insert($0).inserted }
    }
  }
}

extension [SealedBodies] {
  /// Counts the hits of `trace`, in their order.
  fileprivate mutating func count(_ trace: Trace, _ groupOfImage: [Int?]) {
    var blocks = trace.blockHits[...]
    func countBlocks(before step: Int, _ bodies: inout [SealedBodies]) {
      while let block = blocks.first, block.step < step {
        if let group = groupOfImage[block.image] { bodies[group].count(block) }
        blocks.removeFirst()
      }
    }
    for hit in trace.hits {
      countBlocks(before: hit.step, &self)
      if let group = groupOfImage[hit.image] { self[group].count(hit) }
    }
    countBlocks(before: .max, &self)
    for index in indices { self[index].removeRepeatedBlocks() }
    for hit in trace.dataHits {
      if let group = groupOfImage[hit.image] { self[group].count(hit.touch) }
    }
  }
}

extension TraceFile {
  /// Whether the trace can be folded without copying its names: it is sealed, and its table of names is sorted. All
  /// traces that this tool has sealed are sorted.
  package var hasSortedNames: Bool {
    header.flags.contains(.sealed)
      && zip(nameTable, nameTable.dropFirst()).allSatisfy {
        ($0.image, $0.address) <= ($1.image, $1.address)
      }
  }
}
