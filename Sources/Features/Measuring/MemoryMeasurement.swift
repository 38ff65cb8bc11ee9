import CommandSupport
import ImageModel
import LaunchMeasurement
import PagesFormat
import ProcessLaunch

/// Measures the resident memory of programs that are launched alternately.
struct MemoryMeasurement {
  /// The programs, at most three. The memory of the first image of each program is measured.
  var sides: [MeasuredSide]
  /// The number of launches of each program; `nil` for the usual number.
  var launches: Int?
  var seed: UInt64
  var ignoresFailure: Bool
  var environment: LaunchEnvironment

  /// Launches the programs. From this call on, an interrupt ends the launched programs and not this process.
  ///
  /// - Parameter progress: called before each round.
  /// - Returns: `nil` if the measurement was interrupted.
  /// - Throws: if a launch fails, if the memory of a launch can't be read, or if a program was replaced.
  func run(
    _ progress: (MeasurementPlan.Progress) -> Void
  ) throws(Diagnostic) -> MeasuredMemory? {
    Interruption.catchSignals()
    let count = launches ?? MemoryFigures.usualLaunches
    var schedule = LaunchSchedule(programs: sides.count, seed: seed)
    var launched = sides.map { side in
      MemoryLaunches(
        side.program.launch, inputPath: side.program.inputPath, images: [side.images[0]],
        ignoresFailure: ignoresFailure, in: environment)
    }
    for round in 0..<count {
      progress(.init(state: .warm, round: round, mostRounds: count))
      for number in schedule.nextRound() {
        try launched[number].launch()
        if Interruption.hasCome { return nil }
        try sides[number].checkImages()
      }
    }
    var measured: [MeasuredMemory.Side] = []
    for (side, launches) in zip(sides, launched) {
      let figures = try launches.figures(of: side.images[0])
      guard figures.launches.count == count else {
        throw Diagnostic(
          "the image was mapped in \(figures.launches.count) of \(count) launches: expected all",
          context: [side.images[0]], hint: "let each launch do the same")
      }
      measured.append(
        MeasuredMemory.Side(name: side.name, program: side.programImage, figures: figures))
    }
    return MeasuredMemory(measured)
  }
}

extension MeasuredProgram {
  /// The launch of this program in the form that `MemoryLaunches` takes.
  fileprivate var launch: ProgramLaunch {
    var launch = ProgramLaunch(
      command: [path] + arguments.dropFirst(),
      environment: variables.map { variable in
        let parts = variable.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
      }, timeout: timeout)
    launch.title = title
    launch.readiness = readiness
    launch.script = script
    launch.folder = folder
    return launch
  }
}
