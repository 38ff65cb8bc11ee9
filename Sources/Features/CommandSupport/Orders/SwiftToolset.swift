import JSON

/// The file from which SwiftPM takes options for its compilers and linkers: `--toolset`.
package struct SwiftToolset: Hashable, Sendable {
  /// Options for the linker itself.
  package var linkerOptions: [String]
  /// The path of the recorder, if the build is to record itself.
  package var recorder: String?

  /// The environment variable from which the command of a build takes the path of its toolset.
  package static let variable = "ORDERFILE_TOOLSET"

  package init(linkerOptions: [String], recorder: String? = nil) {
    self.linkerOptions = linkerOptions
    self.recorder = recorder
  }

  /// <https://github.com/swiftlang/swift-evolution/blob/main/proposals/0387-cross-compilation-destinations.md>
  package func json() -> [UInt8] {
    let coverage = recorder == nil ? nil : "func,trace-pc-guard,pc-table"
    let clang = ["-ffunction-sections"] + (coverage.map { ["-fsanitize-coverage=\($0)"] } ?? [])
    // swiftc takes `-sanitize-coverage` only with a sanitizer. The sanitizer `fuzzer` instruments nothing in addition
    // to coverage.
    let swift = coverage.map { ["-sanitize=fuzzer", "-sanitize-coverage=\($0)"] } ?? []
    return JSONWriter.document { json in
      func options(_ key: StaticString, _ options: [String]) {
        json.object(key) { json in
          json.member("extraCLIOptions", options)
        }
      }
      options("cCompiler", clang)
      options("cxxCompiler", clang)
      options("linker", linkerOptions + [recorder].compactMap { $0 })
      json.member("schemaVersion", "1.0")
      options(
        "swiftCompiler",
        (["-function-sections"] + swift).flatMap { ["-Xfrontend", $0] } + ["-use-ld=lld"])
    }
  }
}
