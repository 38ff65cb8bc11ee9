import ImageModel
import ProcessLaunch

/// The result of making the launches of a set: whether any succeeded, and which optional launches failed.
package struct MadeLaunches {
  /// Notes about launches in the order of the launches: one for each optional launch that failed, and the notes that
  /// the caller adds.
  package var notes: [Diagnostic] = []
  private var lastFailure: Diagnostic?
  package private(set) var hasSucceeded = false

  package init() {}

  /// Makes a launch by `body`. Failures of the launch get its place.
  ///
  /// - Returns: the result of `body`; `nil` if an optional launch failed.
  /// - Throws: the failure of a required launch; also an interrupt.
  package mutating func make<Result>(
    _ launch: DescribedLaunch, _ body: () throws -> Result
  ) throws(Diagnostic) -> Result? {
    try make(at: launch.place, isRequired: launch.isRequired, body)
  }

  /// Makes a launch by `body`.
  ///
  /// - Parameter place: the context to add to failures.
  /// - Returns: the result of `body`; `nil` if an optional launch failed.
  /// - Throws: the failure of a required launch; also an interrupt.
  package mutating func make<Result>(
    at place: [String] = [], isRequired: Bool, _ body: () throws -> Result
  ) throws(Diagnostic) -> Result? {
    do {
      let result = try body()
      hasSucceeded = true
      return result
    } catch {
      var failure = error as? Diagnostic ?? Diagnostic("unable to run: \(error)")
      failure.context = place + failure.context
      guard !isRequired, !Interruption.hasCome else { throw failure }
      lastFailure = failure
      notes.append(
        Diagnostic(
          "left out, because it failed and is not required: \(failure.message)",
          context: failure.context))
      return nil
    }
  }

  /// - Throws: the last failure if no launch succeeded.
  package func check() throws(Diagnostic) {
    guard !hasSucceeded, let lastFailure else { return }
    throw lastFailure
  }
}
