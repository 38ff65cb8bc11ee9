import Addresses

/// The first touch of a page of code in one launch, by execution or by reading. The touch is measured, not predicted.
package struct PageTouch: Hashable, Sendable {
  package var access: Access
  /// The address of the first byte of a 4 KiB page.
  package var page: StatedAddress
  /// The address of the instruction that touched it; `nil` if that is in another image.
  package var instruction: StatedAddress?
  /// The position of the touch among the first touches of the launch.
  package var step: Int

  /// Whether an instruction on the page ran; otherwise the page was read or written.
  package var isExecution: Bool { access == .execute }

  package init(access: Access, page: StatedAddress, instruction: StatedAddress?, step: Int) {
    self.access = access
    self.page = page
    self.instruction = instruction
    self.step = step
  }
}
