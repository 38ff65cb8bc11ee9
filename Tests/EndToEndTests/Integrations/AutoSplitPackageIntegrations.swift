import Foundation
import TestSupport
import Testing

/// `orderfile auto --split` with projects of Cargo and SwiftPM.
@Suite(.needs(.recording, "nm")) struct AutoSplitPackageIntegrations {
  /// A workspace with two programs. Both use a library that the build script and a macro use, too. Each function of the
  /// library has 3,000 bytes that no launch runs.
  private static func cargoProject(profile: String = "") throws -> AutoProject {
    let project = try AutoProject(makefile: false)
    func package(_ name: String, _ rest: String) -> String {
      "[package]\nname = \"\(name)\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\(rest)"
    }
    for folder in ["parts/src", "macros/src", "tool/src"] { try project.makeFolder(folder) }
    let functions = (0..<60).map {
      """
      #[inline(never)] pub fn f\($0)(n: u64) -> u64 {
        if n > 1 << 60 { unsafe { std::arch::asm!(".fill 3000, 1, 0x90") } }
        n + \($0)
      }

      """
    }
    let arms = (0..<60).map { "\($0) => f\($0)(n)," }.joined(separator: " ")
    let run = "pub fn run(i: u64, n: u64) -> u64 { match i { \(arms) _ => 0 } }\n"
    let sum = "pub fn sum(n: u64) -> u64 { (0..60).step_by(2).fold(n, |n, i| run(i, n)) }\n"
    let test = "#[test] fn numbers_add_up() { assert_eq!(sum(1), 871); }\n"
    try project.write("parts/Cargo.toml", package("parts", ""))
    try project.write("parts/src/lib.rs", functions.joined() + run + sum + test)
    let parts = "[dependencies]\nparts = { path = \"../parts\" }\n"
    try project.write("macros/Cargo.toml", package("macros", "[lib]\nproc-macro = true\n" + parts))
    try project.write(
      "macros/src/lib.rs",
      "#[proc_macro] pub fn one(_: proc_macro::TokenStream) -> proc_macro::TokenStream {\n"
        + "  format!(\"{}\", parts::run(1, 0)).parse().unwrap() }\n")
    try project.write("tool/Cargo.toml", package("tool", parts))
    try project.write("tool/src/main.rs", "fn main() { println!(\"{}\", parts::run(3, 4)) }\n")
    try project.write(
      "build.rs",
      "fn main() { let path = std::env::var(\"OUT_DIR\").unwrap() + \"/two.rs\";\n"
        + "  std::fs::write(path, format!(\"{}\", parts::run(2, 0))).unwrap(); }\n")
    try project.write(
      "src/main.rs",
      "fn main() { let two: u64 = include!(concat!(env!(\"OUT_DIR\"), \"/two.rs\"));\n"
        + "  println!(\"{}\", parts::sum(std::env::args().count() as u64) + macros::one!() + two); }\n"
    )
    try project.write(
      "Cargo.toml",
      package(
        "app",
        "[workspace]\nmembers = [\"parts\", \"macros\", \"tool\"]\n"
          + "[dependencies]\nparts = { path = \"parts\" }\nmacros = { path = \"macros\" }\n"
          + "[build-dependencies]\nparts = { path = \"parts\" }\n[profile.release]\n\(profile)"))
    return project
  }

  /// Expects that the functions of the first image are split, and that this saves at least 30% of the pages that whole
  /// functions in order need.
  private func expectSplit(
    _ run: Run, _ project: AutoProject, output: String? = nil, coldPart: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try #require(run.status == 0, "\(run.errors)", sourceLocation: sourceLocation)
    let split = try #require(
      run.json["split"] as? [String: Any], "\(run.errors)", sourceLocation: sourceLocation)
    let pages = try #require(split["pages"] as? [String: Int], sourceLocation: sourceLocation)
    let (before, after) = (pages["before"] ?? 0, pages["after"] ?? 0)
    #expect(
      split["isKept"] as? Bool == true && after * 10 <= before * 7, "\(split)",
      sourceLocation: sourceLocation)
    let image = try #require(
      (run.json["images"] as? [[String: Any]])?.first, sourceLocation: sourceLocation)
    let path = try #require(image["image"] as? String, sourceLocation: sourceLocation)
    let symbols = try project.workshop.must("nm", ["\(output ?? project.output)/\(path)"]).text
    #expect(symbols.contains(coldPart), sourceLocation: sourceLocation)
    let compliance = try #require(
      image["compliance"] as? [String: Any], sourceLocation: sourceLocation)
    #expect(
      compliance["inOrder"] as? Int == compliance["present"] as? Int, "\(compliance)",
      sourceLocation: sourceLocation)
  }

  private func output(_ project: AutoProject, _ image: String) throws -> String {
    try project.workshop.must("\(project.output)/images/\(image)", []).text
  }

  /// The precompiled standard library has no map, so its functions stay whole.
  @Test(.needs("cargo", "rustc"))
  func aProgramOfCargoIsSplitByItsCompiler() throws {
    let project = try Self.cargoProject(profile: "panic = \"abort\"\n")
    let launch = ["--launch", "target/release/app", "--", "cargo", "build", "--workspace"]
    let run = try project.start(["--split"] + launch).end()
    try expectSplit(run, project, coldPart: ".cold")
    #expect(try output(project, "app") == "874\n")
    let split = try #require(run.json["split"] as? [String: Any])
    let unmapped = try #require(split["unmapped"] as? [String: Int])
    #expect(unmapped["functions"] ?? 0 > 10 && unmapped["ofFunctions"] ?? 0 > 40)
    let again = try project.start(["--split"] + launch).end()
    #expect(again.errors.contains("nothing has changed"), "\(again.errors)")
    // Without the option all functions are whole again.
    let whole = try project.start(launch).end()
    #expect(whole.status == 0 && whole.json["split"] == nil, "\(whole.errors)")
    let symbols = try project.workshop.must("nm", ["\(project.output)/images/app"]).text
    #expect(!symbols.contains(".cold"))
  }

  /// The options of the summary split what the project's own tests run. rustc takes no path with a blank.
  @Test(.needs("cargo", "rustc"))
  func aSplitProgramOfCargoPassesItsTests() throws {
    let project = try Self.cargoProject()
    let output = project.workshop.path("out")
    let run = try project.start(["--split", "--launch", "app"], out: output).end()
    try expectSplit(run, project, output: output, coldPart: ".cold")
    let image = try #require((run.json["images"] as? [[String: Any]])?.first)
    let options = try #require(image["compileOptions"] as? [String])
    #expect(options.last == "-Cllvm-args=-basic-block-sections=\(output)/split.clusters")
    for flags in [[], options] {
      let test = try project.workshop.start(
        "env",
        [
          "CARGO_ENCODED_RUSTFLAGS=\(flags.joined(separator: "\u{1f}"))", "cargo", "test",
          "--offline", "--release", "--package", "parts", "--manifest-path",
          "\(project.folder)/Cargo.toml", "--target-dir", project.workshop.path("tests"),
        ]
      ).end()
      #expect(test.status == 0 && test.text.contains("1 passed"), "\(test.errors)")
    }
  }

  /// A rustc whose LLVM lacks the options, as before 1.82.
  private func startWithOldRust(
    _ project: AutoProject, linker: String, _ options: [String]
  ) throws -> Run {
    let rustc = try #require(toolPath("rustc"))
    try project.workshop.writeProgram(
      """
      #!/bin/sh
      case "$*" in *basic-block*) echo "rustc: Unknown command line argument" >&2; exit 1 ;; esac
      exec '\(rustc)' "$@"

      """.utf8, "rustc-old")
    try FileManager.default.createDirectory(
      atPath: project.workshop.path("linkers"), withIntermediateDirectories: true)
    let link = project.workshop.path("linkers/ld.lld")
    try? FileManager.default.removeItem(atPath: link)
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: try #require(toolPath(linker)))
    let path = try #require(ProcessInfo.processInfo.environment["PATH"])
    return try project.workshop.orderfile(
      ["auto", "--project", project.folder, "--output", project.output, "--json", "--split"]
        + options,
      environment: [
        "PATH": "\(project.workshop.path("linkers")):\(path)",
        "RUSTC": project.workshop.path("rustc-old"),
      ])
  }

  /// cargo compiles to machine code what the build script and the macro use.
  @Test(.needs("cargo", "rustc", "ld.lld-19", "ld.lld-22"))
  func aCompilerThatCannotSplitLeavesItToTheLinker() throws {
    let project = try Self.cargoProject()
    let launch = ["--launch", "target/release/app"]
    let old = try startWithOldRust(project, linker: "ld.lld-19", launch)
    #expect(
      old.status == 1
        && old.errors.contains(
          "--split: unable to split: lld has to split, because the LLVM of rustc")
        && old.errors.contains("or later, found lld 19"), "\(old.errors)")
    let run = try startWithOldRust(project, linker: "ld.lld-22", launch)
    try expectSplit(run, project, coldPart: ".cold")
    #expect(try output(project, "app") == "874\n")
  }

  @Test(.needs("cargo"))
  func aLinkerThatNoWrapperSeesIsNamed() throws {
    let project = try Self.cargoProject()
    try project.makeFolder(".cargo")
    let clang = try #require(toolPath("clang"))
    try project.write(
      ".cargo/config.toml", "[target.x86_64-unknown-linux-gnu]\nlinker = \"\(clang)\"\n")
    let run = try project.auto("--split", "--launch", "app")
    #expect(
      run.status == 1 && run.errors.contains(".cargo/config.toml:2 names a linker")
        && run.errors.contains("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_LINKER=cc orderfile auto"),
      "\(run.errors)")
  }

  /// A program whose launch runs half of the functions of a C target. Each function has 3,000 bytes that no launch runs.
  private static func swiftPackage() throws -> AutoProject {
    let project = try AutoProject(makefile: false)
    for folder in ["Sources/parts/include", "Sources/tool", "Tests/partsTests"] {
      try project.makeFolder(folder)
    }
    try project.write(
      "Package.swift",
      """
      // swift-tools-version: 6.0
      import PackageDescription
      let package = Package(
        name: "parted",
        targets: [
          .target(name: "parts"), .executableTarget(name: "tool", dependencies: ["parts"]),
          .testTarget(name: "partsTests", dependencies: ["parts"]),
        ])

      """)
    let numbers = 0..<60
    try project.write(
      "Sources/parts/include/parts.h", numbers.map { "int part\($0)(int);\n" }.joined())
    let functions = numbers.map {
      """
      __attribute__((noinline)) int part\($0)(int n) {
        if (__builtin_expect(n == 7777777, 0)) __asm__ volatile(".fill 3000, 1, 0x90");
        return n + \($0);
      }

      """
    }
    try project.write(
      "Sources/parts/parts.c", "#include \"parts.h\"\n" + functions.joined())
    let calls = stride(from: 0, to: 60, by: 2).map { "n = part\($0)(n)\n" }.joined()
    try project.write(
      "Sources/tool/main.swift",
      "import parts\nvar n = Int32(CommandLine.arguments.count)\n\(calls)print(n)\n")
    try project.write(
      "Tests/partsTests/partsTests.swift",
      """
      import Foundation
      import XCTest
      import parts
      final class PartsTests: XCTestCase {
        func testNumbersAddUp() {
          var n = Int32(ProcessInfo.processInfo.environment["NUMBER"] ?? "1") ?? 0
          \(calls)
          XCTAssertEqual(n, 871)
        }
      }

      """)
    return project
  }

  @Test(.needs("swift"))
  func aSwiftPackageIsSplitByItsLinker() throws {
    let project = try Self.swiftPackage()
    let run = try project.auto("--split", "--launch", "tool")
    try expectSplit(run, project, coldPart: ".cold")
    #expect(try output(project, "tool") == "871\n")
    // A Swift program hashes differently each time, so several recordings see more of its blocks.
    let traces = try FileManager.default.contentsOfDirectory(atPath: "\(project.output)/traces")
    #expect(traces.count == 8)
    let again = try project.auto("--split", "--launch", "tool")
    #expect(again.errors.contains("nothing has changed"), "\(again.errors)")
  }

  /// The options of the summary split what the package's own tests run.
  @Test(.needs("swift"))
  func aSplitSwiftPackagePassesItsTests() throws {
    let project = try Self.swiftPackage()
    let run = try project.auto("--split", "--launch", "tool")
    try #require(run.status == 0, "\(run.errors)")
    let image = try #require((run.json["images"] as? [[String: Any]])?.first)
    let compile = try #require(image["compileOptions"] as? [String])
    let link = try #require(image["linkOptions"] as? [String])
    // libXCTest finds libraries of Foundation by the path of the program only if that path is not a RUNPATH.
    let paths = ["-Xlinker", "--disable-new-dtags"]
    for (options, name) in [([], "whole"), (compile + link + paths, "split")] {
      let folder = project.workshop.path(name)
      let test = try project.workshop.start(
        "swift",
        ["test", "-c", "release", "--package-path", project.folder, "--scratch-path", folder]
          + options
      ).end()
      #expect(
        test.status == 0 && test.text.contains("Executed 1 test, with 0 failures"),
        "\(test.text)\(test.errors)")
      let symbols = try project.workshop.must("nm", ["\(folder)/release/partedPackageTests.xctest"])
      #expect(symbols.text.contains("part2.cold") == (name == "split"))
    }
  }

  /// The launch of this package executes too few pages to save one. SwiftPM compiles a file that a plugin generates each
  /// time that it plans the build.
  @Test(.needs("swift"))
  func aSplitThatSavesNoPageIsLeftOut() throws {
    let project = try AutoPackageIntegrations.project(work: "")
    let run = try project.auto("--split", "--launch", "tool")
    try #require(run.status == 0, "\(run.errors)")
    let split = try #require(run.json["split"] as? [String: Any])
    let pages = try #require(split["pages"] as? [String: Int])
    #expect((pages["before"] ?? 0) > 0 && pages["after"] == pages["before"], "\(split)")
    #expect(split["isKept"] as? Bool == false)
    #expect(try output(project, "tool") == "24\n")
    let again = try project.auto("--split", "--launch", "tool")
    #expect(again.errors.contains("nothing has changed"), "\(again.errors)")
  }
}
