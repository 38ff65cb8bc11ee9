/// lld's options for splitting functions at link-time optimization.
enum LinkTimeSplitting {
  /// The option with which lld writes a map of basic blocks.
  static let mapArgument = "--lto-basic-block-address-map"

  /// Returns the options for a split by `profile`, a path.
  static func arguments(profile: String) -> [String] {
    [mapArgument, "--lto-basic-block-sections=\(profile)"]
  }
}
