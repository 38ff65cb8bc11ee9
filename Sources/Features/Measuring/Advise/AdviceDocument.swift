import ImageModel
import LaunchMeasurement
import PagesFormat

/// Changes to how an image is built, each with what a launch of the changed image touches and costs.
package struct AdviceDocument: Hashable, Sendable {
  package var image: ImageReference
  /// The words of the launched command.
  package var command: [String]
  /// What was measured besides pages.
  package var measurement = AdviceMeasurement()
  /// Whether the files that the options of `together` name were written to a folder of the user.
  package var keepsFiles = false
  /// Whether the command takes its options from a toolset of SwiftPM.
  package var usesToolset = false
  /// The name of the toolset with the options of `together`, among the files of the user's folder.
  static let toolsetName = "toolset.json"
  /// The image as it is built now.
  package var present: Build
  /// What a second measurement of the same image found: the difference is noise. `nil` if nothing was measured.
  package var again: Costs?
  /// How much the pages of two launches of the same image differ; `nil` if it was launched once.
  package var variation: Int?
  /// The changes: first those that keep the program's behaviour, then the others. Within both, the change that saves
  /// the most pages is first.
  package var changes: [Change]
  /// The best of the changes that keep the program's behaviour, used together; `nil` if nothing was linked, or if no
  /// such change saves a page.
  package var together: Together?
  /// Warnings, which the caller prints after the result.
  package var warnings: [Diagnostic]

  package init(_ image: ImageReference, command: [String], present: Build) {
    self.image = image
    self.command = command
    self.present = present
    changes = []
    warnings = []
  }

  /// A build of the image: what its launch touches and costs.
  package struct Build: Hashable, Sendable {
    /// Pages of code that the launch executed.
    package var text: DataPages.Counts
    /// Pages that the launch read or wrote.
    package var data: DataPages
    /// The size of the image's file.
    package var fileBytes: UInt64
    /// What launches cost; `nil` if this was not measured.
    package var costs: Costs?

    package init(_ image: PagesDocument.Image, fileBytes: UInt64) {
      text = PagesDocument.pageSizes.map { image.textCount(executed: true, $0) }
      data = DataPages(of: image)
      self.fileBytes = fileBytes
    }

    /// The number of executed pages of 4 KiB, plus the number of pages that were read or written.
    package var pages: Int { text[0] + data.total[0] }
  }

  /// What launches of a build cost.
  package struct Costs: Hashable, Sendable {
    /// The launches in each state of the page cache; `nil` if they were not measured.
    package var cold: Launches?
    package var warm: Launches?
    /// The resident memory; `nil` if it was not measured.
    package var memory: Memory?

    package init() {}

    package subscript(state: CacheState) -> Launches? {
      get { state == .cold ? cold : warm }
      set { if state == .cold { cold = newValue } else { warm = newValue } }
    }
  }

  /// The launches of a build in one state of the page cache.
  package struct Launches: Hashable, Sendable {
    package var count: Int
    /// The median of the wall times, in nanoseconds.
    package var wallNanoseconds: Double
    /// The comparison of the wall times with the build without changes; `nil` for this build itself.
    package var comparison: ProgramComparison?
    /// The medians of the major faults and of the requests to the device; `nil` if there was no device that counts
    /// requests.
    package var majorFaults: Double
    package var requests: Double?

    /// - Parameter before: the launches of the build without changes, parallel to `launches`.
    /// - Precondition: there is at least one launch.
    package init(_ launches: [MeasuredLaunch], since before: [MeasuredLaunch]? = nil) {
      func median(_ values: [UInt64]) -> Double { SampleSummary(values.map { Double($0) }).median }
      count = launches.count
      wallNanoseconds = median(launches.map(\.wallNanoseconds))
      comparison = before.flatMap { ProgramComparison(.wallTime, $0, launches) }
      majorFaults = median(launches.map(\.majorFaults))
      let requests = launches.compactMap(\.requests)
      self.requests = requests.count == launches.count ? median(requests) : nil
    }

    /// Whether the launches have fewer major faults or make fewer requests than `other`, and not more of either.
    package func costsLess(than other: Launches) -> Bool {
      guard let requests, let others = other.requests else { return false }
      return requests <= others && majorFaults <= other.majorFaults
        && (requests < others || majorFaults < other.majorFaults)
    }
  }

  /// The resident memory of warm launches, in bytes: medians.
  package struct Memory: Hashable, Sendable {
    package var launches: Int
    /// The memory of the process.
    package var rss: UInt64
    /// The memory of the process that is of the image.
    package var imageRSS: UInt64

    package init(_ figures: MemoryFigures) {
      func median(_ values: [UInt64]) -> UInt64 { values.sorted()[values.count / 2] }
      launches = figures.launches.count
      rss = median(figures.launches.map(\.rss))
      imageRSS = median(figures.launches.map(\.imageRSS))
    }
  }

  package struct Change: Hashable, Sendable {
    package var name: String
    package var linking: [String]
    package var compiling: [String]
    package var effect: String
    package var needs: String?
    package var givesUp: String?
    package var outcome: Outcome

    package init(
      name: String, linking: [String], compiling: [String], effect: String, needs: String?,
      givesUp: String?, outcome: Outcome
    ) {
      self.name = name
      self.linking = linking
      self.compiling = compiling
      self.effect = effect
      self.needs = needs
      self.givesUp = givesUp
      self.outcome = outcome
    }
  }

  package enum Outcome: Hashable, Sendable {
    /// The image was built with the change, and the pages of its launch were counted.
    case measured(Build)
    /// The change saves this number of 4 KiB pages that are read or written, according to the image's tables.
    case predicted(saved: Int)
    /// The command makes the same image with the change as without it.
    case unchanged
    /// The build or the launch fails, for this reason.
    case failed(String)
  }

  package struct Together: Hashable, Sendable {
    /// The names of the changes.
    package var names: [String]
    package var linking: [String]
    package var compiling: [String]
    package var build: Build

    package init(names: [String], linking: [String], compiling: [String], build: Build) {
      self.names = names
      self.linking = linking
      self.compiling = compiling
      self.build = build
    }
  }
}

