// The startup functions of a prediction, from traces, or else from an order file.

import Addresses
import ByteReading
import CommandSupport
import FaultEstimate
import ImageModel
import OrderFileFormat
import Rendering
import Symbolication

/// The startup functions, and the functions of each layout that match them.
struct StartupUses {
  /// The used functions, each once, launch by launch, in the order of first uses. A function is listed once for each of
  /// its parts that ran.
  let uses: [MatchedFunction]
  /// The used functions, including functions of a layout to which nothing in its image refers.
  private let named: [MatchedFunction]
  /// The uses of each launch; empty if the startup functions come from an order file.
  let launches: [RecordedStartup.Launch]
  /// The source of the startup functions: "2 traces", or the path of the order file.
  let source: String
  /// Whether every function of the image could be recorded.
  let recordsEveryFunction: Bool
  private(set) var warnings: [Diagnostic]
  /// The traits of the recorded builds.
  private let recordedTraits: [ProgramTraits]
  /// How much of the recorded image's code could be recorded; `nil` if this is unknown.
  let recordable: RecordableCode?
  /// Why `recordable` is unknown; `nil` if it is known.
  let recordableUnknown: RecordableUnknown?
  /// The functions that the recorded build lacks; `nil` without traces.
  let newFunctions: NewLayoutFunctions?
  /// The recorded image's file name; `nil` without traces.
  let recordedImage: String?
  /// The number of pieces of used code that have no name and cannot be found in a layout.
  let unplaced: Int
  /// The functions whose basic blocks in the last layout differ from the recorded build; `nil` if they are unknown.
  let drifted: [NameWithReason]?
  /// The data that the launches touched, if touches of data were recorded.
  private let touchedData: TouchedGranules
  private let hasDataInProfiles: Bool
  private let recordedBuild: (TraceImage) -> ReleaseLayout?
  /// Why the last layout has no function with a name, by name.
  private var absences: [SymbolName: MissingReason]

  /// - Throws: an error if there are no startup functions, or if the traces do not belong together.
  init(
    _ options: LayoutEstimates.Options, order: OrderFile?, in layouts: PredictedLayouts
  ) throws(Diagnostic) {
    if let files = try options.launchFiles() {
      let inputs = try LaunchInputs(
        files, recorded: options.recorded, architecture: options.architecture,
        keepsGoing: options.keepsGoing)
      try self.init(recordedIn: inputs, in: layouts)
    } else {
      self.init(namedBy: order, path: options.order ?? "", in: layouts)
    }
    if uses.isEmpty {
      throw Diagnostic("missing entries: no line names a function", context: [source])
    }
  }

  private init(namedBy order: OrderFile?, path: String, in layouts: PredictedLayouts) {
    source = path
    recordsEveryFunction = false
    warnings = []
    recordedTraits = []
    recordable = nil
    recordableUnknown = .noTrace
    newFunctions = nil
    recordedImage = nil
    unplaced = 0
    launches = []
    drifted = nil
    touchedData = TouchedGranules()
    hasDataInProfiles = false
    recordedBuild = { _ in nil }
    absences = [:]
    let maps = SymbolMaps(layouts)
    let symbols = order?.symbols(for: layouts.architecture) ?? []
    let absences = layouts.all.map { $0.layout.absences(of: symbols.map(\.name)) }
    uses = symbols.compactMap { symbol in
      let function = MatchedFunction(name: symbol.name, matches: maps.matches(symbol))
      // The entry names data, or a function of another image: it was never a function of this program.
      let isOther =
        function.isMissing
        && absences.contains { $0[NameKey(symbol.name.bytes)].map { $0 != .discarded } ?? false }
      return isOther ? nil : function
    }
    named = uses
  }

  private init(
    recordedIn given: LaunchInputs, in layouts: PredictedLayouts
  ) throws(Diagnostic) {
    var inputs = given
    let last = layouts.last.layout
    let group = try inputs.builds.group(for: layouts.all.reversed())
    try inputs.checkNames(
      of: group, besides: layouts.all.map(\.image?.id),
      traits: layouts.all.map { ProgramTraits($0) }
    ) { _ throws(Diagnostic) in last }
    try inputs.addPrograms(to: group) { _ throws(Diagnostic) in last }
    let (builds, images, folding) = (inputs.builds, inputs.images, inputs.folding)
    recordsEveryFunction = builds.recordsEveryFunction(of: group)
    source = folding.sourceWording(of: group)
    recordedBuild = { images.build(of: $0) }
    let libraryName = builds.libraryName(of: group)
    recordedTraits = builds.images(of: group).map {
      ProgramTraits($0, libraryName: libraryName)
    }
    var recorded = RecordedStartup(layouts, recordedBuild: recordedBuild)
    var touched = TouchedGranules()
    try folding.forEachLaunch(of: group) {
      recorded.append($0, $1)
      touched.append($0)
    }
    touchedData = touched
    hasDataInProfiles = folding.hasDataInProfiles(of: group)
    named = recorded.uses
    let executable = ExecutableFunctions(
      of: layouts, recordedIn: builds.images(of: group))
    uses = executable.keep(named)
    launches = recorded.launches
    absences = recorded.absences
    for (kept, given) in zip(uses, named) {
      if let name = given.name, kept.lacksLast, !given.lacksLast { absences[name] = .unreferenced }
    }
    unplaced = recorded.unplaced
    drifted = recorded.drifted
    let share = inputs.recordableShare(of: group, countedIn: last)
    recordable = share.code
    recordableUnknown = share.unknownReason
    let newFunctions = NewLayoutFunctions(
      layouts, recordedIn: inputs.recordedLayouts(of: group, layouts))
    self.newFunctions = newFunctions
    let name = builds.name(of: group)
    recordedImage = name
    warnings =
      [.partlyRecordable(recordable, path: name, format: last.imageFormat)].compactMap { $0 }
      + share.warnings + builds.weakIDs(of: group) + newFunctions.warnings(layouts)
      + recorded.warnings + inputs.warnings + Diagnostic.unused(builds.unused(besides: [group]))
  }

