import ByteReading

/// A name in a link map, or a name in one object file, as a key: compared by its bytes.
struct MapName: Hashable {
  private let bytes: FileBytes
  private let name: Range<Int>
  private let file: Range<Int>

  init(_ bytes: FileBytes, _ name: Range<Int>, file: Range<Int>? = nil) {
    self.bytes = bytes
    self.name = name
    self.file = file ?? name.lowerBound..<name.lowerBound
  }

  static func == (a: Self, b: Self) -> Bool {
    a.bytes.areEqual(a.name, b.name) && a.bytes.areEqual(a.file, b.file)
  }

  func hash(into hasher: inout Hasher) {
    bytes.withBytes(name) { hasher.combine(bytes: $0) }
    bytes.withBytes(file) { hasher.combine(bytes: $0) }
  }
}
