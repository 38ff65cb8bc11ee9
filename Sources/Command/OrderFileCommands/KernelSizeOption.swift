import ArgumentParser
import Prediction

/// `--fault-around` and `--readahead`: a number of bytes, or `auto` for the value of this machine.
extension KernelSize: ExpressibleByArgument {
  static let form = "bytes, such as 65536, 64k or 8m, at most 1024m, or auto"

  /// Reads `0`, `4096`, `64k`, `8m`, at most 1 GiB, or `auto`.
  package init?(argument: String) {
    if argument == "auto" {
      self = .automatic
      return
    }
    let shifts: [Character: UInt64] = ["k": 10, "m": 20]
    let shift = argument.last.flatMap { shifts[$0] } ?? 0
    let digits = shift == 0 ? argument[...] : argument.dropLast()
    guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }),
      let number = UInt64(digits), number <= (1 << 30) >> shift
    else { return nil }
    self = .bytes(number << shift)
  }
}
