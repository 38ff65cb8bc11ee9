import Addresses
import ByteReading
import ClusterProfileFormat
import CommandSupport
import FunctionOrder
import ImageModel
import LaunchMeasurement
import OrderFileFormat
import Ordering
import PagesFormat
import ProcessLaunch
import Rendering
import Symbolication

/// The search for a better order. It changes the best order in one way after the other, relinks and counts pages each
/// time, and ends when no change helps.
struct Refinement {
  private let image: RelinkedImage
  private let launch: RefinedLaunch
  private let size: PageSize
  private(set) var best: Trial
  /// All orders that were tried, in sequence; the first is the given order.
  private(set) var path: [RefineDocument.Step] = []
  private var tried: Set<Candidate> = []

  /// The order file and profile with which an image is linked.
  struct Candidate: Hashable {
    var order: OrderFile
    /// The contents of the order file.
    var bytes: [UInt8]
    /// The lines of the order file for other images, which do not change.
    var others: [UInt8] = []
    /// The profile for splitting functions; `nil` if functions are not split.
    var profile: ClusterProfile?

    /// The bytes of the profile's file.
    var profileBytes: [UInt8]? {
      profile?.written(header: ["orderfile \(toolVersion): refined"])
    }

    static func == (a: Self, b: Self) -> Bool { a.bytes == b.bytes && a.profile == b.profile }
    func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
  }

  /// An order that was tried, and the pages that a launch of its build touched.
  struct Trial {
    var candidate: Candidate
    var release: ReleaseLayout
    var pages: PagesDocument.Image
    /// The launch's touches of data; `nil` if the image's data can't be read.
    var data: LaunchDataPages?
    var uses: [Part]
    /// The first addresses of the basic blocks that the launch ran.
    var blocks: Set<StatedAddress>
    var warnings: [Diagnostic]
  }

  private enum Move {
    case order(OrderRefinement.Move)
    /// Blocks that ran although the profile has split them off are added to the blocks that stay together.
    case growClusters
  }

  /// The greatest number of trials in a row that add data, although no page was saved yet.
  private static let mostDataRounds = 16

  private static let moves: [Move] = [
    .growClusters, .order(.addMissing), .order(.unusedLast), .order(.largeLast(bytes: 16 << 10)),
    .order(.largeLast(bytes: 8 << 10)), .order(.largeLast(bytes: 4 << 10)),
  ]

  /// Links and launches the image with the given order.
  ///
  /// - Throws: also if functions are to be split, and the image has no map of its basic blocks.
  init(_ given: Candidate, image: RelinkedImage, launch: RefinedLaunch, size: PageSize) throws {
    self.image = image
    self.launch = launch
    self.size = size
    best = try Self.trial(of: given, image, launch)
    if given.profile != nil, try best.release.blockMap() == nil {
      throw Diagnostic.unsplittable(best.release.path)
    }
    image.keep()
    tried.insert(given)
    path.append(step("as given", best, isKept: true))
  }

  /// - Parameter progress: called after each trial.
  mutating func run(_ progress: (_ step: RefineDocument.Step) -> Void) throws {
    var isBetter = true
    while isBetter {
      isBetter = false
      for move in Self.moves where !isBetter {
        guard let candidate = try candidate(move) else { continue }
        isBetter = try take(candidate, progress).isBetter
      }
      if !isBetter { isBetter = try addData(progress) }
    }
    image.restore()
  }

  /// Links and launches the image with a candidate, and keeps the candidate if it is better than the best so far.
  private mutating func take(
    _ candidate: (name: String, candidate: Candidate),
    _ progress: (_ step: RefineDocument.Step) -> Void
  ) throws -> (trial: Trial, isBetter: Bool) {
    let trial = try Self.trial(of: candidate.candidate, image, launch)
    let isBetter = count(trial) < count(best)
    path.append(step(candidate.name, trial, isKept: isBetter))
    progress(path[path.count - 1])
    if isBetter {
      image.keep()
      best = trial
    }
    return (trial, isBetter)
  }

