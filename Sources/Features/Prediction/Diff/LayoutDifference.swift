// The differences between the estimates of two layouts for the same launches, apart from their figures.

import FaultEstimate
import ImageModel

/// A startup function that a layout lacks.
package struct MissingFunction: Hashable {
  package var name: SymbolName
  package var absence: Absence

  /// The layouts that lack the function.
  package enum Absence: Hashable, CustomStringConvertible {
    case before, after, both

    package var description: String {
      switch self {
      case .before: "not in the layout before"
      case .after: "not in the layout after"
      case .both: "in neither layout"
      }
    }
  }
}

extension BeforeAfter<LayoutEstimate> {
  /// Startup functions that a layout lacks, earliest use first, each name once.
  var missing: [MissingFunction] {
    var reported: Set<SymbolName> = []
    return zip(before.startup, after.startup).compactMap { before, after in
      let absence: MissingFunction.Absence
      switch (before.parts.isEmpty, after.parts.isEmpty) {
      case (false, false): return nil
      case (true, false): absence = .before
      case (false, true): absence = .after
      case (true, true): absence = .both
      }
      guard let name = before.name, reported.insert(name).inserted else { return nil }
      return MissingFunction(name: name, absence: absence)
    }
  }

  /// Returns warnings about the figures of two estimates.
  ///
  /// - Parameter missing: the result of `missing`, which takes time.
  func diagnostics(missing: [MissingFunction]) -> [Diagnostic] {
    var found: [Diagnostic] = []
    let differing = missing.count { $0.absence != .both }
    if differing > 0 {
      let verb = differing == 1 ? "startup function is" : "startup functions are"
      found.append(
        Diagnostic(
          "\(differing) \(verb) in only one of the two layouts; each layout is predicted with the functions that it has"
        ))
    }
    let hasOthers = before.hasOthers || after.hasOthers
    return found
      + [
        before.ambiguityWarning("the layout before", hasOthers: hasOthers),
        after.ambiguityWarning("the layout after", hasOthers: hasOthers),
      ].compactMap { $0 }
  }
}

extension LayoutEstimate {
  /// Returns a warning about names that belong to several functions; `nil` if there are none.
  ///
  /// - Parameters:
  ///   - layout: what to call the layout.
  ///   - hasOthers: whether some of these functions count only for the largest number of pages.
  func ambiguityWarning(_ layout: String, hasOthers: Bool) -> Diagnostic? {
    guard ambiguousNames > 0 else { return nil }
    let names = ambiguousNames == 1 ? "name belongs" : "names belong"
    return Diagnostic(
      "\(ambiguousNames) \(names) to several functions of \(layout); "
        + (hasOthers
          ? "at least as many of these functions are counted as ran, and at most all of them"
          : "all of these functions are counted"))
  }
}
