import Addresses
import ImageModel

/// The functions of one layout by stated address.
package struct AddressResolver: Sendable {
  package let layout: Layout

  package init(_ layout: Layout) { self.layout = layout }

  /// The aliases that begin exactly at `entry`. Empty if no function does.
  ///
  /// - Complexity: O(log *n*) for *n* functions.
  package func functions(entry: StatedAddress) -> Range<Int> { layout.functions(at: entry) }

  /// The aliases of the body that holds `address`. Empty in a gap and outside all sections.
  ///
  /// - Complexity: O(log *n*) for *n* functions.
  package func functions(containing address: StatedAddress) -> Range<Int> {
    layout.functions(containing: address)
  }

  /// The aliases of the body that made the call which returns to `returnAddress`.
  ///
  /// A call may be the last instruction of a function that knows it won't return, and then the return
  /// address is where the next function begins: so the byte before it is looked up.
  package func functions(calling returnAddress: StatedAddress) -> Range<Int> {
    guard returnAddress.rawValue > 0 else { return 0..<0 }
    return layout.functions(containing: StatedAddress(rawValue: returnAddress.rawValue - 1))
  }
}