  /// Adds entries for the data that the launch touches, until no touched data are missing.
  ///
  /// Only the first touch of each page is seen. So a page is saved only when all its data that the launch touches are
  /// listed, and a trial that saves nothing shows which data are next.
  ///
  /// - Returns: whether one of the trials was better than the best before.
  private mutating func addData(
    _ progress: (_ step: RefineDocument.Step) -> Void
  ) throws -> Bool {
    var trial = best
    var hasImproved = false
    for _ in 0..<Self.mostDataRounds {
      guard let candidate = try withData(of: trial),
        tried.insert(candidate.candidate).inserted
      else { break }
      let result = try take(candidate, progress)
      trial = result.trial
      hasImproved = hasImproved || result.isBetter
    }
    return hasImproved
  }

  /// Returns the order of `trial` with entries for the data that its launch touched and that it does not list; `nil` if
  /// there are no such data, or if the linker does not order data.
  private func withData(of trial: Trial) throws -> (name: String, candidate: Candidate)? {
    let order = trial.candidate.order
    guard order.dialect.ordersData, let data = trial.data else { return nil }
    let architecture = trial.release.architecture
    let missing = data.missing(from: order, architecture)
    guard !missing.isEmpty else { return nil }
    let entries = order.entries + data.entries(of: missing, for: order.dialect, architecture)
    return (
      "add \(counted(missing.count, "touched datum", "touched data"))",
      try candidate(entries, trial.candidate)
    )
  }

  /// Returns the order file and profile of `given` with other entries.
  private func candidate(_ entries: [OrderFileEntry], _ given: Candidate) throws -> Candidate {
    let bytes = given.order.dialect.write(
      entries, strings: given.order.strings.map(\.hash), header: header
    ).bytes
    return Candidate(
      order: try InputFile.orderFile(
        FileBytes(bytes), "", of: best.release.layout.imageFormat), bytes: bytes + given.others,
      others: given.others, profile: given.profile)
  }

  /// Whether the best order differs from the given order.
  var isBetter: Bool { path.dropFirst().contains { $0.isKept } }

  /// The best order as a file with a comment that it is refined, without the entries whose symbols its image lacks: their
  /// functions were renamed or removed since they were recorded. A file with patterns that needs no other change gets no
  /// comment, because patterns can't be written again.
  var written: (bytes: [UInt8], dropped: Int) {
    let order = best.candidate.order
    let (entries, dropped) = order.entriesOfSymbols(
      in: best.release.layout, architecture: best.release.architecture)
    let isMarked = order.comments.contains(where: \.isRefined) || !order.patterns.isEmpty
    guard dropped > 0 || !isMarked else { return (best.candidate.bytes, 0) }
    let strings = order.strings.map(\.hash)
    let marked = header.filter { $0 != OrderFileComment.refined } + [OrderFileComment.refined]
    let bytes = order.dialect.write(entries, strings: strings, header: marked).bytes
    return (bytes + best.candidate.others, dropped)
  }

  private var header: [String] {
    best.candidate.order.comments.filter { !$0.isMark }.map { comment in
      String(decoding: comment.text.trimmingPrefix { $0 == UInt8(ascii: " ") }, as: UTF8.self)
    }
  }

  /// The number of executed pages and pages of data, first of the requested size, then of 4 KiB.
  private func count(_ trial: Trial) -> (Int, Int) {
    func pages(_ size: PageSize) -> Int {
      trial.pages.executedPages(size) + (trial.data?.pages(size) ?? 0)
    }
    return (pages(size), pages(.fourKibibytes))
  }

  /// What the pages of data hold with the best order.
  var dataPages: RefineDocument.DataPages {
    best.data?.holders(best.candidate.order, best.release.architecture) ?? .init()
  }

  /// The floor: a lower bound, computed for the best order.
  var floor: RefineDocument.Floor {
    let layout = best.release.layout
    let placed = Set(
      best.candidate.order.parts(in: layout, architecture: best.release.architecture)
        .flatMap { $0 }.map { layout.aliases(of: $0.function).lowerBound })
    var ordered: [AddressRange] = []
    for function in Set(best.uses.map(\.function)).sorted() where placed.contains(function) {
      let body = layout.functions[layout.aliases(of: function).upperBound - 1]
      ordered.append(AddressRange(start: body.address, size: body.size ?? 0))
    }
    let movable = Set(ordered.flatMap { Array(size.pages(of: $0)) })
    var fixed: [RefineDocument.FixedPage] = []
    var seen: Set<StatedPage> = []
    for page in best.pages.pages where page.access == .execute && page.segment == .text {
      let number = size.page(of: page.address)
      guard !movable.contains(number), seen.insert(number).inserted else { continue }
      let section = layout.section(containing: page.instruction ?? page.address)
        .map { layout.sections[$0] }
      fixed.append(
        RefineDocument.FixedPage(
          address: page.address, function: page.function,
          section: section.map(\.name)))
    }
    return RefineDocument.Floor(
      startupBytes: ordered.map(\.size).saturatingSum(), pageSize: size, fixed: fixed)
  }

