import JSON

/// The file from which SwiftPM takes options for its compilers and linkers: `--toolset`.
package struct SwiftToolset: Hashable, Sendable {
  /// For the linker itself.
  package var linkerOptions: [String]

  package init(linkerOptions: [String]) { self.linkerOptions = linkerOptions }

  /// <https://github.com/swiftlang/swift-evolution/blob/main/proposals/0387-cross-compilation-destinations.md>
  package func json() -> [UInt8] {
    JSONWriter.document { json in
      func options(_ key: StaticString, _ options: [String]) {
        json.object(key) { json in
          json.array("extraCLIOptions") { json in for option in options { json.element(option) } }
        }
      }
      options("cCompiler", ["-ffunction-sections"])
      options("cxxCompiler", ["-ffunction-sections"])
      options("linker", linkerOptions)
      json.member("schemaVersion", "1.0")
      options("swiftCompiler", ["-Xfrontend", "-function-sections", "-use-ld=lld"])
    }
  }
}
