import ImageModel
import ProcessLaunch

/// The launches of a set that have been made: which optional ones failed.
package struct MadeLaunches {
  /// A note for each optional launch that failed.
  package private(set) var notes: [Diagnostic] = []
  private var lastFailure: Diagnostic?
  private var succeeded = false

  package init() {}

  /// Makes a launch by `body`.
  ///
  /// - Returns: the result of `body`; `nil` if an optional launch failed.
  /// - Throws: the failure of a required launch, with the place of the launch; also an interrupt.
  package mutating func make<Result>(
    _ launch: DescribedLaunch, _ body: () throws -> Result
  ) throws(Diagnostic) -> Result? {
    do {
      let result = try body()
      succeeded = true
      return result
    } catch {
      var failure = error as? Diagnostic ?? Diagnostic("unable to run: \(error)")
      failure.context = launch.place + failure.context
      guard !launch.isRequired, !Interruption.hasCome else { throw failure }
      lastFailure = failure
      notes.append(
        Diagnostic(
          "left out, because it failed and is not required: \(failure.message)",
          context: failure.context))
      return nil
    }
  }

  /// - Throws: if no launch succeeded.
  package func check() throws(Diagnostic) {
    guard !succeeded, let lastFailure else { return }
    throw lastFailure
  }
}
