import Addresses
import FunctionOrder
import ImageModel
import Rendering
import Symbolication
import TraceSymbolication

/// The functions of a layout that have the names of functions that launches used.
struct ResolvedFunctions {
  /// The uses of whole launches, the heaviest launch first, and then the functions that no whole launch used, the most
  /// used function first.
  private(set) var used = UsedParts()
  /// The recorded functions whose names the layout does not have, each once.
  private(set) var missing: [NameWithReason] = []
  /// The number of distinct bodies that the launches used.
  private(set) var recordedCount = 0
  /// The number of used bodies that are in the layout.
  private(set) var resolvedCount = 0
  /// For each function that launches used, the functions of the layout.
  private(set) var functions: [[Int]] = []

  init(_ recorded: UsedFunctions, in map: inout SymbolMap) {
    let layout = map.layout
    /// The bodies that launches of the build itself used.
    let known = Set(recorded.functions.compactMap(\.address))
    var isListed: Set<NameWithReason> = []
    for function in recorded.functions {
      var functions = function.address.map { Array(layout.functions(at: $0)) } ?? []
      var reason: MissingReason?
      for name in functions.isEmpty ? function.names : [] {
        let found = map.resolve(name, from: function.objectFile)
        functions += found.functions
        if case .missing(let why) = found { reason = reason ?? why }
      }
      self.functions.append(functions)
      var bodyCount = function.bodyCount
      // All functions at an address have one body.
      var placeCount = functions.isEmpty ? 0 : 1
      if function.address == nil {
        // Bodies at places that launches of the build itself used are counted with those launches.
        let places = Set(functions.map { layout.functions[$0].address })
        let same = known.intersection(places)
        bodyCount -= min(bodyCount, same.count)
        placeCount = places.count - same.count
      }
      recordedCount += bodyCount
      // The build may have fewer bodies with the name than the recorded build.
      let found = min(bodyCount, placeCount)
      resolvedCount += found
      if found < bodyCount, let name = function.names.first {
        let usual = functions.isEmpty ? MissingReason.noSuchSymbol : .inlinedOrRemoved
        let missed = NameWithReason(name: name, reason: (reason ?? usual).description)
        if isListed.insert(missed).inserted { missing.append(missed) }
      }
    }
    let isWhole = Set(recorded.launches.lazy.flatMap(\.functions))
    used = UsedParts(
      launches: recorded.launches.map {
        UsedParts.Launch(weight: $0.weight, uses: parts($0.functions))
      }, others: parts(recorded.functions.indices.filter { !isWhole.contains($0) }))
  }

  /// Returns the functions of the layout for each of these recorded functions. Several for one are in the layout's
  /// order.
  private func parts(_ indexes: [Int]) -> [Part] {
    indexes.flatMap { functions[$0].sorted().map { Part($0) } }
  }
}
