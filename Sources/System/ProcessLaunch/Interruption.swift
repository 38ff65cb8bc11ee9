import CProcess

/// The signals SIGINT, SIGTERM and SIGHUP to this process, which are caught so that it can clean up.
package enum Interruption {
  /// From now on these signals end what this process waits for, and not the process. They reach a launched program,
  /// too.
  package static func catchSignals() { cprocess_catch_interrupts() }

  /// Whether SIGINT, SIGTERM or SIGHUP has come since the signals are caught.
  package static var hasCome: Bool { cprocess_was_interrupted() }
}

/// Processes that a launched program has started and left behind.
package enum Orphans {
  /// From now on orphans become children of this process, if the system can do that.
  package static func adopt() { cprocess_adopt_orphans() }

  /// Ends all children of this process, but not those that it had before `adopt`.
  ///
  /// - Returns: the number of ended processes that were still running.
  package static func end() -> Int { Int(cprocess_end_orphans()) }
}
