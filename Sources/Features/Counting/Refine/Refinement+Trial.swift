import Addresses
import CommandSupport
import ImageModel
import OrderFileMatching
import PagesFormat
import ProcessLaunch

extension Refinement {
  /// An order that was tried, and what the launches of its build did. Numbers of pages are sums over the launches.
  struct Trial {
    var candidate: Candidate
    var release: ReleaseLayout
    /// The launches of the build, at least one.
    var launches: [Launch]
    /// The parts that ran in at least one launch: the parts of the first launch in the order of first uses, then the
    /// further parts of the next launch.
    var uses: [Part]
    /// The first addresses of the basic blocks that ran in at least one launch.
    var blocks: Set<StatedAddress>
    var warnings: [Diagnostic]

    /// One launch of the build.
    struct Launch {
      var launch: RefinedLaunch
      var pages: PagesDocument.Image
      /// The launch's touches of data; `nil` if the image's data can't be read.
      var data: LaunchDataPages?
      var uses: [Part]
    }
  }
}

extension Refinement.Trial {
  /// Links the image with a candidate, and launches it.
  ///
  /// - Throws: `interrupted` if the user has interrupted the command.
  init(
    of candidate: Refinement.Candidate, _ image: RelinkedImage, _ launches: [RefinedLaunch],
    _ made: inout MadeLaunches
  ) throws {
    func orInterrupted<Result>(_ body: () throws -> Result) throws -> Result {
      let result = Swift.Result { try body() }
      if Interruption.hasCome { throw Diagnostic("interrupted") }
      return try result.get()
    }
    try orInterrupted { try image.link(candidate.bytes, splitBy: candidate.profileBytes) }
    let release = try ReleaseLayout(path: image.path)
    let layout = (try? release.dataLayout()) ?? nil
    self.init(
      candidate: candidate, release: release, launches: [], uses: [], blocks: [],
      warnings: release.warnings)
    var seen: Set<Part> = []
    for launch in launches {
      let made = try orInterrupted {
        try made.make(at: launch.place, isRequired: launch.isRequired) {
          let pages = try launch.pages(ofImage: image.path)
          return (pages, try launch.uses(of: release, pages))
        }
      }
      guard let (pages, ran) = made else { continue }
      self.launches.append(
        Launch(
          launch: launch, pages: pages, data: layout.map { LaunchDataPages($0, pages) },
          uses: ran.uses))
      uses += ran.uses.filter { seen.insert($0).inserted }
      blocks.formUnion(ran.blocks)
      warnings += ran.warnings.filter { !warnings.contains($0) }
    }
  }

  /// The number of executed pages, and of pages of data: first pages of the requested size, then pages of 4 KiB.
  func count(_ size: PageSize) -> (Int, Int) {
    func pages(_ size: PageSize) -> Int {
      launches.reduce(0) { $0 + $1.pages.executedPages(size) + ($1.data?.pages(size) ?? 0) }
    }
    return (pages(size), pages(.fourKibibytes))
  }

  func step(_ move: String, isKept: Bool) -> RefineDocument.Step {
    RefineDocument.Step(
      move: move, entries: candidate.order.entries.count,
      pages: launches.map(\.counts).reduce(.none, +), isKept: isKept)
  }

  /// What the pages of data hold.
  var dataPages: RefineDocument.DataPages {
    launches.compactMap { $0.data?.holders(candidate.order, release.architecture) }
      .reduce(.init(), +)
  }

  /// The floor, a lower bound that is computed for this order: the sum of the floors of the launches.
  func floor(_ size: PageSize) -> RefineDocument.Floor {
    floors(size).reduce(RefineDocument.Floor(startupBytes: 0, pageSize: size, fixed: []), +)
  }

  /// The floor of each launch.
  func floors(_ size: PageSize) -> [RefineDocument.Floor] {
    let layout = release.layout
    let placed = Set(
      candidate.order.parts(in: layout, architecture: release.architecture)
        .flatMap { $0 }.map { layout.aliases(of: $0.function).lowerBound })
    return launches.map { $0.floor(placed: placed, in: layout, size) }
  }
}

extension Refinement.Trial.Launch {
  var counts: RefineDocument.Pages {
    RefineDocument.Pages(
      text: PagesDocument.pageSizes.map { pages.executedPages($0) },
      data: PagesDocument.pageSizes.map { data?.pages($0) ?? 0 })
  }

  /// - Parameter placed: the functions that the order places, each by its first alias.
  fileprivate func floor(
    placed: Set<Int>, in layout: Layout, _ size: PageSize
  ) -> RefineDocument.Floor {
    var ordered: [AddressRange] = []
    for function in Set(uses.map(\.function)).sorted() where placed.contains(function) {
      let body = layout.functions[layout.aliases(of: function).upperBound - 1]
      ordered.append(AddressRange(start: body.address, size: body.size ?? 0))
    }
    let movable = Set(ordered.flatMap { Array(size.pages(of: $0)) })
    var fixed: [RefineDocument.FixedPage] = []
    var seen: Set<StatedPage> = []
    for page in pages.pages where page.access == .execute && page.segment == .text {
      let number = size.page(of: page.address)
      guard !movable.contains(number), seen.insert(number).inserted else { continue }
      let section = layout.section(containing: page.instruction ?? page.address)
        .map { layout.sections[$0] }
      fixed.append(
        RefineDocument.FixedPage(
          address: page.address, function: page.function, section: section.map(\.name)))
    }
    return RefineDocument.Floor(
      startupBytes: ordered.map(\.size).saturatingSum(), pageSize: size, fixed: fixed)
  }
}

extension PagesDocument.Image {
  /// The number of distinct pages of the executable segment in which something was executed.
  fileprivate func executedPages(_ size: PageSize) -> Int { textCount(executed: true, size) }
}
