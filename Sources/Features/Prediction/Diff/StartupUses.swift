// The startup functions of a comparison, from traces; without traces, from an order file.

import Addresses
import ByteReading
import CommandSupport
import FaultEstimate
import ImageModel
import OrderFileFormat
import Rendering
import Symbolication

/// The startup functions, with the functions of each of two layouts that they are.
struct StartupUses {
  /// Each once, launch by launch, in the order of first uses; a function once for each of its parts that ran.
  private(set) var uses: [StartupFunction]
  /// The same with functions that a layout has, but that nothing there refers to.
  private let named: [StartupFunction]
  /// What each launch used; empty if they come from an order file.
  let launches: [RecordedStartup.Launch]
  /// Where they come from: "2 traces", or the path of the order file.
  let source: String
  /// Whether every function of the image could be recorded.
  let recordsEveryFunction: Bool
  private(set) var warnings: [Diagnostic]
  /// The traits of the recorded builds.
  private let recordedTraits: [ProgramTraits]
  /// How much of the recorded image's code could be recorded; `nil` if this is unknown.
  let recordable: RecordableCode?
  /// Why that is unknown; `nil` if it is known.
  let recordableUnknown: RecordableUnknown?
  /// The functions that the recorded build lacks; `nil` without traces.
  let newFunctions: NewLayoutFunctions?
  /// The recorded image's file name; `nil` without traces.
  let recordedImage: String?
  /// The number of pieces of code without a name that were used and cannot be found in a layout.
  let unplaced: Int
  /// The functions that have other basic blocks in the layout after; `nil` if that is unknown.
  let drifted: [NameWithReason]?
  /// What the launches touched of data, as far as that was recorded.
  private let touchedData: TouchedGranules
  private let hasDataInProfiles: Bool
  private let recordedBuild: (TraceImage) -> ReleaseLayout?
  /// Why the layout after has no function with this name.
  private var absences: [SymbolName: MissingReason]

  /// - Throws: an error if there are no startup functions, or if the traces do not belong together.
  init(
    _ options: LayoutDiff.Options, order: OrderFile?, in layouts: ComparedLayouts
  ) throws(Diagnostic) {
    if options.traces.isEmpty && options.weighted.isEmpty {
      self.init(namedBy: order, path: options.order ?? "", in: layouts)
    } else {
      let inputs = try LaunchInputs(
        traces: options.traces, weighted: options.weighted, recorded: options.recorded,
        architecture: options.architecture, keepsGoing: options.keepsGoing)
      try self.init(recordedIn: inputs, in: layouts)
    }
    if uses.isEmpty {
      throw Diagnostic("missing entries: no line names a function", context: [source])
    }
  }

  private init(namedBy order: OrderFile?, path: String, in layouts: ComparedLayouts) {
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
    let absences = [layouts.before.layout, layouts.after.layout].map {
      $0.absences(of: symbols.map(\.name))
    }
    uses = symbols.compactMap { symbol in
      let before = maps.before.resolveAsLinker(symbol.name, in: symbol.objectFile).parts
      let after = maps.after.resolveAsLinker(symbol.name, in: symbol.objectFile).parts
      // Data, and functions of other images: they were never functions of this program.
      let isOther =
        before.isEmpty && after.isEmpty
        && absences.contains { $0[NameKey(symbol.name.bytes)].map { $0 != .discarded } ?? false }
      return isOther ? nil : StartupFunction(name: symbol.name, before: before, after: after)
    }
    named = uses
  }

