// From hits to names: the functions that a launch used first, by their names in the recorded build.
//
// One hit can mean that two bodies ran. The guard identifies, through the pc-table, the function that was entered; the
// return address is in the code that ran. They differ if the compiler merged equal bodies after instrumenting them
// (Swift's `…Tm`: the entry is a thunk, the body is shared), or if a tail call replaced the callback's frame (the
// address is the caller's, which ran just before). In both cases both bodies were executed, so both are listed, the
// entered body first.
//
// A block belongs to the function whose body contains it, and shows which bytes of the body ran. The first use of the
// function is the use of its first block, whether or not it was entered at its first byte.

import Addresses
import ImageModel

/// The functions that a launch used in one image, earliest first.
package struct RecordedFunctions: Sendable {
  /// A body that was used, with all its names.
  package struct Use: Sendable {
    /// The step of the hit in the trace.
    package var step: Int
    /// The time of the hit; `nil` also if only blocks were recorded.
    package var nanoseconds: UInt64?
    package var address: StatedAddress
    /// The size of the function in the recorded build, in bytes; `nil` if unknown.
    package var size: UInt64?
    /// The aliases, ascending bytewise.
    package var names: [SymbolName]
    /// The object file to which the compiler wrote all aliases, in ld64's notation; `nil` if unknown.
    package var objectFile: SymbolName?
    /// The blocks that ran, earliest first; empty if none was recorded, so that it is unknown which part ran.
    package var blocks: [ExecutedBlock] = []

    package init(
      step: Int, nanoseconds: UInt64? = nil, address: StatedAddress, size: UInt64?,
      names: [SymbolName], objectFile: SymbolName?
    ) {
      self.step = step
      self.nanoseconds = nanoseconds
      self.address = address
      self.size = size
      self.names = names
      self.objectFile = objectFile
    }

    /// The number of bytes of `size` that ran: all if no block was recorded, and 0 if the size is unknown.
    package var executedBytes: UInt64 {
      let size = size ?? 0
      return blocks.isEmpty ? size : FunctionBlock.bytes(in: blocks.map(\.block), upTo: size)
    }
  }

  /// A basic block that ran, and the step of its first use.
  package struct ExecutedBlock: Sendable {
    /// The step of the block's first use in the trace.
    package var step: Int
    package var block: FunctionBlock
  }

  /// The image in the trace; for an image that was loaded several times, the first load.
  package let image: TraceImage
  package let uses: [Use]
  /// The hits in code without a name, in time order.
  package let unnamedUses: [UnnamedUse]
  /// The first touches of data, earliest first; empty if data were not recorded, and for launches of a profile.
  package private(set) var dataUses: [DataUse] = []

  /// The first touch of a granule of data.
  package struct DataUse: Sendable {
    package var touch: DataTouch
    /// The variables and constants in the granule, ascending; empty for data without a name, such as string literals.
    package var data: [RecordedImage.Body]
  }

  /// A use of code without a name.
  package struct UnnamedUse: Hashable, Sendable {
    /// What the hit shows about the code.
    package enum Code: Hashable, Sendable {
      case entry(StatedAddress)
      /// An address inside the code, whose entry is unknown.
      case inside(StatedAddress)
      case unknown
    }
    /// The step of the hit in the trace.
    package var step: Int
    package var code: Code
  }

  /// - Parameters:
  ///   - group: indexes into `trace.images` that are all of the same image.
  ///   - functions: the functions of the recorded image.
  /// - Complexity: O(*h* log *n*) for *h* hits of functions and blocks, and *n* functions.
  package init(_ trace: Trace, group: [Int], in functions: RecordedImage) {
    precondition(!group.isEmpty, "a group holds at least the image it was made for")
    let members = Set(group)
    self.init(
      trace.images[group[0]], trace.hits.filter { members.contains($0.image) },
      trace.blockHits.filter { members.contains($0.image) }, in: functions)
  }

  /// Returns the recorded functions of each of `trace.imageGroups` for which `image` returns an image.
  ///
  /// - Parameter image: gets a group, and the names that the trace has for the group; `nil` leaves the group out.
  /// - Throws: the errors of `image`.
  /// - Complexity: as the initializer, once for all groups.
  package static func all<E: Error>(
    of trace: Trace,
    in image: (_ group: [Int], _ names: [RecordedName]) throws(E) -> RecordedImage?
  ) throws(E) -> [RecordedFunctions] {
    let groups = trace.imageGroups
    var groupOfImage = [Int](repeating: 0, count: trace.images.count)
    for (number, group) in groups.enumerated() {
      for image in group { groupOfImage[image] = number }
    }
    var hits = groups.map { _ in [Hit]() }
    var blockHits = groups.map { _ in [BlockHit]() }
    var touches = groups.map { _ in [DataTouch]() }
    var names = groups.map { _ in [RecordedName]() }
    for hit in trace.hits { hits[groupOfImage[hit.image]].append(hit) }
    for hit in trace.blockHits { blockHits[groupOfImage[hit.image]].append(hit) }
    for hit in trace.dataHits { touches[groupOfImage[hit.image]].append(hit.touch) }
    for name in trace.names { names[groupOfImage[name.image]].append(name) }
    var all: [RecordedFunctions] = []
    for (number, group) in groups.enumerated() {
      guard let functions = try image(group, names[number]) else { continue }
      var launch = RecordedFunctions(
        trace.images[group[0]], hits[number], blockHits[number], in: functions)
      launch.dataUses = DataUse.all(touches[number], in: functions)
      all.append(launch)
    }
    return all
  }

  /// - Parameters:
  ///   - uses: earliest first.
  ///   - unnamedUses: earliest first.
  package init(_ image: TraceImage, uses: [Use], unnamedUses: [UnnamedUse]) {
    self.image = image
    self.uses = uses
    self.unnamedUses = unnamedUses
  }

  private init(
    _ image: TraceImage, _ hits: [Hit], _ blockHits: [BlockHit], in functions: RecordedImage
  ) {
    self.image = image
    var uses: [Use] = []
    var indexes: [StatedAddress: Int] = [:]
    var unnamed: [UnnamedUse] = []
    func add(_ address: StatedAddress?, step: Int, _ nanoseconds: UInt64? = nil) -> Int? {
      guard let address, let start = functions.bodyStart(holding: address) else { return nil }
      if let known = indexes[start] { return known }
      guard let body = functions.body(holding: address) else { return nil }
      indexes[start] = uses.count
      uses.append(
        Use(
          step: step, nanoseconds: nanoseconds, address: body.address, size: body.size,
          names: body.names,
          objectFile: body.objectFile))
      return uses.count - 1
    }
    func add(_ hit: BlockHit) {
      guard let index = add(hit.block.start, step: hit.step) else { return }
      let offset = hit.block.start.rawValue - uses[index].address.rawValue
      uses[index].blocks.append(
        ExecutedBlock(
          step: hit.step, block: FunctionBlock(offset: offset, size: hit.block.size)))
    }
    var blocks = blockHits[...]
    for hit in hits {
      while let block = blocks.first, block.step < hit.step { add(blocks.removeFirst()) }
      let entered = add(hit.entry, step: hit.step, hit.nanoseconds)
      let ran = add(hit.calledFrom, step: hit.step, hit.nanoseconds)
      if entered == nil && ran == nil {
        let code = hit.entry.map(UnnamedUse.Code.entry) ?? hit.calledFrom.map { .inside($0) }
        unnamed.append(UnnamedUse(step: hit.step, code: code ?? .unknown))
      }
    }
    for block in blocks { add(block) }
    self.uses = uses
    unnamedUses = unnamed
  }
}

