import Addresses
import ImageModel
import Rendering

/// The line that `record` prints at the end: what was recorded, where it is, and the next command.
package struct RecordSummary {
  package let traces: [Trace]
  /// The paths of the traces, parallel to `traces`.
  package let paths: [String]
  /// Whether the first trace is the program's, and not the trace of a process that it has started.
  package let beginsWithProgram: Bool
  /// The number of first hits of functions in all traces.
  private let firstHits: Int
  /// The number of functions with guards or breakpoints.
  private let instrumented: Int
  /// The number of first hits before `main` in the first trace; `nil` if its `main` was not recorded.
  package let hitsBeforeMain: Int?
  /// The number of functions in the images, instrumented or not; `nil` if it is unknown.
  package let functions: Int?
  /// The emulator and its processor, if the program ran in one.
  package let emulator: String?
  /// Whether the traces lack the names of their functions, which only the recorded image has.
  private let lacksNames: Bool

  /// - Parameters:
  ///   - firstHits: the number of first hits of functions; `nil` if each hit is the first hit of a function.
  ///   - instrumented: the number of functions with guards or breakpoints; `nil` if each function has only one.
  package init(
    _ traces: [Trace], paths: [String], beginsWithProgram: Bool = true, firstHits: Int? = nil,
    instrumented: Int? = nil, hitsBeforeMain: Int?, functions: Int? = nil, emulator: String? = nil,
    lacksNames: Bool = false
  ) {
    precondition(
      !traces.isEmpty && traces.count == paths.count, "parallel arrays, and at least one trace")
    self.traces = traces
    self.paths = paths
    self.beginsWithProgram = beginsWithProgram
    self.firstHits = firstHits ?? traces.reduce(0) { $0 + $1.hits.count }
    self.instrumented =
      instrumented ?? distinctImages(of: traces).reduce(0) { $0 + $1.guardCount }
    self.hitsBeforeMain = hitsBeforeMain
    self.functions = functions
    self.emulator = emulator
    self.lacksNames = lacksNames
  }

  package var text: String {
    var text = "recorded \(counted(firstHits, "first hit"))"
    // Each process has first hits of its own, so the number is a sum over the processes.
    if traces.count > 1 { text += ", the sum over \(traces.count) processes," }
    text += " of "
    text += counted(instrumented, isTraced ? "function" : "instrumented function")
    if let functions, functions > instrumented { text += " (the code has \(functions))" }
    text += " in \(counted(images.count, "image"))"
    let blocks = images.reduce(0) { $0 + $1.blockCount }
    let blockHits = traces.reduce(0) { $0 + $1.blockHits.count }
    if images.contains(where: \.hasExecutedRuns) {
      text += " and \(counted(blockHits, "basic block"))"
    } else if blocks > 0 {
      text += " and \(blockHits) of \(counted(blocks, "basic block"))"
    }
    if let emulator { text += ", emulated by \(printable(emulator))" }
    if beginsWithProgram { text += programsPart }
    let lost = traces.map(\.lostRecords).saturatingSum()
    if lost > 0 { text += ", \(lost) lost" }
    text += ": \(printable(paths[0]))"
    if paths.count > 1 { text += " and \(counted(paths.count - 1, "more trace"))" }
    return text + "; next: \(printable(nextCommand))"
  }

  /// The part of the line about the program, such as ", 4 before main, in 41.2 ms".
  private var programsPart: String {
    let own = traces.count > 1 ? " in the first process" : ""
    let before = hitsBeforeMain.map { ", \($0) before main\(own)" } ?? ""
    let last = traces[0].hits.last?.nanoseconds.map { ", in \(milliseconds($0))" } ?? ""
    return before + last
  }

  /// The command to type next. If there are more than four traces, a pattern replaces the traces with a process number.
  ///
  /// An image that was recorded with breakpoints is the release build, so the command orders it: the program, or the
  /// only image, or all images.
  private var nextCommand: String {
    let path = paths[0]
    let stem = path.hasSuffix(".oftrace") ? String(path.dropLast(8)) : path
    var words = paths.map(shellWord)
    if words.count > 4 { words = [words[0], words[0] + ".*"] }
    let command =
      "orderfile gen \(words.joined(separator: " "))"
      + (lacksNames ? " --recorded RECORDED_IMAGE" : "")
    guard isTraced else {
      return "\(command) --image RELEASE_IMAGE -o \(shellWord(stem + ".order"))"
    }
    let isOne = images.count == 1 || images.contains { $0.path == traces[0].program }
    return isOne
      ? "\(command) -o \(shellWord(stem + ".order"))"
      : "\(command) --all-images -o \(shellWord(stem + ".orders"))"
  }

  private var isTraced: Bool { traces.contains(where: \.method.recordsEveryFunction) }

  private var images: [TraceImage] { distinctImages(of: traces) }

  /// Returns a time as text, such as "41.2 ms".
  private func milliseconds(_ nanoseconds: UInt64) -> String {
    "\(Decimal.text(Double(nanoseconds) / 1e6, places: 1)) ms"
  }
}
