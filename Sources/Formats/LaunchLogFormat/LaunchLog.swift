import Addresses
import ByteReading

/// The launches in a log: their stages, the libraries that they loaded, and histograms of their times.
///
/// A log may contain several launches, and lines of the program between the lines that are read.
package struct LaunchLog: Hashable, Sendable {
  /// The launches, in the order of the log.
  package var launches: [LoggedLaunch] = []
  /// One list for each launch whose loader listed its libraries, in the order of their first lines.
  package var libraryLists: [LoggedLibraries] = []
  package var histograms: [LoggedHistogram] = []
  /// The parts of the log that were left out, and why; only the first ten.
  package private(set) var warnings: [String] = []

  package init() {}

  private static let mostWarnings = 10

  mutating func warn(_ warning: String) {
    if warnings.count < Self.mostWarnings { warnings.append(warning) }
  }

  /// - Throws: `tooLarge` for more than `ParsingLimits.launches`.
  mutating func add(_ launch: LoggedLaunch) throws(ParseError) {
    guard launches.count < ParsingLimits.launches else {
      throw ParseError(
        .tooLarge(limit: ParsingLimits.launches, found: UInt64(launches.count) + 1),
        "number of launches", at: FileOffset(rawValue: 0))
    }
    launches.append(launch)
  }

  package var isEmpty: Bool { launches.isEmpty && libraryLists.isEmpty && histograms.isEmpty }

  /// Reads a log. Its contents determine its kind.
  ///
  /// - Throws: `missing` with the expected kinds for a file of another kind; `invalid` for a damaged log.
  /// - Complexity: O(*n*) for *n* bytes.
  package init(parsing bytes: FileBytes) throws(ParseError) {
    if MetricKitLog.begins(bytes) {
      self = try MetricKitLog.read(bytes)
      return
    }
    self = try LoaderLog.read(bytes)
    guard isEmpty else { return }
    if let warning = warnings.first {
      throw ParseError(
        .invalid(expected: "a whole launch", found: warning), "log", at: FileOffset(rawValue: 0))
    }
    self = try StopwatchLog.read(bytes)
  }
}

/// One launch, divided into stages.
package struct LoggedLaunch: Hashable, Sendable {
  package enum Form: String, CaseIterable, Hashable, Sendable {
    /// `DYLD_PRINT_STATISTICS`: times before main.
    case dyldStatistics
    /// The output of dyld with `DYLD_PRINT_STATISTICS_DETAILS`.
    case dyldStatisticsDetails
    /// glibc's `LD_DEBUG=statistics`, in cycles of the machine's counter: shares, but no times.
    case loaderStatistics
    /// A table with events, milliseconds and deltas.
    case stopwatch
  }

  package var form: Form
  package var stages: [LoggedStage] = []
  /// The sum of the stages, as the log states it; `nil` if the log states events.
  package var totalNanoseconds: Double?
  package var counts: [LoggedCount] = []

  package init(_ form: Form) { self.form = form }
}

package struct LoggedStage: Hashable, Sendable {
  package var name: String
  /// The duration of a stage or, for an event, the time since the process began; in cycles for `loaderStatistics`.
  package var nanoseconds: Double
  /// Whether this stage is a part of the stage before it, and not one of the stages that add up to the whole launch.
  package var isPart: Bool

  package init(_ name: String, nanoseconds: Double, isPart: Bool = false) {
    self.name = name
    self.nanoseconds = nanoseconds
    self.isPart = isPart
  }
}

/// A line with numbers: `total images loaded:  309 (304 from dyld shared cache)`.
package struct LoggedCount: Hashable, Sendable {
  package var name: String
  package var text: String
}

/// The libraries of one launch, in the order in which the loader lists them; the first is the program.
package struct LoggedLibraries: Hashable, Sendable {
  /// The number of the process; `nil` if the loader does not print it.
  package var process: UInt32?
  package var paths: [String]

  /// Whether the library at `path` comes with the system or with a simulator.
  package static func isOfSystem(_ path: String) -> Bool {
    var path = path[...]
    if let root = path.range(ofText: "/RuntimeRoot/") {
      path = path[root.upperBound...].drop { $0 == "/" }
    }
    let relative = path.drop { $0 == "/" }
    return ["usr/lib/", "System/"].contains { relative.hasPrefix($0) }
  }
}

/// The number of launches in each range of durations, as MetricKit counts them.
package struct LoggedHistogram: Hashable, Sendable {
  package struct Bucket: Hashable, Sendable {
    package var startMilliseconds: Double
    package var endMilliseconds: Double
    package var count: Int

    package init(startMilliseconds: Double, endMilliseconds: Double, count: Int) {
      self.startMilliseconds = startMilliseconds
      self.endMilliseconds = endMilliseconds
      self.count = count
    }
  }
  /// MetricKit's key: `histogrammedTimeToFirstDrawKey`.
  package var name: String
  /// The buckets of the histogram, ascending.
  package var buckets: [Bucket]
}

extension Substring {
  /// Returns the first range of `text`, like Foundation's `range(of:)`.
  fileprivate func range(ofText text: String) -> Range<Index>? {
    let wanted = Array(text.utf8)
    let bytes = utf8
    var start = bytes.startIndex
    while let found = bytes[start...].firstIndex(of: wanted[0]) {
      if bytes[found...].starts(with: wanted) {
        return found..<bytes.index(found, offsetBy: wanted.count)
      }
      start = bytes.index(after: found)
    }
    return nil
  }
}
