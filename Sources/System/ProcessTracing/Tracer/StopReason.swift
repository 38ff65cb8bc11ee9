/// The reason why a recording ends before its program.
package enum StopReason: UInt64, Sendable { case mark, function, time, readiness }
