import Addresses

/// A page fault that the kernel has handled for an instruction of a program.
package struct PageFault: Hashable, Sendable {
  package var process: Int32
  package var thread: Int32
  /// Whether the kernel waited for a device.
  package var isMajor: Bool
  /// The time at which the kernel began to handle the fault, in nanoseconds of the clock that times launches.
  package var start: UInt64
  /// The time at which the kernel had handled the fault, by the same clock.
  package var end: UInt64
  /// The byte whose access faulted, and the instruction that accessed it. If fetching the instruction faulted, both
  /// addresses are the same, unless the instruction lies on two pages.
  package var address: LoadedAddress
  package var instruction: LoadedAddress

  package init(
    process: Int32, thread: Int32? = nil, isMajor: Bool = false, start: UInt64 = 0, end: UInt64 = 0,
    address: LoadedAddress, instruction: LoadedAddress? = nil
  ) {
    self.process = process
    self.thread = thread ?? process
    self.isMajor = isMajor
    self.start = start
    self.end = end
    self.address = address
    self.instruction = instruction ?? address
  }
}

/// An event that the kernel reports about a launch: a fault, a mapping, a fork or an exec.
package enum PageFaultEvent: Hashable, Sendable {
  case fault(PageFault)
  case mapping(Mapping, process: Int32)
  /// A process was created as a copy of `parent`. Both numbers are equal for a new thread.
  case fork(process: Int32, parent: Int32)
  /// A process executes another program: its mappings are gone.
  case exec(process: Int32)

  /// Memory that a process has mapped at some addresses.
  package struct Mapping: Hashable, Sendable {
    package var addresses: Range<LoadedAddress>
    /// The path of the file without symbolic links, as the kernel names it, or the kernel's name of other memory:
    /// `//anon`, `[heap]`.
    package var path: String
    /// The offset in the file of the byte at the first address.
    package var fileOffset: FileOffset
    package var isExecutable: Bool

    package init(
      addresses: Range<LoadedAddress>, path: String,
      fileOffset: FileOffset = FileOffset(rawValue: 0), isExecutable: Bool = true
    ) {
      self.addresses = addresses
      self.path = path
      self.fileOffset = fileOffset
      self.isExecutable = isExecutable
    }
  }
}
