import Addresses
import ByteReading
import CTraceFormat

/// The payloads in a file, one after the other, as a server stores what devices send.
///
/// Of many payloads, some are damaged. A damaged payload is an element, and does not end the sequence: the next payload
/// is looked for by its first bytes. Only one payload is in memory at a time.
package struct FieldPayloads: Sequence, IteratorProtocol {
  private let bytes: FileBytes
  private var position = 0
  /// The sum of the sizes that damaged payloads state.
  private var damagedBytes = 0

  package init(_ bytes: FileBytes) { self.bytes = bytes }

  /// Returns the next payload, or what is wrong with the bytes before the next payload; `nil` at the end.
  ///
  /// - Complexity: O(*b*) for *b* bytes in all calls together. The bytes of a damaged payload are read again, to find
  ///   another payload that starts in them, unless damaged payloads together state more than 16 *b* bytes: then nobody
  ///   has damaged them by chance, and their bytes are left out.
  package mutating func next() -> Result<FieldPayload, ParseError>? {
    guard position < bytes.count else { return nil }
    let range = FileOffset(rawValue: UInt64(position))..<bytes.all.upperBound
    var cursor = ByteCursor(bytes, in: range)
    do {
      let payload = try FieldPayload(parsing: &cursor)
      position = Int(cursor.position.rawValue)
      return .success(payload)
    } catch {
      let stated = statedSize
      damagedBytes += stated
      if damagedBytes > 16 * bytes.count {
        position = Swift.min(position + stated, bytes.count) - 1
      }
      repeat {
        position = nextByte(after: position)
      } while position < bytes.count
        && !FieldPayload.begins(bytes, at: position)
      return .failure(error)
    }
  }

  /// The size that the payload at `position` states; 1 if there is no such size.
  private var statedSize: Int {
    guard bytes.count - position >= 20 else { return 1 }
    let size = (16..<20).reversed().reduce(0) { $0 << 8 | Int(bytes[position + $1]) }
    return (1...Int(ORDERFILE_FIELD_LARGEST_SIZE)).contains(size) ? size : 1
  }

  private func nextByte(after place: Int) -> Int {
    bytes.firstIndex(of: 0x89, in: place + 1..<bytes.count) ?? bytes.count
  }
}
