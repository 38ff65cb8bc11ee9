import CommandSupport
import ImageModel
import LaunchMeasurement
import LibC
import PagesFormat
import ProcessLaunch

/// A launch whose page faults are listed: `orderfile faults`.
package struct FaultLaunch {
  /// The program and its arguments.
  package var command: [String]
  /// The files to evict from the page cache in addition to the program's file.
  package var images: [String] = []
  /// Whether the program's file and `images` are evicted from the page cache before the launch.
  package var isCold = false
  /// The device from which copies of the files are launched; `nil` for the disks that they are on. Only cold launches
  /// may have one.
  package var device: DeviceSettings?
  package var conditions = LaunchConditions()
  package var showsOutput = false
  package var ignoresFailure = false
  package var environment: LaunchEnvironment

  /// - Precondition: `command` is not empty.
  package init(_ command: [String], in environment: LaunchEnvironment) {
    precondition(!command.isEmpty, "there is a program to launch")
    self.command = command
    self.environment = environment
  }

  /// - Throws: if the folder of the launch does not exist.
  package init(_ launch: DescribedLaunch, in environment: LaunchEnvironment) throws(Diagnostic) {
    self.init(try launch.words(), in: environment)
    conditions = LaunchConditions(of: launch)
  }

  package struct Result {
    package let document: FaultsDocument
    package let warnings: [Diagnostic]
  }

  /// Launches the program twice: once to bring files into memory, and once to list the faults. After this call, an
  /// interrupt ends the launched program and not this process.
  ///
  /// - Returns: the document; if the system does not list faults, the document has no faults, and says why.
  /// - Throws: if the program can't be launched, if it fails, or if a file can't be evicted.
  package func run() throws(Diagnostic) -> Result {
    let input = try conditions.keptInput(in: environment)
    defer { withExtendedLifetime(input) {} }
    try conditions.readiness?.check()
    let path = try environment.program(named: command[0])
    let launched = try LaunchedProgram(named: command[0], in: environment)
    var evicted: Set<String> = [launched.path, launched.executable]
    for image in images { evicted.insert(try Folder.absolutePath(image)) }
    let device = try device.map { settings throws(Diagnostic) in
      try LaunchDevice(settings, files: evicted.sorted())
    }
    defer { device?.remove() }
    let machine = MeasuringMachine.current()
    let program = conditions.program(
      path, arguments: command, input: input, showsOutput: showsOutput)
    MeasuredProgram.catchInterrupts()
    try check(program.launch())
    if isCold { try PageCache.evict(evicted.sorted()) }
    try device?.begin()

    var recording: PageFaultRecording?
    var refusal: String?
    do { recording = try PageFaultRecording() } catch { refusal = "perf_event_open: \(error)" }
    let (result, reads) = try LaunchDevice.reads(from: device) { () throws(Diagnostic) in
      try program.launchWithStart(recording)
    }
    try check(result.launch)
    var document = FaultsDocument(
      command: command, end: PagesDocument.End(result.launch.end), cache: isCold ? .cold : .warm,
      wallNanoseconds: result.launch.wallNanoseconds, minorFaults: result.launch.minorFaults,
      majorFaults: result.launch.majorFaults, files: [], machine: machine)
    document.refusal = refusal
    document.device = device?.settings
    document.requests = reads?.requests
    document.readBytes = reads?.bytes
    if isCold {
      document.limits = [device?.settings.remarkOnTimes].compactMap { $0 }
      document.limits += ReadAheadLimits.sentences(evicted.sorted().map(ImageStorage.init))
    }

    let end = [result.start, result.launch.wallNanoseconds].saturatingSum()
    var places = FaultPlaces(program: launched.executable, from: result.start, to: end)
    if let (events, lost) = recording?.events() {
      for event in events { places.add(event) }
      document.lost = lost
      if places.faults.isEmpty, events.contains(where: \.isFault) {
        // The kernel stamps samples with the clock of the whole machine, so the times can be outside of the launch if
        // this process is in a time namespace.
        document.refusal = "the kernel reported page faults with times outside of the launch"
      }
    }
    document.files = places.files
    document.faults = places.faults
    document.leftOut = places.leftOut
    document.prefetchedFaults = places.prefetchedFaults
    return Result(document: document, warnings: warnings(document))
  }

  private func check(_ launch: MeasuredLaunch) throws(Diagnostic) {
    guard !MeasuredProgram.wasInterrupted else { throw Diagnostic("interrupted") }
    guard launch.end != .exited(0), !ignoresFailure else { return }
    throw .failed(command[0], launch.end, showsOutput: showsOutput)
  }

  private func warnings(_ document: FaultsDocument) -> [Diagnostic] {
    var warnings: [Diagnostic] = []
    func warn(_ message: String, hint: String? = nil) {
      warnings.append(Diagnostic(message, context: [command[0]], hint: hint))
    }
    if let refusal = document.refusal {
      warn(
        "the faults were counted but not listed: \(refusal)",
        hint:
          "run this command outside of the container, or as root, or set kernel.perf_event_paranoid to 2"
      )
    }
    if document.lost > 0 {
      warn("\(document.lost) page faults came too fast and are missing from the list")
    }
    if document.leftOut > 0 {
      warn("left out: \(document.leftOut) faults after the first \(document.faults.count)")
    }
    return warnings
  }
}

extension PageFaultEvent {
  fileprivate var isFault: Bool { if case .fault = self { true } else { false } }
}
