import Addresses
import CTraceFormat

extension TraceFile {
  /// Returns the bytes of an unsealed trace with this trace's header and with `records`, in slots from 0.
  ///
  /// - Parameters:
  ///   - records: functions, blocks, loads and unloads; other records are left out.
  ///   - state: how the recording ended; `nil` keeps the state of this trace.
  package func replacing(records: [TraceRecord], state: TraceHeader.State?) -> [UInt8] {
    var output = bytes.copy(0..<Int(header.headerSize))
    let start = output.count
    for record in records {
      let thread = record.thread ?? 0
      switch record.event {
      case .function(_, _, let entry):
        output.appendRecord(
          ORDERFILE_RECORD_FUNCTION, entry: entry?.rawValue ?? 0, ticks: record.ticks,
          thread: thread)
      case .block(let block, let size):
        output.appendRecord(
          ORDERFILE_RECORD_BLOCK, second: size, entry: block.rawValue, ticks: record.ticks,
          thread: thread)
      case .load(let number, let image):
        output.appendLoad(number, image, ticks: record.ticks)
      case .unload(let number):
        output.appendRecord(ORDERFILE_RECORD_UNLOAD, subject: number, ticks: record.ticks)
      case .mark, .data, .name, .exec, .other: break
      }
    }
    output.storeSlotCount((output.count - start) / TraceRecord.size)
    if let state { output.storeHeader(state.rawValue, at: \.state) }
    return output
  }
}
