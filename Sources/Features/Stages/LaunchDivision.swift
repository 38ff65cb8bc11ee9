import LaunchLogFormat

/// How finely a launch can be divided. Each case includes the divisions of the cases before it.
package enum LaunchDivision: Int, CaseIterable, Comparable, Sendable {
  /// The launch is one row.
  case whole
  /// The launch is divided by the stage tracer's records: the loader's work of loading and relocating is one row.
  case records
  /// The launch is also divided by the times that the loader prints.
  case loader

  package static func < (left: LaunchDivision, right: LaunchDivision) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// The times that glibc's loader has taken, in nanoseconds.
struct LoaderTimes {
  var total: UInt64
  var loading: UInt64
  var relocation: UInt64
}

extension TracedLaunch {
  /// Returns how finely the launch can be divided.
  ///
  /// - Parameter scale: the number of cycles for each printed cycle of the loader; `nil` if unknown.
  /// - Returns: also why the launch can't be divided further (`nil` if the launch itself does not show the reason), and
  ///   the loader's times.
  func division(scale: Double?) -> (LaunchDivision, reason: String?, LoaderTimes?) {
    if let damage = trace.damage {
      return (.whole, "the program wrote over the tracer's memory, which has \(damage)", nil)
    }
    guard let version = time(.version), let loading = time(.loading), time(.relocated) != nil else {
      return (.whole, nil, nil)
    }
    guard version >= start, loading >= version else {
      return (
        .whole, "the program wrote over the tracer's memory, which has impossible times", nil
      )
    }
    guard statistics != nil else { return (.records, "the loader wrote no statistics", nil) }
    guard cycle != nil else {
      return (
        .records, "the length of the loader's cycles is unknown, because no launch recorded main",
        nil
      )
    }
    guard let scale, let times = loaderTimes(scale: scale) else {
      return (.records, "the loader's times disagree with the tracer's", nil)
    }
    return (.loader, nil, times)
  }

  /// The duration of one cycle of the counter in nanoseconds, as the tracer saw the counter advance; `nil` without a
  /// record of main.
  private var cycle: Double? {
    guard let first = trace.records.first,
      let last = trace.records.last(where: { $0.kind == .main }),
      last.nanoseconds > first.nanoseconds, last.value > first.value
    else { return nil }
    return Double(last.nanoseconds - first.nanoseconds) / Double(last.value - first.value)
  }

  /// The times that the loader printed, if they are possible: the loader began after exec and before it called the
  /// tracer, and loading and relocation fit between two of its calls, with a tolerance of 1% for the clocks.
  private func loaderTimes(scale: Double) -> LoaderTimes? {
    func cycles(_ name: String) -> Double? {
      statistics?.stages.first { $0.name == name }?.nanoseconds
    }
    guard let cycle, let version = time(.version), let begin = time(.loading),
      let relocated = time(.relocated), start <= version, version <= relocated, begin <= relocated,
      let total = statistics?.totalNanoseconds,
      let loading = cycles("time needed to load objects"),
      let relocation = cycles("time needed for relocation")
    else { return nil }
    let length = cycle * scale
    let whole = total * length
    guard whole >= Double(relocated - version), whole <= Double(relocated - start),
      (loading + relocation) * length <= Double(relocated - begin) * 1.01,
      let total = UInt64(exactly: whole.rounded(.down)),
      let loading = UInt64(exactly: (loading * length).rounded()),
      let relocation = UInt64(exactly: (relocation * length).rounded())
    else { return nil }
    return LoaderTimes(total: total, loading: loading, relocation: relocation)
  }

  /// The number of cycles for each printed cycle of the loader: one or, where glibc cuts off the last digit of each
  /// number (2.36 does), ten. The same glibc loads all launches. A single launch may agree with both scales: if
  /// something else ran while the loader started, a tenth of its time is possible, too. So the result is the scale that
  /// agrees with most launches. If both scales agree with equally many launches, it is the larger scale, because
  /// loading and relocation take nearly all of the time between the two calls.
  ///
  /// - Returns: `nil` if no scale agrees with any launch.
  static func scale(of launches: [TracedLaunch]) -> Double? {
    let counts = [10.0, 1].map { scale in
      (scale, launches.filter { $0.loaderTimes(scale: scale) != nil }.count)
    }
    let most = counts.map(\.1).max() ?? 0
    return most == 0 ? nil : counts.first { $0.1 == most }?.0
  }
}

/// Launches of one program that are divided alike, so that their rows are the same.
package struct DividedLaunches: Sendable {
  /// The launches that were divided, in the order in which they ran; empty only if there was no launch.
  package private(set) var launches: [TracedLaunch] = []
  /// The indexes of the divided launches among all launches.
  package private(set) var indexes: [Int] = []
  package private(set) var division = LaunchDivision.whole
  /// Why the launches are not divided more finely: the reason of the first launch that has one; `nil` if none has.
  package private(set) var limit: String?
  /// Why launches were left out: the reason of the first launch that was left out.
  package private(set) var leftOut: String?

  /// Divides the launches as finely as at least half of them permit, and leaves out the other launches.
  package init(_ all: [TracedLaunch]) {
    let scale = TracedLaunch.scale(of: all)
    let possible = all.map { $0.division(scale: scale) }
    division =
      LaunchDivision.allCases.last { division in
        2 * possible.filter { $0.0 >= division }.count >= all.count
      } ?? .whole
    limit = possible.first { $0.0 == division && $0.reason != nil }?.reason
    for (index, (launch, (own, reason, times))) in zip(all, possible).enumerated() {
      guard own >= division else {
        leftOut = leftOut ?? reason ?? "the tracer recorded nothing"
        continue
      }
      var launch = launch
      launch.divide(into: division, division == .loader ? times : nil)
      launches.append(launch)
      indexes.append(index)
    }
  }
}
