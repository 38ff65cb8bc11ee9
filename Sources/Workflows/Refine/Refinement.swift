import Addresses
import ByteReading
import FunctionOrder
import ImageModel
import LaunchMeasurement
import OrderFileFormat
import PagesFormat
import ProcessLaunch
import Reporting
import Symbolication

/// The search for a better order: it tries move after move, each relinked and measured, until none helps.
struct Refinement {
  private let image: RelinkedImage
  private let launch: RefinedLaunch
  private let size: PageSize
  private(set) var best: Trial
  /// All orders that were tried, in sequence; the first is the given order.
  private(set) var path: [RefineDocument.Step] = []
  private var tried: Set<[UInt8]> = []

  /// An order, and the pages that a launch of its build touched.
  struct Trial {
    var order: OrderFile
    var bytes: [UInt8]
    var release: ReleaseLayout
    var pages: PagesDocument.Image
    var uses: [FirstUse]
    var warnings: [Diagnostic]
  }

  private static let moves: [OrderRefinement.Move] = [
    .addMissing, .unusedLast, .largeLast(bytes: 16 << 10), .largeLast(bytes: 8 << 10),
    .largeLast(bytes: 4 << 10),
  ]

  /// Links and launches with the given order.
  init(
    _ order: OrderFile, _ bytes: [UInt8], image: RelinkedImage, launch: RefinedLaunch,
    size: PageSize
  ) throws {
    self.image = image
    self.launch = launch
    self.size = size
    best = try Self.trial(of: order, bytes, image, launch)
    image.keep()
    tried.insert(bytes)
    path.append(step("as given", best, isKept: true))
  }

  /// - Parameter progress: called after each trial.
  mutating func run(_ progress: (_ step: RefineDocument.Step) -> Void) throws {
    var isBetter = true
    while isBetter {
      isBetter = false
      for move in Self.moves where !isBetter {
        guard let candidate = try candidate(move) else { continue }
        let trial = try Self.trial(of: candidate.order, candidate.bytes, image, launch)
        isBetter = count(trial) < count(best)
        path.append(step(candidate.name, trial, isKept: isBetter))
        progress(path[path.count - 1])
        if isBetter {
          image.keep()
          best = trial
        }
      }
    }
    image.restore()
  }

  /// Whether the best order differs from the given one.
  var isBetter: Bool { path.dropFirst().contains { $0.isKept } }

  /// The best order as a file, without the entries that its image lacks: of functions that were renamed or removed
  /// since they were recorded.
  var written: (bytes: [UInt8], dropped: Int) {
    let (entries, dropped) = best.order.entriesOfSymbols(
      in: best.release.layout, architecture: best.release.architecture)
    guard dropped > 0 else { return (best.bytes, 0) }
    return (best.order.dialect.write(entries, header: header).bytes, dropped)
  }

  private var header: [String] {
    best.order.comments.map { comment in
      String(decoding: comment.text.trimmingPrefix { $0 == UInt8(ascii: " ") }, as: UTF8.self)
    }
  }

  /// The number of pages of the requested size, then of 4 KiB.
  private func count(_ trial: Trial) -> (Int, Int) {
    (trial.pages.executedPages(size), trial.pages.executedPages(.fourKibibytes))
  }

  /// The floor: a lower bound, computed for the best order.
  var floor: RefineDocument.Floor {
    let layout = best.release.layout
    let placed = Set(
      best.order.parts(in: layout, architecture: best.release.architecture)
        .flatMap { $0 }.map { layout.aliases(of: $0.function).lowerBound })
    var ordered: [AddressRange] = []
    for function in Set(best.uses.map(\.part.function)).sorted() where placed.contains(function) {
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

  /// The best order changed by `move`; `nil` if that order was already tried.
  private mutating func candidate(
    _ move: OrderRefinement.Move
  ) throws -> (name: String, order: OrderFile, bytes: [UInt8])? {
    let layout = best.release.layout
    let refinement = OrderRefinement(
      entries: best.order.parts(in: layout, architecture: best.release.architecture),
      uses: best.uses, layout: layout)
    let map = SymbolMap(layout)
    let entries = refinement.applying(move).flatMap { element in
      switch element {
      case .entry(let index): return [best.order.entries[index]]
      case .part(let part):
        return PlacingEntries(
          of: layout.allAliases(of: part), in: map, for: best.order.dialect
        ).entries
      }
    }
    let bytes = best.order.dialect.write(entries, header: header).bytes
    guard tried.insert(bytes).inserted else { return nil }
    let name: String
    switch move {
    case .addMissing: name = "add \(counted(refinement.missing.count, "missing function"))"
    case .unusedLast: name = "unused functions last"
    case .largeLast(let size): name = "functions of \(size >> 10) KiB and more last"
    }
    return (name, try InputFile.orderFile(FileBytes(bytes), "", of: layout.imageFormat), bytes)
  }

  /// - Throws: "interrupted" if that is why something has failed.
  private static func trial(
    of order: OrderFile, _ bytes: [UInt8], _ image: RelinkedImage, _ launch: RefinedLaunch
  ) throws -> Trial {
    func orInterrupted<Result>(_ body: () throws -> Result) throws -> Result {
      let result = Swift.Result { try body() }
      if Interruption.hasCome { throw Diagnostic("interrupted") }
      return try result.get()
    }
    try orInterrupted { try image.link(bytes) }
    let release = try ReleaseLayout(path: image.path)
    let pages = try orInterrupted { try launch.pages(ofImage: image.path) }
    let (uses, warnings) = try orInterrupted { try launch.uses(of: release, pages) }
    return Trial(
      order: order, bytes: bytes, release: release, pages: pages, uses: uses,
      warnings: release.warnings + warnings)
  }

  private func step(_ move: String, _ trial: Trial, isKept: Bool) -> RefineDocument.Step {
    RefineDocument.Step(
      move: move, entries: trial.order.entries.count,
      textPages: trial.pages.executedPages(.fourKibibytes),
      textPages16k: trial.pages.executedPages(.sixteenKibibytes),
      textPages64k: trial.pages.executedPages(.sixtyFourKibibytes), isKept: isKept)
  }
}

extension PagesDocument.Image {
  /// The number of distinct pages of the executable segment in which something was executed.
  func executedPages(_ size: PageSize) -> Int { textCount(executed: true, size) }
}
