import Addresses
import ImageModel
import PagesFormat
import Rendering
import Stages

/// A launch to export: the first hits of a trace, with the names, files and pages of their functions.
package struct ExportedLaunch: Sendable {
  /// The path of the trace.
  package var path: String
  package var program: String
  /// The number of the process; `nil` if the trace does not state it.
  package var process: Int?
  package var images: [Image]
  /// The first hits of the launch, in the order of the trace.
  package var hits: [Hit]
  package var marks: [Mark]
  /// The stages between the marks; empty if nothing has a time.
  package var stages: [LaunchStage] = []
  /// The pages that a layout is predicted to need; `nil` if no layout was given.
  package var prediction: Prediction?
  /// The touches that `orderfile pages` counted in another launch of one of these images; `nil` if there is no such
  /// count.
  package var touches: [Touch]?
  /// The start of the process, in nanoseconds since the start of the first process of the same launch.
  package var startNanoseconds: UInt64 = 0

  /// An image of the recorded launch.
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
    /// The index of the image in `images`.
    package var image: Int
    /// The address of the function that was entered; `nil` if it is unknown.
    package var address: StatedAddress?
    package var sizeBytes: UInt64?
    /// The name of the function that was entered, and the name of the body that ran if that is another function. Empty
    /// if they are unknown.
    package var names: [SymbolName]
    /// The module, object file or source file of the function; `nil` if it is unknown.
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

  /// The number of pages of a layout that the launch is predicted to have touched so far.
  package struct Prediction: Sendable {
    /// The path of the layout.
    package var layout: String
    package var pageSize: PageSize
    /// The number of pages after each hit, in the order of `hits`.
    package var pages: [Int]

    package init(of layout: String, pageSize: PageSize, pages: [Int]) {
      self.layout = layout
      self.pageSize = pageSize
      self.pages = pages
    }
  }

  /// A first touch of a page, which was counted in a launch without times.
  package struct Touch: Sendable {
    /// The index of the image in `images`.
    package var image: Int
    package var page: PagesDocument.Page
    /// The index in `hits` of the hit of the touching function. If there is no such hit, the index is that of the touch
    /// before.
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
  /// Returns the hit as `show` prints it: the name of the function that was entered, and of the body that ran. Without
  /// names, returns the address.
  package func wording(_ names: NameWording) -> String {
    guard self.names.isEmpty else { return self.names.map(names).joined(separator: " → ") }
    return address?.description ?? "?"
  }
}
