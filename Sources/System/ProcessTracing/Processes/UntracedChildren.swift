import Addresses
import CPtrace
import LibC

/// Removes CLONE_UNTRACED from the flags of clone(2). An untraced child would die at the first
/// breakpoint or withheld page that it has copied from its parent.
enum UntracedChildren {
  private static let flag = UInt64(CTRACE_UNTRACED)

  /// Removes the flag from the argument `index` of a thread that is about to call clone.
  static func trace(_ tid: pid_t, flags index: Int) {
    guard let flags = ThreadRegisters.argument(index, of: tid), flags & flag != 0 else { return }
    ThreadRegisters.setArgument(index, of: tid, to: flags & ~flag)
  }

  /// Removes the flag from the structure of clone3(2) to which the argument `index` points.
  static func trace(_ tid: pid_t, flagsAt index: Int, _ memory: ProcessMemory) {
    guard let place = ThreadRegisters.argument(index, of: tid).map(LoadedAddress.init(rawValue:))
    else { return }
    let bytes = memory.read(8, at: place)
    let flags = bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard bytes.count == 8, flags & flag != 0 else { return }
    let new = (0..<8).map { UInt8(truncatingIfNeeded: (flags & ~flag) >> (8 * $0)) }
    memory.write(new[...], at: place)
  }
}
