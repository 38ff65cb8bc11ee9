import CommandSupport
import ImageModel
import LaunchMeasurement
import LibC
import ProcessLaunch

/// Measures two builds, launched alternately: `orderfile measure`.
package struct BuildMeasurement {
  /// The path of an image, or a command. `after`, which is compared with `before`, is a path or a command, too.
  package var before: String
  package var after: String
  /// Arguments that both programs get.
  package var arguments: [String] = []
  package var states: [CacheState] = [.warm]
  /// The number of launches of each program; with a precision, the maximum. `nil` selects the usual plan, or at most 500
  /// launches if there is a precision.
  package var runs: Int?
  /// The precision of the mean times as a share; the launches end when it is reached.
  package var precision: Double?
  /// Whether the first program is also measured as a control. The control is a copy of its file if the programs are two
  /// files.
  package var hasControl = false
  /// Images to evict from the page cache and to examine, in addition to the programs' own images.
  package var images: [String] = []
  package var conditions = LaunchConditions()
  package var showsOutput = false
  package var seed: UInt64 = 1
  package var dropsCaches = false
  package var ignoresFailure = false
  /// The device from which copies of the images are launched; `nil` for the disks that hold the images.
  package var device: DeviceSettings?
  /// Whether the resident memory is also measured: in `runs` extra launches of each program, or in 20 by default.
  package var countsMemory = false
  /// Whether the build before is also launched. Without the build before, only memory can be measured.
  package var measuresBefore = true
  /// Whether faults on text are counted in extra launches.
  package var countsTextFaults = true
  package var environment: LaunchEnvironment

  package init(before: String, after: String, in environment: LaunchEnvironment) {
    self.before = before
    self.after = after
    self.environment = environment
  }

  /// Launches the programs as `launch` describes, apart from the program.
  ///
  /// - Throws: if the folder of the launch does not exist.
  package mutating func launch(as launch: DescribedLaunch) throws(Diagnostic) {
    arguments = Array(try launch.words().dropFirst())
    conditions = LaunchConditions(of: launch)
  }

  package struct Result {
    /// The result; `nil` if the measurement was interrupted before each program was launched twice.
    package let document: MeasureDocument?
    package let warnings: [Diagnostic]
    /// The interruption, if there was one; the report then covers the launches until then.
    package let interruption: Diagnostic?
  }

  /// Measures the launches in one state of the page cache after the other. After this call, an interrupt ends the
  /// launched programs and not this process.
  ///
  /// - Parameter progress: called before each round, when nothing runs.
  /// - Throws: if a program is missing, a launch fails, or an image can't be evicted.
  package func run(
    _ progress: (MeasurementPlan.Progress) -> Void
  ) throws(Diagnostic) -> Result {
    let input = try conditions.keptInput(in: environment)
    defer { withExtendedLifetime(input) {} }
    try conditions.readiness?.check()
    let first = try MeasuredCommand(before, arguments, option: "--before", in: environment)
    let second = try MeasuredCommand(after, arguments, option: "--after", in: environment)
    let control = try hasControl ? control(first, second) : nil
    defer { withExtendedLifetime(control) {} }
    let also = try images.map { path throws(Diagnostic) in try Folder.absolutePath(path) }
    let device = try device.map { settings throws(Diagnostic) in
      try LaunchDevice(
        settings, files: [first.image, second.image] + (control.map { [$0.path] } ?? []) + also)
    }
    // The device is removed before the control, because the control's file can't be removed while the device is mounted
    // on it.
    defer { device?.remove() }
    var plan = try plan(first, second, control, also, input)
    plan.countsTextFaults = countsTextFaults
    let machine = MeasuringMachine.current()
    MeasuredProgram.catchInterrupts()
    var measured: [MeasuredState] = []
    for state in plan.states where !MeasuredProgram.wasInterrupted {
      let result = try plan.run(state, on: device, progress)
      if result.rounds.count > 1 { measured.append(result) }
    }
    let memory =
      try countsMemory && !MeasuredProgram.wasInterrupted ? memory(plan.sides, progress) : nil
    let isInterrupted = MeasuredProgram.wasInterrupted || Interruption.hasCome
    let document =
      measured.isEmpty && memory == nil
      ? nil
      : MeasureDocument(
        measured, machine: machine,
        storage: distinct(plan.sides.filter { $0.name != "control" }.flatMap(\.images))
          .map(ImageStorage.init),
        precision: precision, seed: seed, dropsCaches: dropsCaches, device: device?.settings,
        memory: memory)
    let interruption = Diagnostic(
      document == nil ? "interrupted" : "interrupted: the result covers the launches so far")
    return Result(
      document: document,
      warnings: MeasuredCommand.warnings(first, second),
      interruption: isInterrupted ? interruption : nil)
  }

  private func memory(
    _ sides: [MeasuredSide], _ progress: (MeasurementPlan.Progress) -> Void
  ) throws(Diagnostic) -> MeasuredMemory? {
    try MemoryMeasurement(
      sides: sides, launches: runs, seed: seed, ignoresFailure: ignoresFailure,
      environment: environment
    ).run(progress)
  }

  /// Copies the first program for the control. Returns `nil` if both programs are one file: the control is then the
  /// same file, so that all measured programs read one file.
  private func control(
    _ first: MeasuredCommand, _ second: MeasuredCommand
  ) throws(Diagnostic) -> ControlCopy? {
    if let file = first.file, let other = second.file, file.isSameFile(as: other) { return nil }
    guard first.isImage else {
      throw Diagnostic(
        "--control needs an image that can be copied, but this is a script", context: [first.path],
        hint: "measure the program that the script runs, or leave out --control")
    }
    return try ControlCopy(of: first.image)
  }

  private func plan(
    _ first: MeasuredCommand, _ second: MeasuredCommand, _ control: ControlCopy?,
    _ also: [String], _ input: KeptInput
  ) throws(Diagnostic) -> MeasurementPlan {
    let current = try conditions.folder == nil ? "" : "\(Folder.current())/"
    func side(_ name: String, _ command: MeasuredCommand, at path: String? = nil) -> MeasuredSide {
      let relative = path ?? command.path
      var program = conditions.program(
        relative.hasPrefix("/") ? relative : current + relative, arguments: command.arguments,
        input: input, showsOutput: showsOutput)
      // A copy on a device is a file of its own.
      if path == nil, device == nil { program.file = command.file }
      return MeasuredSide(
        name: name, program: program, programImage: command.reference,
        images: distinct([path ?? command.image] + also))
    }
    return MeasurementPlan(
      sides: (measuresBefore ? [side("before", first)] : []) + [side("after", second)]
        + (hasControl ? [side("control", first, at: control?.path)] : []),
      states: states,
      mostRounds: runs ?? (precision == nil ? MeasurementPlan.usualRounds : 500),
      duration: runs == nil && precision == nil ? MeasurementPlan.usualDuration : nil,
      precision: precision, seed: seed, dropsCaches: dropsCaches, ignoresFailure: ignoresFailure)
  }

  private func distinct(_ paths: [String]) -> [String] {
    paths.indices.filter { !paths[..<$0].contains(paths[$0]) }.map { paths[$0] }
  }
}
