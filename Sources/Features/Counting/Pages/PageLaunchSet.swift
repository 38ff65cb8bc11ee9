import CommandSupport
import ImageModel
import ProcessLaunch

/// Counts the pages of the launches of a file, one after the other: `orderfile pages --launches`.
package struct PageLaunchSet {
  private let launches: [DescribedLaunch]

  package init(_ launches: [DescribedLaunch]) { self.launches = launches }

  /// Counts each launch once. Output of the programs is discarded.
  ///
  /// - Parameters:
  ///   - prepare: returns how the pages of a program are counted.
  ///   - counted: called after each launch that did not fail.
  /// - Returns: a note for each optional launch that failed.
  /// - Throws: the failure of a required launch, or of the last launch if no launch succeeded; errors of `counted`.
  package func run(
    _ prepare: (ProgramLaunch) -> PageLaunch,
    _ counted: (DescribedLaunch, CountedPages) throws -> Void
  ) throws -> [Diagnostic] {
    var made = MadeLaunches()
    for launch in launches {
      if let pages = try made.make(launch, { try count(launch, prepare) }) {
        try counted(launch, pages)
      }
    }
    try made.check()
    return made.notes
  }

  private func count(
    _ launch: DescribedLaunch, _ prepare: (ProgramLaunch) -> PageLaunch
  ) throws -> CountedPages {
    let program = try launch.program()
    let pages = try SilentStreams.use(input: launch.input) { streams in
      var program = program
      program.streams = streams
      return try prepare(program).run()
    }
    if Interruption.hasCome { throw Diagnostic("interrupted") }
    guard pages.end == .exited(0) else {
      throw Diagnostic(
        "the launch failed: \(pages.end)", context: [launch.command[0]],
        hint: "to see its output, count the launch alone: orderfile pages -- COMMAND")
    }
    return pages
  }
}
