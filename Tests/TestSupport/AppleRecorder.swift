import Foundation

extension AppleSDK {
  /// How clang and swiftc are told to instrument.
  package static let coverage = "func,trace-pc-guard,pc-table"

  /// Compiles `source` so that it tells the recorder of its functions.
  package func compileInstrumented(
    _ source: String, to object: String, for platform: Platform, flags: [String] = [],
    in workshop: Workshop
  ) throws {
    let headers = ["Recorder", "TraceFormat"].map { "-I\(Self.runtime)/\($0)/include" }
    let instrumented =
      source.hasSuffix(".swift")
      ? ["-sanitize=fuzzer", "-sanitize-coverage=\(Self.coverage)"].flatMap { ["-Xfrontend", $0] }
      : ["-fsanitize-coverage=\(Self.coverage)"] + headers
    try compile(source, to: object, for: platform, flags: instrumented + flags, in: workshop)
  }

  private static let runtime = fixturesFolder.deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Runtime").path

  /// Compiles the recorder's sources.
  ///
  /// - Returns: the names of the object files in `workshop`.
  package func compileRecorder(for platform: Platform, in workshop: Workshop) throws -> [String] {
    let folder = "\(Self.runtime)/Recorder"
    let sources = try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(".c") }.sorted()
    return try sources.map { source in
      let object = "recorder-\(source).o"
      try compile(
        "\(folder)/\(source)", to: object, for: platform,
        flags: [
          "-std=c11", "-Wall", "-Wextra", "-Werror", "-I\(folder)/include",
          "-I\(Self.runtime)/TraceFormat/include",
        ], in: workshop)
      return object
    }
  }
}
