import Addresses
import ImageModel
import LaunchMeasurement
import PagesFormat

/// The page faults of one launch, each with its time: the result of `orderfile faults`. They are measured.
///
/// A fault also maps pages around it that are in memory. So faults are what a launch waits for, not all pages that it
/// touches.
package struct FaultsDocument: Hashable, Sendable {
  /// The words of the launched command.
  package var command: [String]
  package var end: PagesDocument.End
  package var cache: CacheState
  /// The time from just before exec to the end of the launch, including the work of listing the faults.
  package var wallNanoseconds: UInt64
  /// The faults, minor and major, that the kernel counted in the program and in the children that it waited for. They
  /// include faults without an instruction of the program, as in exec and in system calls, which `faults` lacks.
  package var minorFaults: UInt64
  package var majorFaults: UInt64
  /// The files with faults: the program's file first, then the other files in the order of their first faults.
  package var files: [ImageReference]
  /// The listed faults, by time.
  package var faults: [Fault]
  /// The number of further faults, which are later than all faults in `faults`.
  package var leftOut = 0
  /// The number of major faults in `faults` on pages that images prefetch when they start (`gen --prefetch`); `nil` if no
  /// image with a fault prefetches.
  package var prefetchedFaults: Int?
  /// The number of records that the kernel dropped because they came too fast.
  package var lost: UInt64 = 0
  /// Why the faults could not be listed; `nil` if they were listed.
  package var refusal: String?
  package var machine: MeasuringMachine
  /// The device of a cold launch, and what the launch read from it; `nil` for the disk that the program is on.
  package var device: DeviceSettings?
  package var requests: UInt64?
  package var readBytes: UInt64?
  /// Sentences that say why the faults may not show the order of the pages.
  package var limits: [String] = []

  /// The greatest number of faults in a document.
  package static let mostFaults = 50_000

  package struct Fault: Hashable, Sendable {
    /// The time from just before exec until the kernel began to handle the fault.
    package var nanoseconds: UInt64
    /// How long the kernel took to handle the fault.
    package var handlingNanoseconds: UInt64
    package var kind: Kind
    /// Processes and threads are numbered from 1 in the order of their first faults. Thread numbers are unique among
    /// all processes.
    package var process: Int
    package var thread: Int
    package var place: Place
    /// The instruction that caused the fault; `nil` if it is not in a file.
    package var instruction: Instruction?

    package init(
      nanoseconds: UInt64, handlingNanoseconds: UInt64, kind: Kind, process: Int = 1,
      thread: Int = 1, place: Place, instruction: Instruction? = nil
    ) {
      self.nanoseconds = nanoseconds
      self.handlingNanoseconds = handlingNanoseconds
      self.kind = kind
      self.process = process
      self.thread = thread
      self.place = place
      self.instruction = instruction
    }
  }

  /// Whether the kernel waited for a device.
  package enum Kind: String, CaseIterable, Hashable, Sendable { case major, minor }

  /// Where the accessed byte is: in an image, in another file or in other memory.
  package enum Place: Hashable, Sendable {
    /// The byte is in an image, or in zero-filled memory of an image (`.bss`).
    case image(file: Int, Byte)
    /// The byte is in a mapped file that is no image.
    case file(Int, FileOffset)
    /// The byte is in memory without a file: `heap`, `stack` or another word of the kernel, or `anonymous`.
    case memory(String)

    /// The index of the file in `files`; `nil` for memory.
    package var file: Int? {
      switch self {
      case .image(let file, _), .file(let file, _): file
      case .memory: nil
      }
    }
  }

  /// A byte of an image: its address, and its section and symbol.
  package struct Byte: Hashable, Sendable {
    package var address: StatedAddress
    package var segment: Segment
    /// The section that contains the address; `nil` if no section does.
    package var section: String?
    /// The name of the function or variable that contains the address; `nil` if it has none.
    package var symbol: SymbolName?

    package init(
      address: StatedAddress, segment: Segment, section: String? = nil, symbol: SymbolName? = nil
    ) {
      self.address = address
      self.segment = segment
      self.section = section
      self.symbol = symbol
    }
  }

  package struct Instruction: Hashable, Sendable {
    /// The file that contains the instruction, as an index into `files`.
    package var file: Int
    package var address: StatedAddress
    /// The function that contains the instruction; `nil` if it has no name.
    package var function: SymbolName?

    package init(file: Int, address: StatedAddress, function: SymbolName? = nil) {
      self.file = file
      self.address = address
      self.function = function
    }
  }

  package init(
    command: [String], end: PagesDocument.End, cache: CacheState, wallNanoseconds: UInt64,
    minorFaults: UInt64, majorFaults: UInt64, files: [ImageReference], faults: [Fault] = [],
    machine: MeasuringMachine
  ) {
    self.command = command
    self.end = end
    self.cache = cache
    self.wallNanoseconds = wallNanoseconds
    self.minorFaults = minorFaults
    self.majorFaults = majorFaults
    self.files = files
    self.faults = faults
    self.machine = machine
  }
}

extension FaultsDocument {
  /// Returns the place of a fault in words: `app .text`, `libc.so.6 .data`, `heap`.
  package func wording(of place: Place) -> String {
    switch place {
    case .image(let file, let byte):
      files[file].name + " " + (byte.section ?? byte.segment.rawValue)
    case .file(let file, _): files[file].name
    case .memory(let word): word
    }
  }

  package func count(_ kind: Kind) -> Int { faults.count { $0.kind == kind } }

  /// Returns the number of faults that the kernel counted and that are not listed. Returns `nil` if some faults were
  /// left out, or if more are listed than counted: the listed faults include those of processes that no process waited
  /// for.
  package func unlisted(_ kind: Kind) -> UInt64? {
    let counted = kind == .major ? majorFaults : minorFaults
    let (rest, isNegative) = counted.subtractingReportingOverflow(UInt64(count(kind)))
    return isNegative || leftOut > 0 ? nil : rest
  }
}