extension AdviceDocument {
  /// Returns the number of 4 KiB pages of code and data that the change saves. It is negative if the change adds pages,
  /// and `nil` if the image can't be built with the change.
  package func saved(by change: Change) -> Int? {
    switch change.outcome {
    case .measured(let build): present.pages - build.pages
    case .predicted(let saved): saved
    case .unchanged: 0
    case .failed: nil
    }
  }

  /// Returns `changes` in the order of the document.
  func bestFirst(_ changes: [Change]) -> [Change] {
    changes.enumerated().sorted { a, b in
      func key(_ item: (offset: Int, element: Change)) -> (Int, Int, Int) {
        let saved = saved(by: item.element)
        return (item.element.givesUp == nil ? 0 : 1, saved.map { -$0 } ?? .max, item.offset)
      }
      return key(a) < key(b)
    }.map(\.element)
  }

  /// Corrects the p value of each comparison for the number of comparisons in this document.
  mutating func correctForTheirNumber() {
    var p: [Double] = []
    forEachCosts { costs in p += CacheState.allCases.compactMap { costs[$0]?.comparison?.p } }
    var corrected = ProgramComparison.corrected(p)[...]
    forEachCosts { costs in
      for state in CacheState.allCases where costs[state]?.comparison != nil {
        costs[state]?.comparison?.correctedP = corrected.removeFirst()
      }
    }
  }

  private mutating func forEachCosts(_ body: (inout Costs) -> Void) {
    if var costs = again {
      body(&costs)
      again = costs
    }
    for index in changes.indices {
      guard case .measured(var build) = changes[index].outcome, var costs = build.costs else {
        continue
      }
      body(&costs)
      build.costs = costs
      changes[index].outcome = .measured(build)
    }
    if var costs = together?.build.costs {
      body(&costs)
      together?.build.costs = costs
    }
  }
}
