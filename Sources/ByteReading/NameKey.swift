/// A name as a key of a dictionary or a set: bytes with their hash, computed once.
///
/// The standard library hashes an array byte by byte with a function made to withstand chosen keys: for
/// the names of a large image that is more than half of a look-up's cost. This hash withstands none.
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
