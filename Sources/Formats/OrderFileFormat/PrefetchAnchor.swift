/// The functions that mark the prefetched region in an order file and in an image. The source file that
/// `gen --prefetch` writes defines these functions, each in an input section that is named after the function.
package enum PrefetchAnchor {
  /// The function before the prefetched functions.
  package static let first = "orderfile_prefetch_first"
  /// The first bytes of `first`. The ranges of data to prefetch follow.
  package static let firstText = "orderfile: first"
  /// The function that asks the kernel to prefetch. It runs first, so it is at the beginning of the region.
  package static let initializer = "orderfile_prefetch"
  /// The function after the prefetched functions.
  package static let last = "orderfile_prefetch_last"
}

extension OrderFileEntry {
  /// - Parameter anchor: a name of `PrefetchAnchor`.
  package init(anchor: String) {
    self.init(symbol: Array(anchor.utf8), section: Array(".text.\(anchor)".utf8))
  }
}
