import Addresses
import ByteReading
import ClusterProfileFormat
import CommandSupport
import FunctionOrder
import ImageModel
import LaunchMeasurement
import OrderFileFormat
import OrderFileMatching
import Ordering
import PagesFormat
import ProcessLaunch
import Rendering
import Symbolication

/// The search for a better order. It changes the best order in one way after the other, relinks and counts pages each
/// time, and ends when no change helps.
struct Refinement {
  private let image: RelinkedImage
  private let launches: [RefinedLaunch]
  private let size: PageSize
  private(set) var best: Trial
  /// The trial of the given order.
  let given: Trial
  /// A note for each optional launch that failed with the given order. The order is not improved for such a launch.
  let notes: [Diagnostic]
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
  /// - Parameter launches: the launches that the order is improved for, at least one.
  /// - Throws: also if functions are to be split, and the image has no map of its basic blocks.
  init(_ given: Candidate, image: RelinkedImage, launches: [RefinedLaunch], size: PageSize) throws {
    self.image = image
    self.size = size
    var made = MadeLaunches()
    best = try Trial(of: given, image, launches, &made)
    try made.check()
    self.given = best
    notes = made.notes
    self.launches = best.launches.map { $0.launch.required }
    if given.profile != nil, try best.release.blockMap() == nil {
      throw Diagnostic.unsplittable(best.release.path)
    }
    image.keep()
    tried.insert(given)
    path.append(best.step("as given", isKept: true))
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
    var made = MadeLaunches()
    let trial = try Trial(of: candidate.candidate, image, launches, &made)
    let isBetter = trial.count(size) < best.count(size)
    path.append(trial.step(candidate.name, isKept: isBetter))
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
    guard order.dialect.ordersData, let data = trial.launches[0].data else { return nil }
    let architecture = trial.release.architecture
    var seen: Set<Part> = []
    let missing = trial.launches.compactMap(\.data)
      .flatMap { $0.missing(from: order, architecture) }.filter { seen.insert($0).inserted }
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

  /// The figures of the launches that have names.
  var launchesOfFile: [RefineDocument.Launch] {
    zip(zip(given.launches, best.launches), best.floors(size)).compactMap { launches, floor in
      let (before, after) = launches
      guard let name = before.launch.name else { return nil }
      return RefineDocument.Launch(
        name: name, before: before.counts, after: after.counts, floorPages: floor.pages)
    }
  }

  /// The best order as a file with a comment that it is refined, without the entries whose symbols its image lacks:
  /// their functions were renamed or removed since they were recorded. A file with patterns that needs no other change
  /// gets no comment, because patterns can't be written again.
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

}
