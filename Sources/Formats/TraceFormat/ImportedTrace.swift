import Addresses
import ByteReading
import CTraceFormat

/// A trace made from another tool's recording of one image.
///
/// It has one image, no guards, and a record for each function with its `entry`. Addresses are stated
/// addresses, because the slide is 0.
package struct ImportedTrace {
  /// ELF's `e_machine`, as in all traces.
  package var machine: UInt32
  /// The number of the process; `nil` if it is unknown.
  package var processNumber: UInt32?
  /// The image of the trace, whose guards are ignored.
  package var image: TraceImageRecord
  /// The uses of functions, in the order of first uses.
  package var uses: [Use] = []
  package var names: [TraceName] = []

  package struct Use: Equatable, Sendable {
    /// The address of the function's first byte.
    package var entry: StatedAddress
    /// The time since the source began to record; `nil` if the source has no times.
    package var nanoseconds: UInt64?
    /// The number of the thread; `nil` if it is unknown.
    package var thread: UInt32?

    package init(entry: StatedAddress, nanoseconds: UInt64? = nil, thread: UInt32? = nil) {
      self.entry = entry
      self.nanoseconds = nanoseconds
      self.thread = thread
    }
  }

  package init(machine: UInt32, image: TraceImageRecord) {
    self.machine = machine
    self.image = image
  }

  /// The number of the trace's image.
  package static let imageNumber: UInt64 = 1

  /// The bytes of the trace's file, which is sealed, because the names are known.
  package func bytes() throws(ParseError) -> [UInt8] {
    var slots: [UInt8] = []
    slots.appendLoad(Self.imageNumber, image)
    for use in uses {
      slots.appendRecord(
        ORDERFILE_RECORD_FUNCTION, entry: use.entry.rawValue, ticks: use.nanoseconds ?? 0,
        thread: use.thread ?? 0)
    }
    let unsealed = try TraceFile(parsing: FileBytes(header(slotBytes: slots.count) + slots))
    return unsealed.sealed(TraceFile.Seal(), names: names)
  }

  private func header(slotBytes: Int) -> [UInt8] {
    var header = [UInt8].header(
      machine: machine, flags: ORDERFILE_TRACE_IMPORTED, pid: processNumber ?? 0,
      program: image.path)
    if uses.contains(where: { $0.nanoseconds != nil }) {
      // A tick is a nanosecond. The clock starts at 1, because a start at 0 means unknown.
      header.storeHeader(UInt64(1_000_000_000), at: \.ticks_per_second)
      for field in [\orderfile_trace_header.first_pair, \.last_pair] {
        header.storeHeader(UInt64(1), at: field.appending(path: \.nanoseconds))
      }
      header.storeHeader(UInt64(1), at: \.process_start)
      header.storeHeader(UInt64(1), at: \.start_resolution)
    }
    header.storeSlotCount(slotBytes / TraceRecord.size)
    header.storeHeader(Self.imageNumber + 1, at: \.next_image)
    return header
  }
}