  /// Returns the best candidate, changed by `move`; `nil` if the changed candidate was already tried.
  private mutating func candidate(_ move: Move) throws -> (name: String, candidate: Candidate)? {
    let changed: (name: String, candidate: Candidate)?
    switch move {
    case .growClusters: changed = try withGrownClusters()
    case .order(let move): changed = try withOrder(movedBy: move)
    }
    guard let changed, tried.insert(changed.candidate).inserted else { return nil }
    return changed
  }

  private func withGrownClusters() throws -> (name: String, candidate: Candidate)? {
    guard let profile = best.candidate.profile, let map = try best.release.blockMap() else {
      return nil
    }
    let grown = GrownClusters(profile, executed: best.blocks, of: best.release, map)
    guard grown.addedBlocks > 0 else { return nil }
    var candidate = best.candidate
    candidate.profile = grown.profile
    return ("\(counted(grown.addedBlocks, "executed block")) out of the cold parts", candidate)
  }

  private func withOrder(
    movedBy move: OrderRefinement.Move
  ) throws -> (name: String, candidate: Candidate) {
    let layout = best.release.layout
    let order = best.candidate.order
    let refinement = OrderRefinement(
      entries: order.parts(in: layout, architecture: best.release.architecture),
      uses: best.uses, layout: layout)
    let map = SymbolMap(layout)
    let entries = refinement.applying(move).flatMap { element in
      switch element {
      case .entry(let index): return [order.entries[index]]
      case .part(let part):
        return PlacingEntries(
          of: layout.allAliases(of: part), in: map, for: order.dialect
        ).entries
      }
    }
    let name: String
    switch move {
    case .addMissing: name = "add \(counted(refinement.missing.count, "missing function"))"
    case .unusedLast: name = "unused functions last"
    case .largeLast(let size): name = "functions of \(size >> 10) KiB and more last"
    }
    return (
      name,
      try candidate(
        entries.filter { !$0.isData } + entries.filter(\.isData), best.candidate)
    )
  }

  /// - Throws: `interrupted` if the user has interrupted the command.
  private static func trial(
    of candidate: Candidate, _ image: RelinkedImage, _ launch: RefinedLaunch
  ) throws -> Trial {
    func orInterrupted<Result>(_ body: () throws -> Result) throws -> Result {
      let result = Swift.Result { try body() }
      if Interruption.hasCome { throw Diagnostic("interrupted") }
      return try result.get()
    }
    try orInterrupted { try image.link(candidate.bytes, splitBy: candidate.profileBytes) }
    let release = try ReleaseLayout(path: image.path)
    let pages = try orInterrupted { try launch.pages(ofImage: image.path) }
    let (uses, blocks, warnings) = try orInterrupted { try launch.uses(of: release, pages) }
    return Trial(
      candidate: candidate, release: release, pages: pages,
      data: ((try? release.dataLayout()) ?? nil).map { LaunchDataPages($0, pages) }, uses: uses,
      blocks: blocks,
      warnings: release.warnings + warnings)
  }

  private func step(_ move: String, _ trial: Trial, isKept: Bool) -> RefineDocument.Step {
    RefineDocument.Step(
      move: move, entries: trial.candidate.order.entries.count,
      textPages: trial.pages.executedPages(.fourKibibytes),
      textPages16k: trial.pages.executedPages(.sixteenKibibytes),
      textPages64k: trial.pages.executedPages(.sixtyFourKibibytes),
      dataPages: PagesDocument.pageSizes.map { trial.data?.pages($0) ?? 0 }, isKept: isKept)
  }
}

extension PagesDocument.Image {
  /// The number of distinct pages of the executable segment in which something was executed.
  func executedPages(_ size: PageSize) -> Int { textCount(executed: true, size) }
}
