/// lld's options for splitting functions at link-time optimization.
enum LinkTimeSplitting {
  /// The options with which lld writes a map of basic blocks.
  ///
  /// - Parameter profile: the path of the profile by which lld also splits functions; `nil` to leave functions whole.
  static func arguments(profile: String?) -> [String] {
    ["--lto-basic-block-address-map"]
      + (profile.map { ["--lto-basic-block-sections=\($0)"] } ?? [])
  }

  /// The options with which lld keeps labels as symbols. swiftc leaves some functions without a symbol, such as
  /// destructors of closures; with a label, an order file can move them.
  static let labelArguments = ["-mllvm", "--save-temp-labels"]
}
