/// Writes a protocol buffer message from front to back: <https://protobuf.dev/programming-guides/encoding/>.
///
/// It writes only what traces need: varints, strings, nested messages and numbers of fixed size. Fields may be written
/// in any order.
struct ProtobufWriter {
  private(set) var bytes: [UInt8] = []

  /// How a field's value is stored.
  private enum WireType: UInt64 {
    case varint = 0
    case fixed64 = 1
    case lengthDelimited = 2
  }

  mutating func field(_ number: Int, _ value: UInt64) {
    tag(number, .varint)
    varint(value)
  }

  /// Writes a signed field that is not of the type `sint64`. Negative numbers take ten bytes.
  mutating func field(_ number: Int, _ value: Int) {
    field(number, UInt64(bitPattern: Int64(value)))
  }

  mutating func field(_ number: Int, fixed value: UInt64) {
    tag(number, .fixed64)
    for byte in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * byte))) }
  }

  /// Writes a text, which is UTF-8 in the format. Names that are not UTF-8 were repaired before.
  mutating func field(_ number: Int, _ text: String) { field(number, bytes: Array(text.utf8)) }

  mutating func message(_ number: Int, _ fields: (inout ProtobufWriter) -> Void) {
    var message = ProtobufWriter()
    fields(&message)
    field(number, bytes: message.bytes)
  }

  private mutating func field(_ number: Int, bytes value: [UInt8]) {
    tag(number, .lengthDelimited)
    varint(UInt64(value.count))
    bytes += value
  }

  private mutating func tag(_ number: Int, _ type: WireType) {
    varint(UInt64(number) << 3 | type.rawValue)
  }

  /// Writes seven bits in each byte, the lowest bits first. The highest bit of a byte says that more bytes follow.
  private mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
