import Foundation
import TestSupport
import Testing

/// `orderfile init` with the other build systems.
@Suite(.needs(.recording, "git")) struct InitIntegrations {
  @Test(.needs("meson", "ninja")) func meson() throws {
    let project = try InitProject([
      ("meson.build", "project('x',\n  'c')\nexecutable('app', 'app.c')\n"),
      ("app.c", InitProject.source),
    ])
    try project.expectOrdered(image: "build/app") {
      if !FileManager.default.fileExists(atPath: project.workshop.path("build")) {
        try project.workshop.must("meson", ["setup", "build", "--buildtype=release"])
      }
      try project.workshop.must("meson", ["compile", "-C", "build"])
    }
  }

  @Test(.needs("cargo")) func cargo() throws {
    let functions = InitProject.functions.map {
      "#[no_mangle] #[inline(never)] pub fn \($0)(n: u32) -> u32 { std::hint::black_box(n * \($0.utf8.map(Int.init).reduce(0, +))) }\n"
    }
    let project = try InitProject([
      ("Cargo.toml", "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
      (
        "src/main.rs", functions.joined() + "fn main() { println!(\"{}\", of_a(of_b(of_c(1)))); }\n"
      ),
    ])
    try project.expectOrdered(image: "target/release/app") {
      try project.workshop.must("cargo", ["build", "-q", "--release", "--offline"])
    }
  }

  /// Its toolset is named by the command; without it the project is built as before. SwiftPM does not see that the order
  /// file changed.
  @Test(.needs("swift")) func swiftPM() throws {
    let functions = InitProject.functions.map {
      "@inline(never) @_cdecl(\"\($0)\") public func \($0)(_ n: Int32) -> Int32 { n &* \($0.utf8.map(Int.init).reduce(0, +)) }\n"
    }
    let manifest = """
      // swift-tools-version:5.9
      import PackageDescription
      let package = Package(name: "app", targets: [.executableTarget(name: "app", path: "Sources")])

      """
    let project = try InitProject([
      ("Package.swift", manifest),
      (
        "Sources/main.swift",
        functions.joined() + "print(of_a(of_b(of_c(Int32(CommandLine.argc)))))\n"
      ),
    ])
    try project.expectOrdered(
      image: ".build/release/app",
      build: {
        try project.workshop.must(
          "swift", ["build", "-c", "release", "--toolset", "orderfile.json"])
      },
      beforeRelink: {
        try? FileManager.default.removeItem(atPath: project.workshop.path(".build/release/app"))
      }, buildsWithoutOrder: false)
  }
}
