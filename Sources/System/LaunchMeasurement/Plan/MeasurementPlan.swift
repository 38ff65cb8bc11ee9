// The measurement of launches
//
// States of the page cache are measured one after the other. First each program is launched once without
// being counted: this proves that the program runs, and brings into memory the libraries that are not evicted
// or, for warm launches, everything. Then come the rounds, with one launch of each program
// (`LaunchSchedule`). Before a cold launch the images are evicted, and `mincore` confirms that none of their
// pages is left; libraries stay.
//
// Recording page faults with their addresses takes time, so it is done in extra launches after the rounds,
// which are not timed.

import ImageModel
import ProcessLaunch

/// One of the compared programs, with the identities that its files had when this value was made.
package struct MeasuredSide: Hashable, Sendable {
  /// The name of the program in reports: `before`, `after` or `control`.
  package var name: String
  package var program: MeasuredProgram
  /// The file of the program.
  package var programImage: ImageReference
  /// The images to evict and examine: absolute paths without symbolic links, the program's first.
  package let images: [String]
  /// The files that are put at the paths of images before each launch, for programs that are launched by the same
  /// paths.
  package let placements: [ImagePlacement]
  /// The identities of the files of `images`, which must not change.
  private let files: [FileIdentity?]

  package init(
    name: String, program: MeasuredProgram, programImage: ImageReference? = nil,
    images: [String], placements: [ImagePlacement] = []
  ) {
    self.name = name
    self.program = program
    self.programImage = programImage ?? ImageReference(path: program.path)
    self.images = images
    self.placements = placements
    files = images.map { image in
      FileIdentity(of: placements.first { $0.path == image }?.source ?? image)
    }
  }

  /// - Throws: if an image was replaced or written since this value was made.
  package func checkImages() throws(Diagnostic) {
    for (image, file) in zip(images, files) { try file?.check(image) }
  }
}

package enum CacheState: String, CaseIterable, Hashable, Sendable { case cold, warm }

/// All launches of all programs in one state of the page cache.
package struct MeasuredState: Hashable, Sendable {
  package var state: CacheState
  /// The launches of each program, in the given order of the programs.
  package var sides: [Side]
  /// The order in which each round launched the programs, as indexes into `sides`.
  package var rounds: [[Int]]
  /// The reason why faults on text were not counted; `nil` if they were counted.
  package var textFaultsRefusal: String?

  package struct Side: Hashable, Sendable {
    package var side: MeasuredSide
    /// The launches of the program, in the order of the rounds.
    package var launches: [MeasuredLaunch] = []
    /// The faults on text in each extra launch; these launches were not timed.
    package var textFaults: [Int] = []

    package init(_ side: MeasuredSide) { self.side = side }

    package var wallNanoseconds: [Double] { launches.map { Double($0.wallNanoseconds) } }
  }

  package init(_ state: CacheState, _ sides: [MeasuredSide]) {
    self.state = state
    self.sides = sides.map(Side.init)
    rounds = []
  }
}

