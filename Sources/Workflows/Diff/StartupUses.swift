// The startup functions of a comparison: from traces, or where there are none from an order file.

import FaultEstimate
import ImageModel
import OrderFileFormat
import Reporting
import Symbolication

/// The startup functions as each of two layouts knows them.
struct StartupUses {
  /// In the order of first uses, launch by launch; a function once for each part of it that ran.
  private(set) var uses: [StartupFunction] = []
  /// "2 traces", or the path of the order file.
  let source: String
  /// Whether every function of the image could be recorded.
  let recordsEveryFunction: Bool
  private(set) var warnings: [Diagnostic] = []
  /// Why the layout after has no function of that name.
  private var absences: [SymbolName: MissingReason] = [:]

  /// - Throws: if there are none, or if the traces do not belong together.
  init(
    _ options: LayoutDiff.Options, order: OrderFile?, in layouts: ComparedLayouts
  ) throws(Diagnostic) {
    if options.traces.isEmpty {
      self.init(namedBy: order, path: options.order ?? "", in: layouts)
    } else {
      let inputs = try LaunchInputs(
        traces: options.traces, recorded: options.recorded, architecture: options.architecture)
      try self.init(recordedIn: inputs, in: layouts)
    }
    if uses.isEmpty {
      throw Diagnostic("missing entries: no line names a function", context: [source])
    }
  }

  private init(namedBy order: OrderFile?, path: String, in layouts: ComparedLayouts) {
    source = path
    recordsEveryFunction = false
    let maps = SymbolMaps(layouts)
    uses = (order?.symbols(for: layouts.architecture) ?? []).map { symbol in
      StartupFunction(
        name: symbol.name,
        before: maps.before.resolveAsLinker(symbol.name, in: symbol.objectFile).parts,
        after: maps.after.resolveAsLinker(symbol.name, in: symbol.objectFile).parts)
    }
  }

  private init(
    recordedIn inputs: LaunchInputs, in layouts: ComparedLayouts
  ) throws(Diagnostic) {
    let (before, after) = (layouts.before, layouts.after)
    source = counted(inputs.traces.members.count, "trace")
    recordsEveryFunction = inputs.traces.recordsEveryFunction
    let fileName = try inputs.fileName(
      forImagesNamed: [after.image?.path, before.image?.path].compactMap { $0 })
    var launches: [RecordedFunctions] = []
    try inputs.forEachLaunch(inImageNamed: fileName) { launches.append($0) }
    var blocks = try ExecutedBlocks(launches, before: before, after: after)
    var maps = SymbolMaps(layouts)
    let pairs = UnnamedFunctionPairs(before: before.layout, after: after.layout)
    var uncounted = 0
    for launch in launches {
      let named = functions(of: launch, in: layouts, &maps)
      let unnamed = launch.unnamedUses.compactMap { use in
        pairs.flatMap {
          StartupFunction(use, of: launch.image, before: before, after: after, $0)
        }.map { (step: use.step, function: $0) }
      }
      uncounted += launch.unnamedUses.count - unnamed.count
      uses += blocks.inOrder(launch, named, besides: unnamed)
    }
    warnings = blocks.warnings
    if uncounted > 0 { warnings.append(.uncounted(uncounted)) }
    warnings += inputs.warnings + inputs.warnings(forImageNamed: fileName)
  }

  /// What `launch` used by names, parallel to its uses; notes which names the layout after lacks.
  private mutating func functions(
    of launch: RecordedFunctions, in layouts: ComparedLayouts, _ maps: inout SymbolMaps
  ) -> [StartupFunction] {
    var functions: [StartupFunction] = []
    for use in launch.uses {
      let function = StartupFunction(use, of: launch.image, in: layouts, &maps)
      functions.append(function)
      if let name = function.name, case .missing(let reason) = maps.after.resolve(name) {
        absences[name] = reason
      }
    }
    return functions
  }

  /// Each function once, whole.
  var functions: [StartupFunction] { StartupFunction.whole(uses) }

  /// - Throws: `mismatch` if a layout holds fewer than half of the functions: pages of two programs can't be
  ///   compared.
  func check(_ layouts: ComparedLayouts) throws(Diagnostic) {
    let functions = functions
    if functions.allSatisfy({ $0.before.isEmpty && $0.after.isEmpty }) {
      throw Diagnostic(
        "none of \(counted(functions.count, "startup function")) is in either layout",
        context: [source], hint: "is it of another program, or are the images stripped?",
        severity: .mismatch)
    }
    for (path, found) in [
      (layouts.before.path, functions.count { !$0.before.isEmpty }),
      (layouts.after.path, functions.count { !$0.after.isEmpty }),
    ] where 2 * found < functions.count {
      throw Diagnostic(
        "only \(found) of \(counted(functions.count, "startup function")) are in it: it is another "
          + "program, or stripped", context: [path],
        hint: "give the unstripped image, or its link map", severity: .mismatch)
    }
  }

  /// The functions that a layout of `comparison` lacks, and why.
  func missing(_ comparison: LayoutComparison) -> [NameWithReason] {
    comparison.missing.map { function in
      let reason = function.absence == .both ? absences[function.name]?.description : nil
      return NameWithReason(
        name: function.name, reason: reason ?? function.absence.description)
    }
  }
}

/// The functions of two layouts by name.
struct SymbolMaps {
  var before: SymbolMap
  var after: SymbolMap

  init(_ layouts: ComparedLayouts) {
    before = SymbolMap(layouts.before.layout)
    after = SymbolMap(layouts.after.layout)
  }
}

extension Diagnostic {
  fileprivate static func uncounted(_ count: Int) -> Diagnostic {
    Diagnostic(
      "\(counted(count, "hit")) in code without a name \(count == 1 ? "does" : "do") not count",
      hint: "record one of the two images, by 'orderfile record --breakpoints'")
  }
}