  private init(
    recordedIn given: LaunchInputs, in layouts: ComparedLayouts
  ) throws(Diagnostic) {
    var inputs = given
    let (before, after) = (layouts.before, layouts.after)
    let group = try inputs.group(for: [after, before])
    try inputs.checkBuilds(
      of: group, besides: [before.image?.id, after.image?.id],
      traits: [ProgramTraits(before), ProgramTraits(after)]
    ) { _ throws(Diagnostic) in after.layout }
    try inputs.addPrograms(to: group) { _ throws(Diagnostic) in after.layout }
    recordsEveryFunction = inputs.recordsEveryFunction(of: group)
    source = inputs.sourceWording(of: group)
    let images = inputs.images
    recordedBuild = { images.build(of: $0) }
    let libraryName = inputs.groups.groups[group].libraryName
    recordedTraits = inputs.recordedImages(of: group).map {
      ProgramTraits($0, libraryName: libraryName)
    }
    var recorded = RecordedStartup(layouts, recordedBuild: recordedBuild)
    var touched = TouchedGranules()
    try inputs.forEachLaunch(of: group) {
      recorded.append($0, $1)
      touched.append($0)
    }
    touchedData = touched
    hasDataInProfiles = inputs.hasDataInProfiles(of: group)
    named = recorded.uses
    let executable = ExecutableFunctions(
      of: layouts, recordedIn: inputs.recordedImages(of: group))
    uses = executable.keep(named)
    launches = recorded.launches
    absences = recorded.absences
    for (kept, given) in zip(uses, named) where kept.after.isEmpty && !given.after.isEmpty {
      if let name = given.name { absences[name] = .unreferenced }
    }
    unplaced = recorded.unplaced
    drifted = recorded.drifted
    let share = inputs.recordableShare(of: group, countedIn: after.layout)
    recordable = share.code
    recordableUnknown = share.unknownReason
    let newFunctions = NewLayoutFunctions(
      layouts, recordedIn: inputs.recordedLayouts(of: group, layouts))
    self.newFunctions = newFunctions
    let name = inputs.groups.groups[group].name
    recordedImage = name
    warnings =
      [.partlyRecordable(recordable, path: name)].compactMap { $0 }
      + share.warnings + inputs.weakIDs(of: group) + newFunctions.warnings(layouts)
      + recorded.warnings + inputs.warnings + Diagnostic.unused(inputs.unused(besides: [group]))
  }

  /// Leaves as many functions of each name as ran; see `AlternativeFunctions.swift`.
  mutating func chooseAlternatives(_ layouts: ComparedLayouts, _ pageSize: PageSize) {
    uses = uses.choosingAlternatives(
      before: layouts.before.layout, after: layouts.after.layout, pageSize: pageSize)
  }

  /// The prediction for data; `nil` if traces have no touches of data, or if there is a reason why not.
  func dataPrediction(
    in layouts: ComparedLayouts, _ pageSize: PageSize
  ) -> (prediction: DataPrediction?, unknown: String?) {
    if hasDataInProfiles {
      return (nil, "a profile does not tell which part of a variable was touched: give the traces")
    }
    do throws(Diagnostic) {
      return (
        try DataPrediction(touchedData, in: layouts, pageSize, recordedBuild: recordedBuild), nil
      )
    } catch { return (nil, (error.context + [error.message]).joined(separator: ": ")) }
  }

  /// The predicted pages of each launch, if there are several.
  func pagesOfTraces(
    _ layouts: ComparedLayouts, _ pageSize: PageSize,
    _ facts: (before: LaunchFacts, after: LaunchFacts)
  ) -> [DiffDocument.Trace] {
    guard launches.count > 1 else { return [] }
    return launches.map { launch in
      let pages = LayoutComparison.pages(
        before: layouts.before.layout, after: layouts.after.layout,
        startup: launch.uses.map { uses[$0] }, pageSize: pageSize, facts: facts)
      return DiffDocument.Trace(
        path: launch.path, pages: BeforeAfter(before: pages.before, after: pages.after),
        launches: launch.weight)
    }
  }

  /// The number of launches that have each use, if there are several; else empty.
  var launchesOfSteps: [Int] {
    guard launches.count > 1 else { return [] }
    var counts = [Int](repeating: 0, count: uses.count)
    for launch in launches { for use in Set(launch.uses).sorted() { counts[use] += 1 } }
    return counts
  }

