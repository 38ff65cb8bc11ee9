/// The functions that mark the prefetched region in an order file and in an image. The source file that
/// `gen --prefetch` writes defines them, each in an input section of its own, which is named after it.
package enum PrefetchAnchor {
  /// It precedes the prefetched functions.
  package static let first = "orderfile_prefetch_first"
  /// It calls the kernel. It runs first, so it is at the beginning of the region.
  package static let initializer = "orderfile_prefetch"
  /// It follows the prefetched functions.
  package static let last = "orderfile_prefetch_last"
}

extension OrderFileEntry {
  /// - Parameter anchor: a name of `PrefetchAnchor`.
  package init(anchor: String) {
    self.init(symbol: Array(anchor.utf8), section: Array(".text.\(anchor)".utf8))
  }
}
