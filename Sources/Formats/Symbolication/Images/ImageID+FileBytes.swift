import Addresses
import ByteReading
import ImageModel

extension ImageID {
  /// The hash of the bytes of `range`, big-endian.
  init(weakOf bytes: FileBytes, _ range: Range<Int>) {
    var hash = FNV1a()
    for index in range { hash.add(bytes[index]) }
    self.init(
      kind: .weak,
      bytes: (0..<8).map { UInt8(truncatingIfNeeded: hash.value >> (56 - 8 * UInt64($0))) })
  }
}
