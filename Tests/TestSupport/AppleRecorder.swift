import Foundation

extension AppleSDK {
  private static let package = fixturesFolder.deletingLastPathComponent()
    .deletingLastPathComponent()

  private static let runtime: Result<URL, any Error> = Result {
    let made = try Workshop().run("make", ["-s", "-C", package.path, "runtime-darwin"])
    guard made.status == 0 else { throw Tool.Failure(description: made.output) }
    return package.appendingPathComponent(".build/runtime")
  }

  /// The folder with the recorder's files.
  package static var recorderSources: String {
    package.appendingPathComponent("Runtime/Recorder").path
  }

  /// The flags with which the recorder's files are compiled.
  package static var recorderIncludes: [String] {
    ["Recorder", "Recorder/include", "TraceFormat/include", "InProcess/include"].map {
      "-I\(package.appendingPathComponent("Runtime/\($0)").path)"
    }
  }

  /// The folder in which `make runtime-darwin` puts the objects, built once for all tests.
  package static func deliveredRecorders() throws -> URL { try runtime.get() }

  /// Returns the delivered recorder for `platform`: a file with a slice for each architecture.
  package func recorder(for platform: Platform) throws -> String {
    let folder = platform == .iOS ? "iphoneos" : "macosx"
    return try Self.runtime.get().appendingPathComponent("\(folder)/orderfile_rt.o").path
  }

  /// Compiles `source` with calls of the recorder in its functions.
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
