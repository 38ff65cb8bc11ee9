import ByteReading
import ImageModel
import JSON

/// What `cargo metadata --no-deps` prints about a workspace.
/// <https://doc.rust-lang.org/cargo/commands/cargo-metadata.html#json-format>
package struct CargoMetadata: Hashable, Sendable {
  /// The folder for the results of builds.
  package let targetFolder: String
  /// The folder of the workspace, or of its only package.
  package let workspace: String
  package let packages: [Package]

  package struct Package: Hashable, Sendable {
    package var name: String
    /// The path of the package's `Cargo.toml`.
    package var manifest: String
    /// The program that `cargo run` runs if the package has several.
    package var defaultProgram: String?
    package var programs: [String]
    /// Whether the package's library is a shared library.
    package var hasDynamicLibrary: Bool
  }

  /// - Parameter output: what `cargo metadata` prints.
  package init(_ output: [UInt8]) throws(Diagnostic) {
    var cursor = JSONCursor(FileBytes(output))
    do throws(ParseError) {
      let object = try JSONObject(parsing: &cursor, "metadata")
      targetFolder = try object.value("target_directory")
      workspace = try object.value("workspace_root")
      packages = try object.value("packages")
    } catch {
      throw Diagnostic("unable to read its metadata: \(error)", context: ["cargo"])
    }
  }

  /// Returns the options that choose the one target that is linked; no options if `words` choose the target.
  ///
  /// - Parameter manifest: the path of the `Cargo.toml` for which cargo is called. The manifest of a virtual workspace
  ///   selects all packages.
  /// - Throws: if there is no such target, or if there are several.
  package func selection(for words: CargoWords, manifest: String) throws(Diagnostic) -> [String] {
    guard !words.choosesTarget else { return [] }
    let wanted = words.package
    let found = packages.filter { wanted == nil ? $0.manifest == manifest : $0.name == wanted }
    let candidates = found.isEmpty && wanted == nil ? packages : found
    var targets: [(name: String, options: [String])] = []
    for package in candidates {
      let programs = package.defaultProgram.map { [$0] } ?? package.programs
      for program in programs {
        targets.append((program, ["--package", package.name, "--bin", program]))
      }
    }
    if targets.isEmpty {
      for package in candidates where package.hasDynamicLibrary {
        targets.append((package.name, ["--package", package.name, "--lib"]))
      }
    }
    guard targets.count == 1 else {
      throw Diagnostic(
        targets.isEmpty
          ? "nothing is linked: expected a program or a cdylib"
          : "several targets: \(targets.map(\.name).joined(separator: ", "))",
        context: [manifest],
        hint: targets.isEmpty
          ? "name a package with --package"
          : "choose one: \(targets[0].options.joined(separator: " "))",
        severity: .usage)
    }
    return wanted == nil ? targets[0].options : Array(targets[0].options.dropFirst(2))
  }
}

extension CargoMetadata.Package: JSONReadableObject {
  package init(_ object: JSONObject) throws(ParseError) {
    name = try object.value("name")
    manifest = try object.value("manifest_path")
    defaultProgram = try object.optional("default_run")
    programs = []
    hasDynamicLibrary = false
    let targets: [JSONObject] = try object.value("targets")
    for target in targets {
      let kinds: [String] = try target.value("kind")
      if kinds == ["bin"] { programs.append(try target.value("name")) }
      if kinds.contains("cdylib") || kinds.contains("dylib") { hasDynamicLibrary = true }
    }
  }
}
