import ImageModel
import LaunchMeasurement

/// The result of `orderfile measure`. All its figures are measured.
package struct MeasureDocument: Hashable, Sendable {
  package var states: [State]
  package var machine: MeasuringMachine
  /// The storage of the images, each listed once.
  package var storage: [ImageStorage]
  /// Sentences that say why a difference between layouts may not show on this machine.
  package var limits: [String]
  /// The requested precision as a share; `nil` if none was requested.
  package var precision: Double?
  package var seed: UInt64
  package var dropsCaches: Bool
  /// The device of the cold launches; `nil` for the disks that hold the images.
  package var device: DeviceSettings?
  /// The resident memory of the programs; `nil` if memory was not measured.
  package var memory: MeasuredMemory?
  /// The comparison over random layouts, in place of `states`; `nil` if the builds were measured as they are.
  package var layouts: MeasuredLayouts?

  /// The launches in one state of the page cache.
  package struct State: Hashable, Sendable {
    package var cache: CacheState
    /// The order in which each round launched the programs: their names, separated by blanks.
    package var rounds: [String]
    /// The measured programs, at least one.
    package var sides: [Side]
    /// The comparison of each program after the first with the first program.
    package var comparisons: [Comparison]

    package var launches: Int { rounds.count }
  }

  /// The launches of one program in one state of the page cache.
  package struct Side: Hashable, Sendable {
    /// The name of the program in the report: `before`, `after` or `control`.
    package var name: String
    /// The file of the program.
    package var program: ImageReference
    package var command: [String]
    /// The paths of the images that were evicted and examined.
    package var images: [String]
    /// The launches in the order of the rounds; at least one.
    package var launches: [MeasuredLaunch]
    /// The faults on text in each extra launch; these launches were not timed.
    package var textFaults: [Int]
    /// A summary of the wall times, in nanoseconds.
    package var wall: SampleSummary
    /// The trend of the wall times from launch to launch.
    package var trend: Trend

    package var path: String { program.path }
  }

  /// The comparison of one program with the first program, in each metric that all their launches have.
  package struct Comparison: Hashable, Sendable {
    package var before: String
    package var after: String
    package var metrics: [ProgramComparison]

    package init(before: String, after: String, metrics: [ProgramComparison]) {
      self.before = before
      self.after = after
      self.metrics = metrics
    }
  }
}

// MARK: Figures

extension MeasureDocument.Side {
  /// Returns the summary of a figure over all launches; `nil` if a launch lacks the figure.
  func summary(_ figure: (MeasuredLaunch) -> UInt64?) -> SampleSummary? {
    let values = launches.compactMap(figure).map { Double($0) }
    return values.count == launches.count ? SampleSummary(values) : nil
  }

  /// The median of the faults on text; `nil` if none were counted.
  var medianTextFaults: Double? {
    textFaults.isEmpty ? nil : SampleSummary(textFaults.map { Double($0) }).median
  }
}

extension MeasureDocument {
  /// The name and the file of each program, the program before first.
  package var programs: [(name: String, program: ImageReference)] {
    if let state = states.first { return state.sides.map { ($0.name, $0.program) } }
    return memory?.sides.map { ($0.name, $0.program) } ?? []
  }

  /// Whether the document gives the times of launches in a state. It gives no times of cold launches from a loop
  /// device, which takes as long for a request as the disk below it.
  package func givesTimes(_ state: CacheState) -> Bool {
    state == .warm || device?.reasonAgainstTimes == nil
  }

  /// What the measurement shows, as sentences.
  package var findings: [String] {
    states.flatMap { state in
      givesTimes(state.cache) ? state.findings(precision: precision) : state.verdicts
    } + (memory?.findings ?? [])
      + (layouts?.findings ?? [])
  }
}

// MARK: Of a measurement

extension MeasureDocument {
  /// - Parameter measured: at least one launch of each program in each state; empty if only memory was measured.
  package init(
    _ measured: [MeasuredState], machine: MeasuringMachine, storage: [ImageStorage],
    precision: Double?, seed: UInt64, dropsCaches: Bool, device: DeviceSettings? = nil,
    memory: MeasuredMemory? = nil
  ) {
    self.precision = precision
    self.seed = seed
    self.dropsCaches = dropsCaches
    self.device = device
    states = measured.map { State($0) }
    self.memory = memory
    self.machine = machine
    // The path of the read-ahead setting is in the sentences about limits only; it is no property of the image.
    self.storage = storage.map { image in
      var image = image
      image.readAheadSetting = nil
      return image
    }
    limits = []
    for state in states.indices where !givesTimes(states[state].cache) {
      states[state].leaveOutTimes()
      limits += [device?.reasonAgainstTimes].compactMap { $0 }
    }
    limits +=
      MeasurementLimits(
        measured,
        comparisons: (states.flatMap(\.comparisons) + (memory?.comparisons ?? []))
          .map(\.metrics.count).reduce(0, +),
        machine: machine, storage: storage
      ).sentences + (memory?.limits ?? [])
    correctForTheirNumber()
  }

  private mutating func correctForTheirNumber() {
    let comparisons = states.flatMap(\.comparisons) + (memory?.comparisons ?? [])
    var corrected = ProgramComparison.corrected(comparisons.flatMap { $0.metrics.map(\.p) })[...]
    func correct(_ comparisons: inout [Comparison]) {
      for comparison in comparisons.indices {
        for metric in comparisons[comparison].metrics.indices {
          comparisons[comparison].metrics[metric].correctedP = corrected.removeFirst()
        }
      }
    }
    for state in states.indices { correct(&states[state].comparisons) }
    if var memory {
      correct(&memory.comparisons)
      self.memory = memory
    }
  }
}

extension MeasureDocument.State {
  fileprivate init(_ measured: MeasuredState) {
    let names = measured.sides.map(\.side.name)
    cache = measured.state
    rounds = measured.rounds.map { round in
      round.map { names[$0] }.joined(separator: " ")
    }
    sides = measured.sides.map(MeasureDocument.Side.init)
    comparisons = measured.sides.dropFirst().map { side in
      MeasureDocument.Comparison(measured.sides[0], side)
    }
  }
}

extension MeasureDocument.State {
  /// Leaves out the comparisons of times.
  fileprivate mutating func leaveOutTimes() {
    for index in comparisons.indices {
      comparisons[index].metrics.removeAll { $0.metric == .wallTime || $0.metric == .cpuTime }
    }
  }
}

extension MeasureDocument.Side {
  fileprivate init(_ measured: MeasuredState.Side) {
    self.init(
      name: measured.side.name, program: measured.side.programImage,
      command: measured.side.program.arguments, images: measured.side.images,
      launches: measured.launches, textFaults: measured.textFaults,
      wall: SampleSummary(measured.wallNanoseconds), trend: Trend(measured.wallNanoseconds))
  }
}

extension MeasureDocument.Comparison {
  fileprivate init(_ before: MeasuredState.Side, _ after: MeasuredState.Side) {
    self.init(
      before: before.side.name, after: after.side.name,
      metrics: LaunchMetric.allCases.compactMap {
        ProgramComparison($0, before.launches, after.launches)
      })
  }
}
