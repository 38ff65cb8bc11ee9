// The breakpoints in the memory of an image.
//
// They are planted by pages, not by words (`TextPages`). So planting costs as much as copying the text once, and the
// cost does not grow with the number of functions.
//
// A function that begins with ENDBR64 gets its breakpoint after it: a processor that enforces landing pads
// requires that instruction at the target of an indirect call. On AArch64, BRK is itself a landing pad (Arm
// Architecture Reference Manual, PSTATE.BTYPE).

import Addresses
import CPtrace

/// A breakpoint on each function of an image in a process.
package struct BreakpointSet {
  /// The mapping of the image's code.
  package let mapping: ProcessMapping
  package private(set) var breakpoints: [Breakpoint] = []

  package struct Breakpoint {
    package var address: LoadedAddress
    /// The instruction that the breakpoint replaced.
    package var saved: UInt32
    /// The distance from the function's first byte to `address`.
    package var distance: UInt8
    package var isPlanted: Bool

    /// The address of the first byte of the breakpoint's function.
    var function: LoadedAddress { LoadedAddress(rawValue: address.rawValue - UInt64(distance)) }
  }

  /// Plants a breakpoint at each of `functions` that lies in `mapping`.
  ///
  /// The addresses ascend. An address that is lower than the one before gets no breakpoint: the addresses in a file may
  /// exceed the largest possible one.
  ///
  /// A function gets no breakpoint if its instruction can't be read, or is a breakpoint of the program's own.
  package init(
    _ functions: some Sequence<LoadedAddress>, in mapping: ProcessMapping, _ memory: ProcessMemory
  ) {
    self.mapping = mapping
    let trap = PlantedBreakpoint.instruction
    var text = TextPages(of: mapping, memory)
    var next = mapping.addresses.lowerBound
    for function in functions where mapping.addresses.contains(function) && function >= next {
      next = function
      var at = text.index(of: function)
      let distance = Self.landingPad(in: text.bytes, at: at)
      at += distance
      let address = function + UInt64(distance)
      guard at + trap.count <= text.bytes.count else { continue }
      if let last = breakpoints.last, last.address >= address { continue }
      let saved = Self.instruction(in: text.bytes, at: at)
      guard saved != ctrace_breakpoint else { continue }
      breakpoints.append(
        Breakpoint(address: address, saved: saved, distance: UInt8(distance), isPlanted: true))
      text.replace(at, with: trap)
    }
    text.writeBack()
  }

  /// Whether the first planted breakpoint is still there.
  ///
  /// The loader may map a library's code twice: glibc does if its pages must be guarded (`_dl_bti_protect` in
  /// sysdeps/aarch64/dl-bti.c). Breakpoints in the first mapping are then gone.
  package func isInPlace(_ memory: ProcessMemory) -> Bool {
    guard let first = breakpoints.first(where: { $0.isPlanted }) else { return true }
    let trap = PlantedBreakpoint.instruction
    return memory.read(trap.count, at: first.address) == trap
  }

  /// Plants the breakpoints in `ranges` again that have not been hit but are missing in memory.
  package mutating func plantAgain(_ memory: ProcessMemory, in ranges: [Range<LoadedAddress>]) {
    let trap = PlantedBreakpoint.instruction
    var text = TextPages(of: mapping, memory)
    for index in breakpoints.indices where breakpoints[index].isPlanted {
      let address = breakpoints[index].address
      guard ranges.contains(where: { $0.contains(address) }) else { continue }
      let at = text.index(of: address)
      guard at + trap.count <= text.bytes.count else { continue }
      let found = Self.instruction(in: text.bytes, at: at)
      guard found != ctrace_breakpoint else { continue }
      breakpoints[index].saved = found
      text.replace(at, with: trap)
    }
    text.writeBack()
  }

  /// Forgets the breakpoints that are no longer in memory.
  ///
  /// A program may have moved its code to memory without a file, at the same addresses: to use large pages, for
  /// example. The moved code contains the breakpoints.
  ///
  /// - Parameter isForeign: returns whether the page at these addresses is not a page that got breakpoints.
  /// - Returns: whether a breakpoint is left.
  package mutating func keepStanding(
    _ memory: ProcessMemory, except isForeign: (Range<LoadedAddress>) -> Bool
  ) -> Bool {
    let trap = PlantedBreakpoint.instruction
    var page = Range(start: LoadedAddress(rawValue: 0), size: 0)
    var bytes: [UInt8] = []
    var isLeft = false
    for index in breakpoints.indices where breakpoints[index].isPlanted {
      let address = breakpoints[index].address
      if !page.contains(address) {
        page = MemoryPage.page(holding: address)
        // An instruction may extend to the next page.
        bytes = isForeign(page) ? [] : memory.read(Int(page.size) + trap.count, at: page.lowerBound)
      }
      let at = Int(address - page.lowerBound)
      let isStanding =
        at + trap.count <= bytes.count && bytes[at..<at + trap.count].elementsEqual(trap)
      breakpoints[index].isPlanted = isStanding
      if isStanding { isLeft = true }
    }
    return isLeft
  }

  /// The number of breakpoints that have not been hit.
  package var plantedCount: Int { breakpoints.count { $0.isPlanted } }

  /// The length of the landing pad at `index`, which must stay in place.
  private static func landingPad(in text: [UInt8], at index: Int) -> Int {
    #if arch(x86_64)
      let endbr64: [UInt8] = [0xf3, 0x0f, 0x1e, 0xfa]
      return index + 4 <= text.count && text[index..<index + 4].elementsEqual(endbr64) ? 4 : 0
    #else
      return 0
    #endif
  }

  private static func instruction(in text: [UInt8], at index: Int) -> UInt32 {
    (0..<Int(CTRACE_BREAKPOINT_SIZE)).reduce(0) { $0 | UInt32(text[index + $1]) << (8 * $1) }
  }

  package static func bytes(of instruction: UInt32) -> [UInt8] {
    (0..<Int(CTRACE_BREAKPOINT_SIZE)).map { UInt8(truncatingIfNeeded: instruction >> (8 * $0)) }
  }

  /// The index of the breakpoint at `address`, whether it is still planted or not.
  ///
  /// - Complexity: O(log *n*).
  package func index(of address: LoadedAddress) -> Int? {
    let index = breakpoints.partitioningIndex { $0.address >= address }
    return index < breakpoints.count && breakpoints[index].address == address ? index : nil
  }

  /// Restores the instruction at `index`. Bytes that the program itself has written there meanwhile stay.
  package mutating func remove(_ index: Int, _ memory: ProcessMemory) {
    breakpoints[index].isPlanted = false
    let address = breakpoints[index].address
    let trap = PlantedBreakpoint.instruction
    guard memory.read(trap.count, at: address) == trap else { return }
    memory.write(Self.bytes(of: breakpoints[index].saved)[...], at: address)
  }

  /// Restores all instructions, in a process whose threads are all stopped.
  ///
  /// - Returns: the number of instructions that could not be restored.
  package mutating func removeAll(_ memory: ProcessMemory) -> Int {
    exposeAll(memory)
    var left = 0
    forEachStanding(memory) { _, _, _ in left += 1 }
    for index in breakpoints.indices { breakpoints[index].isPlanted = false }
    return left
  }

  /// Restores all instructions until `plantAgain` plants the breakpoints again.
  package func exposeAll(_ memory: ProcessMemory) {
    forEachStanding(memory) { text, at, breakpoint in
      text.replace(at, with: Self.bytes(of: breakpoint.saved))
    }
  }

  private func forEachStanding(
    _ memory: ProcessMemory, _ body: (inout TextPages, Int, Breakpoint) -> Void
  ) {
    let trap = PlantedBreakpoint.instruction
    var text = TextPages(of: mapping, memory)
    for breakpoint in breakpoints where breakpoint.isPlanted {
      let at = text.index(of: breakpoint.address)
      guard at + trap.count <= text.bytes.count,
        text.bytes[at..<at + trap.count].elementsEqual(trap)
      else { continue }  // the program has replaced the breakpoint by something else
      body(&text, at, breakpoint)
    }
    text.writeBack()
  }
}
