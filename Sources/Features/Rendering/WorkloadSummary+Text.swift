import ImageModel

extension WorkloadSummary {
  private static let beginning = "launch "
  private static let middle = ": command line "
  private static let inputsWord = ", inputs "

  /// Returns a hash as 16 hexadecimal digits.
  package static func text(_ hash: UInt64) -> String {
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// The summary as a line in the header of an order file.
  package var text: String {
    Self.beginning + printable(launch) + Self.middle + Self.text(commandLine)
      + (inputs.map { Self.inputsWord + Self.text($0) } ?? "")
  }

  /// Reads a line that `text` has made; `nil` for any other line. The name of the launch stays as it was printed.
  package init?(text line: String) {
    guard line.hasPrefix(Self.beginning) else { return nil }
    let rest = line.dropFirst(Self.beginning.count)
    guard let middle = rest.ranges(of: Self.middle).last else { return nil }
    let hashes = rest[middle.upperBound...].split(separator: Self.inputsWord)
      .map { $0.count == 16 ? UInt64($0, radix: 16) : nil }
    guard (1...2).contains(hashes.count), !hashes.contains(nil), let commandLine = hashes[0] else {
      return nil
    }
    self.init(
      launch: String(rest[..<middle.lowerBound]), commandLine: commandLine,
      inputs: hashes.count == 2 ? hashes[1] : nil)
  }
}
