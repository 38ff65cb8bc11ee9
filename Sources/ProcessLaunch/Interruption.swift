import CProcess

/// SIGINT, SIGTERM and SIGHUP to this process, so that it can clean up after them.
package enum Interruption {
  /// From now on they don't end this process while no program is launched, but end what it waits for.
  package static func catchSignals() { cprocess_catch_interrupts() }

  /// Whether one has come.
  package static var hasCome: Bool { cprocess_was_interrupted() }
}
