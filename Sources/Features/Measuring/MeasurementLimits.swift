import CommandSupport
import LaunchMeasurement
import Rendering

/// Reasons why a difference between layouts may not show on this machine.
struct MeasurementLimits {
  private let measured: [MeasuredState]
  /// The number of comparisons in the report, for which the significance is corrected.
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
      limits += state.state == .cold ? ReadAheadLimits.sentences(storage) : warmLimits
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

  private var warmLimits: [String] {
    storage.compactMap { image in
      guard image.bytes <= machine.faultAroundBytes else { return nil }
      return
        "warm: one fault maps all of '\(printable(image.path))': its layout makes no difference"
    }
  }
}
