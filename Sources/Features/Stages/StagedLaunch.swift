import Addresses

/// One launch, divided into stages.
package struct StagedLaunch: Hashable, Sendable {
  /// The stages in the order of time. Stages that are no parts of other stages follow each other without a gap.
  package var stages: [LaunchStage]
  /// The whole time of the launch. It is more than the sum of the stages if some of the time belongs to no stage.
  package var nanoseconds: Double

  /// - Parameter nanoseconds: the whole time of the launch; `nil` for the sum of the stages.
  package init(_ stages: [LaunchStage], nanoseconds: Double? = nil) {
    self.stages = stages
    self.nanoseconds =
      nanoseconds ?? stages.reduce(0) { $0 + ($1.kind.isPart ? 0 : $1.nanoseconds) }
  }
}

/// The part of a launch before an event, or a stage of a launch.
package struct LaunchStage: Hashable, Sendable {
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    /// The stage ends at an event that the program or its log names.
    case event
    /// The stage is work of the system, the loader or the program.
    case stage
    /// The stage is the run of the initializers of one image.
    case initializers
    /// The stage is work that only the measurement causes.
    case tracing
    /// The stage is time that no other stage accounts for.
    case other
    /// The stage is a part of the stage before it, whose time already includes this part.
    case part
    /// A start-up task (`orderfile_tasks.h`). It ended in the stage before it, and is not counted again.
    case task

    /// Whether the time belongs to another stage, too.
    package var isPart: Bool { self == .part || self == .task }
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
  /// The path of the image that contains the initializer. A `StagedImage` has the same path.
  package var image: String
  package var address: StatedAddress
  /// The mean time from the call of the initializer until it returned.
  package var nanoseconds: Double
  /// The mean time from the start of the process until the initializer began.
  package var startNanoseconds: Double

  package init(image: String, address: StatedAddress, nanoseconds: Double, startNanoseconds: Double)
  {
    self.image = image
    self.address = address
    self.nanoseconds = nanoseconds
    self.startNanoseconds = startNanoseconds
  }
}
