import Addresses

/// The tables of an export that are read; rows of others are skipped.
package enum XctraceTable: Hashable, Sendable {
  /// `time-profile`, and `cpu-profile` of the CPU Profiler: a sample of one thread's stack.
  case samples
  /// `virtual-memory`: what the kernel did about one page of one process.
  case virtualMemory
}

/// One row of a table. What the row does not have, or has as a sentinel, is `nil`.
package struct XctraceRow {
  package let table: XctraceTable
  /// Since the recording began: `sample-time` or `start-time`.
  package internal(set) var nanoseconds: UInt64?
  package internal(set) var process: XctraceProcess?
  /// The kernel's number of the thread.
  package internal(set) var thread: UInt64?
  /// `vm-op`, as Instruments words it: `File Backed Page In`, `Zero Fill`, `Copy On Write`.
  package internal(set) var operation: [UInt8]?
  /// Of memory, as the process sees it: the exact one that faulted, not its page's.
  package internal(set) var address: LoadedAddress?
  package internal(set) var sizeBytes: UInt64?
  package internal(set) var durationNanoseconds: UInt64?
  /// Who called whom at that instant: a number for `XctraceExport.frames(ofStack:)`, the same in all rows
  /// that show the same stack.
  package internal(set) var stack: Int?

  package init(_ table: XctraceTable) { self.table = table }

  /// The operation of a page that was read from its file.
  package static let fileBackedPageIn = Array("File Backed Page In".utf8)
  /// The operation of a page of a file that was in memory.
  package static let pageCacheHit = Array("Page Cache Hit".utf8)
}

package struct XctraceProcess: Hashable, Sendable {
  package var number: UInt64
  /// As Instruments shows it: `App (1234)`.
  package var label: [UInt8]
}

package struct XctraceFrame: Hashable, Sendable {
  /// Of the first frame of a sample the instruction that ran, in some versions of Instruments plus one
  /// byte; of the others the return address.
  package var address: LoadedAddress
  /// Index into `XctraceExport.binaries`; `nil` for code of no file.
  package var binary: Int? { number.map { Int($0) } }
  /// Half the size of an `Int?`: there are millions.
  private var number: UInt32?

  init(address: LoadedAddress, binary: UInt32?) {
    self.address = address
    number = binary
  }
}

/// A linked image as it was loaded in one process.
package struct XctraceBinary: Hashable, Sendable {
  /// UTF-8.
  package var path: [UInt8]
  /// 16 bytes; `nil` where the export has none.
  package var uuid: [UInt8]?
  /// `arm64e`
  package var architecture: [UInt8]
  /// Of its header.
  package var loadAddress: LoadedAddress?
}
