import LaunchMeasurement
import Rendering

/// Reasons why a difference between layouts may not show on this machine.
struct MeasurementLimits {
  private let measured: [MeasuredState]
  /// The number of comparisons in the report.
  private let comparisons: Int
  private let machine: MeasuringMachine
  private let storage: [ImageStorage]

  init(
    _ measured: [MeasuredState], comparisons: Int, machine: MeasuringMachine,
    storage: [ImageStorage]
  ) {
    self.measured = measured
    self.comparisons = comparisons
    self.machine = machine
    self.storage = storage
  }

  var sentences: [String] {
    var limits: [String] = []
    if let load = machine.load, load > Double(machine.processors) / 2 {
      limits.append(
        "other programs were running at the start, load \(Decimal.text(load, places: 1)) on "
          + "\(counted(machine.processors, "processor")): this affects wall time most, CPU time little, and counts not at all"
      )
    }
    for state in measured {
      let name = state.state.rawValue
      if state.state == .cold { limits += coldLimits } else { limits += warmLimits }
      if let refusal = state.textFaultsRefusal {
        limits.append("\(name): faults on text were not counted: \(refusal)")
      }
      let least = ProgramComparison.leastRounds(comparisons: comparisons)
      if comparisons > 0, state.rounds.count < least {
        limits.append(
          "\(name): \(counted(state.rounds.count, "launch", "launches")) of each: with fewer "
            + "than \(least) no difference can be significant")
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
          "cold: read-ahead unknown: if it is large, the layout of \(names(alike)) makes no difference"
        )
        continue
      }
      let whole = alike.filter { $0.bytes <= ahead }
      if !whole.isEmpty {
        limits.append(
          "cold: the layout of \(names(whole)) makes no difference on this machine: its read-ahead of "
            + "\(ByteCount(ahead)) covers the whole file" + remedy(image))
      }
      let part = alike.filter { $0.bytes > ahead }
      if !part.isEmpty, ahead > 512 << 10 {
        limits.append(
          "cold: the layout of \(names(part)) makes little difference on this machine: its read-ahead "
            + "is \(ByteCount(ahead))" + remedy(image))
      }
    }
    return limits
  }

  private func names(_ images: [ImageStorage]) -> String {
    images.map { "'\(printable($0.path))'" }.joined(separator: ", ")
  }

  /// Returns what to do about a read-ahead above the usual 128 KiB, in words.
  private func remedy(_ image: ImageStorage) -> String {
    guard let ahead = image.readAheadBytes, ahead > 128 << 10, let setting = image.readAheadSetting
    else { return "" }
    return "; as root: echo 128 >\(setting)"
  }

  private var warmLimits: [String] {
    storage.compactMap { image in
      guard image.bytes <= machine.faultAroundBytes else { return nil }
      return
        "warm: one fault maps all of '\(printable(image.path))': its layout makes no difference"
    }
  }
}
