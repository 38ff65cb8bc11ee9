import FunctionOrder
import ImageModel
import Reporting
import Symbolication

/// What one launch used, in the functions of a layout: what the names of the recorded build are there.
struct ResolvedLaunch {
  private(set) var uses: [FirstUse] = []
  /// Bodies for which none of their names stands for a function of the layout.
  private(set) var missing: [NameWithReason] = []
  let recordedCount: Int

  init(_ recorded: RecordedFunctions, in map: inout SymbolMap) {
    recordedCount = recorded.uses.count
    for use in recorded.uses {
      var functions: [Int] = []
      var reason: MissingReason?
      for name in use.names {
        switch map.resolve(name, from: use.objectFile) {
        case .exact(let found), .canonical(let found, _): functions += found.indexes
        case .missing(let why): reason = reason ?? why
        }
      }
      uses += functions.map { FirstUse(step: UInt64(use.step), function: $0) }
      if functions.isEmpty, let name = use.names.first {
        missing.append(
          NameWithReason(name: name, reason: (reason ?? .noSuchSymbol).description))
      }
    }
  }

  var resolvedCount: Int { recordedCount - missing.count }
}
