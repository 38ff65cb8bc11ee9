#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Writes all of `bytes`, with as many calls as that takes.
package func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws(WriteError) {
  var rest = bytes[...]
  while !rest.isEmpty {
    let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if written < 0 {
      if errno == EINTR { continue }
      throw WriteError(errno: errno)
    }
    rest = rest.dropFirst(written)
  }
}

/// A failed write, with its number in `errno.h`.
package struct WriteError: Error, CustomStringConvertible {
  package var errno: Int32
  package var description: String { String(cString: strerror(errno)) }
}
