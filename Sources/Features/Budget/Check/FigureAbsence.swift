import ImageModel

/// Why the documents of a check do not have certain figures.
package struct FigureAbsence: Hashable, Sendable {
  package var source: HistorySeries.Source
  /// The names of the figures, without stages; empty for all figures of `source`.
  package var names: [String]
  package var reason: Diagnostic

  package init(
    _ source: HistorySeries.Source, of names: [String] = [], _ reason: Diagnostic
  ) {
    self.source = source
    self.names = names
    self.reason = reason
  }

  func isAbout(_ figure: BudgetFigure) -> Bool {
    source == figure.source
      && (names.isEmpty || names.contains(HistoryMetric.parts(of: figure.name).quantity))
  }
}