extension Hit {
  /// An address inside the code that called the recorder: the return address can be the first byte after its
  /// function, if the call is the last instruction.
  package var calledFrom: StatedAddress? {
    guard let returnAddress, returnAddress.rawValue > 0 else { return nil }
    return StatedAddress(rawValue: returnAddress.rawValue - 1)
  }
}

/// The source of names for a recorded image: the image itself, or the names in a sealed trace.
package struct RecordedImage: Sendable {
  package struct Body: Equatable, Sendable {
    package var address: StatedAddress
    package var size: UInt64?
    package var names: [SymbolName]
    package var objectFile: SymbolName?
  }

  fileprivate enum Source: Sendable {
    case layout(Layout)
    /// The names come from the trace: the bodies, ascending by address, each with all its names.
    case names([Body])
  }
  private let source: Source
  /// The source of the names of variables and constants. A trace has the names of functions and data in one list.
  private let dataSource: Source

  /// - Parameter data: the image's variables and constants, if they are wanted (`DataLayout.layout`).
  /// - Precondition: `image` is the recorded image: the caller has compared the IDs.
  package init(_ image: Image, data: Layout? = nil) {
    source = .layout(image.layout)
    dataSource = data.map { .layout($0) } ?? .names([])
  }

  /// The names in the trace for the images in `group`.
  ///
  /// - Complexity: O(*n* log *n*) for *n* names in the trace.
  package init(namesOf trace: Trace, group: [Int]) {
    let members = Set(group)
    self.init(trace.names.filter { members.contains($0.image) })
  }

  /// The names in the trace for each of its images.
  ///
  /// - Complexity: O(*n* log *n*) for *n* names in the trace.
  package static func all(namesOf trace: Trace) -> [RecordedImage] {
    var names = trace.images.map { _ in [RecordedName]() }
    for name in trace.names { names[name.image].append(name) }
    return names.map { RecordedImage($0) }
  }

  /// - Complexity: O(*n* log *n*) for *n* names.
  package init(_ names: [RecordedName]) {
    var bodies: [Body] = []
    for name in names.sorted(by: { ($0.address, $0.name) < ($1.address, $1.name) }) {
      if let last = bodies.indices.last, bodies[last].address == name.address {
        bodies[last].size = [bodies[last].size, name.size].compactMap { $0 }.max()
        if bodies[last].names.last != name.name { bodies[last].names.append(name.name) }
      } else {
        bodies.append(Body(address: name.address, size: name.size, names: [name.name]))
      }
    }
    source = .names(bodies)
    dataSource = source
  }

  /// The start of the function whose body contains `address`; `nil` if no such function is known.
  ///
  /// - Complexity: O(log *n*) for *n* functions, however many names one body has.
  package func bodyStart(holding address: StatedAddress) -> StatedAddress? {
    source.bodyStart(holding: address)
  }

  /// The function whose body contains `address`, with all its names; `nil` if no such function is known.
  ///
  /// - Complexity: O(log *n* + *k* log *k*) for *n* functions and *k* names of the body.
  package func body(holding address: StatedAddress) -> Body? { source.body(holding: address) }

  /// The starts of the variables and constants that overlap `bytes`, ascending.
  ///
  /// - Complexity: O(*b* log *n*) for *b* bytes, and *n* variables and constants.
  package func dataStarts(overlapping bytes: AddressRange) -> [StatedAddress] {
    var starts: [StatedAddress] = []
    for address in bytes.addresses {
      if let start = dataSource.bodyStart(holding: address), start != starts.last {
        starts.append(start)
      }
    }
    return starts
  }

  /// The variable or constant at an address from `dataStarts`, with all its names.
  ///
  /// - Complexity: as `body(holding:)`.
  package func data(at start: StatedAddress) -> Body? { dataSource.body(holding: start) }
}

