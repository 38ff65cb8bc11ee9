import Addresses
import ImageModel
import ProfileFormat
import Rendering
import Symbolication

extension Profile {
  /// Returns warnings about launches of the profile that lack data.
  ///
  /// - Parameter paths: the path of the profile's file, if there is one.
  package func warnings(paths: [String]) -> [Diagnostic] {
    var warnings: [Diagnostic] = []
    func warn(_ count: UInt64, _ text: String) {
      guard count > 0 else { return }
      warnings.append(
        Diagnostic(
          "\(count) of \(counted(Int(counts.launches), "launch", "launches")) \(text)",
          context: paths))
    }
    warn(counts.emptyLaunches, "recorded nothing")
    warn(counts.launchesWithLostRecords, "lost records, \(counts.lostRecords) in all")
    warn(counts.launchesEndedInHit, "ended while a hit was being written")
    warn(
      counts.shortLaunches - min(counts.emptyLaunches, counts.shortLaunches),
      "used fewer than half as many functions as the median launch: they may have ended early")
    return warnings
  }
}

extension Diagnostic {
  /// Returns the error about images of several machines; `nil` if all are of one machine.
  package static func machineMismatch(_ images: [Profile.Image]) -> Diagnostic? {
    let machines = Set(images.map(\.machine)).subtracting([0]).sorted()
    guard machines.count > 1 else { return nil }
    return Diagnostic(
      "machine mismatch: expected launches on one machine, found "
        + machines.map { Architecture(machine: $0).description }.joined(separator: ", "),
      hint: "give only the traces of one machine", severity: .mismatch)
  }

  package static func tooManyLaunches(_ path: String) -> Diagnostic {
    Diagnostic(
      "too many launches: expected at most \(Profile.maximumLaunches) with their weights",
      context: [path])
  }
}
