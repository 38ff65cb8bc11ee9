import ImageModel
import Rendering

/// The conditions that a comparison has to fulfil.
package struct DiffGates: Hashable {
  /// The most pages that the layout after may touch, if the functions that it lacks lie on pages of their own.
  package var maxPages: Int?
  /// The smallest recordable share of the recorded image's code. It also decides whether anything is predicted: see
  /// `LayoutDiff.Options.minInstrumented`.
  package var minInstrumented: Share?
  /// The smallest share of the startup functions that the layout after must have.
  package var minPresent: Share?
  /// The largest number of startup functions whose basic blocks differ from those of the recorded build.
  package var maxDrifted: Int?

  package init() {}

  /// An error for each gate that `document` does not pass, possible causes of others first; empty if it passes all.
  package func failures(of document: DiffDocument) -> [Diagnostic] {
    [recordable(document), presence(document), drift(document), pages(document)].compactMap { $0 }
  }

  private func recordable(_ document: DiffDocument) -> Diagnostic? {
    guard let minInstrumented else { return nil }
    if document.recordable?.portion.reaches(minInstrumented) ?? false { return nil }
    let percent = document.recordable?.percent
    var found = "unknown"
    if let percent, let code = document.recordable { found = "\(percent)%: \(code.wording)" }
    return Diagnostic(
      "recordable code: expected at least \(minInstrumented), found \(found)",
      context: [document.recordedImage ?? document.after.path],
      hint: percent == nil
        ? "give a trace that was recorded with breakpoints or in an instrumented build"
        : "compile all of it with -fsanitize-coverage=func,trace-pc-guard,pc-table, or use 'orderfile record --breakpoints'",
      severity: .checkFailed)
  }

  private func presence(_ document: DiffDocument) -> Diagnostic? {
    guard let minPresent else { return nil }
    let presence = document.presence
    if let presence, minPresent.isReached(by: presence.after, of: presence.all) { return nil }
    let percent = presence.flatMap { Percentage.of($0.after, $0.all) }
    let found =
      presence.map { "\(percent ?? 0)%, \($0.after) of \(counted($0.all, "function"))" }
      ?? "unknown"
    return Diagnostic(
      "startup functions in the layout: expected at least \(minPresent), found \(found)",
      context: [document.after.path], hint: Self.recordAgain, severity: .checkFailed)
  }

  private func drift(_ document: DiffDocument) -> Diagnostic? {
    guard let maxDrifted else { return nil }
    if let drifted = document.drifted, drifted.count <= maxDrifted { return nil }
    return Diagnostic(
      "functions with other basic blocks: expected at most \(maxDrifted), found "
        + (document.drifted.map { "\($0.count)" } ?? "unknown"),
      context: [document.after.path],
      hint: document.drifted == nil
        ? "compile both builds with -fbasic-block-address-map, and record with 'orderfile record --breakpoints --blocks'"
        : Self.recordAgain, severity: .checkFailed)
  }

  private func pages(_ document: DiffDocument) -> Diagnostic? {
    let (least, most) = (document.pages.after, document.pagesAtMost.after)
    guard let maxPages else { return nil }
    if let refusal = document.refusal {
      return Diagnostic(refusal, context: [document.after.path], severity: .checkFailed)
    }
    guard most > maxPages else { return nil }
    return Diagnostic(
      "predicted pages: expected at most \(maxPages), found "
        + (least == most ? "\(most)" : "\(least) to \(most)"),
      context: [document.after.path], hint: least > maxPages ? nil : Self.recordAgain,
      severity: .checkFailed)
  }

  private static let recordAgain =
    "the trace is from an older build, or from one with other names: record again"
}
