import FaultEstimate
import Rendering

/// The tables of the faults and reads that kernels are predicted to have in the two layouts.
extension DiffText {
  /// A row for the reads of each Apple kernel, before and after.
  func xnuReads(_ reads: [XNUReadsChange]) -> String {
    var table = Table([
      .init("READS", separator: " "), .init("AFTER", separator: " → "), .init("CHANGE"),
      .init("BYTES READ"), .init("AFTER", separator: " → "), .init("CHANGE"),
      .init("KERNEL", .left),
    ])
    for row in reads {
      let bytes = row.bytesRead
      table.add([
        "\(row.reads.before)", "\(row.reads.after)", row.reads.change,
        "\(ByteCount(UInt64(bytes.before)))", "\(ByteCount(UInt64(bytes.after)))", bytes.change,
        row.kernel,
      ])
    }
    return """

      predicted reads, with these kernels' clustering around faults (not confirmed on a device)\(lowerEnd):
      \(table.text())
      """
  }

  func linuxFaults(_ faults: LinuxFaultsChange) -> String {
    var table = Table([
      .init("FAULTS", separator: " "), .init("AFTER", separator: " → "), .init("CHANGE"),
      .init("PAGES READ"), .init("AFTER", separator: " → "), .init("LAUNCH", .left),
    ])
    let warm = faults.warmMinorFaults
    table.add([
      range(warm.before), range(warm.after),
      Percentage.change(from: mean(warm.before), to: mean(warm.after)), "0", "0",
      "warm: minor faults",
    ])
    for row in faults.cold {
      table.add([
        "\(row.majorFaults.before)", "\(row.majorFaults.after)", row.majorFaults.change,
        "\(row.pagesRead.before)", "\(row.pagesRead.after)",
        "cold: major faults, \(row.readAhead.wording)",
      ])
    }
    return """

      predicted Linux page faults on code, with fault-around \
      \(ByteCount(faults.faultAroundBytes).wording) and read-ahead \(ByteCount(faults.readAheadBytes).wording)\(lowerEnd):
      \(table.text())
      """
  }

  /// The sentence about the startup functions that the tables leave out.
  private var lowerEnd: String {
    document.prediction.hasBand ? ", without the missing functions" : ""
  }

  /// Returns `5`, or `5-7` if the count depends on the load address.
  private func range(_ counts: [Int]) -> String {
    let (low, high) = (counts.min() ?? 0, counts.max() ?? 0)
    return low == high ? "\(low)" : "\(low)-\(high)"
  }

  /// Returns the mean of `counts`. Both layouts have the same number of load addresses, unless one of them is not
  /// position-independent.
  private func mean(_ counts: [Int]) -> Double {
    counts.isEmpty ? 0 : counts.reduce(0) { $0 + Double($1) } / Double(counts.count)
  }
}

extension LinuxKernel.ReadAhead {
  fileprivate var wording: String {
    switch self {
    case .forward: "reading forward (Linux 6.16 and later)"
    case .around: "reading around (before Linux 6.16)"
    }
  }
}
