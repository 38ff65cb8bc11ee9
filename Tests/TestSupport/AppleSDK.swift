import Foundation

/// Compiles and links Mach-O images for tests, on any system: with clang and swiftc of the Swift toolchain, LLVM's
/// `ld64.lld`, and the SDK that `Scripts/apple-sdk.sh` makes.
package struct AppleSDK: Sendable {
  /// The platform that an image is built for.
  package enum Platform: String, CaseIterable, Sendable {
    case iOS = "arm64-apple-ios18.0"
    case macOS = "arm64-apple-macos15.0"
    case macOSx8664 = "x86_64-apple-macos15.0"

    /// The value for `-arch`.
    package var architecture: String { self == .macOSx8664 ? "x86_64" : "arm64" }
    var linkerArguments: [String] {
      let version = self == .iOS ? ["ios", "18.0", "18.0"] : ["macos", "15.0", "15.0"]
      return ["-arch", architecture, "-platform_version"] + version
    }
  }

  /// The folder with `usr/include` and `usr/lib`.
  package let path: String
  /// The path of `ld64.lld`; the tools below are of the same release.
  package let linker: String
  package let dsymutil: String
  package let lipo: String

  /// - Throws: an error that names the missing tool or file; `make test` installs it.
  package init() throws {
    path = projectFolder.appendingPathComponent(".build/apple/sdk").path
    guard FileManager.default.fileExists(atPath: path + "/usr/lib/libSystem.tbd") else {
      throw Tool.Failure(description: "missing \(path): run Scripts/apple-sdk.sh")
    }
    func tool(_ name: String) throws -> String {
      guard let path = toolPath(name) else {
        throw Tool.Failure(description: "missing \(name): run Scripts/bootstrap.sh test")
      }
      return path
    }
    linker = try tool("ld64.lld-19")
    dsymutil = try tool("dsymutil-19")
    lipo = try tool("llvm-lipo-19")
  }

  /// Compiles `source` to an object file in `workshop`. The suffix shows the language: C, C++, Objective-C or Swift.
  package func compile(
    _ source: String, to object: String, for platform: Platform, flags: [String] = [],
    in workshop: Workshop
  ) throws {
    let arguments =
      source.hasSuffix(".swift")
      ? [
        "-target", platform.rawValue, "-sdk", path, "-enable-experimental-feature", "Embedded",
        "-wmo", "-parse-as-library", "-O", "-c", source, "-o", object,
      ]
      : ["-target", platform.rawValue, "-isysroot", path, "-O2", "-c", source, "-o", object]
    try check(
      workshop.run(source.hasSuffix(".swift") ? "swiftc" : "clang", arguments + flags), source)
  }

  /// Links `objects` with libSystem and libobjc.
  ///
  /// - Parameter linker: another release of `ld64.lld`; `nil` for `self.linker`.
  package func link(
    _ objects: [String], to image: String, for platform: Platform, flags: [String] = [],
    with linker: String? = nil, in workshop: Workshop
  ) throws {
    let arguments =
      platform.linkerArguments
      + ["-syslibroot", path, "-lSystem", "-lobjc", "-o", image] + flags + objects
    try check(workshop.run(linker ?? self.linker, arguments), image)
  }

  /// Puts `members` into a static archive.
  package func archive(_ members: [String], to archive: String, in workshop: Workshop) throws {
    try check(workshop.run("llvm-ar-19", ["rcs", archive] + members), archive)
  }

  private func check(_ result: ToolResult, _ made: String) throws {
    guard result.status == 0 else {
      throw Tool.Failure(description: "\(made): \(result.output)")
    }
  }
}
