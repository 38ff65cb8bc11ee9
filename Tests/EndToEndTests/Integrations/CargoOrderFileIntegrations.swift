import Foundation
import TestSupport
import Testing

/// `cargo orderfile` in a workspace with two programs, a library and a cdylib.
@Suite(.needs("cargo", "ld.lld", "nm")) struct CargoOrderFileIntegrations {
  private static let files = [
    (
      "Cargo.toml",
      """
      [workspace]
      members = ["app", "parts", "plugin"]
      resolver = "2"
      [profile.dist]
      inherits = "release"
      lto = "fat"
      panic = "abort"
      [profile.bare]
      inherits = "release"
      strip = true

      """
    ),
    (".cargo/config.toml", "[target.'cfg(all())']\nrustflags = [\"--cfg\", \"of_flag\"]\n"),
    ("app/Cargo.toml", package("app", "[dependencies]\nparts = { path = \"../parts\" }\n")),
    ("parts/Cargo.toml", package("parts", "")),
    ("plugin/Cargo.toml", package("plugin", "[lib]\ncrate-type = [\"cdylib\"]\n")),
    ("parts/src/lib.rs", functions(["of_p", "of_q", "of_r"])),
    ("plugin/src/lib.rs", functions(["of_x", "of_y", "of_z"])),
    (
      "app/src/main.rs",
      functions(["of_a", "of_b"]) + """
        #[cfg(not(of_flag))]
        compile_error!("[target] rustflags do not count");
        fn main() {
            let n = of_b(parts::of_r(parts::of_p(1)));
            println!("{n}");
            std::process::exit(if std::env::args().any(|word| word == "fail") { 3 } else { 0 });
        }

        """
    ),
    ("app/src/bin/other.rs", "fn main() {}\n"),
    (
      "host.c",
      """
      #include <dlfcn.h>
      int main(int n, char **v) {
        void *library = dlopen(v[1], RTLD_NOW);
        unsigned (*z)(unsigned) = (unsigned (*)(unsigned))dlsym(library, "of_z");
        unsigned (*x)(unsigned) = (unsigned (*)(unsigned))dlsym(library, "of_x");
        return z(x(1)) == 0;
      }

      """
    ),
  ]

  private static func package(_ name: String, _ rest: String) -> String {
    "[package]\nname = \"\(name)\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\(rest)"
  }

  private static func functions(_ names: [String]) -> String {
    names.enumerated().map { index, name in
      "#[no_mangle] #[inline(never)] pub extern \"C\" fn \(name)(n: u32) -> u32 { std::hint::black_box(n * \(index + 3)) }\n"
    }.joined()
  }

  let workshop: Workshop

  init() throws {
    workshop = try Workshop()
    for folder in [".cargo", "app/src/bin", "parts/src", "plugin/src", "bin"] {
      try FileManager.default.createDirectory(
        atPath: workshop.path(folder), withIntermediateDirectories: true)
    }
    for (name, text) in Self.files { try workshop.write(text.utf8, name) }
    try FileManager.default.createSymbolicLink(
      atPath: workshop.path("bin/cargo-orderfile"), withDestinationPath: Built.orderfile)
  }

  private func cargo(_ words: String..., environment: [String: String] = [:]) throws -> Run {
    try workshop.start(
      "cargo", ["orderfile"] + words,
      environment: ["PATH": searchPath].merging(environment) { $1 }
    ).end()
  }

  private func order(_ image: String) throws -> [String] {
    try workshop.functions(in: image).filter { $0.hasPrefix("of_") }
  }

  @Test func aProgramIsOrderedAndItsLibrariesAreNotCompiledAgain() throws {
    let refused = try cargo("optimize", "-p", "app", "--bin", "app", "--offline")
    #expect(refused.status == 4 && refused.errors.contains("no launch was recorded"))
    #expect(
      refused.errors.contains(
        "hint: cargo orderfile run -p app --bin app --offline -- ARGUMENTS"))
    let byDefault = try order("target/release/app")

    let failed = try cargo("run", "-p", "app", "--bin", "app", "--offline", "--", "fail")
    #expect(failed.status == 3 && failed.text == "60\n", "\(failed.errors)")
    let run = try cargo("run", "-p", "app", "--bin", "app", "--offline", "--", "--bin")
    #expect(run.status == 0 && run.text == "60\n" && run.errors.contains("launch-0002.oftrace"))
    #expect(!run.errors.contains("Compiling"))

    let optimized = try cargo("optimize", "-p", "app", "--bin", "app", "--offline")
    #expect(optimized.status == 0, "\(optimized.errors)")
    #expect(
      optimized.errors.contains("Compiling app") && !optimized.errors.contains("Compiling parts"))
    let ordered = try order("target/release/app")
    let ran = ["of_p", "of_r", "of_b"]
    #expect(ordered.filter(ran.contains) == ran && ordered != byDefault)
    #expect(try workshop.must(workshop.path("target/release/app"), []).text == "60\n")

    // After a change of the program, its launches are recorded from the start.
    try workshop.write(
      workshop.text("app/src/main.rs").replacingOccurrences(of: "of_b(parts", with: "of_a(parts")
        .utf8,
      "app/src/main.rs")
    let changed = try cargo("run", "-p", "app", "--bin", "app", "--offline")
    #expect(changed.errors.contains("removed 2 traces of another build"))

    let cleaned = try cargo("clean", "--offline")
    #expect(cleaned.errors.contains("target/release/.orderfile"))
    #expect(!FileManager.default.fileExists(atPath: workshop.path("target/release/.orderfile")))
    #expect(try cargo("clean", "--offline").errors.contains("nothing to remove"))
  }

  /// Tracing is forbidden here, as in a container, and in one case no emulator is installed.
  @Test(.needs(.x8664Machine, "qemu-x86_64", "clang"), arguments: [true, false])
  func withoutTheRightToTraceAnotherMethodRecords(hasEmulator: Bool) throws {
    try AutoProject.buildUntraced(in: workshop)
    let path = try hasEmulator ? searchPath : searchPathWithoutEmulator()
    for verb in ["run", "optimize"] {
      let run = try workshop.start(
        "untraced",
        [workshop.path("bin/cargo-orderfile"), verb, "-p", "app", "--bin", "app", "--offline"],
        environment: ["PATH": path]
      ).end()
      try #require(run.status == 0, "\(run.errors)")
      let method =
        hasEmulator ? "QEMU's emulator, running the release build" : "an instrumented build"
      #expect(
        verb == "optimize"
          || run.errors.contains(
            "orderfile: recorded by \(method) (breakpoints: a program can't be"),
        "\(run.errors)")
    }
    let ran = ["of_p", "of_r", "of_b"]
    #expect(try order("target/release/app").filter(ran.contains) == ran)
    let symbols = try workshop.must("nm", ["target/release/app"])
    #expect(!symbols.text.contains("sanitizer_cov"))
    // The host program, which loads the library, is built here.
    try workshop.must("cc", ["-o", "host", "host.c", "-ldl"])
    let library = try workshop.start(
      "untraced",
      [workshop.path("bin/cargo-orderfile"), "run", "-p", "plugin", "--offline", "--"]
        + [workshop.path("host"), workshop.path("target/release/libplugin.so")],
      environment: ["PATH": path]
    ).end()
    #expect(
      hasEmulator
        ? library.status == 0
        : library.status == 1
          && library.errors.contains(
            "instrument: programs find the library only at the path where cargo builds it"),
      "\(library.errors)")
  }

  private var searchPath: String {
    "\(workshop.path("bin")):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
  }

  /// Returns a search path without emulators. Folders that have an emulator, such as `/usr/bin`, are replaced by
  /// folders with links to all other files.
  private func searchPathWithoutEmulator() throws -> String {
    let files = FileManager.default
    let folders = try searchPath.split(separator: ":").enumerated().map { index, folder in
      guard files.fileExists(atPath: "\(folder)/qemu-x86_64") else { return String(folder) }
      let copy = workshop.path("bin\(index)")
      try files.createDirectory(atPath: copy, withIntermediateDirectories: true)
      for name in try files.contentsOfDirectory(atPath: String(folder))
      where !name.hasPrefix("qemu-") {
        try files.createSymbolicLink(
          atPath: "\(copy)/\(name)", withDestinationPath: "\(folder)/\(name)")
      }
      return copy
    }
    return folders.joined(separator: ":")
  }

  @Test func fatLTOAndAbortingPanicsAreOrdered() throws {
    for verb in ["run", "optimize"] {
      let run = try cargo(verb, "-p", "app", "--bin", "app", "--profile", "dist", "--offline")
      #expect(run.status == 0, "\(run.errors)")
    }
    let ran = ["of_p", "of_r", "of_b"]
    #expect(try order("target/dist/app").filter(ran.contains) == ran)
  }

  @Test(.needs("cc")) func aLibraryIsOrderedForAProgramThatLoadsIt() throws {
    try workshop.must("cc", ["-o", "host", "host.c", "-ldl"])
    let alone = try cargo("run", "-p", "plugin", "--offline")
    #expect(alone.status == 64 && alone.errors.contains("expected a program that loads it"))
    let library = workshop.path("target/release/libplugin.so")
    let run = try cargo("run", "-p", "plugin", "--offline", "--", workshop.path("host"), library)
    #expect(run.status == 0, "\(run.errors)")
    let optimized = try cargo("optimize", "-p", "plugin", "--offline")
    #expect(optimized.status == 0, "\(optimized.errors)")
    #expect(try order("target/release/libplugin.so").prefix(2) == ["of_x", "of_z"])
  }

  @Test func whatCannotBeOrderedIsSaid() throws {
    let stripped = try cargo("build", "-p", "app", "--bin", "app", "--profile", "bare", "--offline")
    #expect(stripped.status == 1 && stripped.errors.contains("the image has no symbols"))
    #expect(
      stripped.errors.contains(
        "Cargo.toml:10 strips the symbols: add --config 'profile.bare.strip=\"none\"'"),
      "\(stripped.errors)")
    let overridden = try cargo(
      "build", "-p", "app", "--bin", "app", "--profile", "bare", "--offline", "--config",
      "profile.bare.strip=\"none\"")
    #expect(overridden.status == 0 && overridden.text.hasSuffix("/target/bare/app\n"))

    let several = try cargo("build", "-p", "app", "--offline")
    #expect(several.status == 64 && several.errors.contains("several targets: app, other"))
    let library = try cargo("build", "-p", "parts", "--offline")
    #expect(library.status == 64 && library.errors.contains("expected a program or a cdylib"))
    let words = try cargo("build", "--", "-Cfoo")
    #expect(words.status == 64 && words.errors.contains("[target.TRIPLE] rustflags"))

    try workshop.write(
      "[target.'cfg(all())']\nrustflags = [\"--cfg\", \"of_flag\", \"-Cstrip=symbols\"]\n".utf8,
      ".cargo/config.toml")
    let otherwise = try cargo("build", "-p", "app", "--bin", "app", "--offline")
    #expect(otherwise.status == 1 && otherwise.errors.contains("the image has no symbols"))
    #expect(otherwise.errors.contains("profile.release.strip keeps symbols: remove other options"))

    try workshop.write("[build]\nrustflags = []\n".utf8, ".cargo/config.toml")
    let flags = try cargo(
      "info", "--offline", environment: ["RUSTFLAGS": "--cfg of_flag", "NO_COLOR": "1"])
    #expect(flags.text.contains("cargo"), "\(flags.errors)")
    #expect(flags.errors.contains("warning: RUSTFLAGS: this variable replaces [target] rustflags"))
    #expect(flags.errors.contains("config.toml:1: cargo ignores [build] rustflags") == false)
    #expect(flags.errors.contains("config.toml:2: cargo ignores [build] rustflags"))
  }
}
