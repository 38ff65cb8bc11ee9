import Foundation
import TestSupport
import Testing

/// Tests `orderfile init` with the other build systems.
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

  /// Meson gives all images of a project the same order file.
  @Test(.needs("meson", "ninja")) func aProgramAndItsLibraryFollowTheirOrdersInOneFile() throws {
    let program = """
      int of_b(int);
      __attribute__((noinline)) int of_x(int n) { return n + 1; }
      __attribute__((noinline)) int of_y(int n) { return n + 2; }
      __attribute__((noinline)) int of_z(int n) { return n + 3; }
      int main(int n, char **v) { return v[0] == 0 ? of_y(n) : of_x(of_b(of_z(n))) > 100; }

      """
    let library = """
      __attribute__((noinline)) int of_a(int n) { return n + 1; }
      __attribute__((noinline)) int of_c(int n) { return n + 2; }
      __attribute__((noinline)) int of_b(int n) { return of_c(n) + 3; }

      """
    let project = try InitProject([
      (
        "meson.build",
        "project('x', 'c')\npart = shared_library('part', 'part.c')\nexecutable('app', 'app.c', link_with : part)\n"
      ),
      ("app.c", program), ("part.c", library),
    ])
    let workshop = project.workshop
    try workshop.mustOrderfile("init", "--write")
    try workshop.must("meson", ["setup", "build", "--buildtype=release"])
    try workshop.must("meson", ["compile", "-C", "build"])
    try workshop.mustOrderfile(
      "record", "--breakpoints", "--also", "build/libpart.so", "-o", "t", "--", "build/app")
    try workshop.mustOrderfile("gen", "t", "--all-images", "-o", "app.order")
    try workshop.must("meson", ["compile", "-C", "build"])
    func order(_ image: String) throws -> [String] {
      try workshop.functions(in: image).filter { $0.hasPrefix("of_") || $0 == "main" }
    }
    #expect(try order("build/app") == ["main", "of_z", "of_x", "of_y"])
    #expect(try order("build/libpart.so") == ["of_b", "of_c", "of_a"])
    for image in ["build/app", "build/libpart.so"] {
      try workshop.mustOrderfile(
        "verify", "app.order", "--image", image, "--limit", "verify.stale<=0%")
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

  /// The build command names the toolset; without the toolset the project is built as before. SwiftPM does not see that
  /// the order file changed.
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
