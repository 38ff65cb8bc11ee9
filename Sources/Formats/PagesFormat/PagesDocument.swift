import Addresses
import ImageModel
import JSON

/// The pages that a launch touched, by image. The pages are measured, not predicted.
package struct PagesDocument: Hashable, Sendable {
  /// The words of the launched command.
  package var command: [String]
  package var end: End
  /// The method by which access was withheld: `preload` or `ptrace`.
  package var method: String
  package var images: [Image]
  /// The steps that would save pages of the first image; empty if they were not computed.
  package var nextSteps: [NextStep] = []

  /// How the program ended.
  package enum End: Hashable, Sendable {
    case exited(Int)
    case killed(signal: Int)
  }

  package struct Image: Hashable, Sendable {
    /// The identity of the image, without architecture and ID if its file can no longer be read.
    package var image: ImageReference
    /// The touches in time order, from the image's first instruction on; touches by execution also before that.
    package var pages: [Page]
    /// The pages that were read and written before the image's first instruction, in time order; `nil` if these were
    /// not counted.
    package var loading: [Page]?
    /// The numbers of pages that the file fills, for each page size; empty if the file can no longer be read.
    package var filePages: [FilePages]
    /// The resident memory in other launches; `nil` if it was not read.
    package var memory: MemoryFigures?
    /// The pages that the image prefetches, compared with the touched pages; `nil` if the image prefetches nothing.
    package var prefetch: TouchedPagePrefetch?

    package init(
      _ image: ImageReference, pages: [Page], filePages: [FilePages], loading: [Page]? = nil
    ) {
      self.image = image
      self.pages = pages
      self.loading = loading
      self.filePages = filePages
    }

    package var path: String { image.path }
    package var id: String? { image.id }
  }

  /// The number of pages of one size that an image fills, by segment.
  package struct FilePages: Hashable, Sendable {
    package var pageSize: PageSize
    package var text: Int
    package var readOnly: Int
    package var data: Int

    package init(pageSize: PageSize, text: Int, readOnly: Int, data: Int) {
      self.pageSize = pageSize
      self.text = text
      self.readOnly = readOnly
      self.data = data
    }
  }

  /// The first touch of a page by one kind of access.
  package struct Page: Hashable, Sendable {
    package var access: Access
    /// The address of the first byte of the 4 KiB page.
    package var address: StatedAddress
    package var segment: Segment
    /// The address of the first byte that was accessed; this property and the next three are `nil` in documents of
    /// older versions.
    package var touched: StatedAddress?
    /// The section of the touched byte; `nil` if the byte is in no section, or is unknown.
    package var section: String?
    /// The function or variable that contains the touched byte; `nil` if it has no name, or the byte is unknown.
    package var symbol: SymbolName?
    package var accessor: Accessor?
    /// The function that contains the instruction; `nil` if it has no name.
    package var function: SymbolName?
    /// The address of the instruction; `nil` if it is outside the image.
    package var instruction: StatedAddress?
    /// The other image that contains the instruction; `nil` if it is in this image or in none.
    package var instructionImage: String?
    /// The position of this touch among the touches of all images.
    package var step: Int

    package init(
      access: Access, address: StatedAddress, segment: Segment, function: SymbolName?,
      instruction: StatedAddress?, instructionImage: String?, step: Int
    ) {
      self.access = access
      self.address = address
      self.segment = segment
      self.function = function
      self.instruction = instruction
      self.instructionImage = instructionImage
      self.step = step
    }
  }

  package init(command: [String], end: End, method: String, images: [Image]) {
    self.command = command
    self.end = end
    self.method = method
    self.images = images
  }
}

extension PagesDocument {
  /// The sizes of pages for which documents have counts.
  package static let pageSizes: [PageSize] = [
    .fourKibibytes, .sixteenKibibytes, .sixtyFourKibibytes,
  ]
}

// MARK: Counts

extension PagesDocument.Image {
  /// The number of distinct pages of `size` with a touch for which `counts` is true.
  private func count(_ size: PageSize, where counts: (PagesDocument.Page) -> Bool) -> Int {
    Set(pages.lazy.filter(counts).map { size.page(of: $0.address) }).count
  }

  /// The number of distinct pages of a segment that were touched in any way.
  package func count(
    of segment: Segment, _ size: PageSize = .fourKibibytes
  ) -> Int {
    count(size) { $0.segment == segment }
  }

  /// The number of pages of the executable segment that were executed, or that were read or written; a page
  /// may be both.
  package func textCount(executed: Bool, _ size: PageSize = .fourKibibytes) -> Int {
    count(size) { $0.segment == .text && ($0.access == .execute) == executed }
  }

  /// The number of pages of the executable segment that were read or written but not executed.
  package func textOnlyReadCount(_ size: PageSize = .fourKibibytes) -> Int {
    count(of: .text, size) - textCount(executed: true, size)
  }

  /// The number of pages of this size that the file fills; `nil` if it is unknown.
  package func fileCount(of segment: Segment, _ size: PageSize) -> Int? {
    guard let pages = filePages.first(where: { $0.pageSize == size }) else { return nil }
    return switch segment {
    case .text: pages.text
    case .readOnly: pages.readOnly
    case .data: pages.data
    }
  }
}
