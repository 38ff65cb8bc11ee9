// From hits to names: which functions did a launch use first, called as the recorded build calls them?
//
// One hit can stand for two bodies. The guard, through the pc-table, names the function that was
// entered; the return address lies in the code that ran. They differ where the compiler merged equal
// bodies after it had instrumented them (Swift's `…Tm`: the entry is a thunk, the body is shared), and
// where a tail call replaced the callback's frame (the address is the caller's, which ran just before).
// In both cases both were executed, so both are listed, the entry first.
//
// A block belongs to the function whose body holds it, and tells which bytes of that ran. Its function is
// used at the first of its blocks, whether or not it was entered at its first byte.

import Addresses
import ImageModel

/// The functions that one launch used in one image, earliest first.
package struct RecordedFunctions: Sendable {
  /// One body that was used, with all its names.
  package struct Use: Sendable {
    /// Of the hit, in the trace.
    package var step: Int
    package var address: StatedAddress
    /// Of the function in the recorded build, in bytes; `nil` where it is unknown.
    package var size: UInt64?
    /// Aliases, bytewise ascending.
    package var names: [SymbolName]
    /// The one that all of them come from, as ld64 names object files; `nil` if that is not known.
    package var objectFile: SymbolName?
    /// The blocks of it that ran, earliest first; empty where none was recorded: which part ran is not
    /// known then.
    package var blocks: [ExecutedBlock] = []

    /// Of `size`; all of it where no block was recorded, and none where it is unknown.
    package var executedBytes: UInt64 {
      let size = size ?? 0
      return blocks.isEmpty ? size : FunctionBlock.bytes(in: blocks.map(\.block), upTo: size)
    }
  }

  /// A basic block of a body that ran, and when it did first.
  package struct ExecutedBlock: Sendable {
    /// In the trace.
    package var step: Int
    package var block: FunctionBlock
  }

  /// The image in the trace; of an image that was loaded more than once, the first.
  package let image: TraceImage
  package let uses: [Use]
  /// Hits that lie in no function that has a name, in their order.
  package let unnamedUses: [UnnamedUse]

  /// Code without a name that was used.
  package struct UnnamedUse: Hashable, Sendable {
    /// Of the hit, in the trace.
    package var step: Int
    /// Where it was entered; `nil` if the hit does not tell.
    package var address: StatedAddress?
  }

  /// - Parameters:
  ///   - group: indexes into `trace.images` of one and the same image.
  ///   - functions: the functions of the recorded image.
  /// - Complexity: O(*h* log *n*) for *h* hits of functions and blocks, and *n* functions.
  package init(_ trace: Trace, group: [Int], in functions: RecordedImage) {
    precondition(!group.isEmpty, "a group holds at least the image it was made for")
    image = trace.images[group[0]]
    var uses: [Use] = []
    var indexes: [StatedAddress: Int] = [:]
    var unnamed: [UnnamedUse] = []
    func add(_ address: StatedAddress?, step: Int) -> Int? {
      guard let address, let start = functions.bodyStart(holding: address) else { return nil }
      if let known = indexes[start] { return known }
      guard let body = functions.body(holding: address) else { return nil }
      indexes[start] = uses.count
      uses.append(
        Use(
          step: step, address: body.address, size: body.size, names: body.names,
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
    let members = Set(group)
    var blocks = trace.blockHits.filter { members.contains($0.image) }[...]
    for hit in trace.hits where members.contains(hit.image) {
      while let block = blocks.first, block.step < hit.step { add(blocks.removeFirst()) }
      let entered = add(hit.entry, step: hit.step)
      let ran = add(hit.calledFrom, step: hit.step)
      if entered == nil && ran == nil {
        unnamed.append(UnnamedUse(step: hit.step, address: hit.entry))
      }
    }
    for block in blocks { add(block) }
    self.uses = uses
    unnamedUses = unnamed
  }
}

extension Hit {
  /// An address inside the code that called the recorder: the return address can be the first byte
  /// behind its function, where the call is the last instruction.
  package var calledFrom: StatedAddress? {
    guard let returnAddress, returnAddress.rawValue > 0 else { return nil }
    return StatedAddress(rawValue: returnAddress.rawValue - 1)
  }
}

/// What gives the functions of a recorded image their names: the image itself, or the names that a
/// sealed trace carries.
package struct RecordedImage: Sendable {
  package struct Body: Equatable, Sendable {
    package var address: StatedAddress
    package var size: UInt64?
    package var names: [SymbolName]
    package var objectFile: SymbolName?
  }

  private enum Source: Sendable {
    case layout(Layout)
    /// Ascending by address; each with all its names.
    case names([Body])
  }
  private let source: Source

  /// - Precondition: `image` is the recorded one: their IDs have been compared.
  package init(_ image: Image) { source = .layout(image.layout) }

  /// The names in the trace for the images in `group`.
  package init(namesOf trace: Trace, group: [Int]) {
    var bodies: [Body] = []
    let members = Set(group)
    let names = trace.names.filter { members.contains($0.image) }
      .sorted { ($0.address, $0.name) < ($1.address, $1.name) }
    for name in names {
      if let last = bodies.indices.last, bodies[last].address == name.address {
        bodies[last].size = [bodies[last].size, name.size].compactMap { $0 }.max()
        if bodies[last].names.last != name.name { bodies[last].names.append(name.name) }
      } else {
        bodies.append(Body(address: name.address, size: name.size, names: [name.name]))
      }
    }
    source = .names(bodies)
  }

  /// Where the function begins whose body holds `address`; `nil` if none is known.
  ///
  /// - Complexity: O(log *n*) for *n* functions, however many names one body has.
  package func bodyStart(holding address: StatedAddress) -> StatedAddress? {
    switch source {
    case .layout(let layout):
      layout.functions(containing: address).last.map { layout.functions[$0].address }
    case .names: body(holding: address)?.address
    }
  }

  /// The function whose body holds `address`, with all its names; `nil` if none is known.
  ///
  /// - Complexity: O(log *n* + *k* log *k*) for *n* functions and *k* names of the body.
  package func body(holding address: StatedAddress) -> Body? {
    switch source {
    case .layout(let layout):
      let aliases = layout.functions(containing: address)
      guard let last = aliases.last else { return nil }
      let functions = layout.functions[aliases]
      let files = Set(functions.map { $0.objectFile.map(layout.names.name) })
      return Body(
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
  /// The images of this trace, each with the places where it stands: an image that was unloaded and
  /// loaded again has several. In the order of their first load.
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
