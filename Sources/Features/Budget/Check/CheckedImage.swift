import Audit
import ImageModel
import Measuring
import PagesFormat
import Prediction
import Rendering
import Stages

/// The figures that documents state for one image, and the facts that can explain why a figure grew.
package struct CheckedImage: Hashable, Sendable {
  /// The identity that the documents state together. It has the file name in place of the path, and the ID of the build
  /// that was checked.
  package var reference: ImageReference
  package var figures: [Figure] = []
  /// The startup functions of the layout; `nil` if no document has them.
  package var functions: [PlacedFunction]?
  /// The functions that were the first to touch pages; `nil` if no document has them.
  package var firstTouches: [FirstTouch]?
  /// The libraries that the image loads; `nil` if no document has them.
  package var libraries: [AuditFigures.Library]?
  package var initializers: [SymbolName]?
  /// The start-up tasks that run, as `stages` names them (`database of first screen`); `nil` if no document has them.
  package var tasks: [SymbolName]?
  /// Startup functions that a layout lacks, and lines that the linker was unable to follow.
  package var missing: [NameWithReason] = []
  package var unorderable: [NameWithReason] = []
  /// Comparisons of builds that were launched in turn, by state of the page cache.
  package var times: [Times] = []
  /// The times of divided launches; not in JSON.
  package var stageTimes: [StageKey: StageTime] = [:]
  /// The comparisons with the base's launches that documents of divided launches have, by state of the page cache; not
  /// in JSON.
  package var stagesComparisons: [String?: StagesComparison] = [:]

  /// Identifies a time of divided launches.
  package struct StageKey: Hashable, Sendable {
    /// The name of the figure in budgets.
    package var id: String
    /// The state of the page cache; `nil` for launches on other machines.
    package var state: String?
  }

  /// The files and the launch that the documents name; not in JSON.
  var origin = Origin()

  /// Whether the figures of the image come from a history; not in JSON.
  var isOfHistory = false

  /// The path of the document that states `reference`; not in JSON.
  fileprivate var referenceSource = ""

  package init(name: String) { reference = ImageReference(path: name) }

  package var name: String { reference.name }

  /// The maximum number of images of one check, and of figures of one image: more than anybody has, and few enough to
  /// be searched one by one.
  static let mostImages = 200
  static let mostFigures = 2500

  package struct Figure: Hashable, Sendable {
    package var source: HistorySeries.Source
    package var pageSize: PageSize?
    package var state: String?
    package var metric: HistoryMetric
    /// The path of the document that states the figure.
    package var document: String

    package init(
      source: HistorySeries.Source, pageSize: PageSize? = nil, state: String? = nil,
      metric: HistoryMetric, document: String
    ) {
      self.source = source
      self.pageSize = pageSize
      self.state = state
      self.metric = metric
      self.document = document
    }

    /// The name of the figure in budgets, such as `pages.textPages`.
    package var id: String { "\(source.rawValue).\(metric.name)" }
  }

  /// The files and the launch that documents name, for the commands that renew the order file.
  struct Origin: Hashable {
    /// The path of the image; `nil` if no document states it.
    var image: String?
    var order: String?
    var traces: [String] = []
    /// Whether the traces have nearly all startup functions under names of this build.
    var isRecorded = false
    /// The words of the launch; `nil` if they are unknown.
    var launch: [String]?
  }

  /// The pages of 4 KiB that a function was the first to touch in a segment.
  package struct FirstTouch: Hashable, Sendable {
    package var segment: Segment
    package var function: SymbolName
    package var pages: Int
  }

  package struct Times: Hashable, Sendable {
    package var state: String
    package var launches: Int
    /// The comparisons of the base with this build; empty if only one build was launched.
    package var comparisons: [MeasureDocument.Comparison]

    package init(state: String, launches: Int, comparisons: [MeasureDocument.Comparison]) {
      self.state = state
      self.launches = launches
      self.comparisons = comparisons
    }
  }

  /// Returns the figure of this image that has the name, source, page size and state of `other`; `nil` if the image has
  /// no such figure.
  func figure(like other: Figure) -> Figure? {
    figures.first {
      $0.source == other.source && $0.metric.name == other.metric.name
        && $0.pageSize == other.pageSize && $0.state == other.state
    }
  }
}

extension CheckedImage {
  /// Adds the identity of the image that a document states.
  ///
  /// - Throws: `mismatch` if the identity contradicts another document.
  fileprivate mutating func state(
    _ stated: ImageReference, in document: String
  ) throws(Diagnostic) {
    if let difference = stated.difference(from: reference, ofOneBuild: true) {
      throw Diagnostic(
        "\(printable(name)) is of \(difference), unlike in '\(printable(referenceSource))'",
        context: [document], hint: "give documents of one build",
        severity: .mismatch)
    }
    guard
      reference.architecture == nil && stated.architecture != nil
        || reference.id == nil && stated.id != nil
    else { return }
    reference.architecture = stated.architecture ?? reference.architecture
    reference.id = stated.id ?? reference.id
    referenceSource = document
  }
}

