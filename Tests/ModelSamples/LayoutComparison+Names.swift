import FaultEstimate
import ImageModel

extension LayoutComparison {
  /// The startup functions are those of these names in each layout.
  package init(
    before: Layout, after: Layout, startup: [SymbolName], pageSize: PageSize,
    facts: (before: LaunchFacts, after: LaunchFacts) = (LaunchFacts(), LaunchFacts())
  ) {
    self.init(
      before: before, after: after,
      startup: startup.map {
        StartupFunction(
          name: $0, before: before.indexes([$0]).map { Part($0) },
          after: after.indexes([$0]).map { Part($0) })
      }, pageSize: pageSize, facts: facts)
  }
}
