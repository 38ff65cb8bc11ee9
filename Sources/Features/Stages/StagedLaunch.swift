import Addresses

/// One launch, divided into stages.
package struct StagedLaunch: Hashable, Sendable {
  /// In order. Stages that are no parts of other stages follow each other without a gap.
  package var stages: [LaunchStage]
  /// The whole time. It is more than the sum of the stages if some of the time belongs to no stage.
  package var nanoseconds: Double

  /// - Parameter nanoseconds: the sum of the stages if it is `nil`.
  package init(_ stages: [LaunchStage], nanoseconds: Double? = nil) {
    self.stages = stages
    self.nanoseconds =
      nanoseconds ?? stages.reduce(0) { $0 + ($1.kind == .part ? 0 : $1.nanoseconds) }
  }
}

/// What a launch did until an event, or in a stage.
package struct LaunchStage: Hashable, Sendable {
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    /// The stage ends at an event that the program or its log names.
    case event
    /// What the system, the loader or the program did.
    case stage
    /// The initializers of one image.
    case initializers
    /// Work that only the measurement causes.
    case tracing
    /// Time that no other stage accounts for.
    case other
    /// A part of the stage before it, which is not counted again.
    case part
  }

  package var kind: Kind
  package var name: String
  /// The time that the stage took; for an event, the time since the event before it, or since the process began.
  package var nanoseconds: Double
  /// The thread of an event, numbered from 1; `nil` if unknown.
  package var thread: Int?

  package init(_ name: String, _ kind: Kind = .stage, nanoseconds: Double, thread: Int? = nil) {
    self.kind = kind
    self.name = name
    self.nanoseconds = nanoseconds
    self.thread = thread
  }
}

/// The time of one initializer, over all launches.
package struct TimedInitializer: Hashable, Sendable {
  /// The path of its image, which is also the path of a `StagedImage`.
  package var image: String
  package var address: StatedAddress
  /// The mean time until it returned.
  package var nanoseconds: Double
  /// The mean time from the beginning of the process until it began.
  package var startNanoseconds: Double

  package init(image: String, address: StatedAddress, nanoseconds: Double, startNanoseconds: Double)
  {
    self.image = image
    self.address = address
    self.nanoseconds = nanoseconds
    self.startNanoseconds = startNanoseconds
  }
}
