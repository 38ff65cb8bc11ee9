import Addresses
import ImageModel

/// The predicted reads of a kernel for a launch, in one image.
package struct XNUReads: Hashable, Sendable {
  package let kernel: XNUKernel
  package let reads: Int
  package let bytesRead: UInt64

  package init(kernel: XNUKernel, reads: Int, bytesRead: UInt64) {
    self.kernel = kernel
    self.reads = reads
    self.bytesRead = bytesRead
  }

  /// The largest number of touched bytes that is simulated. Mach-O linkers produce less code; larger values come from a
  /// corrupt file, and would give too many pages.
  private static let mostBytes: UInt64 = 4 << 30

  /// Simulates each kernel with pages of `pageSize` over the first touches of a launch.
  ///
  /// - Parameter pageCount: the number of pages that `launch` touches.
  /// - Returns: an empty array for formats other than Mach-O, and beyond 4 GiB of touched code.
  static func simulating(
    _ launch: LaunchTouches, pageSize: PageSize, pageCount: Int
  ) -> [XNUReads] {
    guard let segment = launch.segment, UInt64(pageCount) <= mostBytes / pageSize.bytes else {
      return []
    }
    let pages = launch.ranges.map { pageSize.pages(of: $0.bytes) }
    let mappings = launch.rows.map { $0.mapping.map(pageSize.pages(of:)) }
    // The segment begins at the start of the file.
    let segmentPage = pageSize.page(of: segment.start)
    let origin = min(pages.map(\.lowerBound).min() ?? segmentPage, segmentPage)
    func filePage(_ page: StatedPage) -> FilePage { FilePage(rawValue: page - origin) }
    return XNUKernel.kernels(pageSize: pageSize).map { kernel in
      var model = XNUReadModel(kernel, pageSize: pageSize)
      var unpainted = UnpaintedPages(of: pages)
      for (range, pages) in zip(launch.ranges, pages) {
        let mapping = mappings[range.row] ?? pages
        let first = min(max(mapping.lowerBound, origin), pages.lowerBound)
        let last = max(mapping.upperBound, pages.upperBound)
        let mapped = filePage(first)...filePage(last)
        unpainted.paint(pages) { newPages in
          for page in newPages { model.touch(filePage(page), in: mapped) }
        }
      }
      return XNUReads(kernel: kernel, reads: model.reads, bytesRead: model.bytesRead)
    }
  }
}
