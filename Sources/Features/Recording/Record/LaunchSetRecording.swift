import CommandSupport
import ImageModel
import ProcessLaunch

/// Records the launches of a file, one after the other: `orderfile record --launches`.
package struct LaunchSetRecording {
  package var launches: [DescribedLaunch]
  /// The path of the folder for the traces: `NAME.oftrace`, and `NAME.2.oftrace` for the second recording of a launch.
  package var folder: String
  /// Returns how a launch is recorded.
  package var means: (ProgramLaunch) -> LaunchRecording.Means
  /// The `orderfile_mark()` that ends each recording.
  package var stopAt: String?
  /// The number of milliseconds after which each recording ends.
  package var stopAfter: UInt64?
  /// The paths of further files that the launches read.
  package var reads: [String] = []
  package var environment: LaunchEnvironment

  package init(
    _ launches: [DescribedLaunch], to folder: String, in environment: LaunchEnvironment,
    by means: @escaping (ProgramLaunch) -> LaunchRecording.Means
  ) {
    self.launches = launches
    self.folder = folder
    self.environment = environment
    self.means = means
  }

  /// Records each launch as often as the file says. Output of the programs is discarded.
  ///
  /// - Parameter recorded: called after each recording.
  /// - Returns: a note for each optional launch that failed.
  /// - Throws: the failure of a required launch, or of the last launch if no launch succeeded.
  package func run(_ recorded: (RecordedLaunch) -> Void) throws -> [Diagnostic] {
    try Folder.make(folder)
    for launch in launches { removeOldTraces(of: launch.name) }
    var made = MadeLaunches()
    for launch in launches {
      let results = try made.make(launch) {
        try (1...launch.count).map { try record(launch, number: $0) }
      }
      guard let results else {
        removeOldTraces(of: launch.name)
        continue
      }
      for result in results { recorded(result) }
    }
    try made.check()
    return made.notes
  }

  private func record(_ launch: DescribedLaunch, number: Int) throws -> RecordedLaunch {
    let path = "\(folder)/\(launch.name)\(number == 1 ? "" : ".\(number)").oftrace"
    let result = try launch.make(
      toShowOutput: "orderfile record ... -- COMMAND", by: "record"
    ) { program in
      var recording = LaunchRecording(means(program), outputPath: path, in: environment)
      recording.stopAt = stopAt
      recording.stopAfter = stopAfter
      recording.workload = try Workload(
        command: launch.command, inputs: reads + launch.inputs, tracePath: path)
      let result = try recording.run()
      return (result, result.end)
    }
    if let failure = result.failure { throw failure }
    return result
  }

  /// Removes traces that an earlier run has left, because the processes of a launch have other numbers each time.
  private func removeOldTraces(of launch: String) {
    for name in Folder.names(in: folder) where name.hasPrefix("\(launch).") {
      let words = name.dropFirst(launch.utf8.count + 1).split(separator: ".")
      guard words.contains("oftrace"), words.allSatisfy({ $0 == "oftrace" || Int($0) != nil })
      else { continue }
      Folder.remove(Array("\(folder)/\(name)".utf8))
    }
  }
}
