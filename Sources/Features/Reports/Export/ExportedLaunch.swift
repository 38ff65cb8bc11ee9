import Addresses
import ImageModel
import PagesFormat
import Rendering
import Stages

/// A launch as other tools get it: the first hits of a trace, with what is known of their functions.
package struct ExportedLaunch: Sendable {
  /// Of the trace.
  package var path: String
  package var program: String
  /// `nil` if the trace does not tell.
  package var process: Int?
  package var images: [Image]
  /// In order.
  package var hits: [Hit]
  package var marks: [Mark]
  /// Divided at its marks; empty if nothing has a time.
  package var stages: [LaunchStage] = []
  /// The pages that a layout is predicted to need; `nil` if none was given.
  package var prediction: Prediction?
  /// What `orderfile pages` counted in another launch of one of these images; `nil` if it did not.
  package var touches: [Touch]?
  /// When the process started, in nanoseconds since the first of those that the same launch started.
  package var startNanoseconds: UInt64 = 0

  /// A recorded image.
  package struct Image: Hashable, Sendable {
    package var path: String
    package var id: ImageID?

    package init(path: String, id: ImageID? = nil) {
      self.path = path
      self.id = id
    }
  }

  package struct Hit: Sendable {
    package var step: Int
    package var thread: Int?
    package var nanoseconds: UInt64?
    /// Index into `images`.
    package var image: Int
    /// Of the function that was entered; `nil` if it is unknown.
    package var address: StatedAddress?
    package var sizeBytes: UInt64?
    /// Of the function that was entered, and of the body that ran if that is another one; empty if unknown.
    package var names: [SymbolName]
    /// The module, object file or source file of the function; `nil` if nothing tells.
    package var owner: SymbolName?

    package init(
      step: Int, thread: Int?, nanoseconds: UInt64?, image: Int, address: StatedAddress?,
      sizeBytes: UInt64?, names: [SymbolName], owner: SymbolName? = nil
    ) {
      self.step = step
      self.thread = thread
      self.nanoseconds = nanoseconds
      self.image = image
      self.address = address
      self.sizeBytes = sizeBytes
      self.names = names
      self.owner = owner
    }
  }

  /// How many pages of a layout the launch is predicted to have touched so far.
  package struct Prediction: Sendable {
    /// The path of the layout.
    package var layout: String
    package var pageSize: PageSize
    /// After each hit, parallel to `hits`.
    package var pages: [Int]

    package init(of layout: String, pageSize: PageSize, pages: [Int]) {
      self.layout = layout
      self.pageSize = pageSize
      self.pages = pages
    }
  }

  /// A first touch of a page, which was counted in a launch without times.
  package struct Touch: Sendable {
    /// Index into `images`.
    package var image: Int
    package var page: PagesDocument.Page
    /// The hit of its function in the trace; else that of the touch before. An index into `hits`.
    package var hit: Int

    package init(image: Int, page: PagesDocument.Page, hit: Int) {
      self.image = image
      self.page = page
      self.hit = hit
    }
  }

  package init(
    path: String, program: String, process: Int?, images: [Image], hits: [Hit], marks: [Mark]
  ) {
    self.path = path
    self.program = program
    self.process = process
    self.images = images
    self.hits = hits
    self.marks = marks
  }
}

extension ExportedLaunch.Hit {
  /// As `show` prints it: the name of what was entered, and of what ran; else the address.
  package func wording(_ names: NameWording) -> String {
    guard self.names.isEmpty else { return self.names.map(names).joined(separator: " → ") }
    return address?.description ?? "?"
  }
}
