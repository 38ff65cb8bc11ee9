import Addresses
import LaunchMeasurement
import Rendering

/// The table of one state of the page cache, with a column for each program.
struct MeasuredStateTable {
  private let state: MeasureDocument.State
  private let givesTimes: Bool
  private var sides: [MeasureDocument.Side] { state.sides }

  /// - Parameter givesTimes: whether the table has rows for times.
  init(_ state: MeasureDocument.State, givesTimes: Bool) {
    self.state = state
    self.givesTimes = givesTimes
  }

  /// A row of the table: one figure of each program.
  private struct Row {
    var name: String
    /// The figure of each program; `nil` for a program without this figure.
    var values: [Double?]
    var wording: (Double) -> String

    init(_ name: String, _ values: [Double?], _ wording: @escaping (Double) -> String) {
      self.name = name
      self.values = values
      self.wording = wording
    }

    /// The change of the figure from the first program to the second.
    var change: String {
      guard let before = values[0], values.count > 1, let after = values[1] else { return "-" }
      return Percentage.change(from: before, to: after)
    }
  }

  private var rows: [Row] {
    func wall(_ name: String, _ value: (SampleSummary) -> Double) -> Row {
      Row("wall, \(name)", sides.map { value($0.wall) }) {
        Decimal.milliseconds(nanoseconds: $0) + " ms"
      }
    }
    func median(
      _ name: String, _ figure: (MeasuredLaunch) -> UInt64?,
      _ wording: @escaping (Double) -> String
    ) -> Row {
      Row("\(name), median", sides.map { $0.summary(figure)?.median }, wording)
    }
    func mean(_ name: String, _ figure: (MeasuredLaunch) -> UInt64) -> Row {
      Row("\(name), mean", sides.map { $0.summary(figure)?.mean }, time)
    }
    func time(_ microseconds: Double) -> String {
      Decimal.milliseconds(nanoseconds: microseconds * 1000) + " ms"
    }
    func count(_ value: Double) -> String {
      Decimal.text(value, places: value == value.rounded() ? 0 : 1)
    }
    func bytes(_ value: Double) -> String {
      "\(ByteCount(UInt64(exactly: value.rounded(.down)) ?? .max))"
    }
    let launches = sides[0].textFaults.count
    let times: [Row] = [
      wall("minimum", \.minimum), wall("lower quartile", \.lowerQuartile),
      wall("median", \.median), wall("mean", \.mean), wall("upper quartile", \.upperQuartile),
      wall("95th percentile", \.percentile95), wall("maximum", \.maximum),
      median("CPU time, user and system", \.cpuMicroseconds, time),
      mean("user", \.userMicroseconds), mean("system", \.systemMicroseconds),
    ]
    return (givesTimes ? times : []) + [
      median("instructions in user mode", \.instructions, count),
      median("minor faults", \.minorFaults, count),
      median("major faults", \.majorFaults, count),
      Row(
        "faults on the images' text, median of \(counted(launches, "extra launch", "extra launches"))",
        sides.map(\.medianTextFaults), count),
      median("pages of the images in memory afterwards", \.residentPages, count),
      median("requests to the device", \.requests, count),
      median("read from devices", \.readBytes, bytes),
      median("peak resident memory", \.peakBytes, bytes),
    ]
  }

  func text(width: Int?) -> String {
    var columns = sides.prefix(2).map { Table.Column($0.name.uppercased()) }
    columns.append(Table.Column("CHANGE"))
    columns += sides.dropFirst(2).map { Table.Column($0.name.uppercased()) }
    let title = "\(state.cache.rawValue) launch, measured, \(state.launches) of each".uppercased()
    var table = Table(columns + [Table.Column(title, .left)])
    for row in rows where row.values.contains(where: { $0 != nil }) {
      var cells = row.values.map { $0.map(row.wording) ?? "-" }
      cells.insert(row.change, at: min(2, cells.count))
      table.add(cells + [row.name])
    }
    return table.text(width: width)
  }
}
