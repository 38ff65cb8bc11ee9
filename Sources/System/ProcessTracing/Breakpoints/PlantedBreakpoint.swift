import Addresses
import CPtrace

/// One breakpoint in a process, and the bytes that it replaced.
struct PlantedBreakpoint {
  let address: LoadedAddress
  private let saved: [UInt8]

  /// The instruction that stops a thread.
  static let instruction = BreakpointSet.bytes(of: ctrace_breakpoint)

  /// Plants a breakpoint.
  ///
  /// - Returns: `nil` if there is no memory at `address`, or if it can't be written.
  init?(at address: LoadedAddress, in memory: ProcessMemory) {
    saved = memory.read(Self.instruction.count, at: address)
    self.address = address
    guard saved.count == Self.instruction.count else { return nil }
    guard memory.write(Self.instruction[...], at: address) else { return nil }
  }

  /// Whether a breakpoint was already at the address.
  var isSecond: Bool { saved == Self.instruction }

  /// Puts the instruction back; `plantAgain` undoes it.
  func expose(in memory: ProcessMemory) { memory.write(saved[...], at: address) }

  func plantAgain(in memory: ProcessMemory) { memory.write(Self.instruction[...], at: address) }
}