/// The programs, the number of launches, and the states of the page cache.
package struct MeasurementPlan: Sendable {
  package var sides: [MeasuredSide]
  package var states: [CacheState]
  /// The maximum number of rounds.
  package var mostRounds: Int
  /// The time after which no more rounds of a state begin, if `leastRounds` are complete; `nil` for no limit.
  package var duration: Duration?
  /// The precision of the mean wall time as a share; the rounds end when all programs have reached it.
  package var precision: Double?
  package var seed: UInt64
  /// Whether the whole page cache is dropped before a cold launch, and not only the images.
  package var dropsCaches: Bool
  package var ignoresFailure: Bool
  /// Whether faults on text are counted in extra launches.
  package var countsTextFaults = true

  /// The usual number of rounds. On two processors with seven other busy threads, 100 rounds show that a program takes
  /// 20% more CPU time, and 30 rounds show that it takes twice as much (`MeasurementPowerTests`).
  package static let usualRounds = 100
  package static let usualDuration = Duration.seconds(20)
  /// The number of rounds that are launched even if they take longer than the duration.
  package static let leastRounds = 30
  /// The number of rounds before which no precision is computed: fewer rounds do not show how much launches vary.
  package static let leastRoundsForPrecision = 10
  static let mostCountedLaunches = 5

  /// - Precondition: there are one to three programs, and at least one round.
  package init(
    sides: [MeasuredSide], states: [CacheState], mostRounds: Int, duration: Duration? = nil,
    precision: Double? = nil, seed: UInt64 = 1, dropsCaches: Bool = false,
    ignoresFailure: Bool = false
  ) {
    precondition((1...3).contains(sides.count) && mostRounds > 0, "the options were checked")
    self.sides = sides
    self.states = states
    self.mostRounds = mostRounds
    self.duration = duration
    self.precision = precision
    self.seed = seed
    self.dropsCaches = dropsCaches
    self.ignoresFailure = ignoresFailure
  }

  package struct Progress: Sendable {
    package var state: CacheState
    package var round: Int
    package var mostRounds: Int
    /// The precision that the times of all programs have reached; `nil` if none was requested, or if too little is
    /// known.
    package var precision: Double?

    package init(state: CacheState, round: Int, mostRounds: Int, precision: Double? = nil) {
      self.state = state
      self.round = round
      self.mostRounds = mostRounds
      self.precision = precision
    }
  }

  /// Measures one state.
  ///
  /// - Parameters:
  ///   - device: the device that holds the images; `nil` for the disks that they are on.
  ///   - progress: called before each round, when nothing runs.
  /// - Returns: the launches of the complete rounds; after an interrupt, these may be fewer than planned.
  /// - Throws: if a launch fails, if an image can't be evicted, or if an image was replaced since the plan was made.
  package func run(
    _ state: CacheState, on device: LaunchDevice? = nil, _ progress: (Progress) -> Void
  ) throws(Diagnostic) -> MeasuredState {
    var result = MeasuredState(state, sides)
    for side in sides where !MeasuredProgram.wasInterrupted {
      try place(side)
      _ = try launch(side, nil, on: device)
    }
    let begin = FileTime.now()
    let start = ContinuousClock.now
    var schedule = LaunchSchedule(programs: sides.count, seed: seed)
    for round in 0..<mostRounds {
      let reached = precision == nil ? nil : reachedPrecision(result)
      progress(
        Progress(state: state, round: round, mostRounds: mostRounds, precision: reached))
      if let precision, let reached, reached <= precision { break }
      if let duration, round >= Self.leastRounds, ContinuousClock.now - start >= duration { break }
      let order = schedule.nextRound()
      var launches: [Int: MeasuredLaunch] = [:]
      for number in order where !MeasuredProgram.wasInterrupted {
        try place(sides[number])
        if state == .cold { try makeCold(sides[number], device) }
        launches[number] = try launch(sides[number], state, on: device)
      }
      guard !MeasuredProgram.wasInterrupted else { break }
      for number in sides.indices {
        if let launch = launches[number] { result.sides[number].launches.append(launch) }
      }
      result.rounds.append(order)
    }
    if countsTextFaults { try countTextFaults(&result, since: begin, on: device) }
    return result
  }

  /// Returns the precision of the program whose times vary most; `nil` before the first ten rounds.
  private func reachedPrecision(_ result: MeasuredState) -> Double? {
    guard result.rounds.count >= Self.leastRoundsForPrecision else { return nil }
    return result.sides.map {
      MeasurementPrecision.reached(SampleSummary($0.wallNanoseconds))
    }.max()
  }

  private func place(_ side: MeasuredSide) throws(Diagnostic) {
    for placement in side.placements { try placement.place() }
  }

  private func makeCold(_ side: MeasuredSide, _ device: LaunchDevice?) throws(Diagnostic) {
    if dropsCaches { try PageCache.dropAll() }
    try PageCache.evict(side.images)
    try device?.begin()
  }

  /// - Parameter state: if it is `cold`, the pages of the images that are in memory after the launch are counted.
  private func launch(
    _ side: MeasuredSide, _ state: CacheState?, _ faults: PageFaultRecording? = nil,
    on device: LaunchDevice?
  ) throws(Diagnostic) -> MeasuredLaunch {
    let (measured, reads) = try LaunchDevice.reads(from: device) { () throws(Diagnostic) in
      try side.program.launch(faults)
    }
    var launch = measured
    if let reads { launch.add(reads) }
    guard !MeasuredProgram.wasInterrupted else { return launch }
    try side.checkImages()
    if launch.end != .exited(0), !ignoresFailure {
      throw .failed(side.program.title, launch.end, showsOutput: side.program.showsOutput)
    }
    if state == .cold {
      var pages: UInt64 = 0
      for image in side.images { pages += try PageCache.residency(of: image).resident }
      launch.residentPages = pages
    }
    return launch
  }

  /// - Parameter begin: when the first measured launch began. The libraries that the programs map must
  ///   not have changed since then.
  private func countTextFaults(
    _ result: inout MeasuredState, since begin: FileTime, on device: LaunchDevice?
  ) throws(Diagnostic) {
    for _ in 0..<min(Self.mostCountedLaunches, result.rounds.count) {
      for number in sides.indices where !MeasuredProgram.wasInterrupted {
        try place(sides[number])
        if result.state == .cold { try makeCold(sides[number], device) }
        let recording: PageFaultRecording
        do { recording = try PageFaultRecording() } catch {
          result.textFaultsRefusal = "perf_event_open: \(error)"
          return
        }
        let now = FileTime.now()
        _ = try launch(sides[number], nil, recording, on: device)
        let (events, lost) = recording.events()
        for path in TextFaults.executableFiles(events) where !sides[number].images.contains(path) {
          try begin.checkUnchanged(path, until: now)
        }
        guard lost == 0 else {
          result.textFaultsRefusal = "perf_event_open: more faults than its buffers hold"
          return
        }
        result.sides[number].textFaults.append(
          TextFaults.count(events, in: sides[number].images))
      }
    }
  }
}
