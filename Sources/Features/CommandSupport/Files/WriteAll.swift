import ByteReading
import LibC

/// Writes all of `bytes`, with as many calls of write(2) as needed.
package func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
  var rest = bytes[...]
  while !rest.isEmpty {
    let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if written < 0 {
      if errno == EINTR { continue }
      throw SystemError("write")
    }
    rest = rest.dropFirst(written)
  }
}
