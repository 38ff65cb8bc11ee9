import Counting
import ImageModel
import PagesFormat
import Prediction
import ProcessLaunch
import Rendering

extension ProjectLaunches {
  /// The pages of code that the launches executed in one order of the images, added up.
  struct Counts {
    /// The numbers of pages of each image, by page size. The images are those that the launches used when they were recorded.
    var images: [(pages: Int, pages16k: Int)]
    /// The lowest and highest number of 4 KiB pages of all images, if a launch did not settle, so that its counts
    /// differ; `nil` if all launches settled, so that another count finds the same pages.
    var range: ClosedRange<Int>?
    /// The touched pages of each launch.
    var documents: [PagesDocument] = []
    var warnings: [Diagnostic] = []
  }

  /// How often the pages of a launch are counted if it is still working when it is ended.
  static let unsettledCounts = 3

  /// Counts the pages of code that the launches execute.
  ///
  /// - Throws: also if the launch does not use an image that it used when it was recorded: its count would be wrong.
  func counts(of recorded: Recorded) throws(Diagnostic) -> Counts {
    let none = recorded.images.map { _ in (pages: 0, pages16k: 0) }
    var counts = Counts(images: none)
    var (lowest, highest) = (0, 0)
    for (launch, wanted) in zip(launches, recorded.imagesOfLaunches) {
      let first = try count(launch, recorded.images, wanted)
      var found = [first]
      while !first.isSettled, found.count < Self.unsettledCounts {
        found.append(try count(launch, recorded.images, wanted))
      }
      found.sort { $0.pages < $1.pages }
      let median = found[found.count / 2]
      counts.documents.append(median.document)
      for (index, image) in median.images.enumerated() {
        counts.images[index].pages += image.pages
        counts.images[index].pages16k += image.pages16k
      }
      lowest += found[0].pages
      highest += found[found.count - 1].pages
      if !first.isSettled { counts.range = lowest...highest }
      counts.warnings += recorded.images.filter { first.unseen.contains($0.path) }.map { image in
        Diagnostic(
          "\(image.name) also ran without the library that counts pages, so these pages are missing",
          context: [launch.command], hint: Diagnostic.allowTracing)
      }
    }
    if counts.range != nil { counts.range = lowest...highest }
    return counts
  }

  /// Counts the pages of code that the launches execute, as a step.
  func counts(of recorded: Recorded, _ steps: ProjectSteps) throws(Diagnostic) -> Counts {
    try steps.timed("count", "pages of the launches", log: log.path) { () throws(Diagnostic) in
      try counts(of: recorded)
    }
  }

  /// The result of counting the pages of one launch once.
  private struct Count {
    var images: [(pages: Int, pages16k: Int)]
    var document: PagesDocument
    var isSettled: Bool
    /// The paths of programs that also ran without the library that sees touches.
    var unseen: [String]

    /// The number of pages of 4 KiB that the launch executed in all images of the project.
    var pages: Int { images.map(\.pages).reduce(0, +) }
  }

  private func count(
    _ launch: AutoLaunch, _ images: [ProjectImage], _ wanted: Set<ProjectImage>
  ) throws(Diagnostic) -> Count {
    // If the shell starts a program without a loader, only a tracer sees its touches.
    var counted = try counted(launch, images, images.contains { $0.isStatic } ? .ptrace : nil)
    func touched(_ image: ProjectImage) -> PagesDocument.Image? {
      counted.document.images.first { $0.path == image.path }
    }
    func isMissing(_ image: ProjectImage) -> Bool {
      wanted.contains(image) && (touched(image)?.textCount(executed: true) ?? 0) == 0
    }
    // The preloaded library does not see a program from whose environment LD_PRELOAD was removed, but a tracer does.
    if images.contains(where: isMissing) { counted = try self.counted(launch, images, .ptrace) }
    if let image = images.first(where: isMissing) {
      throw Diagnostic(
        "the launch did not run \(image.name), which it ran when it was recorded",
        context: [launch.command],
        hint: "give a launch that does the same each time it runs")
    }
    return Count(
      images: images.map { image in
        let pages = touched(image)
        return (
          pages?.textCount(executed: true) ?? 0,
          pages?.textCount(executed: true, .sixteenKibibytes) ?? 0
        )
      }, document: counted.document, isSettled: counted.isSettled, unseen: counted.unseen)
  }

  private func counted(
    _ launch: AutoLaunch, _ images: [ProjectImage], _ method: PageMethod?
  ) throws(Diagnostic) -> CountedPages {
    try run(launch) { program in
      var pages = PageLaunch(program, in: shell.environment)
      pages.images = images.map(\.path)
      pages.method = method
      return try pages.run()
    } result: {
      ProgramLaunch.Result(processNumber: 0, end: $0.end)
    }.value
  }
}
