import ByteReading

/// A reader that takes bytes from anywhere: it may refuse them, and must neither trap nor use more time and memory than
/// `ParsingLimits` permits.
package struct FuzzTarget: Sendable {
  /// The name of the target, of its folders of inputs, and of its dictionary if it has one.
  package let name: String
  private let read: @Sendable (FileBytes) throws -> Void

  init(_ name: String, _ read: @escaping @Sendable (FileBytes) throws -> Void) {
    self.name = name
    self.read = read
  }

  package func run(_ bytes: [UInt8]) {
    // The reader's error, if the bytes are wrong, is no failure.
    try? read(FileBytes(bytes))
  }

  package static let all =
    traces + images + linkMaps + orderFiles + documents + names + commands

  package init?(named name: String) {
    guard let target = Self.all.first(where: { $0.name == name }) else { return nil }
    self = target
  }
}
