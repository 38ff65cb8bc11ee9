// Stops at breakpoints, and at copies of breakpoints in copied code.

import Addresses
import CPtrace

extension AddressSpace {
  /// The event at a breakpoint of the tracer.
  struct Stop {
    enum Purpose: UInt64 {
      case function, entry, loaderNotice, mark
      /// The breakpoint is at `clone` of the C library, whose third argument is the flags, or at `syscall` of the C
      /// library.
      case clone, systemCall
      /// The breakpoint is at `ptrace` of the C library.
      case traceRequest
      /// The breakpoint is in a copy of a function.
      case copy
    }
    var purpose: Purpose
    /// The function that was entered for the first time, by the address of its first byte. `nil` also at
    /// a breakpoint that was removed while another thread was at it, or that a fork copied.
    var firstHit: (image: LoadedImage, function: LoadedAddress)?
    /// Whether the launch ends at this stop.
    var isEnd = false
  }

  /// Removes the breakpoint at `address`, unless it must stay.
  ///
  /// - Returns: `nil` if the tracer never planted a breakpoint there.
  func takeBreakpoint(at address: LoadedAddress) -> Stop? {
    if address == entry?.address { return stop(.entry, at: address, isFirst: true) }
    if let index = lasting.firstIndex(where: { $0.breakpoint.address == address }) {
      let isFirst = !lasting[index].wasReached
      lasting[index].wasReached = true
      return stop(lasting[index].purpose, at: address, isFirst: isFirst)
    }
    // The images are searched from the last one, because the code of an earlier image may have been moved away from
    // `address`.
    for i in images.indices.reversed() {
      guard let index = images[i].breakpoints.index(of: address) else { continue }
      let breakpoint = images[i].breakpoints.breakpoints[index]
      images[i].breakpoints.remove(index, memory)
      return stop(.function, at: breakpoint.function, isFirst: breakpoint.isPlanted)
    }
    return nil
  }

  private func stop(_ purpose: Stop.Purpose, at function: LoadedAddress, isFirst: Bool) -> Stop {
    var stop = Stop(purpose: purpose)
    if isFirst, let image = images.last(where: { $0.loaded.text.contains(function) }),
      image.isRecorded
    {
      stop.firstHit = (image.loaded, function)
      stop.isEnd = function == image.end
    }
    return stop
  }

  // MARK: Copies

  /// Restores the instruction at `address`, a breakpoint in a copy of code that the program has
  /// made. The copied function itself was not used.
  ///
  /// - Parameter least: the minimum number of following bytes that must be equal to the bytes after
  ///   a planted breakpoint.
  /// - Returns: `nil` if there is no copied breakpoint at `address`.
  func takeCopy(at address: LoadedAddress, least: Int) -> Stop? {
    guard !images.contains(where: { $0.loaded.text.contains(address) }) else { return nil }
    let trap = PlantedBreakpoint.instruction
    let following = memory.read(
      CodeCopy.size, at: LoadedAddress(rawValue: address.rawValue &+ UInt64(trap.count)))
    var copy = CodeCopy(following)
    for image in images { copy.compare(image.breakpoints, memory) }
    guard let saved = copy.saved(least: least), memory.read(trap.count, at: address) == trap,
      memory.write(BreakpointSet.bytes(of: saved)[...], at: address)
    else { return nil }
    return Stop(purpose: .copy)
  }

  /// Restores the instructions at all breakpoints in copies of code that the program has made.
  func removeCopies() {
    let ranges = ProcessMapping.codeWithoutFile(of: memory.thread)
    guard !ranges.isEmpty else { return }
    let trap = PlantedBreakpoint.instruction
    var beginnings = Set<[UInt8]>()
    for image in images { beginnings.formUnion(CodeCopy.beginnings(image.breakpoints, memory)) }
    for range in ranges {
      for start in stride(
        from: range.lowerBound.rawValue, to: range.upperBound.rawValue, by: 1 << 20)
      {
        let count = min(1 << 20, range.upperBound.rawValue - start)
        let bytes = memory.read(Int(count), at: LoadedAddress(rawValue: start))
        for place in CodeCopy.candidates(in: bytes, trap, beginnings) {
          _ = takeCopy(at: LoadedAddress(rawValue: start + UInt64(place)), least: 8)
        }
      }
    }
  }
}
