import FunctionOrder
import ImageModel
import Reporting
import Symbolication

/// What launches used, as functions of a layout: the functions that have the names of the recorded ones.
struct ResolvedProfile {
  /// The uses in one sequence, all of the first launch before all of the second.
  private(set) var uses: [FirstUse] = []
  /// Bodies without a name that a function of the layout has, each once.
  private(set) var missing: [NameWithReason] = []
  /// The number of distinct bodies that the launches used.
  let recordedCount: Int
  /// The number of these that are in the layout.
  private(set) var resolvedCount = 0

  init(_ profile: LaunchProfile, in map: inout SymbolMap) {
    recordedCount = profile.bodyCount
    var isListed: Set<NameWithReason> = []
    var step: UInt64 = 0
    var last: (launch: Int, step: Int)?
    for recorded in profile.functions {
      // All functions that one hit revealed are of one step.
      if let last, last != (recorded.launch, recorded.step) { step += 1 }
      last = (recorded.launch, recorded.step)
      var functions: [Int] = []
      var reason: MissingReason?
      for name in recorded.names {
        switch map.resolve(name, from: recorded.objectFile) {
        case .exact(let found), .canonical(let found, _): functions += found.indexes
        case .missing(let why): reason = reason ?? why
        }
      }
      uses += functions.map { FirstUse(step: step, function: $0) }
      if !functions.isEmpty {
        resolvedCount += recorded.bodyCount
      } else if let name = recorded.names.first {
        let missed = NameWithReason(name: name, reason: (reason ?? .noSuchSymbol).description)
        if isListed.insert(missed).inserted { missing.append(missed) }
      }
    }
  }
}
