import ByteReading
import ImageModel

extension ImageID {
  /// FNV-1a, 64 bits, of the bytes of `range`, big-endian.
  /// <https://www.rfc-editor.org/rfc/rfc9923>
  init(weakOf bytes: FileBytes, _ range: Range<Int>) {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for index in range { hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01b3 }
    self.init(
      kind: .weak,
      bytes: (0..<8).map { UInt8(truncatingIfNeeded: hash >> (56 - 8 * UInt64($0))) })
  }
}
