import ByteReading
import LinkMapFormat

/// A name in a link map, or a name in one object file, as a key: compared by its bytes.
struct MapName: Hashable {
  private let bytes: FileBytes
  private let name: LinkMap.Text
  private let file: LinkMap.Text

  init(_ bytes: FileBytes, _ name: LinkMap.Text, file: LinkMap.Text? = nil) {
    self.bytes = bytes
    self.name = name
    self.file = file ?? LinkMap.Text(0..<0)
  }

  static func == (a: Self, b: Self) -> Bool {
    a.bytes.areEqual(a.name.indices, b.name.indices)
      && a.bytes.areEqual(a.file.indices, b.file.indices)
  }

  func hash(into hasher: inout Hasher) {
    bytes.withBytes(name.indices) { hasher.combine(bytes: $0) }
    bytes.withBytes(file.indices) { hasher.combine(bytes: $0) }
  }
}
