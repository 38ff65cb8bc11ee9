import ByteReading
import ImageModel
import JSON
import LaunchMeasurement
import PagesFormat
import Rendering

/// The comparison of two builds over random layouts of both.
package struct MeasuredLayouts: Hashable, Sendable {
  /// The number of layouts of each build.
  package var count: Int
  /// The number of launches of each build in each layout.
  package var launches: Int
  package var states: [State]

  package struct State: Hashable, Sendable {
    package var cache: CacheState
    package var comparisons: [LayoutComparison]

    package init(cache: CacheState, comparisons: [LayoutComparison]) {
      self.cache = cache
      self.comparisons = comparisons
    }
  }

  /// - Parameter states: for each state of the page cache and each layout, the launches of both builds.
  /// - Precondition: each layout has the same number of launches of both builds, at least one.
  package init(
    launches: Int,
    _ states: [(cache: CacheState, before: [[MeasuredLaunch]], after: [[MeasuredLaunch]])]
  ) {
    count = states.first?.before.count ?? 0
    self.launches = launches
    self.states = states.map { state in
      State(
        cache: state.cache,
        comparisons: LaunchMetric.allCases.compactMap {
          LayoutComparison($0, state.before, state.after)
        })
    }
    var corrected = ProgramComparison.corrected(
      self.states.flatMap { $0.comparisons.map(\.p) })[...]
    for state in self.states.indices {
      for index in self.states[state].comparisons.indices {
        self.states[state].comparisons[index].correctedP = corrected.removeFirst()
      }
    }
  }

  /// The comparisons as sentences.
  package var findings: [String] {
    states.flatMap { state in
      state.comparisons.map { "\(state.cache.rawValue): \(sentence($0))" }
    }
  }

  private func sentence(_ found: LayoutComparison) -> String {
    let noise =
      "; layout alone makes \(Decimal.percent(found.layoutNoise)), a launch \(Decimal.percent(found.launchNoise))"
    let isLess = found.verdict == .less
    let confidence = found.change.confidence(isLess ? -1 : 1, correctedP: found.correctedP)
    let extent = "in \(counted(count, "layout")) of \(counted(launches, "launch", "launches"))"
    guard found.verdict != .notShown else {
      return "no difference in \(found.metric.noun) larger than what layout alone makes \(extent): "
        + "\(Decimal.percent(found.change.share, isSigned: true)) (\(confidence))\(noise)"
    }
    return "after has \(Decimal.percent(abs(found.change.share))) \(isLess ? "less" : "more") "
      + "\(found.metric.noun) than before \(extent), more than layout alone makes (\(confidence))\(noise)"
  }
}

/// This extension writes and reads the members itself, to check the numbers against each other.
extension MeasuredLayouts: JSONReadableObject, JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("count", count)
    json.member("launches", launches)
    json.member("states", states)
  }

  package init(_ object: JSONObject) throws(ParseError) {
    count = try object.value("count")
    launches = try object.value("launches")
    states = try object.value("states")
    let found = states.flatMap(\.comparisons).map(\.changes.count)
    guard let other = found.first(where: { $0 != count }) else { return }
    throw object.invalid("changes", expected: "\(count), one for each layout", found: "\(other)")
  }
}

/// This extension writes and reads the members itself, because `CacheState` is a word in the document.
extension MeasuredLayouts.State: JSONReadableObject, JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("comparisons", comparisons)
    json.member("state", cache.rawValue)
  }

  package init(_ object: JSONObject) throws(ParseError) {
    self.init(cache: try object.value("state"), comparisons: try object.value("comparisons"))
  }
}

/// This extension writes and reads the members itself: the change has three members, and the verdict is checked.
extension LayoutComparison: JSONReadableObject, JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    change.writeMembers(to: &json)
    json.member("changes", changes)
    json.member("correctedP", correctedP)
    json.member("launchNoise", launchNoise)
    json.member("layoutNoise", layoutNoise)
    json.member("metric", metric.rawValue)
    json.member("p", p)
    json.member("verdict", verdict.rawValue)
  }

  package init(_ object: JSONObject) throws(ParseError) {
    self.init(
      metric: try object.value("metric"), changes: try object.value("changes"),
      change: try TypicalChange(membersOf: object),
      p: try object.value("p"), correctedP: try object.value("correctedP"),
      layoutNoise: try object.value("layoutNoise"), launchNoise: try object.value("launchNoise"))
    try verdict.check(object)
  }
}
