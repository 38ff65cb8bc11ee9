import CProcess
import LibC
import ProcessLaunch

/// A launch in which the memory of each process is read once: when the program is ready, or at the end of the process
/// if no sign of readiness is awaited.
package struct MemoryLaunch: Sendable {
  package var program: ProgramLaunch

  package init(_ program: ProgramLaunch) { self.program = program }

  package struct Result: Sendable {
    package var program: ProgramLaunch.Result
    /// The processes by number.
    package var processes: [ProcessResidency]
  }

  /// Launches the program and waits until it has ended. Ends the processes that the program leaves running.
  ///
  /// - Precondition: this process has one thread and no other children that run.
  /// - Parameter mark: shows whether the program has come to the mark at which it is ready; `nil` for other signs.
  /// - Throws: also `EPERM` if the memory is read at the end and tracing is not permitted.
  package func run(
    at mark: MarkListener? = nil
  ) throws(ProgramLaunch.LaunchError) -> Result {
    let atEnd = program.readiness == nil
    let tracer = try atEnd ? TracerProcess { MemoryTracer($0).run($0) } : nil
    Orphans.adopt()
    defer { _ = Orphans.end() }
    var processes: [pid_t: ProcessResidency] = [:]
    let result: ProgramLaunch.Result
    if let tracer {
      result = try program.run(
        heldFor: tracer.processNumber, isMarked: { false },
        { pid throws(ProgramLaunch.LaunchError) in try tracer.attach(.attach, to: pid) },
        whenReady: { _ in },
        meanwhile: {
          tracer.listen(milliseconds: $0) { message in
            if let found = ProcessResidency(message) { processes[found.processNumber] = found }
            return nil
          }
        })
    } else {
      result = try program.run(
        isMarked: { mark?.isReached ?? false },
        whenProcessIsReady: { pid in
          func read() {
            for pid in Self.processes(of: pid) {
              processes[pid] = ProcessResidency(ProcessResidency.Source(of: pid))
            }
          }
          if let mark { mark.whileStopped(read) } else { read() }
        })
    }
    return Result(
      program: result, processes: processes.keys.sorted().compactMap { processes[$0] })
  }

  /// Returns the numbers of the processes of the launch that `pid` leads; at least `pid`.
  private static func processes(of pid: pid_t) -> [pid_t] {
    final class List { var numbers: [pid_t] = [] }
    let list = List()
    let isKnown = cprocess_each_of_launch(
      pid, 0,
      { Unmanaged<List>.fromOpaque($1).takeUnretainedValue().numbers.append($0) },
      Unmanaged.passUnretained(list).toOpaque())
    return isKnown ? list.numbers : [pid]
  }
}

extension ProcessResidency {
  /// Reads the memory of a process from a message.
  ///
  /// - Returns: `nil` if the message is about something else.
  init?(_ message: TracerMessage) {
    guard message.kind == .memory else { return nil }
    self.init(
      processNumber: message.number(0),
      peakBytes: message.numbers.count > 1 ? message[1] : nil,
      mappings: ResidentMapping.mappings(in: message.text))
  }
}
