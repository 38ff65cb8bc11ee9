import ImageModel
import LaunchMeasurement

/// What `orderfile measure` found: all of it measured, nothing predicted.
package struct MeasureReport: Sendable {
  package static let schema = "orderfile.measure/1"

  package let states: [State]
  package let machine: MeasuringMachine
  /// Where the images lie, each once.
  package let storage: [ImageStorage]
  /// The precision that was asked for, as a share; `nil` if none was.
  package let precision: Double?
  package let seed: UInt64
  package let dropsCaches: Bool

  /// - Parameter measured: at least one launch of each side in each state.
  package init(
    _ measured: [MeasuredState], machine: MeasuringMachine, storage: [ImageStorage],
    precision: Double?, seed: UInt64, dropsCaches: Bool
  ) {
    states = measured.map { State($0, seed: seed) }
    self.machine = machine
    self.storage = storage
    self.precision = precision
    self.seed = seed
    self.dropsCaches = dropsCaches
  }

  /// The launches in one state of the page cache, with what was computed of them.
  package struct State: Sendable {
    let measured: MeasuredState
    let sides: [Side]
    /// Of each other side with the first.
    let comparisons: [LaunchComparison]

    init(_ measured: MeasuredState, seed: UInt64) {
      self.measured = measured
      sides = measured.sides.map(Side.init)
      comparisons = measured.sides.dropFirst().map {
        LaunchComparison(measured.sides[0].wallNanoseconds, $0.wallNanoseconds, seed: seed)
      }
    }

    var name: String { measured.state.rawValue }
    var launches: Int { measured.rounds.count }
  }

  struct Side: Sendable {
    let measured: MeasuredState.Side
    let wall: SampleSummary
    let trend: Trend

    init(_ measured: MeasuredState.Side) {
      self.measured = measured
      wall = SampleSummary(measured.wallNanoseconds)
      trend = Trend(measured.wallNanoseconds)
    }

    var name: String { measured.side.name }

    /// Of a figure that each launch has; `nil` if one has none.
    func summary(_ figure: (MeasuredLaunch) -> UInt64?) -> SampleSummary? {
      let values = measured.launches.compactMap(figure).map { Double($0) }
      return values.count == measured.launches.count ? SampleSummary(values) : nil
    }

    /// The median of the faults on text; `nil` if none were counted.
    var textFaults: Double? {
      measured.textFaults.isEmpty
        ? nil : SampleSummary(measured.textFaults.map { Double($0) }).median
    }
  }
}

// MARK: What the machine can't show

extension MeasureReport {
  /// Sentences about why a difference between layouts may not show here.
  package var limits: [String] {
    var limits: [String] = []
    if let load = machine.load, load > Double(machine.processors) / 2 {
      limits.append(
        "other programs ran when this began, load \(Decimal.text(load, places: 1)) on "
          + "\(counted(machine.processors, "processor")): wall times suffer, counts do not")
    }
    for state in states {
      if state.measured.state == .cold { limits += coldLimits } else { limits += warmLimits }
      if let refusal = state.measured.textFaultsRefusal {
        limits.append("\(state.name): faults on text were not counted: \(refusal)")
      }
      if state.launches < 10 {
        limits.append(
          "\(state.name): \(counted(state.launches, "launch", "launches")) of each: intervals "
            + "are hints below 10")
      }
    }
    return limits
  }

  private var coldLimits: [String] {
    var limits: [String] = []
    for (index, image) in storage.enumerated()
    where !storage[..<index].contains(where: { $0.readAheadBytes == image.readAheadBytes }) {
      let alike = storage.filter { $0.readAheadBytes == image.readAheadBytes }
      guard let ahead = image.readAheadBytes else {
        limits.append(
          "cold: read-ahead unknown: if it is large, no layout of \(names(alike)) shows")
        continue
      }
      let whole = alike.filter { $0.bytes <= ahead }
      if !whole.isEmpty {
        limits.append(
          "cold: this machine can't show a layout of \(names(whole)): it reads \(ByteCount(ahead)) "
            + "ahead, which is all of it" + remedy(image))
      }
      let part = alike.filter { $0.bytes > ahead }
      if !part.isEmpty, ahead > 512 << 10 {
        limits.append(
          "cold: this machine hides most of a layout of \(names(part)): it reads \(ByteCount(ahead)) "
            + "ahead" + remedy(image))
      }
    }
    return limits
  }

  private func names(_ images: [ImageStorage]) -> String {
    images.map { "'\(printable($0.path))'" }.joined(separator: ", ")
  }

  /// What to do about a read-ahead beyond the 128 KiB that most machines have.
  private func remedy(_ image: ImageStorage) -> String {
    guard let ahead = image.readAheadBytes, ahead > 128 << 10, let setting = image.readAheadSetting
    else { return "" }
    return "; as root: echo 128 >\(setting)"
  }

  private var warmLimits: [String] {
    storage.compactMap { image in
      guard image.bytes <= machine.faultAroundBytes else { return nil }
      return "warm: one fault maps all of '\(printable(image.path))': no layout shows"
    }
  }
}
