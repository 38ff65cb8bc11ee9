import Addresses
import ImageModel

extension PageFaultEstimate {
  /// Bytes that a launch is predicted to touch together.
  package struct Touch: Hashable, Sendable {
    package var step: Int
    package var bytes: AddressRange
    package var cause: TouchCause
    /// The function that contains the bytes, as an index into the layout's functions; `nil` if no function contains
    /// them.
    package var function: Int?

    package init(step: Int, bytes: AddressRange, cause: TouchCause, function: Int?) {
      self.step = step
      self.bytes = bytes
      self.cause = cause
      self.function = function
    }
  }

  /// All touches of the launch, ascending by step. `total` counts their pages.
  package var touches: [Touch] {
    launch.ranges.map {
      Touch(
        step: $0.step, bytes: $0.bytes, cause: launch.rows[$0.row].cause, function: $0.function)
    }
  }
}
