import Addresses
import ByteReading
import CStageTrace

/// The records that the stage tracer (Runtime/StageTracer) wrote in a launched program.
package struct StageTrace: Sendable {
  package enum Kind: UInt32, Sendable {
    case version = 1
    case loading, relocated, object, begin, function, end, main, mark
  }

  package struct Record: Sendable {
    package var kind: Kind
    /// The number of the object, in the order in which the loader mapped them; the program has 0.
    package var object: Int
    /// The time of the record in nanoseconds of CLOCK_MONOTONIC.
    package var nanoseconds: UInt64
    /// The machine's counter, or an address in the object.
    package var value: UInt64
    /// The name of a mark.
    package var name = ""
  }

  package private(set) var records: [Record] = []
  /// The paths of the objects, by their numbers; empty for the program.
  package private(set) var objects: [String] = []
  package private(set) var lost: UInt64 = 0

  /// A description of contents that no tracer writes: the program has written over the memory, so nothing is read.
  /// `nil` if the contents are in order.
  package private(set) var damage: String?

  /// Reads the records that are complete: a program that is killed may leave an incomplete record.
  ///
  /// The first record is of `version`, times never decrease, and an object is recorded before its initializers.
  package init(_ bytes: FileBytes) {
    guard bytes.count >= MemoryLayout<orderfile_stage_trace>.size else { return }
    lost = bytes.loadUnaligned(UInt64.self, at: 8)
    damage = read(bytes)
    if damage != nil { (records, objects) = ([], []) }
  }

  /// - Returns: a description of contents that no tracer writes; `nil` if the contents are in order.
  private mutating func read(_ bytes: FileBytes) -> String? {
    let size = MemoryLayout<orderfile_stage_record>.size
    let used = Int(clamping: bytes.loadUnaligned(UInt64.self, at: 0))
    var place = MemoryLayout<orderfile_stage_trace>.size
    while place <= min(used, bytes.count) - size {
      let number = bytes.loadUnaligned(UInt32.self, at: place)
      // A record without a kind is incomplete, because the tracer stores the kind last.
      guard number != 0 else { return nil }
      guard let kind = Kind(rawValue: number) else { return "a record of kind \(number)" }
      var record = Record(
        kind: kind, object: Int(bytes.loadUnaligned(UInt32.self, at: place + 4)),
        nanoseconds: bytes.loadUnaligned(UInt64.self, at: place + 8),
        value: bytes.loadUnaligned(UInt64.self, at: place + 16))
      let nameSize = bytes.loadUnaligned(UInt64.self, at: place + 24)
      place += size
      guard nameSize <= UInt64(bytes.count - place) else { return "a name of \(nameSize) bytes" }
      let name = place..<place + Int(nameSize)
      place += (Int(nameSize) + 7) & ~7
      if let last = records.last {
        guard record.nanoseconds >= last.nanoseconds else { return "times that decrease" }
      } else if kind != .version {
        return "no first record"
      }
      switch kind {
      case .object:
        guard record.object == objects.count else { return "objects out of order" }
        objects.append(bytes.text(name.dropLast().startIndex..<name.dropLast().endIndex))
      case .mark: record.name = bytes.text(name.dropLast().startIndex..<name.dropLast().endIndex)
      case .begin, .function, .end, .main:
        guard record.object < objects.count else { return "initializers of no object" }
      case .version, .loading, .relocated: break
      }
      records.append(record)
    }
    return nil
  }
}
