import Addresses
import CommandSupport
import FaultEstimate
import ImageModel
import PagesFormat
import Rendering

/// The result of `orderfile diff`: the page faults that a launch is predicted to take in two layouts, and the
/// measurements of launches.
package struct DiffDocument: Hashable, Sendable {
  package var before: Layout
  package var after: Layout
  /// The source of the startup functions: `2 traces`, `app.order`.
  package var startupSource: String
  /// The number of startup functions, and how many of them each layout has; `nil` if this is unknown.
  package var presence: Presence?
  /// Startup functions that are not counted in one layout or both, earliest use first.
  package var missing: [NameWithReason]
  /// How much of the recorded image's code could be recorded; `nil` if this is unknown.
  package var recordable: RecordableCode?
  /// Why `recordable` is unknown; `nil` if it is known.
  package var recordableUnknown: RecordableUnknown?
  /// The code of the layouts that the recorded build lacks; `nil` if this is unknown.
  package var newCode: NewCode?
  /// The recorded image's file name; `nil` without traces.
  package var recordedImage: String?
  /// The sizes of the two images; `nil` unless both are ELF images.
  package var imageSizes: BeforeAfter<ImageSizes>?
  package var prediction: DiffPrediction
  /// Why `diff` predicts nothing, as one sentence; `nil` if the figures of `prediction` are a prediction.
  package var refusal: String?
  /// Why the pages of data are not predicted although touches were recorded, as one sentence; otherwise `nil`.
  package var dataPagesUnknown: String?
  package var measurement = Measurement()
  package var compliance: Compliance
  /// The files and the launch of the comparison.
  package var inputs = Inputs()
  /// The steps that would save pages of the layout after; empty if nothing is predicted.
  package var nextSteps: [NextStep] = []
  /// The warnings, which the caller prints after the result. Each is one sentence that includes its context, and a
  /// hint.
  package var warnings: [Diagnostic]

  /// The files of a comparison, and the launch, as the user gave them: for commands that use them again.
  package struct Inputs: Hashable, Sendable {
    /// The words of the launch; `nil` if they are unknown.
    package var launch: [String]?
    /// The path of the order file; `nil` if none was given.
    package var order: String?
    package var traces: [String]

    package init(launch: [String]? = nil, order: String? = nil, traces: [String] = []) {
      self.launch = launch
      self.order = order
      self.traces = traces
    }
  }

  /// The measurements of the two layouts.
  package struct Measurement: Hashable, Sendable {
    /// The measured page-ins; `nil` if no recording was given.
    package var pageIns: PageInMeasurement?
    /// The measured pages; `nil` if no measured launch was given.
    package var pages: MeasuredPages?

    package init(pageIns: PageInMeasurement? = nil, pages: MeasuredPages? = nil) {
      self.pageIns = pageIns
      self.pages = pages
    }
  }

  /// Whether the layout after follows the order file, and has the recorded functions and basic blocks.
  package struct Compliance: Hashable, Sendable {
    /// How the linker followed the order file; `nil` if no order file was given.
    package var order: OrderCompliance?
    /// Startup functions whose basic blocks in the layout after differ from the recorded build, earliest use first;
    /// `nil` if they are unknown, because no blocks were recorded or one of the builds has no map of blocks.
    package var drifted: [NameWithReason]?
    /// The startup functions that the layout after has, earliest use first, each once; `nil` in a document of an
    /// earlier version.
    package var functions: [PlacedFunction]?
    /// What the image after prefetches of the launches; `nil` if the layout after is a link map, or if the image
    /// prefetches nothing.
    package var prefetch: StartupFunctionPrefetch?

    package init(
      order: OrderCompliance? = nil, drifted: [NameWithReason]? = nil,
      functions: [PlacedFunction]? = nil, prefetch: StartupFunctionPrefetch? = nil
    ) {
      self.order = order
      self.drifted = drifted
      self.functions = functions
      self.prefetch = prefetch
    }
  }

  /// The predicted pages of one of several launches.
  package struct Trace: Hashable, Sendable {
    package var path: String
    package var pages: BeforeAfter<Int>
    /// The number of launches that the trace counts as; at least 1.
    package var launches: UInt64

    package init(path: String, pages: BeforeAfter<Int>, launches: UInt64 = 1) {
      self.path = path
      self.pages = pages
      self.launches = launches
    }
  }

  /// The predicted totals of one layout.
  package struct Layout: Hashable, Sendable {
    package var image: ImageReference
    package var startupFunctions: Int
    package var startupBytes: UInt64
    package var floorPages: Int

    package var path: String { image.path }

    package init(
      _ image: ImageReference, startupFunctions: Int, startupBytes: UInt64, floorPages: Int
    ) {
      self.image = image
      self.startupFunctions = startupFunctions
      self.startupBytes = startupBytes
      self.floorPages = floorPages
    }
  }

  /// One section, or the part of it that counts for one cause.
  package struct Section: Hashable, Sendable {
    package var name: SymbolName
    /// The cause for which the section counts; `nil` for the sum of several causes.
    package var cause: TouchCause?
    package var pages: BeforeAfter<Int>
    package var windows64k: BeforeAfter<Int>
    /// The number of startup functions in the section, in the layout after the change.
    package var startupFunctions: Int
    package var startupBytes: UInt64
    package var floorPages: Int
  }

  /// The sums of the figures of all sections.
  package var total: Section {
    Section(
      name: "TOTAL", cause: nil, pages: prediction.pages, windows64k: prediction.windows64k,
      startupFunctions: after.startupFunctions, startupBytes: after.startupBytes,
      floorPages: after.floorPages)
  }
}

extension DiffDocument.Section {
  /// The sum of several sections. A sum that would overflow stays at the maximum.
  init(_ sections: some Collection<Self>, name: SymbolName) {
    self.init(
      name: name, cause: nil, pages: .sum(sections.map(\.pages)),
      windows64k: .sum(sections.map(\.windows64k)),
      startupFunctions: sections.map(\.startupFunctions).saturatingSum(),
      startupBytes: sections.map(\.startupBytes).saturatingSum(),
      floorPages: sections.map(\.floorPages).saturatingSum())
  }
}

/// The reads that an Apple kernel is predicted to make in the two layouts.
package struct XNUReadsChange: Hashable, Sendable {
  /// The kernel's name: `iOS`, `macOS`.
  package var kernel: String
  package var reads: BeforeAfter<Int>
  package var bytesRead: BeforeAfter<Int>
}
