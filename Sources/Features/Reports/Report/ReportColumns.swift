import FaultEstimate
import JSON

extension JSONWriter {
  /// Adds a member that is an array of plain values.
  mutating func column(_ key: StaticString, _ values: some Sequence<some JSONValue>) {
    array(key) { json in for value in values { json.element(value) } }
  }

  /// Adds the columns of a fault curve. A curve of more than 2000 points is divided into at most 2000 parts; only the
  /// last point of each part is added.
  mutating func curve(_ points: [FaultCurvePoint]) {
    let most = 2_000
    let every = max(1, (points.count + most - 1) / most)
    let drawn = points.indices.filter { ($0 + 1) % every == 0 || $0 == points.count - 1 }.map {
      points[$0]
    }
    column("floorPages", differences(drawn.map(\.floorPages)))
    column("pages", differences(drawn.map(\.pages)))
    column("step", differences(drawn.map(\.step)))
  }
}

/// Returns the difference between each value and the value before it. The values ascend.
func differences(_ values: [Int]) -> [Int] {
  zip(values, [0] + values).map { $0 - $1 }
}
