import Addresses
import ImageModel

extension PageFaultEstimate {
  /// Bytes that a launch is predicted to touch together.
  package struct Touch: Hashable, Sendable {
    package var step: Int
    package var bytes: AddressRange
    package var cause: TouchCause
    /// Index into the layout's functions; `nil` for what is not a function.
    package var function: Int?

    package init(step: Int, bytes: AddressRange, cause: TouchCause, function: Int?) {
      self.step = step
      self.bytes = bytes
      self.cause = cause
      self.function = function
    }
  }

  /// All that the launch touches, ascending by step. Their pages are those that `total` counts.
  package var touches: [Touch] {
    launch.ranges.map {
      Touch(
        step: $0.step, bytes: $0.bytes, cause: launch.rows[$0.row].cause, function: $0.function)
    }
  }
}
