import Addresses
import FunctionOrder
import ImageModel
import Reporting
import Symbolication

/// What launches used, as functions of a layout: the functions that have the names of the recorded ones.
struct ResolvedProfile {
  /// The uses in one sequence, all of the first launch before all of the second.
  private(set) var uses: [FirstUse] = []
  /// The uses of each launch.
  private(set) var launches: [[FirstUse]] = []
  /// Bodies without a name that a function of the layout has, each once.
  private(set) var missing: [NameWithReason] = []
  /// The number of distinct bodies that the launches used.
  private(set) var recordedCount = 0
  /// The number of these that are in the layout.
  private(set) var resolvedCount = 0

  /// How many of the functions `indexes` of `layout` the launches used.
  func count(of indexes: [Int], in layout: Layout) -> Int {
    let used = Set(uses.map { layout.functions[$0.part.function].address })
    return Set(indexes.map { layout.functions[$0].address }).intersection(used).count
  }

  init(_ profile: LaunchProfile, in map: inout SymbolMap) {
    let layout = map.layout
    /// The bodies that launches of the build itself used.
    let known = Set(profile.functions.compactMap(\.address))
    var isListed: Set<NameWithReason> = []
    var functionsOf: [[Int]] = []
    var step: UInt64 = 0
    var last: (launch: Int, step: Int)?
    for recorded in profile.functions {
      // All functions that one hit revealed are of one step.
      if let last, last != (recorded.launch, recorded.step) { step += 1 }
      last = (recorded.launch, recorded.step)
      var functions = recorded.address.map { Array(layout.functions(at: $0)) } ?? []
      var reason: MissingReason?
      for name in functions.isEmpty ? recorded.names : [] {
        switch map.resolve(name, from: recorded.objectFile) {
        case .exact(let found), .canonical(let found, _): functions += found.indexes
        case .missing(let why): reason = reason ?? why
        }
      }
      uses += functions.map { FirstUse(step: step, function: $0) }
      functionsOf.append(functions)
      var bodyCount = recorded.bodyCount
      var places = Set(functions.map { layout.functions[$0].address })
      if recorded.address == nil {
        // A launch of another build used some of the same ones.
        let same = known.intersection(places)
        bodyCount -= min(bodyCount, same.count)
        places.subtract(same)
      }
      recordedCount += bodyCount
      // Of several with that name, the build may have fewer.
      let found = min(bodyCount, places.count)
      resolvedCount += found
      if found < bodyCount, let name = recorded.names.first {
        let usual = functions.isEmpty ? MissingReason.noSuchSymbol : .inlinedOrRemoved
        let missed = NameWithReason(name: name, reason: (reason ?? usual).description)
        if isListed.insert(missed).inserted { missing.append(missed) }
      }
    }
    launches = profile.launches.map { launch in
      launch.flatMap { use in
        functionsOf[Int(use.function)].map { FirstUse(step: UInt64(use.step), function: $0) }
      }
    }
  }
}
