import Addresses

/// The facts about a launch of an image that follow from its contents, in addition to the layout and the traces.
package struct LaunchFacts: Sendable {
  /// Bytes that a launch touches although no trace names them.
  package struct Touch: Hashable, Sendable {
    package var cause: TouchCause
    package var bytes: AddressRange

    package init(_ cause: TouchCause, _ bytes: AddressRange) {
      self.cause = cause
      self.bytes = bytes
    }
  }

  /// An instruction that touches these bytes if it runs.
  package struct Reference: Hashable, Sendable {
    /// The address of the instruction.
    package var site: StatedAddress
    package var touch: Touch

    package init(site: StatedAddress, touch: Touch) {
      self.site = site
      self.touch = touch
    }
  }

  /// The bytes that every launch touches before the first function runs.
  package var atStart: [Touch] = []
  /// The bytes that every launch touches after the last function has run.
  package var atEnd: [Touch] = []
  /// The references, ascending by site. The sites are in startup functions, and in code that these functions and the
  /// other touches lead to.
  package var references: [Reference] = []
  /// The executable mappings, ascending by address.
  package var executableMappings: [FileMapping] = []
  /// Whether the loader chooses the load address.
  package var isPositionIndependent = true

  package init() {}
}

/// A range of a file that is mapped.
package struct FileMapping: Hashable, Sendable {
  /// The part of the address range that the file fills.
  package var range: AddressRange
  /// The offset in the file of the first byte of `range`.
  package var offset: FileOffset

  package init(range: AddressRange, offset: FileOffset) {
    self.range = range
    self.offset = offset
  }
}