extension [CheckedImage] {
  /// Adds the figures of a document.
  ///
  /// - Throws: if another document has the same figures; `mismatch` if another document is of another architecture or
  ///   build.
  package mutating func add(_ document: CommittedDocument, path: String) throws(Diagnostic) {
    var names: Set<String> = []
    var isOfTwoBuilds = false
    if case .measure = document.content { isOfTwoBuilds = true }
    for image in document.images {
      guard isOfTwoBuilds || names.insert(image.reference.name).inserted else {
        throw Diagnostic(
          "the document has two images called '\(printable(image.reference.name))'",
          context: [path], hint: "a check distinguishes images by their file names")
      }
      let index = index(of: image.reference)
      guard count <= CheckedImage.mostImages else {
        throw Diagnostic(
          "too many images: expected at most \(CheckedImage.mostImages)", context: [path])
      }
      try self[index].state(image.reference, in: path)
      for set in image.sets {
        for metric in set.metrics {
          let figure = CheckedImage.Figure(
            source: set.source, pageSize: set.pageSize, state: set.machine?.state, metric: metric,
            document: path)
          if let first = self[index].figure(like: figure) {
            throw Diagnostic(
              "'\(printable(first.document))' and '\(printable(path))' both have \(figure.id) of \(printable(self[index].name))",
              hint: "check each launch separately, with one document of each kind for each image")
          }
          self[index].figures.append(figure)
        }
      }
    }
    addEvidence(of: document.content)
  }

  mutating func index(of image: ImageReference) -> Int {
    let name = image.name
    if let index = firstIndex(where: { $0.name == name }) { return index }
    append(CheckedImage(name: name))
    return count - 1
  }

  private mutating func addEvidence(of content: CommittedDocument.Content) {
    switch content {
    case .audit(let figures):
      let image = index(of: figures.image)
      self[image].libraries = figures.libraries
      self[image].initializers = figures.initializers.compactMap { $0 }
      self[image].tasks = figures.tasks.filter(\.runs).map(\.title)
    case .diff(let document):
      let image = index(of: document.after.image)
      self[image].functions = document.compliance.functions
      self[image].missing = document.missing
      self[image].unorderable = document.compliance.order?.unorderable ?? []
      self[image].note(document)
    case .pages(let document):
      for found in document.images {
        let image = index(of: found.image)
        self[image].firstTouches = found.firstTouches
        self[image].origin.image = self[image].origin.image ?? found.path
        if document.images.count == 1 || found == document.images.first {
          self[image].origin.launch = document.command
        }
      }
    case .measure(let document):
      for state in document.states {
        let side = state.sides.first { $0.name == "after" } ?? state.sides[0]
        let image = index(of: side.program)
        self[image].times.append(
          CheckedImage.Times(
            state: state.cache.rawValue, launches: state.launches, comparisons: state.comparisons))
      }
    case .auto(let figures):
      for found in figures.images {
        let image = index(of: found.image)
        self[image].functions = self[image].functions ?? found.startupFunctions
        if self[image].unorderable.isEmpty {
          self[image].unorderable = found.compliance.unorderable
        }
      }
    case .stages(let document):
      guard let reference = document.image, let samples = try? document.samples() else { break }
      let image = index(of: reference)
      let state = document.figureState
      self[image].stagesComparisons[state] = document.comparison
      for sample in samples {
        self[image].stageTimes[CheckedImage.StageKey(id: sample.figure.id, state: state)] =
          StageTime(sample, document.comparison)
      }
    case .faults, .gen, .verify: break
    }
  }
}

extension PagesDocument.Image {
  /// The first touches by segment and name. In the executable segment, only executed pages count.
  fileprivate var firstTouches: [CheckedImage.FirstTouch] {
    struct Key: Hashable {
      var segment: Segment
      var name: SymbolName
    }
    var counts: [Key: Int] = [:]
    for page in pages {
      guard let name = page.function, page.segment != .text || page.access == .execute else {
        continue
      }
      counts[Key(segment: page.segment, name: name), default: 0] += 1
    }
    return counts.map {
      CheckedImage.FirstTouch(segment: $0.key.segment, function: $0.key.name, pages: $0.value)
    }
    .sorted { ($0.segment.rawValue, $0.function) < ($1.segment.rawValue, $1.function) }
  }
}
