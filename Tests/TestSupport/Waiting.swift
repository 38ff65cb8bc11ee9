import Foundation
import Testing

/// The seconds after which a wait is given up. No test expects anything to be done in that time: the limit only ends a
/// run that hangs, and is far beyond the time that a busy machine needs.
package let hangLimit = 900.0

/// Whether `condition` holds in the end. Checks it again until it holds, until `isPossible` is false, or until the hang
/// limit.
package func holdsInTheEnd(
  while isPossible: () -> Bool = { true }, _ condition: () throws -> Bool
) rethrows -> Bool {
  let end = Date() + hangLimit
  var pause: UInt32 = 500
  while true {
    let isLast = !isPossible() || Date() > end
    if try condition() { return true }
    if isLast { return false }
    usleep(pause)
    pause = min(2 * pause, 10_000)
  }
}

/// Calls `body` with a time in milliseconds until it returns `true`, each time with twice the time.
///
/// This is for runs that end by the clock: how far a program comes depends on how busy the machine is. `body` checks
/// what must hold in any case, and returns whether the program came far enough.
package func withGrowingTime(
  from first: Int = 100, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: (_ milliseconds: Int) throws -> Bool
) throws {
  var milliseconds = first
  while try !body(milliseconds) {
    milliseconds *= 2
    try #require(
      milliseconds < Int(hangLimit) * 1000, "no time is enough", sourceLocation: sourceLocation)
  }
}
