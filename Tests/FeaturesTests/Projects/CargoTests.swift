import ImageModel
import Projects
import TestSupport
import Testing

/// The results that `cargo orderfile` derives from its words and from cargo's messages.
@Suite struct CargoTests {
  @Test(arguments: [
    ([], "release", ["--release", "--"]),
    (["--bin", "a"], "release", ["--release", "--bin", "a", "--"]),
    (["-r"], "release", ["-r", "--"]),
    (["--release"], "release", ["--release", "--"]),
    (["--profile", "dist"], "dist", ["--profile", "dist", "--"]),
    (["--profile=dist"], "dist", ["--profile=dist", "--"]),
  ])
  func optionsAreCargosAndTheProfileIsReleaseByDefault(
    options: [String], profile: String, passed: [String]
  ) {
    let words = CargoWords(options + ["--", "--help", "--", "x"])
    #expect(words.program == ["--help", "--", "x"])
    #expect(words.profile == profile)
    #expect(
      words.build(linkWords: ["-fuse-ld=lld"])
        == ["cargo", "rustc", "--message-format=json-render-diagnostics"] + passed
        + ["-Clink-arg=-fuse-ld=lld"])
  }

  @Test(arguments: [["--target-dir", "t"], ["--target-dir=t"], []])
  func anotherTargetFolderReplacesThatOfTheOptions(options: [String]) {
    let words = CargoWords(["--bin", "a"] + options + ["-q"])
    #expect(
      words.build(linkWords: [], targetFolder: "other").suffix(6) == [
        "--bin", "a", "-q", "--target-dir", "other", "--",
      ])
  }

  @Test func hintsRepeatTheOptions() {
    let words = CargoWords(["--features", "a b", "--", "x"])
    #expect(words.command("run") == "cargo orderfile run --features 'a b'")
  }

  @Test func metadataGetOnlyTheOptionsThatTheyTake() {
    let words = CargoWords(["--bin", "a", "--manifest-path=x/Cargo.toml", "--offline"])
    #expect(
      words.metadata == [
        "cargo", "metadata", "--no-deps", "--format-version", "1", "--manifest-path",
        "x/Cargo.toml", "--offline",
      ])
  }

  private static func message(_ types: String, _ files: String, _ executable: String) -> String {
    #"{"reason":"compiler-artifact","target":{"name":"x","crate_types":["#
      + types + #"]},"filenames":["# + files + #"],"executable":"# + executable + "}\n"
  }
  private static let library = message(#""lib""#, #""/t/libx.rlib""#, "null")

  @Test(arguments: [
    (message(#""bin""#, #""/t/app""#, #""/t/app""#), "/t/app", false),
    (message(#""cdylib""#, #""/t/libx.so""#, "null"), "/t/libx.so", true),
    (message(#""rlib","cdylib""#, #""/t/libx.rlib","/t/libx.so""#, "null"), "/t/libx.so", true),
  ])
  func theLastArtifactIsTheTarget(message: String, path: String, isLibrary: Bool) throws {
    let end = #"{"reason":"build-finished","success":true}"# + "\n"
    let artifact = try CargoArtifact(
      inMessages: Array(("text of a build script\n" + Self.library + message + end).utf8))
    #expect(artifact == CargoArtifact(path: path, isLibrary: isLibrary))
  }

  @Test(arguments: [
    (library, "x: the target is not linked: expected bin or cdylib, found lib"),
    (
      message(#""proc-macro""#, #""/t/libx.so""#, "null"),
      "x: the target is not linked: expected bin or cdylib, found proc-macro"
    ),
    ("", "cargo reported no build artifact"),
    ("{\"reason\"", "cargo: unable to read its messages"),
    (#"{"reason":"compiler-artifact"}"#, "cargo: unable to read its messages"),
  ])
  func whatIsNotLinkedIsRefused(messages: String, expected: String) {
    let error = #expect(throws: Diagnostic.self) {
      try CargoArtifact(inMessages: Array(messages.utf8))
    }
    #expect(error?.description.hasPrefix(expected) ?? false, "\(String(describing: error))")
  }

  @Test func everyPrefixOfMessagesIsReadOrRefused() {
    let text = Array((Self.library + Self.message(#""bin""#, #""/t/app""#, #""/t/app""#)).utf8)
    for end in text.indices {
      do { _ = try CargoArtifact(inMessages: Array(text[..<end])) } catch {
        #expect(!error.description.isEmpty)
      }
    }
  }

  /// A package with a library and a program, packages with two programs, a package with a shared library, and a package
  /// with only a static library.
  private static let metadata = #"""
    {"packages":[
    {"name":"one","manifest_path":"/w/one/Cargo.toml","default_run":null,"targets":[
    {"kind":["lib"],"name":"one"},{"kind":["bin"],"name":"tool"},{"kind":["test"],"name":"t"}]},
    {"name":"two","manifest_path":"/w/two/Cargo.toml","targets":[
    {"kind":["bin"],"name":"a"},{"kind":["bin"],"name":"b"}]},
    {"name":"main","manifest_path":"/w/main/Cargo.toml","default_run":"b","targets":[
    {"kind":["bin"],"name":"a"},{"kind":["bin"],"name":"b"}]},
    {"name":"plugin","manifest_path":"/w/plugin/Cargo.toml","targets":[
    {"kind":["rlib","cdylib"],"name":"plugin"},{"kind":["custom-build"],"name":"build"}]},
    {"name":"parts","manifest_path":"/w/parts/Cargo.toml","targets":[{"kind":["lib"],"name":"parts"}]}
    ],"target_directory":"/w/target","workspace_root":"/w","more":[1]}
    """#

  @Test(arguments: [
    ("", "/w/one/Cargo.toml", "--package one --bin tool"),
    ("-p one", "/w/Cargo.toml", "--bin tool"),
    ("--package=plugin@1.0", "/w/Cargo.toml", "--lib"),
    ("", "/w/main/Cargo.toml", "--package main --bin b"),
    ("--bin a", "/w/two/Cargo.toml", ""),
    ("--example=e", "/w/two/Cargo.toml", ""),
    ("--lib", "/w/Cargo.toml", ""),
  ])
  func theOnlyTargetIsChosen(options: String, manifest: String, expected: String) throws {
    let words = CargoWords(options.split(separator: " ").map(String.init))
    let metadata = try CargoMetadata(Array(Self.metadata.utf8))
    #expect(
      try metadata.selection(for: words, manifest: manifest).joined(separator: " ") == expected)
  }

  @Test(arguments: [
    ("", "/w/two/Cargo.toml", "several targets: a, b\n  hint: choose one: --package two --bin a"),
    ("", "/w/Cargo.toml", "several targets: tool, a, b, b"),
    ("-p parts", "/w/Cargo.toml", "nothing is linked: expected a program or a cdylib"),
    ("-p no", "/w/Cargo.toml", "nothing is linked"),
  ])
  func severalTargetsAreListed(options: String, manifest: String, message: String) throws {
    let words = CargoWords(options.split(separator: " ").map(String.init))
    let metadata = try CargoMetadata(Array(Self.metadata.utf8))
    let error = #expect(throws: Diagnostic.self) {
      try metadata.selection(for: words, manifest: manifest)
    }
    #expect(error?.description.hasPrefix("\(manifest): \(message)") ?? false)
    #expect(error?.severity == .usage)
  }

  @Test func unreadableMetadataIsAnError() {
    for text in ["", "{}", #"{"target_directory":1}"#, String(Self.metadata.dropLast())] {
      #expect(throws: Diagnostic.self) { try CargoMetadata(Array(text.utf8)) }
    }
  }

  @Test(arguments: [
    ("[build]\nrustflags = [\"-g\"]\n", 2),
    ("[ build ] # all\njobs = 2\n  rustflags=\"-g\"\n", 3),
    ("build.rustflags = []\n", 1),
    ("[target.x86_64-unknown-linux-gnu]\nrustflags = []\n", nil),
    ("[build]\njobs = 1\n[target.'cfg(all())']\nrustflags = []\n", nil),
    ("# [build]\n[x]\nbuild.rustflags = []\n", nil),
    ("", nil),
  ])
  func flagsForAllCratesAreFound(text: String, line: Int?) {
    #expect(CargoFlags.lineOfBuildFlags(in: text) == line)
  }

  @Test(arguments: [
    ("[profile.release]\nstrip = true\n", "release", 2),
    ("[profile.release]\nstrip = \"symbols\" # small\n", "release", 2),
    ("[profile.dist]\ninherits = \"release\"\n[profile.release]\nstrip = true\n", "dist", 4),
    (
      "[profile.dist]\ninherits = \"release\"\nstrip = \"none\"\n[profile.release]\nstrip = true\n",
      "dist", nil
    ),
    ("profile.release.strip=\"symbols\"", "release", 1),
    ("[profile.a]\ninherits = \"b\"\n[profile.b]\ninherits = \"a\"\n", "a", nil),
    ("[profile.release]\nstrip = \"debuginfo\"\n", "release", nil),
    ("[profile.dev]\nstrip = true\n", "release", nil), ("", "release", nil),
  ])
  func theLineThatStripsSymbolsIsFound(text: String, profile: String, line: Int?) {
    #expect(CargoStripping.line(for: profile, in: text) == line)
  }

  @Test func theVariableThatStripsIsNamedAsCargoReadsIt() {
    #expect(CargoStripping.variable(for: "small-dist") == "CARGO_PROFILE_SMALL_DIST_STRIP")
    for (value, strips) in [("true", true), ("symbols", true), ("debuginfo", false), ("", false)] {
      #expect(CargoStripping.isStripping(value) == strips)
    }
  }

  @Test(arguments: [
    (
      "[target.x86_64-unknown-linux-gnu]\nlinker = \"/usr/bin/clang\"", 2,
      "X86_64_UNKNOWN_LINUX_GNU"
    ),
    ("# c\n[target.'cfg(unix)']\nlinker = \"rust-lld\"", 3, nil),
  ])
  func aLinkerThatNoWrapperSeesIsFound(text: String, line: Int, target: String?) {
    let found = CargoLinker(in: text, path: "c.toml")
    #expect(found?.place == "c.toml:\(line)")
    #expect(found?.variable == target.map { "CARGO_TARGET_\($0)_LINKER" })
  }

  @Test(arguments: [
    "[target.x86_64-unknown-linux-gnu]\nlinker = \"clang\"", "[build]\nlinker = \"/x\"", "",
  ])
  func compilersAreLinkersThatWrappersSee(text: String) {
    #expect(CargoLinker(in: text, path: "c.toml") == nil)
  }
}
