import Foundation
import TestSupport
import Testing

/// `orderfile auto` with each build system, linker and compiler: `make test-integrations`.
@Suite(.needs(.recording)) struct AutoIntegrations {
  private static let cmake = """
    cmake_minimum_required(VERSION 3.20)
    project(app C)
    add_custom_command(OUTPUT generated.c DEPENDS generate.sh
      COMMAND sh ${CMAKE_SOURCE_DIR}/generate.sh >generated.c WORKING_DIRECTORY ${CMAKE_BINARY_DIR})
    add_library(shared SHARED shared.c ${CMAKE_BINARY_DIR}/generated.c)
    set_target_properties(shared PROPERTIES VERSION 1.2.3 SOVERSION 1)
    add_library(fixed STATIC static.c)
    add_executable(app src/main.c)
    target_link_libraries(app fixed shared)
    enable_testing()
    add_test(NAME five COMMAND app)
    set_tests_properties(five PROPERTIES PASS_REGULAR_EXPRESSION "^5")

    """

  @Test(.needs("cmake", "ninja"))
  func aProjectOfCMakeIsOrderedAndPassesItsTest() throws {
    let project = try AutoProject(makefile: false)
    try project.write("CMakeLists.txt", Self.cmake)
    // The build folder of the user is not copied.
    try project.workshop.must(
      "cmake", ["-S", project.folder, "-B", "\(project.folder)/build", "-G", "Ninja"])
    try project.expectOrdered(["--launch", "build/app"], images: ["app", "libshared.so.1.2.3"])
    try project.workshop.must("ctest", ["--test-dir", "\(project.output)/work/tree/build"])
    let again = try project.auto("--launch", "build/app")
    #expect(again.errors.contains("nothing has changed"), "\(again.errors)")
  }

  @Test(.needs("cmake", "ninja"))
  func cmakeWithNinjaIsOrderedByItsCommand() throws {
    let project = try AutoProject(makefile: false)
    try project.write("CMakeLists.txt", Self.cmake)
    let commands = "cmake -S . -B out -G Ninja && cmake --build out"
    try project.expectOrdered(
      ["--launch", "app", "--", "sh", "-c", commands], images: ["app", "libshared.so.1.2.3"])
  }

  /// Ninja refuses two rules for one file.
  @Test(.needs("cmake", "ninja"))
  func aProjectThatOnlyMakeBuildsIsBuiltByMake() throws {
    let project = try AutoProject(makefile: false)
    try project.write(
      "CMakeLists.txt",
      Self.cmake + """
        foreach(name IN ITEMS one two)
          add_custom_target(${name} ALL COMMAND ${CMAKE_COMMAND} -E touch made BYPRODUCTS made)
        endforeach()

        """)
    let ninja = try project.workshop.start(
      "cmake", ["-S", project.folder, "-B", project.workshop.path("out"), "-G", "Ninja"]
    ).end()
    let build = try project.workshop.start("cmake", ["--build", project.workshop.path("out")]).end()
    #expect(ninja.status != 0 || build.status != 0)
    try project.expectOrdered(["--launch", "app"], images: ["app", "libshared.so.1.2.3"])
  }

  @Test(.needs(.tools(["autoconf", "automake", "libtoolize"])))
  func aProjectOfAutotoolsWithLibtoolIsOrdered() throws {
    let project = try AutoProject(makefile: false)
    try project.write(
      "configure.ac",
      """
      AC_INIT([app], [1.0])
      AM_INIT_AUTOMAKE([foreign subdir-objects])
      AC_PROG_CC
      LT_INIT
      AC_CHECK_FUNCS([getline no_such_function])
      AC_CONFIG_FILES([Makefile])
      AC_OUTPUT

      """)
    try project.write(
      "Makefile.am",
      """
      bin_PROGRAMS = app
      lib_LTLIBRARIES = libshared.la
      noinst_LTLIBRARIES = libfixed.la
      libshared_la_SOURCES = shared.c
      nodist_libshared_la_SOURCES = generated.c
      libfixed_la_SOURCES = static.c
      app_SOURCES = src/main.c
      app_LDADD = libshared.la libfixed.la
      BUILT_SOURCES = generated.c
      CLEANFILES = generated.c
      generated.c: generate.sh
      \tsh $(srcdir)/generate.sh >$@
      TESTS = five.sh
      EXTRA_DIST = five.sh generate.sh

      """)
    try project.writeProgram("five.sh", "#!/bin/sh\ntest \"$(./app)\" = 5\n")
    // libtool can't build in folders with blanks.
    let folder = project.workshop.path("app")
    try FileManager.default.moveItem(atPath: project.folder, toPath: folder)
    let run = try project.workshop.orderfile(
      "auto", "--project", folder, "--output", project.workshop.path("out"), "--json", "--launch",
      "./app")
    try #require(run.status == 0, "\(run.errors)")
    let images = try #require(run.json["images"] as? [[String: Any]])
    #expect(
      Set(images.compactMap { $0["image"] as? String }) == [
        "images/app", "images/libshared.so.0.0.0",
      ])
    let pages = try #require(run.json["pages"] as? [String: Int])
    #expect(try #require(pages["saved"]) > 5)
    let tree = project.workshop.path("out/work/tree")
    try project.workshop.must("make", ["-s", "-C", tree, "check"])
    // The probes find the same as without wrappers.
    let plain = project.workshop.path("plain")
    try project.workshop.must(
      "sh", ["-c", "cp -r '\(tree)' '\(plain)' && cd '\(plain)' && ./configure -q >/dev/null"])
    func findings(_ folder: String) throws -> [Substring] {
      try String(contentsOfFile: "\(folder)/config.log", encoding: .utf8).split(separator: "\n")
        .filter { $0.hasPrefix("#define ") || $0.hasPrefix("lt_cv_") || $0.hasPrefix("ac_cv_func") }
    }
    let found = try findings(tree)
    #expect(try found.count > 5 && found == findings(plain))
  }

  @Test(.needs("meson", "ninja"))
  func aProjectOfMesonIsOrdered() throws {
    let project = try AutoProject(makefile: false)
    try project.write(
      "meson.build",
      """
      project('app', 'c')
      generated = custom_target('generated', input: 'generate.sh', output: 'generated.c', capture: true,
        command: ['sh', '@INPUT@'])
      shared = shared_library('shared', 'shared.c', generated)
      fixed = static_library('fixed', 'static.c')
      executable('app', 'src/main.c', link_with: [shared, fixed])

      """)
    try project.expectOrdered(["--launch", "build/app"])
  }

  /// Meson makes the links to the library when it configures, and never again.
  @Test(.needs("meson", "ninja"))
  func aVersionedLibraryOfMesonIsOrdered() throws {
    let project = try AutoProject(makefile: false)
    try project.write("generated.c", "int generated(int n) { return n + 3; }\n")
    try project.write(
      "meson.build",
      """
      project('app', 'c')
      shared = shared_library('shared', 'shared.c', 'generated.c', version: '1.2.3')
      executable('app', 'src/main.c', 'static.c', link_with: shared)

      """)
    let run = try project.start(["--launch", "app"]).end()
    #expect(run.status == 0, "\(run.errors)")
    let images = try #require(run.json["images"] as? [[String: Any]])
    #expect(images.contains { $0["image"] as? String == "images/libshared.so.1.2.3" })
  }

  /// A Cargo project with a program, a library that the build script and a macro use, too, and a generated source.
  @Test(.needs("cargo"))
  func aProjectOfCargoIsOrdered() throws {
    let project = try AutoProject(makefile: false)
    for folder in ["parts/src", "macros/src"] { try project.makeFolder(folder) }
    let functions = (0..<200).map {
      "#[inline(never)] fn f\($0)(n: u64) -> u64 { let mut v: Vec<u64> = (0..n % 9).collect(); v.push(\($0)); std::hint::black_box(&v); v.iter().sum::<u64>() * \($0) }\n"
    }
    let arms = (0..<200).map { "\($0) => f\($0)(n)," }
    let run =
      "pub fn run(i: u64, n: u64) -> u64 { match i { \(arms.joined(separator: " ")) _ => 0 } }\n"
    func package(_ name: String, _ rest: String) -> String {
      "[package]\nname = \"\(name)\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\(rest)"
    }
    let parts = "parts = { path = \"parts\" }\n"
    try project.write("parts/Cargo.toml", package("parts", ""))
    try project.write("parts/src/lib.rs", functions.joined() + run)
    try project.write(
      "macros/Cargo.toml",
      package(
        "macros", "[lib]\nproc-macro = true\n[dependencies]\nparts = { path = \"../parts\" }\n"))
    try project.write(
      "macros/src/lib.rs",
      "#[proc_macro] pub fn one(_: proc_macro::TokenStream) -> proc_macro::TokenStream {\n"
        + "  format!(\"{}\", parts::run(1, 0)).parse().unwrap() }\n")
    try project.write(
      "build.rs",
      "fn main() { let path = std::env::var(\"OUT_DIR\").unwrap() + \"/five.rs\";\n"
        + "  std::fs::write(path, format!(\"{}\", parts::run(2, 0) + 1)).unwrap(); }\n")
    try project.write(
      "src/main.rs",
      functions.joined() + run
        + "fn main() { let mut n = macros::one!(); for i in (0..200).step_by(40) { n = run(i, n) % 7; }\n"
        + "  assert!(parts::run(80, n) > 0); println!(\"{}\", include!(concat!(env!(\"OUT_DIR\"), \"/five.rs\"))); }\n"
    )
    try project.write(
      "Cargo.toml",
      package(
        "app",
        "[dependencies]\n\(parts)macros = { path = \"macros\" }\n[build-dependencies]\n\(parts)"
          + "[profile.release]\nstrip = true\ncodegen-units = 1\n"))
    let ordered = try project.auto("--launch", "target/release/app")
    try #require(ordered.status == 0, "\(ordered.errors)")
    let image = try #require((ordered.json["images"] as? [[String: Any]])?.first)
    #expect(image["image"] as? String == "images/app")
    let compliance = try #require(image["compliance"] as? [String: Any])
    let present = try #require(compliance["present"] as? Int)
    #expect(present >= 20 && compliance["inOrder"] as? Int == present)
    let again = try project.auto("--launch", "target/release/app")
    #expect(again.errors.contains("nothing has changed"), "\(again.errors)")

    try expectInstrumented(
      project, ["--launch", "app", "--", "cargo", "build", "--bin", "app"],
      command: "cargo build --release --bin app")
    let order = project.workshop.text("out put/summary.txt")
    #expect(order.contains("-Clink-arg=-Wl,--symbol-ordering-file="))
  }

  /// Expects that an instrumented build was made, and that nothing of it is left.
  private func expectInstrumented(
    _ project: AutoProject, _ options: [String], command: String
  ) throws {
    let run = try project.start(["--instrument"] + options).end()
    try #require(run.status == 0, "\(run.errors)")
    #expect(run.errors.contains("orderfile: instrument: \(command)"), "\(run.errors)")
    let image = try #require((run.json["images"] as? [[String: Any]])?.first)
    let compliance = try #require(image["compliance"] as? [String: Any])
    let present = try #require(compliance["present"] as? Int)
    #expect(present >= 5 && compliance["inOrder"] as? Int == present, "\(run.json)")
    let symbols = try project.workshop.must("nm", ["\(project.output)/images/app"])
    #expect(!symbols.text.contains("sanitizer_cov"))
    #expect(try project.workshop.must("\(project.output)/images/app", []).text == "5\n")
    // Several steps notice the functions that are not instrumented, and one warning is printed.
    let warnings = try #require(run.json["warnings"] as? [String])
    #expect(
      warnings.filter { $0.contains(" functions are instrumented") }.count <= 1, "\(warnings)")
  }

  @Test(.needs("swift"))
  func aSwiftPackageWithACTargetIsOrdered() throws {
    let project = try AutoProject(makefile: false)
    try project.write(
      "Package.swift",
      """
      // swift-tools-version: 6.0
      import PackageDescription
      let package = Package(
        name: "app",
        targets: [
          .target(name: "fixed", path: ".", sources: ["static.c"], publicHeadersPath: "include"),
          .executableTarget(name: "app", dependencies: ["fixed"], path: "src", exclude: ["main.c"]),
        ])

      """)
    try project.makeFolder("include")
    try project.write("include/fixed.h", "int fixed(int);\n")
    let functions = (0..<100).map {
      "@inline(never) func f\($0)(_ n: Int) -> Int { n &* \($0 + 3) ^ (n >> \($0 % 7)) }\n"
    }
    let cases = (0..<100).map { "  case \($0): f\($0)(n)\n" }
    try project.write(
      "src/main.swift",
      "import fixed\n" + functions.joined()
        + "@inline(never) func run(_ i: Int, _ n: Int) -> Int {\n  switch i {\n\(cases.joined())  default: n\n  }\n}\n"
        + "var n = CommandLine.arguments.count\nfor i in stride(from: 0, to: 100, by: 25) { n = run(i, n) }\n"
        + "print(Int(fixed(4)) + n &* 0)\n")
    let run = try project.auto("--launch", "app")
    try #require(run.status == 0, "\(run.errors)")
    let image = try #require((run.json["images"] as? [[String: Any]])?.first)
    let compliance = try #require(image["compliance"] as? [String: Any])
    let present = try #require(compliance["present"] as? Int)
    #expect(present >= 6 && compliance["inOrder"] as? Int == present)
    let again = try project.auto("--launch", "app")
    #expect(again.errors.contains("nothing has changed"), "\(again.errors)")

    try expectInstrumented(
      project, ["--launch", "app", "--", "swift", "build", "--product", "app"],
      command: "swift build -c release --product app")
  }

  @Test(arguments: OrderingLinker.installed)
  func eachLinkerOrders(linker: OrderingLinker) throws {
    let project = try AutoProject()
    let run = try project.auto("--launch", "./app", "--linker", linker.format)
    try #require(run.status == 0, "\(run.errors)")
    let pages = try #require(run.json["pages"] as? [String: Int])
    #expect(try #require(pages["saved"]) > 5, "\(run.json)")
  }

  /// lld can't read the code that gcc leaves for link-time optimization, so GNU ld links and orders it.
  @Test(
    .needs("gcc", "ccache"),
    arguments: [
      ["make", "CC=gcc -flto"], ["make", "CC=ccache gcc"], ["make", "CC=clang"],
    ])
  func eachCompilerIsWrapped(command: [String]) throws {
    let project = try AutoProject()
    let run = try project.start(["--launch", "./app", "--"] + command).end()
    try #require(run.status == 0, "\(run.errors)")
    let pages = try #require(run.json["pages"] as? [String: Int])
    #expect(try #require(pages["saved"]) > 5, "\(run.json)")
  }

  /// ccache is called by the name of the compiler, and itself looks for this name in `PATH`.
  @Test(.needs("ccache"))
  func ccacheBehindTheWrapperFindsTheCompiler() throws {
    let project = try AutoProject()
    try FileManager.default.createDirectory(
      atPath: project.workshop.path("ccache"), withIntermediateDirectories: true)
    for name in ["cc", "gcc"] {
      try FileManager.default.createSymbolicLink(
        atPath: project.workshop.path("ccache/\(name)"),
        withDestinationPath: try #require(toolPath("ccache")))
    }
    let path = try #require(ProcessInfo.processInfo.environment["PATH"])
    let run = try project.workshop.orderfile(
      "auto", "--project", project.folder, "--output", project.output, "--json", "--launch",
      "./app",
      environment: ["PATH": "\(project.workshop.path("ccache")):\(path)"])
    #expect(run.status == 0, "\(run.errors)")
  }

  /// 16 KiB are too few for the sources, and 128 KiB for the objects. With more space the next run goes on.
  @Test(.needs(.mounting)) func aFullDiskIsNamedAndTheNextRunSucceeds() throws {
    let project = try AutoProject()
    try FileManager.default.createDirectory(
      atPath: project.workshop.path("full"), withIntermediateDirectories: true)
    let script = """
      for size in 16k 128k; do
        mount -t tmpfs -o size=$size none full || exit 9
        "$0" auto --quiet --project 'my app' --output full/out --launch ./app --json >text; echo $?
        test -e full/out/summary.json && echo half
        mount -o remount,size=8m full || exit 9
        "$0" auto --quiet --project 'my app' --output full/out --launch ./app --json >text; echo $?
        umount full
      done
      """
    let run = try project.workshop.start(
      "unshare", ["-m", "sh", "-c", script, Built.orderfile]
    ).end()
    #expect(run.text == "1\n0\n1\n0\n", "\(run.errors)")
    let errors = run.errors.components(separatedBy: "orderfile: error: ").dropFirst()
    #expect(errors.count == 2 && errors.allSatisfy { $0.contains("No space left on device") })
  }

  @Test(.needs(.mounting)) func aReadOnlyProjectIsOrderedElsewhere() throws {
    let project = try AutoProject()
    let script = """
      mount --bind 'my app' 'my app' && mount -o remount,ro,bind 'my app' || exit 9
      cd 'my app' && "$0" auto --quiet --launch ./app; echo $?
      "$0" auto --quiet --launch ./app --output ../out --json >/dev/null; echo $?
      """
    let run = try project.workshop.start(
      "unshare", ["-m", "sh", "-c", script, Built.orderfile]
    ).end()
    #expect(run.text == "1\n0\n", "\(run.errors)")
    #expect(
      run.errors.contains(
        "orderfile-auto: unable to make the folder: Read-only file system\n  hint: name another folder with --output"
      ), "\(run.errors)")
  }

  @Test(
    .needs("cargo", "git"),
    arguments: [
      (
        "Cargo.toml",
        "[package]\nname = \"a\"\nedition = \"2021\"\n[dependencies]\nb = { git = \"https://host.invalid/b\" }\n",
        "cargo can't download to its own folder from here: run 'cargo fetch'"
      ),
      (
        "Makefile", "app:\n\tgit clone -q https://host.invalid/a\n",
        "the build downloads something, and the download failed"
      ),
    ])
  func aBuildThatNeedsTheNetworkIsExplained(name: String, text: String, hint: String) throws {
    let project = try AutoProject(makefile: false)
    try project.write("src/main.rs", "fn main() {}\n")
    try project.write(name, text)
    let run = try project.auto("--launch", "./app")
    #expect(
      run.status == 1
        && run.errors.contains("hint: \(hint)"),
      "\(run.errors)")
  }

  @Test func aServerIsOrderedUntilItIsReady() throws {
    let project = try AutoProject()
    let run = try project.auto(
      "--launch", "./app; echo ready; sleep 1000", "--until-ready", "line=ready")
    #expect(run.status == 0, "\(run.errors)")
  }
}
