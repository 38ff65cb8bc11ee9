import Foundation
import TestSupport
import Testing

/// Builds whose project, or whose user, chooses the linker: they are ordered for that linker, or a message names it.
@Suite(.needs(.recording, "ld.gold", "ld.bfd", "mold")) struct DemandedLinkerIntegrations {
  private static let tools = URL(fileURLWithPath: Built.orderfile).deletingLastPathComponent().path
  private static let package = projectFolder.appendingPathComponent(
    "Sources/Features/Projects/Init/CMake"
  )
  .path
  private static let functions = ["first", "second", "third"]

  private func order(_ workshop: Workshop, _ image: String) throws -> [String] {
    try workshop.functions(in: image).filter { name in
      Self.functions.contains(name) || name == "main"
    }
  }

  // MARK: Cargo

  private static func cargoProject(linker: String) throws -> Workshop {
    let workshop = try Workshop()
    for folder in ["src", ".cargo", "bin"] {
      try FileManager.default.createDirectory(
        atPath: workshop.path(folder), withIntermediateDirectories: true)
    }
    try FileManager.default.createSymbolicLink(
      atPath: workshop.path("bin/cargo-orderfile"), withDestinationPath: Built.orderfile)
    try workshop.write(
      "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n".utf8, "Cargo.toml")
    try workshop.write(
      "[target.'cfg(all())']\nrustflags = [\"-Clink-arg=-fuse-ld=\(linker)\"]\n".utf8,
      ".cargo/config.toml")
    let bodies = functions.enumerated().map { index, name in
      "#[no_mangle] #[inline(never)] pub fn \(name)(n: u32) -> u32 { std::hint::black_box(n * \(index + 3)) }\n"
    }
    try workshop.write(
      (bodies.joined() + "fn main() { println!(\"{}\", first(third(1))); }\n").utf8, "src/main.rs")
    return workshop
  }

  private func cargo(_ workshop: Workshop, _ verb: String) throws -> Run {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return try workshop.start(
      "cargo", ["orderfile", verb, "--offline"],
      environment: ["PATH": "\(workshop.path("bin")):\(path)"]
    ).end()
  }

  @Test(.needs("cargo"), arguments: ["bfd", "gold"])
  func cargoOrdersForTheLinkerOfItsFlags(linker: String) throws {
    let workshop = try Self.cargoProject(linker: linker)
    for verb in ["run", "optimize"] {
      let run = try cargo(workshop, verb)
      try #require(run.status == 0, "\(run.errors)")
    }
    let ordered = try order(workshop, "target/release/app").filter { $0 != "main" }
    #expect(ordered == ["third", "first"])
  }

  @Test(.needs("cargo")) func cargoNamesALinkerThatCannotOrder() throws {
    let workshop = try Self.cargoProject(linker: "mold")
    for verb in ["build", "run"] {
      let run = try cargo(workshop, verb)
      #expect(run.status == 1 && !run.errors.contains("strip"), "\(run.errors)")
      #expect(
        run.errors.contains(
          "app: not ordered: the project links this image with mold, which can't order"))
    }
  }

  // MARK: CMake

  private func cmake(
    _ workshop: Workshop, _ options: [String], cmake: String = "cmake"
  ) throws -> (status: Int32, text: String) {
    let run = try workshop.start(
      cmake, ["-S", ".", "-B", "build", "-Dorderfile_DIR=\(Self.package)"] + options
    ).end()
    return (
      run.status, run.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    )
  }

  private static func cmakeProject(_ call: String) throws -> Workshop {
    let workshop = try Workshop()
    try workshop.write(BuildSystemPage.program.utf8, "main.c")
    try workshop.write(
      """
      cmake_minimum_required(VERSION 3.19)
      project(app C)
      find_package(orderfile REQUIRED)
      add_library(settings INTERFACE)
      if(LINKER)
        target_link_options(settings INTERFACE -fuse-ld=${LINKER})
      endif()
      add_executable(app main.c)
      target_link_libraries(app PRIVATE settings)
      \(call)

      """.utf8, "CMakeLists.txt")
    return workshop
  }

  private static let target = "orderfile_target(app ORDER app.order)"

  @Test(
    .needs("cmake", "make"),
    arguments: [
      ("mold", "-fuse-ld=mold of a library demands mold, which can't order: remove that demand"),
      (
        "/usr/bin/ld.mold", "-fuse-ld=/usr/bin/ld.mold of a library demands mold, which can't order"
      ),
      (
        "bfd",
        "demands bfd, but ORDERFILE_LINKER is lld: remove that demand, or set ORDERFILE_LINKER to gnu-ld and write the order file with 'orderfile gen --linker gnu-ld'"
      ),
    ])
  func orderfileTargetStopsAtTheOptionOfALibrary(linker: String, message: String) throws {
    let workshop = try Self.cmakeProject(Self.target)
    let run = try cmake(workshop, ["-DLINKER=\(linker)"])
    #expect(run.status == 1, "\(run.text)")
    #expect(run.text.contains("orderfile: app is not ordered: ") && run.text.contains(message))
  }

  @Test(
    .needs("cmake", "make", "clang"),
    arguments: [
      (
        "target_link_libraries(app PRIVATE -fuse-ld=mold)", "-fuse-ld=mold in target_link_libraries"
      ),
      (
        "add_library(part STATIC main.c)\ntarget_link_libraries(part PRIVATE -fuse-ld=mold)\ntarget_link_libraries(app PRIVATE part)",
        "-fuse-ld=mold in target_link_libraries"
      ),
      ("target_link_options(app PRIVATE --ld-path=${MOLD})", "--ld-path=/usr/bin/ld.mold"),
      ("target_link_options(settings INTERFACE --ld-path=${MOLD})", "--ld-path=/usr/bin/ld.mold"),
      ("set(CMAKE_EXE_LINKER_FLAGS \"-O1 --ld-path=${MOLD}\")", "--ld-path=/usr/bin/ld.mold"),
      ("target_link_libraries(app PRIVATE -lm -fuse-ld=lld)", nil),
      ("set(CMAKE_SHARED_LINKER_FLAGS --ld-path=${MOLD})", nil),
    ])
  func anOptionThatOverridesTheLinkerOfTheOrderIsFound(call: String, place: String?) throws {
    let workshop = try Self.cmakeProject("\(call)\n\(Self.target)")
    try workshop.write("third\nmain\n".utf8, "app.order")
    let run = try cmake(workshop, ["-DCMAKE_C_COMPILER=clang", "-DMOLD=/usr/bin/ld.mold"])
    #expect(run.status == (place == nil ? 0 : 1), "\(run.text)")
    if let place {
      #expect(
        run.text.contains("app is not ordered: \(place) demands mold, which can't order"),
        "\(run.text)")
    } else {
      try workshop.must("cmake", ["--build", "build"])
      #expect(try order(workshop, "build/app").prefix(2) == ["third", "main"])
    }
  }

  @Test(.needs("cmake", "make")) func anOrderForTheDemandedLinkerIsUsed() throws {
    let workshop = try Self.cmakeProject(Self.target)
    try workshop.write(".text.third\n.text.main\n.text.*\n.text\n".utf8, "app.order")
    let run = try cmake(workshop, ["-DLINKER=gold", "-DORDERFILE_LINKER=gold"])
    #expect(run.status == 0, "\(run.text)")
    try workshop.must("cmake", ["--build", "build"])
    #expect(try order(workshop, "build/app").prefix(2) == ["third", "main"])
  }

  /// A build that worked before `init` goes on working until the order file has entries, which the linker would ignore.
  @Test(.needs("cmake", "make")) func aProjectOfInitIsBuiltAsBeforeWithoutEntries() throws {
    let workshop = try Self.cmakeProject("orderfile_project(ORDER app.order)")
    try workshop.write("# orderfile gen -o app.order\n".utf8, "app.order")
    let empty = try cmake(workshop, ["-DLINKER=mold"])
    #expect(
      empty.status == 0 && empty.text.contains("Warning")
        && empty.text.contains("demands mold, which can't order"), "\(empty.text)")
    try workshop.must("cmake", ["--build", "build"])
    try workshop.write("third\n".utf8, "app.order")
    let filled = try cmake(workshop, [])
    #expect(filled.status == 1 && filled.text.contains("demands mold"), "\(filled.text)")
  }

  @Test(
    .needs(.python("cmake"), "make"),
    arguments: [
      ("MOLD", "LINKER_TYPE MOLD demands mold, which can't order"),
      ("GOLD", "LINKER_TYPE GOLD demands gold, but ORDERFILE_LINKER is lld"),
      ("LLD", nil), ("SYSTEM", nil),
    ])
  func theLinkerTypeOfATargetCounts(type: String, message: String?) throws {
    let workshop = try Self.cmakeProject(Self.target)
    try workshop.write("third\nmain\n".utf8, "app.order")
    let tool = "\(pythonPackages)/cmake/data/bin/cmake"
    let run = try cmake(workshop, ["-DCMAKE_LINKER_TYPE=\(type)"], cmake: tool)
    #expect(run.status == (message == nil ? 0 : 1), "\(run.text)")
    if let message {
      #expect(run.text.contains("app is not ordered: \(message)"), "\(run.text)")
    } else {
      try workshop.must(tool, ["--build", "build"])
      #expect(try order(workshop, "build/app").prefix(2) == ["third", "main"])
    }
  }

  // MARK: Meson

  @Test(.needs("meson", "ninja"), arguments: ["mold", "bfd"])
  func mesonIsBuiltAsBeforeWithoutEntries(linker: String) throws {
    let workshop = try Workshop()
    try workshop.write(BuildSystemPage.program.utf8, "main.c")
    try workshop.write("project('app', 'c')\nexecutable('app', 'main.c')\n".utf8, "meson.build")
    try workshop.mustOrderfile("init", "--write")
    func setup(_ options: String...) throws -> Run {
      try workshop.start(
        "meson", ["setup"] + options + ["build"], environment: ["LDFLAGS": "-fuse-ld=\(linker)"]
      ).end()
    }
    let message =
      "orderfile: no image is ordered: app.order is for lld, but LDFLAGS have -fuse-ld=\(linker): remove that option, or app.order"
    let empty = try setup("--buildtype=release")
    #expect(empty.status == 0 && empty.text.contains("WARNING: \(message)"), "\(empty.text)")
    try workshop.must("meson", ["compile", "-C", "build"])
    try workshop.write("third\nmain\n".utf8, "app.order")
    let filled = try setup("--reconfigure")
    #expect(filled.status != 0 && filled.text.contains("ERROR: Problem encountered: \(message)"))
  }

  @Test(
    .needs("meson", "ninja"),
    arguments: [
      "executable('app', 'main.c', link_args: ['-fuse-ld=mold'])",
      "add_project_link_arguments('-fuse-ld=mold', language: 'c')\nexecutable('app', 'main.c')",
      "executable('app', 'main.c', dependencies: declare_dependency(link_args: ['-fuse-ld=mold']))",
    ])
  func aMesonTargetThatChoosesALinkerIsBuiltAsBeforeWithoutEntries(target: String) throws {
    let workshop = try Workshop()
    try workshop.write(BuildSystemPage.program.utf8, "main.c")
    try workshop.write("project('app', 'c')\n\(target)\n".utf8, "meson.build")
    try workshop.mustOrderfile("init", "--write")
    try workshop.must("meson", ["setup", "build"])
    try workshop.must("meson", ["compile", "-C", "build"])
  }

  // MARK: libtool

  /// libtool before 2.4.7 links a library without the `-fuse-ld=` of LDFLAGS.
  @Test(.needs(.tools(["autoreconf", "automake", "libtoolize"])))
  func theStepsOrderALibraryOfAnOldLibtool() throws {
    let workshop = try Workshop()
    try workshop.write(
      """
      AC_INIT([app], [1.0])
      AM_INIT_AUTOMAKE([foreign])
      AC_PROG_CC
      LT_INIT([disable-static])
      AC_CONFIG_FILES([Makefile])
      AC_OUTPUT

      """.utf8, "configure.ac")
    try workshop.write(
      """
      lib_LTLIBRARIES = libpart.la
      libpart_la_SOURCES = part.c
      bin_PROGRAMS = app
      app_SOURCES = app.c
      app_LDADD = libpart.la

      """.utf8, "Makefile.am")
    let bodies = Self.functions.enumerated().map { "int \($1)(int n) { return n * \($0 + 3); }\n" }
    try workshop.write(bodies.joined().utf8, "part.c")
    try workshop.write(
      "int first(int), third(int);\nint main(int n, char **v) { return first(third(n)) == 0; }\n"
        .utf8, "app.c")
    try workshop.must("sh", ["-c", "autoreconf -fi && sed -i 's/|-fuse-ld=\\*//' ltmain.sh"])
    let steps = try workshop.mustOrderfile(
      "init", "--print", "make", "--program", ".libs/libpart.so"
    ).text
    try BuildSystemPage.sh(
      workshop, steps.replacingOccurrences(of: "-- PROGRAM", with: "-- ./app"))
    #expect(try order(workshop, ".libs/libpart.so") == ["third", "first", "second"])
  }
}
