import Addresses
import ByteReading
import CStageTrace
import CommandSupport
import ImageModel
import LaunchLogFormat
import LaunchMeasurement
import LibC
import ProcessLaunch
import Rendering

/// Launches a program in turn with and without the stage tracer, and the program of another build with it: `orderfile
/// stages -- COMMAND`.
package struct StageMeasurement {
  /// The program and its arguments.
  package var command: [String]
  /// The path of the program of another build, which is launched in turn with the same arguments; `nil` for none.
  package var base: String?
  /// The number of launches with the tracer, and of launches without it; `nil` for as many as 5 s permit, from 20 to
  /// 100.
  package var runs: Int?
  package var conditions = LaunchConditions()
  package var showsOutput = false
  package var ignoresFailure = false
  /// Whether the program's image (and the interpreter's image, if the program is a script) is evicted from the page
  /// cache before each launch.
  package var isCold = false
  /// The device from which copies of these images are launched; `nil` for the disks that they are on. Only cold launches
  /// may have one.
  package var device: DeviceSettings?
  package var environment: LaunchEnvironment

  package static let usualRuns = 20...100
  static let usualDuration = Duration.seconds(5)

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
    package var table: StageTable
    /// The launches of the other build; `nil` if none was launched.
    package var base: StageTable?
    package var images: [StagedImage]
    package var initializers: [TimedInitializer]
    package var machine: MeasuringMachine
    package var device: StagesDocument.Device?
    package var state: CacheState
    package var warnings: [Diagnostic]
    /// The error if the user interrupted the measurement; the result then has the launches up to the interruption.
    package var interruption: Diagnostic?

    /// Returns the document of the launches, compared with those of the other build.
    ///
    /// - Parameter image: the image that the launches are of; `nil` for the launched program.
    package func document(
      precision: Double, image: ImageReference? = nil
    ) throws(Diagnostic) -> StagesDocument {
      var document = StagesDocument(precision: precision)
      document.image = image ?? images.first?.image
      document.images = images
      document.machine = machine
      document.device = device
      document.state = state
      document.initializers = initializers
      document.warnings = warnings
      document.tables = [table]
      if let base {
        var other = document
        other.tables = [base]
        try document.compare(with: other)
        // Whatever the machine does, it does to the launches of both builds.
        document.comparison?.doubts = []
      }
      return document
    }
  }

  /// From now on, an interrupt ends the launched programs and not this process.
  ///
  /// - Parameter progress: called before each round with its number, when nothing runs.
  /// - Throws: if the program can't be launched, or a launch fails; also if it was interrupted before the first round
  ///   was complete.
  package func run(_ progress: (Int) -> Void) throws(Diagnostic) -> Result {
    let input = try conditions.keptInput(in: environment)
    defer { withExtendedLifetime(input) {} }
    try conditions.readiness?.check()
    var sides = [try Side(command, program: command[0], in: environment)]
    if let base {
      // A name without a slash would be looked up in PATH, and the program's working directory may be another one.
      let path = base.hasPrefix("/") ? base : "\(try Folder.current())/\(base)"
      sides.append(try Side([base] + command.dropFirst(), program: path, in: environment))
    }
    let evicted = Set(sides.flatMap { [$0.launched.path, $0.launched.executable] }).sorted()
    let device = try device.map { settings throws(Diagnostic) in
      try LaunchDevice(settings, files: evicted, needsTimes: true)
    }
    defer { device?.remove() }
    let machine = MeasuringMachine.current()
    let tracer = try StageTracer(in: environment)
    MeasuredProgram.catchInterrupts()

    // Each round launches each side without the tracer (even numbers) and with it (odd numbers).
    var schedule = LaunchSchedule(programs: 2 * sides.count, seed: 1)
    // The first launch of each kind is not counted, because it brings files into memory.
    let begin = ContinuousClock.now
    var (filesBegin, lastLaunch) = (FileTime.now(), FileTime.now())
    for round in -1..<(runs ?? Self.usualRuns.upperBound) {
      if round == 0 { filesBegin = .now() }
      if round >= 0 { progress(round) }
      if runs == nil, round >= Self.usualRuns.lowerBound,
        ContinuousClock.now - begin >= Self.usualDuration * sides.count
      {
        break
      }
      var launches = sides.map { _ in Side.Round() }
      for number in schedule.nextRound() where !MeasuredProgram.wasInterrupted {
        if isCold { try PageCache.evict(evicted) }
        try device?.begin()
        lastLaunch = .now()
        let side = number / 2
        if number % 2 == 0 {
          let program = program(sides[side], input)
          let (result, reads) = try LaunchDevice.reads(from: device) { () throws(Diagnostic) in
            try program.launch()
          }
          try check(result)
          launches[side].plain = (Double(result.wallNanoseconds), reads)
        } else {
          launches[side].traced = try trace(program(sides[side], input), tracer, device)
        }
      }
      guard !MeasuredProgram.wasInterrupted else { break }
      guard round >= 0 else { continue }
      for side in sides.indices { sides[side].add(launches[side]) }
    }
    guard sides.allSatisfy({ !$0.traced.isEmpty }) else { throw Diagnostic("interrupted") }
    let divided = sides.map { DividedLaunches($0.traced) }
    let tables = zip(sides, divided).map { $0.table($1) }
    let launched = sides[0].launched
    let images = Self.images(of: divided[0].launches, program: launched.executable)
    for path in images.map(\.image.path) + sides.dropFirst().map(\.launched.executable) {
      try filesBegin.checkUnchanged(path, until: lastLaunch)
    }
    var warnings = zip(sides, divided).flatMap { side, divided in
      self.warnings(divided, of: side.traced.count, side.launched.path)
    }
    if isCold { warnings += ReadAheadLimits.warnings(evicted.map(ImageStorage.init)) }
    return Result(
      table: tables[0], base: tables.count > 1 ? tables[1] : nil, images: images,
      initializers: Self.initializers(of: divided[0].launches, program: launched.executable),
      machine: machine,
      device: device.map { StagesDocument.Device($0.settings, sides[0].reads) },
      state: isCold ? .cold : .warm, warnings: warnings,
      interruption: MeasuredProgram.wasInterrupted
        ? Diagnostic("interrupted: the result covers the launches so far") : nil)
  }

  /// One of the launched builds, and its launches of the complete rounds.
  private struct Side {
    let command: [String]
    let path: String
    let launched: LaunchedProgram
    private(set) var untraced: [Double] = []
    private(set) var traced: [TracedLaunch] = []
    private(set) var reads: [LaunchDevice.Reads] = []

    /// The launches of a round; `nil` for those that did not take place.
    struct Round {
      var plain: (time: Double, reads: LaunchDevice.Reads?)?
      var traced: TracedLaunch?
    }

    init(
      _ command: [String], program: String, in environment: LaunchEnvironment
    ) throws(Diagnostic) {
      self.command = command
      path = try environment.program(named: program)
      launched = try LaunchedProgram(named: program, in: environment)
    }

    mutating func add(_ round: Round) {
      guard let plain = round.plain, let launch = round.traced else { return }
      untraced.append(plain.time)
      if let read = plain.reads { reads.append(read) }
      traced.append(launch)
    }

    func table(_ divided: DividedLaunches) -> StageTable {
      let launches = divided.launches
      return StageTable(
        .measured, launches.map { StagedLaunch($0.stages) },
        origins: [command.map(shellWord).joined(separator: " ")],
        untraced: divided.indexes.map { untraced[$0] },
        counts: (launches[0].statistics?.counts ?? []).map { StageTable.Count($0.name, $0.text) })
    }
  }

  private func program(_ side: Side, _ input: KeptInput) -> MeasuredProgram {
    conditions.program(side.path, arguments: side.command, input: input, showsOutput: showsOutput)
  }

  /// Launches a program with the tracer.
  private func trace(
    _ program: MeasuredProgram, _ tracer: StageTracer, _ device: LaunchDevice?
  ) throws(Diagnostic) -> TracedLaunch {
    let recording = try tracer.begin()
    var program = program
    program.variables += recording.variables
    let (result, _) = try LaunchDevice.reads(from: device) { () throws(Diagnostic) in
      try program.launchWithStart()
    }
    try check(result.launch)
    return TracedLaunch(
      try recording.trace(), start: result.start,
      end: result.start + result.launch.wallNanoseconds,
      statistics: recording.statistics(ofProcess: result.processNumber),
      endName: conditions.readiness == nil ? "exit" : "ready")
  }

  private func check(_ launch: MeasuredLaunch) throws(Diagnostic) {
    guard launch.end != .exited(0), !ignoresFailure, !MeasuredProgram.wasInterrupted else { return }
    throw .failed(command[0], launch.end, showsOutput: showsOutput)
  }

  /// Returns the images in memory with their mean times, in the order of the first launch. The files of the images are
  /// read now.
  private static func images(of launches: [TracedLaunch], program: String) -> [StagedImage] {
    struct Sum {
      var count = 0
      var mapped = 0.0
      var load = 0.0
      var isLoaded = true
    }
    var sums: [String: Sum] = [:]
    var order: [String] = []
    for launch in launches {
      var seen: Set<String> = []
      for mapping in launch.mappings {
        let path = mapping.object == 0 ? program : launch.trace.objects[mapping.object]
        // The kernel's own object (vDSO) has no file, and is left out. An image that is opened again counts only once.
        guard path.contains("/"), seen.insert(path).inserted else { continue }
        if sums[path] == nil { order.append(path) }
        var sum = sums[path] ?? Sum()
        sum.count += 1
        sum.mapped += Double(mapping.end)
        sum.load += Double(mapping.nanoseconds ?? 0)
        sum.isLoaded = sum.isLoaded && mapping.nanoseconds != nil
        sums[path] = sum
      }
    }
    return order.compactMap { path in
      guard let sum = sums[path] else { return nil }
      let bytes = try? InputFile.bytes(path)
      return StagedImage(
        bytes.map { ImageReference(path: path, $0) } ?? ImageReference(path: path),
        mappedNanoseconds: sum.mapped / Double(sum.count),
        loadNanoseconds: sum.isLoaded ? sum.load / Double(sum.count) : nil)
    }
  }

  /// Returns the mean time of each initializer over the launches that ran the initializer, in the order of first
  /// occurrence.
  private static func initializers(
    of launches: [TracedLaunch], program: String
  ) -> [TimedInitializer] {
    struct Key: Hashable {
      var image: String
      var address: StatedAddress
      var occurrence: Int
    }
    var sums: [Key: (count: Int, nanoseconds: Double, start: Double)] = [:]
    var order: [Key] = []
    for launch in launches {
      var occurrences: [Key: Int] = [:]
      for initializer in launch.initializers {
        let path = launch.trace.objects[initializer.object]
        var key = Key(
          image: initializer.object == 0 ? program : path, address: initializer.address,
          occurrence: 0)
        let occurrence = occurrences[key, default: 0]
        occurrences[key] = occurrence + 1
        key.occurrence = occurrence
        if sums[key] == nil { order.append(key) }
        let sum = sums[key] ?? (0, 0, 0)
        sums[key] = (
          sum.count + 1, sum.nanoseconds + Double(initializer.nanoseconds),
          sum.start + Double(initializer.start)
        )
      }
    }
    return order.compactMap { key in
      guard let sum = sums[key] else { return nil }
      return TimedInitializer(
        image: key.image, address: key.address,
        nanoseconds: sum.nanoseconds / Double(sum.count),
        startNanoseconds: sum.start / Double(sum.count))
    }
  }

  // MARK: Warnings

  private func warnings(
    _ divided: DividedLaunches, of count: Int, _ image: String
  ) -> [Diagnostic] {
    var warnings: [Diagnostic] = []
    switch divided.division {
    case .whole:
      warnings.append(
        Diagnostic(
          "the stages can't be separated: \(divided.limit ?? StageTracer.reasonAgainst(image))",
          context: [image],
          hint:
            "to divide the launch by marks, call orderfile_mark() in the program, and run 'orderfile record'"
        ))
    case .records:
      warnings.append(
        Diagnostic(
          "\(divided.limit ?? "the loader's times are unknown"), so loading and relocation are one row",
          context: [image]))
    case .loader: break
    }
    if let reason = divided.leftOut {
      let out = count - divided.launches.count
      warnings.append(
        Diagnostic(
          "left out \(out) of \(counted(count, "launch", "launches")), which can't be separated: \(reason)",
          context: [image]))
    }
    if let lost = divided.launches.map(\.trace.lost).max(), lost > 0 {
      warnings.append(
        Diagnostic(
          "\(lost) records were lost: some initializers are in 'loader: between initializers'",
          context: [image]))
    }
    return warnings
  }
}
