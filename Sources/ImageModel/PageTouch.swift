import Addresses

/// The first touch of a page of code in one launch, by execution or by reading: measured.
package struct PageTouch: Hashable, Sendable {
  /// An instruction on the page ran; else something was read or written there.
  package var isExecution: Bool
  /// The first byte of a page of 4 KiB.
  package var page: StatedAddress
  /// The instruction that touched it; `nil` if that is in another image.
  package var instruction: StatedAddress?
  /// Position among the first touches of the launch.
  package var step: Int

  package init(isExecution: Bool, page: StatedAddress, instruction: StatedAddress?, step: Int) {
    self.isExecution = isExecution
    self.page = page
    self.instruction = instruction
    self.step = step
  }
}

/// What the end of a function's name says about it: `f.cold`, `f.part.0`, Swift's `fTm`.
package enum NamedPart: Sendable {
  case whole
  /// Code of another function that seldom runs, put apart.
  case cold
  case partial
  case mergedBody
}