  /// Returns the prediction for data. It is `nil` if the traces have no touches of data, or if `unknown` is the reason
  /// against a prediction.
  func dataPrediction(
    in layouts: PredictedLayouts, _ pageSize: PageSize
  ) -> (prediction: DataPrediction?, unknown: String?) {
    if hasDataInProfiles {
      return (
        nil,
        "a profile does not state which bytes of a variable were touched: give the traces instead of the profile"
      )
    }
    do throws(Diagnostic) {
      return (
        try DataPrediction(touchedData, in: layouts, pageSize, recordedBuild: recordedBuild), nil
      )
    } catch { return (nil, (error.context + [error.message]).joined(separator: ": ")) }
  }

  /// For each use, the number of launches in which it occurs; empty unless there are several launches.
  var launchesOfSteps: [Int] {
    guard launches.count > 1 else { return [] }
    var counts = [Int](repeating: 0, count: uses.count)
    for launch in launches { for use in Set(launch.uses).sorted() { counts[use] += 1 } }
    return counts
  }

  /// Checks that the layouts are of the recorded program. Warns of a layout that has fewer than half of the functions,
  /// but shares the program's traits. Functions that only the recorded build can have do not count.
  ///
  /// - Throws: `mismatch` if a layout is of another program: its pages can't be compared.
  mutating func check(_ layouts: PredictedLayouts) throws(Diagnostic) {
    let functions = MatchedFunction.first(of: named).filter { !$0.isOnlyRecorded }
    if functions.allSatisfy(\.isMissing) {
      throw Diagnostic(
        "none of \(counted(MatchedFunction.first(of: uses).count, "startup function")) was found in the given \(layouts.all.count == 1 ? "layout" : "layouts")",
        context: [source], hint: "is this file of another program, or are the images stripped?",
        severity: .mismatch)
    }
    let matches = layouts.all.enumerated().map { place, release in
      LayoutMatch(release, functions) { !$0.matches[place].parts.isEmpty }
    }
    for (place, layout) in matches.enumerated() where !layout.found.proveProgram {
      let others = matches.indices.filter { $0 != place }.map { matches[$0] }
      guard layout.isRenamed(since: recordedTraits, beside: others) else {
        throw Diagnostic(
          "only \(layout.found.found) of \(counted(layout.found.all, "startup function")) are in this layout: it is of "
            + "another program, or its symbols were stripped", context: [layout.release.path],
          hint: "give the unstripped image, or its link map", severity: .mismatch)
      }
      let warning = Diagnostic.renamedFunctions(layout.release.path, layout.found)
      if !warnings.contains(warning) { warnings.append(warning) }
    }
  }

  /// Returns why one or both layouts lack a function.
  func reason(ofAbsence function: MissingFunction) -> String {
    let absence = function.absence
    return switch (absence, absences[function.name]) {
    case (.both, let why?): why.description
    case (.after, let why?): "\(absence): \(why)"
    default: absence.description
    }
  }
}

/// The signs that a layout is of the recorded program: how many of the startup functions it has, and its traits.
private struct LayoutMatch {
  let release: ReleaseLayout
  let found: FoundFunctions
  /// Whether the layout has each of the functions that identify a program.
  private let isFound: [Bool]

  init(
    _ release: ReleaseLayout, _ startup: [MatchedFunction],
    isFound: (MatchedFunction) -> Bool
  ) {
    self.release = release
    found = FoundFunctions(found: startup.count(where: isFound), all: startup.count)
    self.isFound = startup.filter { $0.name?.tellsProgram ?? true }.map(isFound)
  }

  /// Whether the layout is of a build of the recorded program in which functions were renamed. Such a layout has at
  /// least a quarter of the functions, and one of two signs. It has the traits of a recorded build, or the traits of
  /// one of `others` whose names prove the program. Or one of `others` is a renamed build with the traits of a recorded
  /// build, and this layout has at least half of the functions that the other layout has.
  func isRenamed(since recorded: [ProgramTraits], beside others: [LayoutMatch]) -> Bool {
    isRenamed(since: recorded + others.filter(\.found.proveProgram).map(\.traits))
      || others.contains { $0.isRenamed(since: recorded) && hasFunctions(of: $0) }
  }

  private var traits: ProgramTraits { ProgramTraits(release) }

  private func isRenamed(since builds: [ProgramTraits]) -> Bool {
    let telling = FoundFunctions(found: isFound.count { $0 }, all: isFound.count)
    return telling.supportTraits && builds.contains { $0.areShared(with: traits) }
  }

  private func hasFunctions(of other: LayoutMatch) -> Bool {
    let both = zip(isFound, other.isFound).count { $0 && $1 }
    return FoundFunctions(found: both, all: other.isFound.count { $0 }).proveProgram
  }
}

extension MatchedFunction {
  /// Whether the last layout lacks the function.
  fileprivate var lacksLast: Bool { matches.last?.parts.isEmpty ?? true }
}
