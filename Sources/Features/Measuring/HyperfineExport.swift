import JSON
import LaunchMeasurement
import Rendering

extension MeasureDocument {
  /// Returns the launches with the keys and units (seconds) of hyperfine's `--export-json`, for scripts that read its
  /// output: one result for each program in each state of the page cache. <https://github.com/sharkdp/hyperfine>
  package func hyperfineJSON() -> [UInt8] {
    JSONWriter.document { json in
      json.array("results") { json in
        for state in states where givesTimes(state.cache) {
          for side in state.sides {
            json.object {
              side.writeHyperfine(&$0, state: states.count > 1 ? state.cache.rawValue : nil)
            }
          }
        }
      }
    }
  }
}

extension MeasureDocument.Side {
  fileprivate func writeHyperfine(_ json: inout JSONWriter, state: String?) {
    func mean(_ microseconds: (MeasuredLaunch) -> UInt64) -> Double {
      (summary(microseconds)?.mean ?? 0) / 1e6
    }
    var words = self.command.map(shellWord).joined(separator: " ")
    let labels = [state, name == "control" ? name : nil].compactMap { $0 }
    if !labels.isEmpty { words += " (\(labels.joined(separator: ", ")))" }
    json.member("command", words)
    json.array("exit_codes") { json in
      // After signal N, the exit code is 128 + N, as in hyperfine.
      for launch in launches { json.element(Int(launch.end.exitStatus)) }
    }
    json.member("max", wall.maximum / 1e9)
    json.member("mean", wall.mean / 1e9)
    json.member("median", wall.median / 1e9)
    if summary(\.peakBytes) != nil {
      json.array("memory_usage_byte") { json in
        for launch in launches { json.element(launch.peakBytes ?? 0) }
      }
    }
    json.member("min", wall.minimum / 1e9)
    json.member("stddev", wall.standardDeviation / 1e9)
    json.member("system", mean(\.systemMicroseconds))
    json.array("times") { json in
      for launch in launches { json.element(Double(launch.wallNanoseconds) / 1e9) }
    }
    json.member("user", mean(\.userMicroseconds))
  }
}
