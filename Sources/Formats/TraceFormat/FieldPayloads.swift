import Addresses
import ByteReading

/// The payloads in a file, one after the other, as a server stores what devices send.
///
/// Of many payloads, some are damaged. A damaged payload is an element, and does not end the sequence: the next payload
/// is looked for by its first bytes. Only one payload is in memory at a time.
package struct FieldPayloads: Sequence, IteratorProtocol {
  private let bytes: FileBytes
  private var position = 0

  package init(_ bytes: FileBytes) { self.bytes = bytes }

  /// Returns the next payload, or what is wrong with the bytes before the next payload; `nil` at the end.
  ///
  /// - Complexity: O(*b*) for *b* bytes to the next payload. All calls together take O(*b* + *p*) for *p* bytes in
  ///   damaged payloads, because the bytes of a damaged payload are read again, to find another payload that starts in
  ///   them.
  package mutating func next() -> Result<FieldPayload, ParseError>? {
    guard position < bytes.count else { return nil }
    let range = FileOffset(rawValue: UInt64(position))..<bytes.all.upperBound
    var cursor = ByteCursor(bytes, in: range)
    do {
      let payload = try FieldPayload(parsing: &cursor)
      position = Int(cursor.position.rawValue)
      return .success(payload)
    } catch {
      repeat {
        position = nextByte(after: position)
      } while position < bytes.count
        && !FieldPayload.begins(bytes, at: position)
      return .failure(error)
    }
  }

  private func nextByte(after place: Int) -> Int {
    bytes.firstIndex(of: 0x89, in: place + 1..<bytes.count) ?? bytes.count
  }
}
