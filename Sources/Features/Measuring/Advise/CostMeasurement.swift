import CommandSupport
import ImageModel
import LaunchMeasurement
import LibC
import PagesFormat
import ProcessLaunch

/// What `advise` measures of each build, in addition to its pages.
package struct AdviceMeasurement: Hashable, Sendable {
  /// The states of the page cache in which launches are timed.
  package var states: [CacheState] = []
  /// The number of launches of each build in each state.
  package var runs = Self.usualRuns
  /// The device from which cold launches read the image; `nil` for the disk that holds the image.
  package var device: DeviceSettings?
  /// Whether the resident memory is measured.
  package var countsMemory = false

  package static let usualRuns = 30

  package init() {}

  package var isEmpty: Bool { states.isEmpty && !countsMemory }
}

/// Measures a build of an image, alternately with the build without changes.
///
/// Before each launch, a hard link to one of the two builds is put at the path of the image. So launches find the image
/// at its own path.
struct CostMeasurement {
  let settings: AdviceMeasurement
  let launch: RelinkedLaunch
  let ignoresFailure: Bool

  private var path: String { launch.path }
  private var present: ImagePlacement { ImagePlacement("\(path).orderfile-present", at: path) }
  private var changed: ImagePlacement { ImagePlacement("\(path).orderfile-changed", at: path) }

  /// Keeps the image as it is linked now, as the build without changes.
  func keepPresent() throws(Diagnostic) { try keep(present) }

  /// Removes the files that this value has made beside the image.
  func removeFiles() {
    unlink(present.source)
    unlink(changed.source)
  }

  /// Measures the image as it is linked now, and the build without changes.
  ///
  /// - Throws: if a launch fails, if the image can't be evicted, or if there is no such device; `interrupted`.
  func run() throws(Diagnostic) -> (present: AdviceDocument.Costs, changed: AdviceDocument.Costs) {
    try keep(changed)
    MeasuredProgram.catchInterrupts()
    var present = AdviceDocument.Costs()
    var changed = AdviceDocument.Costs()
    do {
      defer { Interruption.catchSignals() }
      for state in settings.states {
        let launches =
          if state == .cold, let device = settings.device {
            try onDevice(device)
          } else { try alternating(state) }
        guard !MeasuredProgram.wasInterrupted else { throw Diagnostic("interrupted") }
        present[state] = AdviceDocument.Launches(launches[0])
        changed[state] = AdviceDocument.Launches(launches[1], since: launches[0])
      }
    }
    if settings.countsMemory {
      present.memory = try memory(self.present)
      changed.memory = try memory(self.changed)
    }
    return (present, changed)
  }

  private func keep(_ placement: ImagePlacement) throws(Diagnostic) {
    try ImagePlacement(path, at: placement.source).place()
  }

  private func side(_ placements: [ImagePlacement]) throws(Diagnostic) -> MeasuredSide {
    var program = MeasuredProgram(
      path: try launch.environment.program(named: launch.program.command[0]),
      arguments: launch.program.command, inputPath: launch.inputPath,
      timeout: launch.program.timeout, readiness: launch.program.readiness)
    program.script = launch.program.script
    // The program may be the image, which is replaced before each launch.
    program.file = nil
    return MeasuredSide(name: "after", program: program, images: [path], placements: placements)
  }

  private func plan(_ sides: [MeasuredSide], runs: Int) -> MeasurementPlan {
    var plan = MeasurementPlan(
      sides: sides, states: settings.states, mostRounds: runs, ignoresFailure: ignoresFailure)
    plan.countsTextFaults = false
    return plan
  }

  private func alternating(_ state: CacheState) throws(Diagnostic) -> [[MeasuredLaunch]] {
    let sides = [try side([present]), try side([changed])]
    return try plan(sides, runs: settings.runs).run(state) { _ in }.sides.map(\.launches)
  }

  /// A device holds a copy of the file that is at the path when the device is made. So each launch has a new device.
  private func onDevice(_ settings: DeviceSettings) throws(Diagnostic) -> [[MeasuredLaunch]] {
    var schedule = LaunchSchedule(programs: 2, seed: 1)
    var launches: [[MeasuredLaunch]] = [[], []]
    for _ in 0..<self.settings.runs {
      for number in schedule.nextRound() where !MeasuredProgram.wasInterrupted {
        try [present, changed][number].place()
        let device = try LaunchDevice(settings, files: [path], needsTimes: true)
        defer { device.remove() }
        let measured = try plan([try side([])], runs: 1).run(.cold, on: device) { _ in }
        launches[number] += measured.sides[0].launches
      }
    }
    return launches
  }

  private func memory(_ placement: ImagePlacement) throws(Diagnostic) -> AdviceDocument.Memory {
    try placement.place()
    Interruption.catchSignals()
    var launches = MemoryLaunches(
      launch.program, inputPath: launch.inputPath, images: [path], ignoresFailure: ignoresFailure,
      in: launch.environment)
    for _ in 0..<MemoryFigures.usualLaunches {
      try launches.launch()
      if Interruption.hasCome { throw Diagnostic("interrupted") }
    }
    return AdviceDocument.Memory(try launches.figures(of: path))
  }
}
