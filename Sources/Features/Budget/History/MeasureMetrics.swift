import ImageModel
import LaunchMeasurement
import Measuring
import PagesFormat
import Rendering

extension MeasureDocument {
  /// The figures of the launches in each state of the page cache, for the second program, or for the only program.
  var committedImages: [CommittedDocument.Image] {
    timedImages + (memory.map { [memoryImage($0)] } ?? [])
  }

  private func place(_ state: CacheState) -> HistorySeries.Machine {
    HistorySeries.Machine(name: machine.name, kernel: machine.kernel, state: state.rawValue)
  }

  private var pageSize: PageSize? { PageSize(bytes: UInt64(clamping: machine.pageBytes)) }

  private var timedImages: [CommittedDocument.Image] {
    states.compactMap { state in
      guard let side = state.sides.first(where: { $0.name == "after" }) ?? state.sides.first else {
        return nil
      }
      return .init(
        reference: side.program,
        sets: [
          .init(
            .measure, pageSize: pageSize, machine: place(state.cache),
            metrics: side.metrics(withTimes: givesTimes(state.cache)))
        ])
    }
  }

  /// Returns the figures of resident memory. The file system decides which pages a fault maps, so its name is part of
  /// the series.
  private func memoryImage(_ memory: MeasuredMemory) -> CommittedDocument.Image {
    var place = place(.warm)
    place.name += ", memory \(memory.after.figures.moment.wording)"
    if let system = memory.after.figures.fileSystem { place.name += " on \(system)" }
    return .init(
      reference: memory.after.program,
      sets: [
        .init(
          .measure, pageSize: pageSize, machine: place, metrics: memory.after.figures.metrics)
      ])
  }
}

extension MeasuringMachine {
  /// The properties of the machine, apart from its kernel, that decide how fast a launch is, as one name.
  var name: String {
    var parts = [processor ?? "unknown processor", counted(processors, "processor")]
    if let governor { parts.append(governor) }
    parts.append("fault-around \(faultAroundBytes >> 10) KiB")
    return parts.joined(separator: ", ")
  }
}

extension MemoryFigures {
  fileprivate var metrics: [HistoryMetric?] {
    func metric(_ name: String, _ figure: (Launch) -> UInt64?) -> HistoryMetric? {
      .median(name, .bytes, of: values(figure).map { Double($0) })
    }
    return [
      metric("rss", \.rss), metric("pss", \.pss), metric("peakRSS", \.peak),
      metric("imageRSS", \.imageRSS), metric("imagePSS", \.imagePSS),
    ]
  }
}

extension MeasureDocument.Side {
  fileprivate func metrics(withTimes hasTimes: Bool) -> [HistoryMetric?] {
    let times: [HistoryMetric?] = [
      median("wallTime", .seconds, per: 1e9) { $0.wallNanoseconds },
      median("cpuTime", .seconds, per: 1e6) {
        $0.userMicroseconds.addingReportingOverflow($0.systemMicroseconds).partialValue
      },
    ]
    return (hasTimes ? times : []) + [
      median("instructions", .instructions) { $0.instructions },
      median("minorFaults", .faults) { $0.minorFaults },
      median("majorFaults", .faults) { $0.majorFaults },
      .median("textFaults", .faults, of: textFaults.map { Double($0) }),
      median("peakMemory", .bytes) { $0.peakBytes },
      median("requests", .requests) { $0.requests },
      median("readBytes", .bytes) { $0.requests == nil ? nil : $0.readBytes },
    ]
  }

  /// Returns the median of a figure over all launches; `nil` if a launch lacks the figure.
  private func median(
    _ name: String, _ unit: HistoryMetric.Unit, per divisor: Double = 1,
    _ figure: (MeasuredLaunch) -> UInt64?
  ) -> HistoryMetric? {
    let values = launches.compactMap(figure)
    guard values.count == launches.count else { return nil }
    return .median(name, unit, of: values.map { Double($0) / divisor })
  }
}

extension HistoryMetric {
  /// Returns the median of a figure that is better if it is lower; `nil` without values.
  fileprivate static func median(
    _ name: String, _ unit: Unit, of values: [Double]
  ) -> HistoryMetric? {
    guard !values.isEmpty else { return nil }
    let summary = SampleSummary(values)
    return HistoryMetric(
      name, unit, .lower, summary.median,
      sample: .init(
        low: summary.lowerQuartile, high: summary.upperQuartile, count: summary.count))
  }
}
