import Addresses

/// The supported tables of an export; rows of other tables are skipped.
package enum XctraceTable: Hashable, Sendable {
  /// `time-profile`, and `cpu-profile` of the CPU Profiler: samples of a thread's stack.
  case samples
  /// `virtual-memory`: operations of the kernel on pages of a process.
  case virtualMemory
  /// `life-cycle-period` of App Launch: the stages of an app.
  case lifeCycle
}

/// A row of a table. A missing cell, or a sentinel, is `nil`.
package struct XctraceRow {
  package let table: XctraceTable
  /// The time since the recording began: `sample-time` or `start-time`.
  package internal(set) var nanoseconds: UInt64?
  package internal(set) var process: XctraceProcess?
  /// The kernel's number for the thread.
  package internal(set) var thread: UInt64?
  /// `vm-op` in the words of Instruments: `File Backed Page In`, `Zero Fill`, `Copy On Write`.
  package internal(set) var operation: [UInt8]?
  /// The faulting address in the process: the exact address, not the address of its page.
  package internal(set) var address: LoadedAddress?
  package internal(set) var sizeBytes: UInt64?
  package internal(set) var durationNanoseconds: UInt64?
  /// The phase of the launch, from `app-period`, such as `Launching - Initial Frame Rendering`.
  package internal(set) var period: [UInt8]?
  /// The stack, as a number for `XctraceExport.frames(ofStack:)`; it is the same in all rows with the same
  /// stack.
  package internal(set) var stack: Int?

  package init(_ table: XctraceTable) { self.table = table }

  /// The operation of a page that was read from its file.
  package static let fileBackedPageIn = Array("File Backed Page In".utf8)
  /// The operation of a page of a file that was in memory.
  package static let pageCacheHit = Array("Page Cache Hit".utf8)
}

package struct XctraceProcess: Hashable, Sendable {
  package var number: UInt64
  /// The process as Instruments shows it: `App (1234)`.
  package var label: [UInt8]
}

package struct XctraceFrame: Hashable, Sendable {
  /// For the first frame of a sample, the instruction that ran, in some versions of Instruments plus one
  /// byte; for the other frames, the return address.
  package var address: LoadedAddress
  /// Index into `XctraceExport.binaries`; `nil` for code outside of files.
  package var binary: Int? { number.map { Int($0) } }
  /// Half the size of an `Int?`: there are millions of frames.
  private var number: UInt32?

  init(address: LoadedAddress, binary: UInt32?) {
    self.address = address
    number = binary
  }
}

/// A linked image as loaded in a process.
package struct XctraceBinary: Hashable, Sendable {
  /// The path, in UTF-8.
  package var path: [UInt8]
  /// The UUID of the image, 16 bytes; `nil` if the export has none.
  package var uuid: [UInt8]?
  /// The name of the architecture, such as `arm64e`.
  package var architecture: [UInt8]
  /// The address in the process of the image's header.
  package var loadAddress: LoadedAddress?
}
