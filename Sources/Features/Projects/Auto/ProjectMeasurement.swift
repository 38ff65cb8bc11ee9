import CommandSupport
import ImageModel
import LaunchMeasurement
import LibC
import Measuring
import ProcessLaunch

/// Measures launches with the images in the default order, with the images in the new order, and with copies of the
/// images in the default order, as the control.
///
/// A launch finds images at their paths in the copy of the project. So before each launch, hard links to the images of
/// one build are put at these paths. Afterwards the original images are put back.
struct ProjectMeasurement {
  private let shell: AutoShell
  private let recorded: ProjectLaunches.Recorded
  private let programs: [ProjectImage]
  private let steps: ProjectSteps
  private(set) var warnings: [Diagnostic] = []

  /// - Parameter programs: all images of the build. Launches find programs in the folders of these images.
  init(
    _ recorded: ProjectLaunches.Recorded, programs: [ProjectImage], _ shell: AutoShell,
    steps: ProjectSteps
  ) {
    self.recorded = recorded
    self.programs = programs
    self.shell = shell
    self.steps = steps
  }

  private var folder: AutoFolder { shell.folder }

  /// Measures each launch, and also writes each result to a file.
  mutating func run(_ launches: [AutoLaunch]) throws(Diagnostic) -> [AutoDocument.Measurement] {
    try Folder.make(folder.measurements)
    try Folder.make(folder.originals)
    let originals = recorded.images.map {
      ImagePlacement("\(folder.originals)/\($0.name)", at: $0.path)
    }
    for original in originals {
      try ImagePlacement(original.path, at: original.source).place()
    }
    // The file `building` makes the next run start with a new copy if this run is killed: it would leave the images of
    // one build at all paths.
    try OutputFile(folder.building).finish([])
    MeasuredProgram.catchInterrupts()
    defer {
      Interruption.catchSignals()
      if originals.allSatisfy({ (try? $0.place()) != nil }) {
        Folder.remove(Array(folder.building.utf8))
      }
      Folder.remove(Array(folder.originals.utf8))
    }
    var results: [AutoDocument.Measurement] = []
    for (index, launch) in launches.enumerated() {
      let document = try steps.timed("measure", launch.command) { () throws(Diagnostic) in
        try measure(launch, images: recorded.imagesOfLaunches[index])
      }
      let result = AutoDocument.Measurement(
        launch: launch.command, name: "launch-\(index + 1).json", document: document)
      try OutputFile("\(folder.path)/\(result.path)").finish(document.json())
      results.append(result)
    }
    return results
  }

  private mutating func measure(
    _ launch: AutoLaunch, images used: Set<ProjectImage>
  ) throws(Diagnostic) -> MeasureDocument {
    let images = recorded.images.filter(used.contains)
    let program = shell.measuredProgram(of: launch, images: programs)
    func side(_ name: String, _ folder: String) -> MeasuredSide {
      MeasuredSide(
        name: name, program: program, images: images.map(\.path),
        placements: images.map { ImagePlacement("\(folder)/\($0.name)", at: $0.path) })
    }
    try Folder.make(folder.controls)
    defer { Folder.remove(Array(folder.controls.utf8)) }
    let copies = try images.map { image throws(Diagnostic) in
      try ControlCopy(
        of: "\(folder.defaultImages)/\(image.name)", to: "\(folder.controls)/\(image.name)")
    }
    defer { withExtendedLifetime(copies) {} }
    let plan = MeasurementPlan(
      sides: [
        side("before", folder.defaultImages), side("after", folder.images),
        side("control", folder.controls),
      ], states: CacheState.allCases, mostRounds: MeasurementPlan.usualRounds,
      duration: MeasurementPlan.usualDuration)
    let machine = MeasuringMachine.current()
    var measured: [MeasuredState] = []
    for state in plan.states {
      do { measured.append(try plan.run(state) { _ in }) } catch {
        // On file systems that keep files in memory, files can't be evicted, so cold launches are left out.
        guard state == .cold, !MeasuredProgram.wasInterrupted else {
          throw Diagnostic(
            error.message, context: error.context,
            hint:
              "the command is launched many times: a launch must not depend on what earlier launches did"
          )
        }
        warnings.append(
          Diagnostic(
            "cold launches were not measured: \(error.message)",
            context: [launch.command] + error.context))
      }
      guard !MeasuredProgram.wasInterrupted else { throw Diagnostic("interrupted") }
    }
    return MeasureDocument(
      measured, machine: machine, storage: images.map { ImageStorage(of: $0.path) },
      precision: nil, seed: plan.seed, dropsCaches: false)
  }
}
