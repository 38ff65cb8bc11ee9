import Addresses
import ByteReading
import CStageTrace

/// What the stage tracer wrote in a launched program (Runtime/StageTracer).
package struct StageTrace: Sendable {
  package enum Kind: UInt32, Sendable {
    case version = 1
    case loading, relocated, object, begin, function, end, main
  }

  package struct Record: Sendable {
    package var kind: Kind
    /// The number of the object, in the order in which the loader mapped them; the program has 0.
    package var object: Int
    /// Of CLOCK_MONOTONIC.
    package var nanoseconds: UInt64
    /// The machine's counter, or an address in the object.
    package var value: UInt64
  }

  package private(set) var records: [Record] = []
  /// The paths of the objects, by their numbers; empty for the program.
  package private(set) var objects: [String] = []
  package private(set) var lost: UInt64 = 0

  /// Reads the records that are complete: a program that is killed leaves one that is not.
  package init(_ bytes: FileBytes) {
    let header = MemoryLayout<orderfile_stage_trace>.size
    let size = MemoryLayout<orderfile_stage_record>.size
    guard bytes.count >= header else { return }
    let used = Int(clamping: bytes.loadUnaligned(UInt64.self, at: 0))
    lost = bytes.loadUnaligned(UInt64.self, at: 8)
    var place = header
    while place <= min(used, bytes.count) - size {
      guard let kind = Kind(rawValue: bytes.loadUnaligned(UInt32.self, at: place)) else { return }
      let record = Record(
        kind: kind, object: Int(bytes.loadUnaligned(UInt32.self, at: place + 4)),
        nanoseconds: bytes.loadUnaligned(UInt64.self, at: place + 8),
        value: bytes.loadUnaligned(UInt64.self, at: place + 16))
      let nameSize = bytes.loadUnaligned(UInt64.self, at: place + 24)
      place += size
      guard nameSize <= UInt64(bytes.count - place) else { return }
      let name = place..<place + Int(nameSize)
      place += (Int(nameSize) + 7) & ~7
      if kind == .object {
        guard record.object == objects.count else { return }
        objects.append(bytes.text(name.dropLast().startIndex..<name.dropLast().endIndex))
      }
      guard record.object < max(objects.count, 1) else { return }
      records.append(record)
    }
  }
}
