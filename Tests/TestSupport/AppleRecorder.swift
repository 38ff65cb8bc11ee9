import Foundation

extension AppleSDK {
  private static let package = fixturesFolder.deletingLastPathComponent()
    .deletingLastPathComponent()

  /// `make runtime-darwin`, once for all tests.
  private static let runtime: Result<String, any Error> = Result {
    let made = try Workshop().run("make", ["-s", "-C", package.path, "runtime-darwin"])
    guard made.status == 0 else { throw Tool.Failure(description: made.output) }
    return package.appendingPathComponent(".build/runtime").path
  }

  /// The recorder as it is delivered for `platform`: an object file with a slice for each architecture.
  package func recorder(for platform: Platform) throws -> String {
    try Self.runtime.get() + (platform == .iOS ? "/ios" : "/macos") + "/orderfile_rt.o"
  }

  /// Compiles `source` so that it tells the recorder of its functions.
  package func compileInstrumented(
    _ source: String, to object: String, for platform: Platform, flags: [String] = [],
    in workshop: Workshop
  ) throws {
    let coverage = "func,trace-pc-guard,pc-table"
    let headers = Self.package.appendingPathComponent("Runtime/Recorder/include").path
    let instrumented =
      source.hasSuffix(".swift")
      ? ["-sanitize=fuzzer", "-sanitize-coverage=\(coverage)"].flatMap { ["-Xfrontend", $0] }
      : ["-fsanitize-coverage=\(coverage)", "-I\(headers)"]
    try compile(source, to: object, for: platform, flags: instrumented + flags, in: workshop)
  }
}
