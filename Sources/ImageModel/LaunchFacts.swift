import Addresses

/// What is known of how an image runs, besides its layout and what traces say.
package struct LaunchFacts: Sendable {
  /// Bytes that a launch touches, and that no trace names.
  package struct Touch: Hashable, Sendable {
    package var cause: TouchCause
    package var bytes: AddressRange

    package init(_ cause: TouchCause, _ bytes: AddressRange) {
      self.cause = cause
      self.bytes = bytes
    }
  }

  /// An instruction that touches something if it runs.
  package struct Reference: Hashable, Sendable {
    /// Where the instruction begins.
    package var site: StatedAddress
    package var touch: Touch

    package init(site: StatedAddress, touch: Touch) {
      self.site = site
      self.touch = touch
    }
  }

  /// Touched whatever runs: before the first function, and after the last.
  package var atStart: [Touch] = []
  package var atEnd: [Touch] = []
  /// Ascending by site; of startup functions, and of what these and the touches above lead to.
  package var references: [Reference] = []
  /// What the loader maps as code, ascending by address.
  package var executableMappings: [FileMapping] = []
  /// The loader chooses where the image lies.
  package var isPositionIndependent = true

  package init() {}
}

/// A run of a file as it is mapped.
package struct FileMapping: Hashable, Sendable {
  /// As far as the file fills it.
  package var range: AddressRange
  /// Where in the file the first byte of `range` stands.
  package var offset: FileOffset

  package init(range: AddressRange, offset: FileOffset) {
    self.range = range
    self.offset = offset
  }
}
