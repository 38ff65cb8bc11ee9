import Foundation
import TestSupport
import Testing

/// `find_package(orderfile)` in a project with an object and two static libraries, a generated source and a test.
@Suite(.needs(.recording, "cmake", "ninja", "ctest")) struct CMakePackageIntegrations {
  struct Build: CustomTestStringConvertible, Sendable {
    var generator: String
    var compiler: String
    /// The name of the linker for `gen --linker` and `ORDERFILE_LINKER`.
    var linker: String
    var testDescription: String { "\(generator), \(compiler), \(linker)" }
  }

  static let builds = [
    Build(generator: "Ninja", compiler: "clang", linker: "lld"),
    Build(generator: "Unix Makefiles", compiler: "clang", linker: "lld"),
    Build(generator: "Ninja", compiler: "gcc", linker: "gnu-ld"),
    Build(generator: "Unix Makefiles", compiler: "gcc", linker: "gnu-ld"),
  ]

  private static let files = [
    (
      "CMakeLists.txt",
      """
      cmake_minimum_required(VERSION 3.19)
      project(shape C)
      enable_testing()
      find_package(orderfile REQUIRED)
      add_executable(app main.c $<TARGET_OBJECTS:parts>)
      orderfile_target(app ORDER app.order)
      # Linked behind that call, and through another library.
      add_subdirectory(libraries)
      target_link_libraries(app PRIVATE shape::outer)
      add_test(NAME prints COMMAND app)
      set_tests_properties(prints PROPERTIES PASS_REGULAR_EXPRESSION "^5\\n$")

      """
    ),
    (
      "libraries/CMakeLists.txt",
      """
      add_custom_command(OUTPUT generated.c DEPENDS generated.in
        COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_CURRENT_SOURCE_DIR}/generated.in generated.c)
      add_library(parts OBJECT part.c)
      add_library(inner STATIC inner.c ${CMAKE_CURRENT_BINARY_DIR}/generated.c)
      add_library(outer STATIC outer.c)
      add_library(shape::outer ALIAS outer)
      target_link_libraries(outer PUBLIC $<BUILD_INTERFACE:inner>)

      """
    ),
    (
      "main.c",
      """
      #include <stdio.h>
      int of_part(int), of_outer(int);
      int of_unused(int n) { return n * 7; }
      int main(int n, char **v) { printf("%d\\n", of_outer(of_part(n))); return 0; }

      """
    ),
    (
      "libraries/part.c",
      "int of_idle(int n) { return n * 2; }\nint of_part(int n) { return n + 1; }\n"
    ),
    (
      "libraries/outer.c",
      """
      int of_inner(int), of_generated(int);
      int of_spare(int n) { return n * 3; }
      int of_outer(int n) { return of_inner(of_generated(n)) + 1; }

      """
    ),
    (
      "libraries/inner.c",
      "int of_cold(int n) { return n * 4; }\nint of_inner(int n) { return n + 1; }\n"
    ),
    ("libraries/generated.in", "int of_generated(int n) { return n + 1; }\n"),
  ]

  private func functions(_ workshop: Workshop) throws -> [String] {
    try workshop.functions(in: "build/app").filter { $0 == "main" || $0.hasPrefix("of_") }
  }

  /// Runs a script with the CMake package in the sources, which is the package that is installed.
  private func run(_ workshop: Workshop, _ script: String) throws {
    let package = projectFolder.appendingPathComponent("Sources/Features/Projects/Init/CMake").path
    let tools = URL(fileURLWithPath: Built.orderfile).deletingLastPathComponent().path
    try workshop.must(
      "/bin/sh",
      ["-ec", "export orderfile_DIR='\(package)' PATH=\"\(tools):$PATH\"\ncd 'my, app'\n\(script)"])
  }

  private static func makeProject() throws -> Workshop {
    let workshop = try Workshop()
    try FileManager.default.createDirectory(
      atPath: workshop.path("my, app/libraries"), withIntermediateDirectories: true)
    for (name, text) in files { try workshop.write(text.utf8, "my, app/\(name)") }
    try FileManager.default.createSymbolicLink(
      atPath: workshop.path("build"), withDestinationPath: "my, app/build")
    return workshop
  }

  @Test(.needs("gcc"), arguments: builds)
  func whatTheProgramLinksIsOrdered(build: Build) throws {
    let workshop = try Self.makeProject()
    try run(
      workshop,
      """
      cmake -B build -G '\(build.generator)' -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=\(build.compiler) \
        -DORDERFILE_LINKER=\(build.linker)
      cmake --build build
      ctest --test-dir build
      orderfile record --breakpoints -o app.oftrace -- build/app
      orderfile gen app.oftrace --linker \(build.linker) -o app.order
      cmake --build build
      ctest --test-dir build
      """)
    let ran = ["main", "of_part", "of_outer", "of_generated", "of_inner"]
    #expect(try Array(functions(workshop).prefix(5)) == ran)

    // Each build notices whether the order file exists.
    try run(workshop, "mv app.order kept.order; cmake --build build")
    let byDefault = try functions(workshop)
    #expect(byDefault != ran + byDefault.filter { !ran.contains($0) })
    #expect(byDefault.count == 9)
    try run(workshop, "mv kept.order app.order; cmake --build build; ctest --test-dir build")
    #expect(try Array(functions(workshop).prefix(5)) == ran)
  }

  @Test func anInstrumentedBuildRecordsItsLibrariesToo() throws {
    let recorder = try #require(Built.recorder)
    let workshop = try Self.makeProject()
    try run(
      workshop,
      """
      cmake -B build -G Ninja -DCMAKE_C_COMPILER=clang -DORDERFILE_RECORD=ON -DORDERFILE_RECORDER='\(recorder)'
      cmake --build build
      ctest --test-dir build
      orderfile record -o app.oftrace -- build/app
      orderfile gen app.oftrace -o app.order
      """)
    let lines = workshop.text("my, app/app.order").split(separator: "\n").map(String.init)
    #expect(
      lines.filter { $0.hasPrefix("of_") } == ["of_part", "of_outer", "of_generated", "of_inner"])
    // With gcc the option is refused, and the message names another way.
    let package = projectFolder.appendingPathComponent("Sources/Features/Projects/Init/CMake").path
    let refused = try workshop.start(
      "cmake",
      [
        "-S", "my, app", "-B", "other", "-DCMAKE_C_COMPILER=gcc", "-DORDERFILE_RECORD=ON",
        "-Dorderfile_DIR=\(package)",
      ]
    ).end()
    #expect(refused.status == 1 && refused.errors.contains("ORDERFILE_RECORD: expected clang"))
    #expect(refused.errors.contains("orderfile record --breakpoints"))
  }

  @Test(arguments: [
    ("orderfile_target(app)", "expected ORDER and a file, found ''"),
    ("orderfile_target(nothing ORDER a)", "missing target nothing"),
    ("orderfile_target(library ORDER a)", "expected a program or a shared library, found library"),
    ("orderfile_target(app ORDER a LINKER mold)", "unknown linker: expected lld, gold or gnu-ld"),
    ("orderfile_target(app ORDER a)\norderfile_target(app ORDER b)", "two order files for app"),
  ])
  func aWrongCallStopsConfiguring(call: String, message: String) throws {
    let workshop = try Workshop()
    try workshop.write("int main(void) { return 0; }\n".utf8, "app.c")
    try workshop.write(
      """
      cmake_minimum_required(VERSION 3.19)
      project(x C)
      find_package(orderfile REQUIRED)
      add_executable(app app.c)
      add_library(library STATIC app.c)
      \(call)

      """.utf8, "CMakeLists.txt")
    let package = projectFolder.appendingPathComponent("Sources/Features/Projects/Init/CMake").path
    let run = try workshop.start("cmake", ["-B", "build", "-Dorderfile_DIR=\(package)"]).end()
    let words = run.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(run.status == 1 && words.contains(message), "\(run.errors)")
  }
}