extension RecordedImage.Source {
  func bodyStart(holding address: StatedAddress) -> StatedAddress? {
    switch self {
    case .layout(let layout):
      layout.functions(containing: address).last.map { layout.functions[$0].address }
    case .names: body(holding: address)?.address
    }
  }

  func body(holding address: StatedAddress) -> RecordedImage.Body? {
    switch self {
    case .layout(let layout):
      let aliases = layout.functions(containing: address)
      guard let last = aliases.last else { return nil }
      let functions = layout.functions[aliases]
      let files = Set(functions.map { $0.compiledObjectFile.map(layout.names.name) })
      return RecordedImage.Body(
        address: functions[last].address, size: functions[last].size,
        names: functions.map { layout.name(of: $0) }.sorted(),
        objectFile: files.count == 1 ? files.first ?? nil : nil)
    case .names(let bodies):
      let next = bodies.partitioningIndex { $0.address > address }
      guard next > 0 else { return nil }
      let body = bodies[next - 1]
      let distance = address.rawValue - body.address.rawValue
      return distance == 0 || distance < body.size ?? 0 ? body : nil
    }
  }
}

extension Trace {
  /// The images of this trace in the order of their first loads, each as a list of indexes into `images`. An image that
  /// was unloaded and loaded again has several indexes.
  package var imageGroups: [[Int]] {
    struct Key: Hashable {
      var path: String
      var id: ImageID?
    }
    var groups: [[Int]] = []
    var known: [Key: Int] = [:]
    for (index, image) in images.enumerated() {
      let key = Key(path: image.path, id: image.id)
      if let group = known[key] {
        groups[group].append(index)
      } else {
        known[key] = groups.count
        groups.append([index])
      }
    }
    return groups
  }
}
