import CProcess

/// SIGINT, SIGTERM and SIGHUP to this process, so that it can clean up after them.
package enum Interruption {
  /// From now on they don't end this process while no program is launched, but end what it waits for.
  package static func catchSignals() { cprocess_catch_interrupts() }

  /// Whether one has come.
  package static var hasCome: Bool { cprocess_was_interrupted() }
}

/// Processes that a launched program has started, and that nobody waits for.
package enum Orphans {
  /// From now on they become children of this process, where the system can do that.
  package static func adopt() { cprocess_adopt_orphans() }

  /// Ends all children of this process, but not those that it had before `adopt`.
  ///
  /// - Returns: the number of those that were still running.
  package static func end() -> Int { Int(cprocess_end_orphans()) }
}