  /// The functions of the layout before that the launch uses, each once.
  var functionsBefore: [Int] { functions(\.before) }
  /// Likewise for the layout after.
  var functionsAfter: [Int] { functions(\.after) }

  private func functions(_ side: (StartupFunction) -> [Part]) -> [Int] {
    var lists: Set<PartList> = []
    var functions: Set<Int> = []
    return uses.map(side).filter { lists.insert(PartList($0)).inserted }.flatMap { $0 }
      .map(\.function).filter { functions.insert($0).inserted }
  }

  /// The functions of the layout after that have a name: of aliases the first that was used.
  func placedFunctions(in after: Layout, ordered: Set<StatedAddress>?) -> [PlacedFunction] {
    var places: Set<StatedAddress> = []
    return functionsAfter.compactMap { index in
      let function = after.functions[index]
      guard let name = after.symbolName(of: function), places.insert(function.address).inserted
      else { return nil }
      return PlacedFunction(
        name: name, address: function.address, bytes: function.knownBytes,
        isOrdered: ordered?.contains(function.address))
    }
  }

  /// Checks that both layouts are of the recorded program. Warns of a layout that has fewer than half of the functions, but
  /// other traits of the program. Functions that only the recorded build can have do not count.
  ///
  /// - Throws: `mismatch` if a layout is of another program: its pages can't be compared.
  mutating func check(_ layouts: ComparedLayouts) throws(Diagnostic) {
    let functions = StartupFunction.first(of: named).filter { !$0.isOnlyRecorded }
    if functions.allSatisfy({ $0.before.isEmpty && $0.after.isEmpty }) {
      throw Diagnostic(
        "none of \(counted(StartupFunction.first(of: uses).count, "startup function")) is in either layout",
        context: [source], hint: "is it of another program, or are the images stripped?",
        severity: .mismatch)
    }
    let before = LayoutMatch(layouts.before, functions) { !$0.before.isEmpty }
    let after = LayoutMatch(layouts.after, functions) { !$0.after.isEmpty }
    for (layout, other) in [(before, after), (after, before)] where !layout.found.proveProgram {
      guard layout.isRenamed(since: recordedTraits, beside: other) else {
        throw Diagnostic(
          "only \(layout.found.found) of \(counted(layout.found.all, "startup function")) are in it: it is "
            + "another program, or stripped", context: [layout.release.path],
          hint: "give the unstripped image, or its link map", severity: .mismatch)
      }
      let warning = Diagnostic.renamedFunctions(layout.release.path, layout.found)
      if !warnings.contains(warning) { warnings.append(warning) }
    }
  }

  /// Returns the functions that a layout of `comparison` lacks, and why.
  func missing(_ comparison: LayoutComparison) -> [NameWithReason] {
    comparison.missing.map { function in
      var reason = function.absence.description
      switch (function.absence, absences[function.name]) {
      case (.both, let why?): reason = why.description
      case (.after, let why?): reason += ": \(why)"
      default: break
      }
      return NameWithReason(name: function.name, reason: reason)
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
    _ release: ReleaseLayout, _ startup: [StartupFunction],
    isFound: (StartupFunction) -> Bool
  ) {
    self.release = release
    found = FoundFunctions(found: startup.count(where: isFound), all: startup.count)
    self.isFound = startup.filter { $0.name?.tellsProgram ?? true }.map(isFound)
  }

  /// Whether the layout is of a build of the recorded program in which functions were renamed. Such a layout has the traits of
  /// a recorded build, or those of `other` if names prove the program of `other`. Or `other` is such a build, and this layout
  /// has at least half of the functions that `other` has.
  func isRenamed(since recorded: [ProgramTraits], beside other: LayoutMatch) -> Bool {
    isRenamed(since: other.found.proveProgram ? recorded + [other.traits] : recorded)
      || other.isRenamed(since: recorded) && hasFunctions(of: other)
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
