import FaultEstimate
import ImageModel

extension [MatchedFunction] {
  /// Estimates the faults of the layouts, in which these functions are found.
  package func estimates(
    of layouts: [Layout], pageSize: PageSize = .fourKibibytes, facts: [LaunchFacts]? = nil,
    unplaced: Int = 0
  ) -> [LayoutEstimate] {
    let startup = startupFunctions(of: layouts, pageSize: pageSize)
    return layouts.enumerated().map { place, layout in
      LayoutEstimate(
        of: layout, startup: startup[place], pageSize: pageSize,
        facts: facts?[place] ?? LaunchFacts(), unplaced: unplaced)
    }
  }

  /// The functions of these names in each layout.
  package init(named names: [SymbolName], in layouts: [Layout]) {
    self = names.map { name in
      MatchedFunction(
        name: name,
        matches: layouts.map { layout in
          MatchedFunction.Match(layout.indexes([name]).map { Part($0) })
        })
    }
  }
}
