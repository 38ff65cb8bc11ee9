// One table for many launches
//
// Launches of one program have the same stages, but not always: a cut log, a mark that is not always reached. So a row
// is identified by its name and by how many times that name came before in its launch. Rows have the order of the
// launches (`StageOrder`).
//
// Which number represents all launches? Medians of rows do not add up to the median of the whole, and a mean follows a
// single launch that something else delayed. So launches are sorted by their whole time, and the half in the middle is
// averaged, row by row. The rows add up, because they are averages over the same launches, and outliers do not move
// them. With fewer than four launches, all launches are averaged. The other statistics of a row are for all launches
// that have it.

import LaunchMeasurement

/// The launches that one kind of source describes, and what they have in common.
package struct StageTable: Hashable, Sendable {
  package enum Source: String, CaseIterable, Hashable, Sendable {
    /// The launches were made and measured by `orderfile stages`.
    case measured
    case trace
    case dyldStatistics = "dyld statistics"
    case dyldStatisticsDetails = "dyld statistics in detail"
    case stopwatch
    case xctrace
  }

  package struct Row: Hashable, Sendable {
    package var kind: LaunchStage.Kind
    package var name: String
    package var thread: Int?
    /// The number of launches that have the row.
    package var count: Int
    /// The time of the typical launch from the start of the process to the end of the row, in nanoseconds.
    package var elapsed: Double
    /// The time of the row alone in the typical launch, in nanoseconds.
    package var delta: Double
    /// For an event, the mean time since the event before it on its thread, in nanoseconds; `nil` if the thread is
    /// unknown, and for the first event of a thread other than the main thread.
    package var threadDelta: Double?
    /// Statistics of the launches that have the row, in nanoseconds.
    package var elapsedSummary: SampleSummary
    package var deltaSummary: SampleSummary
  }

  /// A number that the source states about its first launch, such as a number of rebased pages.
  package struct Count: Hashable, Sendable {
    package var name: String
    package var text: String

    package init(_ name: String, _ text: String) {
      self.name = name
      self.text = text
    }
  }

  package var source: Source
  package var counts: [Count]
  /// The files that the launches come from, each path once; the command for measured launches.
  package var origins: [String]
  package var launches: [StagedLaunch]
  /// The times of launches without tracing in the same rounds, in nanoseconds; empty for launches that were not
  /// measured here.
  package var untraced: [Double]
  /// The rows of the table, in the order of time; a part follows the row to which it belongs.
  package private(set) var rows: [Row]
  /// Statistics of the whole times of the launches, in nanoseconds.
  package private(set) var total: SampleSummary
  /// The whole time of the typical launch, in nanoseconds.
  package private(set) var typicalTotal: Double

  /// - Precondition: at least one launch.
  /// - Complexity: O(*n* log *n*) for *n* stages of all launches.
  package init(
    _ source: Source, _ launches: [StagedLaunch], origins: [String], untraced: [Double] = [],
    counts: [Count] = []
  ) {
    self.counts = counts
    precondition(!launches.isEmpty, "a table has launches")
    self.source = source
    self.launches = launches
    self.origins = origins
    self.untraced = untraced
    let totals = launches.map(\.nanoseconds)
    total = SampleSummary(totals)
    let typical = Self.middleHalf(of: totals)
    typicalTotal = Self.mean(typical.map { totals[$0] })
    rows = Self.rows(of: launches, inTypical: Set(typical), hasAll: source.hasAllTime)
  }

  /// Whether events belong to several threads.
  package var hasThreads: Bool { Set(rows.compactMap(\.thread)).count > 1 }

  /// The typical time without tracing; `nil` if it was not measured.
  package var typicalUntraced: Double? {
    untraced.isEmpty ? nil : Self.mean(Self.middleHalf(of: untraced).map { untraced[$0] })
  }

  /// The typical time of the work that only the measurement causes.
  package var tracing: Double {
    rows.reduce(0) { $0 + ($1.kind == .tracing ? $1.delta : 0) }
  }

  /// The change from launches without the tracer to launches with it, without the rows of tracing, by rounds; `nil` if
  /// it was not measured.
  package var change: TypicalChange? {
    guard untraced.count == launches.count, !untraced.isEmpty else { return nil }
    return TypicalChange(
      from: untraced,
      to: launches.map { launch in
        launch.stages.reduce(launch.nanoseconds) {
          $0 - ($1.kind == .tracing ? $1.nanoseconds : 0)
        }
      })
  }

  /// The number of launches by whole seconds, ascending.
  package var seconds: [(second: Int, count: Int)] {
    var counts: [Int: Int] = [:]
    for launch in launches { counts[Int(min(launch.nanoseconds / 1e9, 1e9)), default: 0] += 1 }
    return counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// The indexes of the middle half of `values`, without the smallest and the largest quarter.
  static func middleHalf(of values: [Double]) -> [Int] {
    let order = values.indices.sorted { (values[$0], $0) < (values[$1], $1) }
    return Array(order.dropFirst(values.count / 4).dropLast(values.count / 4))
  }

  private static func mean(_ values: [Double]) -> Double {
    values.reduce(0, +) / Double(max(values.count, 1))
  }

  /// Returns statistics of the time that `rows` take together.
  static func sum(of rows: [Row], in launches: [StagedLaunch]) -> SampleSummary {
    let names = Set(rows.map(\.name))
    return SampleSummary(
      launches.map { launch in
        launch.stages.reduce(0) {
          $0 + ($1.kind == rows[0].kind && names.contains($1.name) ? $1.nanoseconds : 0)
        }
      })
  }

  // MARK: Rows

  private struct Key: Hashable {
    var kind: LaunchStage.Kind
    var name: String
    var occurrence: Int
  }

  /// The times that one row has in the launches.
  private struct Samples {
    var key: Key
    /// The index of the row to which this row belongs as a part; `nil` if the row is no part.
    var whole: Int?
    var thread: Int?
    var elapsed: [Double] = []
    var delta: [Double] = []
    /// The values of `Row.threadDelta`.
    var threadDelta: [Double] = []
    /// The sum of the elapsed times over the launches that are averaged.
    var typicalElapsed = 0.0
    var typicalDelta = 0.0
    var typicalCount = 0
  }

  private static func rows(
    of launches: [StagedLaunch], inTypical: Set<Int>, hasAll: Bool
  ) -> [Row] {
    var places: [Key: Int] = [:]
    var samples: [Samples] = []
    var pairs: [(row: Int, next: Int)] = []
    for (number, launch) in launches.enumerated() {
      var occurrences: [Key: Int] = [:]
      var elapsed = 0.0
      var last: Int?
      var elapsedByThread = [1: 0.0]
      for stage in launch.stages {
        var key = Key(kind: stage.kind, name: stage.name, occurrence: 0)
        let occurrence = occurrences[key, default: 0]
        occurrences[key] = occurrence + 1
        key.occurrence = occurrence
        if !stage.kind.isPart { elapsed += stage.nanoseconds }
        let place = places[key] ?? samples.count
        if place == samples.count {
          places[key] = place
          samples.append(
            Samples(key: key, whole: stage.kind.isPart ? last : nil, thread: stage.thread))
        }
        if !stage.kind.isPart {
          if let last { pairs.append((last, place)) }
          last = place
        }
        samples[place].elapsed.append(elapsed)
        samples[place].delta.append(stage.nanoseconds)
        if let thread = stage.thread, !stage.kind.isPart {
          if let before = elapsedByThread.updateValue(elapsed, forKey: thread) {
            samples[place].threadDelta.append(elapsed - before)
          }
        }
        guard inTypical.contains(number) else { continue }
        samples[place].typicalElapsed += elapsed
        samples[place].typicalDelta += stage.nanoseconds
        samples[place].typicalCount += 1
      }
    }
    var sum = 0.0
    return order(of: samples, pairs).map { place in
      let row = samples[place]
      // If all time of a launch belongs to stages, a stage that a launch lacks took no time in this launch.
      let count = Double(hasAll ? inTypical.count : max(row.typicalCount, 1))
      let delta = row.typicalCount == 0 && !hasAll ? mean(row.delta) : row.typicalDelta / count
      if !row.key.kind.isPart { sum += delta }
      let elapsed =
        hasAll ? sum : row.typicalCount == 0 ? mean(row.elapsed) : row.typicalElapsed / count
      return Row(
        kind: row.key.kind, name: row.key.name, thread: row.thread, count: row.delta.count,
        elapsed: elapsed, delta: delta,
        threadDelta: row.threadDelta.isEmpty ? nil : mean(row.threadDelta),
        elapsedSummary: SampleSummary(row.elapsed),
        deltaSummary: SampleSummary(row.delta))
    }
  }
}

extension StageTable {
  /// The numbers of the rows in order. The parts of a row come directly after it.
  private static func order(of samples: [Samples], _ pairs: [(row: Int, next: Int)]) -> [Int] {
    var order = StageOrder(rows: samples.count)
    for (row, next) in pairs { order.add(row, before: next) }
    var parts: [Int: [Int]] = [:]
    for place in samples.indices {
      if let whole = samples[place].whole { parts[whole, default: []].append(place) }
    }
    let byTime = samples.indices.map { (mean(samples[$0].elapsed), $0) }.sorted(by: <).map(\.1)
    return order.sorted(byTime).filter { samples[$0].whole == nil }.flatMap {
      [$0] + (parts[$0] ?? [])
    }
  }
}

extension StageTable.Source {
  /// Whether every nanosecond of a launch belongs to a stage; otherwise stages end at events.
  package var hasAllTime: Bool {
    switch self {
    case .measured, .dyldStatistics, .dyldStatisticsDetails: true
    case .trace, .stopwatch, .xctrace: false
    }
  }
}
