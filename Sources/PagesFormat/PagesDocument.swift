import Addresses
import ImageModel
import JSON

/// The pages that one launch touched, image by image: measured.
package struct PagesDocument: Hashable, Sendable {
  /// The words of the command that was launched.
  package var command: [String]
  package var end: End
  /// How access was withheld: `preload` or `ptrace`.
  package var method: String
  package var images: [Image]

  /// How the program ended.
  package enum End: Hashable, Sendable {
    case exited(Int)
    case killed(signal: Int)
  }

  package struct Image: Hashable, Sendable {
    package var path: String
    /// As the tool writes image IDs; `nil` if the file can't be read any more, or has none.
    package var id: String?
    /// By time.
    package var pages: [Page]
    /// One for each page size that is counted; empty where the file can't be read any more.
    package var filePages: [FilePages]

    package init(path: String, id: String?, pages: [Page], filePages: [FilePages]) {
      self.path = path
      self.id = id
      self.pages = pages
      self.filePages = filePages
    }
  }

  /// How many pages of one size an image fills, by segment.
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
    /// Of 4 KiB, its first byte.
    package var address: StatedAddress
    package var segment: Segment
    /// The function whose instruction it was; `nil` where it has no name.
    package var function: SymbolName?
    /// `nil` of an instruction outside of the image.
    package var instruction: StatedAddress?
    /// Another image that the instruction is in; `nil` if it is in this one or in none.
    package var instructionImage: String?
    /// Position among the touches of all images.
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
  /// The page sizes that are counted.
  package static let pageSizes: [PageSize] = [
    .fourKibibytes, .sixteenKibibytes, .sixtyFourKibibytes,
  ]
}

// MARK: Counts

extension PagesDocument.Image {
  /// Distinct pages of that size with a touch that counts.
  private func count(_ size: PageSize, where counts: (PagesDocument.Page) -> Bool) -> Int {
    Set(pages.lazy.filter(counts).map { size.page(of: $0.address) }).count
  }

  /// Distinct pages of a segment that were touched in any way.
  package func count(
    of segment: Segment, _ size: PageSize = .fourKibibytes
  ) -> Int {
    count(size) { $0.segment == segment }
  }

  /// Pages of the executable segment that were executed, or that were read or written. One may be both.
  package func textCount(executed: Bool, _ size: PageSize = .fourKibibytes) -> Int {
    count(size) { $0.segment == .text && ($0.access == .execute) == executed }
  }

  /// Pages of the executable segment that were read or written and not executed.
  package func textOnlyReadCount(_ size: PageSize = .fourKibibytes) -> Int {
    count(of: .text, size) - textCount(executed: true, size)
  }

  /// How many pages of that size the file fills; `nil` where that is unknown.
  package func fileCount(of segment: Segment, _ size: PageSize) -> Int? {
    guard let pages = filePages.first(where: { $0.pageSize == size }) else { return nil }
    return switch segment {
    case .text: pages.text
    case .readOnly: pages.readOnly
    case .data: pages.data
    }
  }
}
