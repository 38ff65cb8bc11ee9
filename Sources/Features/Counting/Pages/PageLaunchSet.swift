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
      let pages = try made.make(launch) {
        try launch.make(toShowOutput: "orderfile pages -- COMMAND", by: "count") { program in
          let pages = try prepare(program).run()
          return (pages, pages.end)
        }
      }
      if let pages { try counted(launch, pages) }
    }
    try made.check()
    return made.notes
  }
}
