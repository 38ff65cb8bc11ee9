import Addresses

/// The first touch of a page of code in one launch, by execution or by reading: measured.
package struct PageTouch: Hashable, Sendable {
  package var access: Access
  /// The first byte of a page of 4 KiB.
  package var page: StatedAddress
  /// The instruction that touched it; `nil` if that is in another image.
  package var instruction: StatedAddress?
  /// Position among the first touches of the launch.
  package var step: Int

  /// An instruction on the page ran; else something was read or written there.
  package var isExecution: Bool { access == .execute }

  package init(access: Access, page: StatedAddress, instruction: StatedAddress?, step: Int) {
    self.access = access
    self.page = page
    self.instruction = instruction
    self.step = step
  }
}
