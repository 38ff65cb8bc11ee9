import ImageModel
import TestSupport
import Testing
import Workflows

/// What `cargo orderfile` makes of words and of cargo's messages.
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
    ("", "cargo named nothing that it has built"),
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
}
