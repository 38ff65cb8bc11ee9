import Addresses
import CommandSupport
import FaultEstimate
import ImageModel
import OrderFileMatching
import PagesFormat
import Rendering

/// The predicted touches of the same launches in each layout: one layout for a report or an export, two for a
/// difference.
package struct LayoutEstimates {
  /// The launches, the kernel and the settings of an estimate.
  package struct Options {
    /// `traces` and `weighted` are the parameters of `LaunchFiles.init`.
    package var traces: [String] = []
    package var weighted: [String] = []
    /// Traces and profiles that were opened before; `nil` opens the files that `traces` and `weighted` name.
    package var openedLaunches: LaunchFiles?
    /// Whether files that can't be read are left out with a warning.
    package var keepsGoing = false
    /// The path of the order file that the last layout was linked with.
    package var order: String?
    /// The paths of recorded images.
    package var recorded: [String] = []
    /// The architecture of the slice to read from a universal file.
    package var architecture: Architecture?
    package var pageSize = PageSizeChoice.automatic
    package var faultAround = KernelSize.bytes(64 << 10)
    package var readAhead = KernelSize.bytes(128 << 10)
    /// The smallest recordable share of the recorded image's code for which a prediction is made. A value above
    /// `RecordableCode.leastShare` has no effect.
    package var minInstrumented: Share?
    /// The words of the launch, for the commands of next steps; `nil` if they are unknown.
    package var launch: [String]?
    /// Steps that were measured and did not pay. `diff` does not suggest these steps.
    package var rejectedSteps: Set<NextStep.Kind> = []

    package init() {}

    /// Returns the opened traces and profiles; `nil` if none are given.
    func launchFiles() throws(Diagnostic) -> LaunchFiles? {
      if let openedLaunches { return openedLaunches }
      if traces.isEmpty && weighted.isEmpty { return nil }
      return try LaunchFiles(traces, weighted: weighted, keepsOpen: true)
    }

    func sizeOfPages(of layouts: PredictedLayouts) -> PageSize {
      pageSize.pageSize(for: layouts.architecture, format: layouts.imageFormat)
    }
  }

  package let layouts: PredictedLayouts
  /// One estimate for each layout; never empty.
  let all: [LayoutEstimate]
  let startup: StartupUses
  /// The paths of the traces, as they were given.
  let tracePaths: [String]
  /// The words of the launch; `nil` if they are unknown.
  let launch: [String]?
  let rejectedSteps: Set<NextStep.Kind>
  /// The facts about the launches, for each layout.
  private let facts: [LaunchFacts]
  private let factWarnings: [Diagnostic]
  package let pageSize: PageSize
  /// The order file; `nil` without an order file.
  package let order: LinkedOrder?
  /// Why too little could be recorded for a prediction; `nil` if enough could be recorded.
  package let refusal: String?

  /// Reads the launches that `options` name.
  ///
  /// - Throws: an error if a file can't be read or if nothing states the startup functions; `mismatch` if the
  ///   files do not belong together.
  package init(_ options: Options, of layouts: PredictedLayouts) throws(Diagnostic) {
    let pageSize = options.sizeOfPages(of: layouts)
    let order = try options.order.map { path throws(Diagnostic) in
      try LinkedOrder(path, of: layouts)
    }
    var uses = try StartupUses(options, order: order?.file, in: layouts)
    try uses.check(layouts)
    let startup = uses.uses.startupFunctions(
      of: layouts.all.map(\.layout), pageSize: pageSize)
    (facts, factWarnings) = layouts.launchFacts(
      of: startup, recordsEveryFunction: uses.recordsEveryFunction)
    let kernel = LinuxKernel(
      faultAround: options.faultAround, readAhead: options.readAhead, path: layouts.last.path,
      architecture: layouts.architecture)
    var estimates: [LayoutEstimate] = []
    for (place, release) in layouts.all.enumerated() {
      estimates.append(
        LayoutEstimate(
          of: release.layout, startup: startup[place], pageSize: pageSize, facts: facts[place],
          kernel: kernel, unplaced: uses.unplaced))
    }
    try order?.checkProgram(layouts.last.path)
    all = estimates
    self.startup = uses
    tracePaths = options.openedLaunches.map { $0.files.map(\.path) } ?? options.traces
    launch = options.launch
    rejectedSteps = options.rejectedSteps
    self.layouts = layouts
    self.pageSize = pageSize
    self.order = order
    refusal = Self.refusal(uses.recordable, options.minInstrumented)
  }

  private static func refusal(_ code: RecordableCode?, _ asked: Share?) -> String? {
    let least = [RecordableCode.leastShare, asked].compactMap { $0 }.min()
    guard let code, let least, code.portion.reaches(least) == false else { return nil }
    return "no prediction: \(code.wording); whether a launch runs the rest is unknown"
  }
}

extension LayoutEstimates {
  /// The estimate for the layout before, if there are two layouts.
  package var first: LayoutEstimate { all[0] }
  package var last: LayoutEstimate { all[all.count - 1] }

  /// The number of launches that use the function of each step; empty unless there are several launches.
  package var launchesOfSteps: [Int] { startup.launchesOfSteps }

  /// The recorded image's file name; `nil` without traces.
  package var recordedImage: String? { startup.recordedImage }

  /// Returns the predicted pages of each launch in the layout at `place`, in the order of `startup.launches`.
  func pagesOfLaunches(in place: Int) -> [Int] {
    startup.launches.map { launch in
      LayoutEstimate.pages(
        of: layouts.all[place].layout, steps: launch.uses.map { all[place].startup[$0].parts },
        pageSize: pageSize, facts: facts[place])
    }
  }

  /// The startup functions that the last layout has and that have a name. Of several aliases, only the first that was
  /// used is listed.
  var placedFunctions: [PlacedFunction] {
    let layout = layouts.last.layout
    let ordered = order?.check.orderedAddresses
    var places: Set<StatedAddress> = []
    return last.startup.usedFunctions.compactMap { index in
      let function = layout.functions[index]
      guard let name = layout.symbolName(of: function), places.insert(function.address).inserted
      else { return nil }
      return PlacedFunction(
        name: name, address: function.address, bytes: function.knownBytes,
        isOrdered: ordered?.contains(function.address))
    }
  }

  /// Returns the warnings about the input files, and the warnings `measured` about measured launches.
  func inputWarnings(besides measured: [Diagnostic]) -> [Diagnostic] {
    layouts.warnings + factWarnings + measured + startup.warnings
  }

  /// Returns the steps that would save pages of the last layout; empty if too little could be recorded.
  ///
  /// - Parameter measured: the measured launch of the last layout.
  package func nextSteps(measured: MeasuredPages.Side? = nil) -> [NextStep] {
    guard refusal == nil else { return [] }
    return NextSteps(StepFacts(self, measured: measured, launch: launch)).steps
  }

  /// Returns all warnings of a prediction for one layout. Each is one sentence that includes its context, and a hint.
  ///
  /// - Parameter measured: warnings about measured launches.
  package func warnings(besides measured: [Diagnostic] = []) -> [Diagnostic] {
    let ambiguity = last.ambiguityWarning("the layout", hasOthers: last.hasOthers)
    return
      (inputWarnings(besides: measured) + [ambiguity].compactMap { $0 }
      + (order?.warnings(layouts) ?? []) + suggestions).map(\.withContextInMessage)
  }
}
