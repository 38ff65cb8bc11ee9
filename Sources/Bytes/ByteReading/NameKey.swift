/// A name as a key of a dictionary or a set: its bytes with a hash that is computed once.
///
/// The standard library hashes an array byte by byte, with a function that resists chosen keys; for the names of a
/// large image that is more than half of the cost of a look-up. This hash does not resist chosen keys.
public struct NameKey: Hashable, Sendable {
  @usableFromInline let bytes: ArraySlice<UInt8>
  @usableFromInline let hashOfBytes: UInt64

  /// - Complexity: O(*n*) for *n* bytes.
  @inlinable public init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    hashOfBytes = nameHash(bytes.span.bytes)
  }

  @inlinable public init(_ bytes: [UInt8]) { self.init(bytes[...]) }

  @inlinable public static func == (a: Self, b: Self) -> Bool {
    a.hashOfBytes == b.hashOfBytes && a.bytes == b.bytes
  }

  @inlinable public func hash(into hasher: inout Hasher) { hasher.combine(hashOfBytes) }
}
