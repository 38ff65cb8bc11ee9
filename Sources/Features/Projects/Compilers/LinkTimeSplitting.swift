/// lld's options for splitting functions at link-time optimization.
enum LinkTimeSplitting {
  /// The option with which lld writes a map of basic blocks.
  static let mapArgument = "--lto-basic-block-address-map"

  /// Returns the options with which lld splits functions by the profile at the path `profile`.
  static func arguments(profile: String) -> [String] {
    [mapArgument, "--lto-basic-block-sections=\(profile)"]
  }
}
