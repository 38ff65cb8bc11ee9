import FaultEstimate
import ImageModel
import JSON

/// What Linux is predicted to do with two layouts, as part of a report.
struct LinuxFaultsSection {
  var before: LinuxFaults
  var after: LinuxFaults
  var kernel: LinuxKernel
  var pageSize: PageSize
}

// MARK: Text

extension LinuxFaultsSection {
  var text: String {
    var table = Table([
      .init("FAULTS", separator: " "), .init("AFTER", separator: " → "), .init("CHANGE"),
      .init("PAGES READ"), .init("AFTER", separator: " → "), .init("LAUNCH", .left),
    ])
    table.add([
      Self.range(before.warmFaults), Self.range(after.warmFaults),
      Percentage.change(from: Self.sum(before.warmFaults), to: Self.sum(after.warmFaults)),
      "0", "0", "warm: minor faults",
    ])
    for (before, after) in zip(before.cold, after.cold) {
      table.add([
        "\(before.majorFaults)", "\(after.majorFaults)",
        Percentage.change(from: UInt64(before.majorFaults), to: UInt64(after.majorFaults)),
        "\(before.pagesRead)", "\(after.pagesRead)",
        "cold: major faults, \(before.readAhead.wording)",
      ])
    }
    return """

      predicted faults on code as Linux takes them, fault-around \
      \(ByteCount(kernel.faultAroundBytes)), read-ahead \(ByteCount(kernel.readAheadBytes)):
      \(table.text())
      """
  }

  /// `5`, or `5-7` where the place of the image decides.
  private static func range(_ counts: [Int]) -> String {
    let (low, high) = (counts.min() ?? 0, counts.max() ?? 0)
    return low == high ? "\(low)" : "\(low)-\(high)"
  }

  /// Both layouts have as many places unless one is at a fixed address: then means are compared.
  private static func sum(_ counts: [Int]) -> UInt64 {
    let places = 1024
    return UInt64(counts.reduce(0, +) * places / max(counts.count, 1))
  }
}

extension LinuxKernel.ReadAhead {
  fileprivate var wording: String {
    switch self {
    case .forward: "reading forward (Linux 6.16 and later)"
    case .around: "reading around (before)"
    }
  }
}

// MARK: JSON

extension LinuxFaultsSection {
  /// Adds the members. `warmMinorFaults` has a number for each place, page by page, at which a loader can put
  /// the image in a window of fault-around; one for an image at a fixed address.
  func write(to json: inout JSONWriter) {
    json.array("cold") { json in
      for (before, after) in zip(before.cold, after.cold) {
        json.object { json in
          func member(_ key: StaticString, _ count: KeyPath<LinuxFaults.Cold, Int>) {
            json.object(key) { json in
              json.member("after", after[keyPath: count])
              json.member("before", before[keyPath: count])
              json.member("saved", before[keyPath: count] - after[keyPath: count])
            }
          }
          member("majorFaults", \.majorFaults)
          member("minorFaults", \.minorFaults)
          member("pagesRead", \.pagesRead)
          json.member("readAhead", before.readAhead.rawValue)
        }
      }
    }
    json.member("faultAroundBytes", kernel.faultAroundBytes)
    json.member("readAheadBytes", kernel.readAheadBytes)
    json.object("warmMinorFaults") { json in
      json.array("after") { json in for count in after.warmFaults { json.element(count) } }
      json.array("before") { json in for count in before.warmFaults { json.element(count) } }
    }
  }
}
