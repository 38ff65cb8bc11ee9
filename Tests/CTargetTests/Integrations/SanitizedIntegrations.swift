import Foundation
import TestSupport
import Testing

/// The C targets of the command and of the page tracer that launch, trace and read. They are built with sanitizers, and
/// called by the programs in Tests/Fixtures/sanitized, which check the results.
@Suite(.needs(.compiling)) struct SanitizedIntegrations {
  private let workshop: Workshop
  private static let package =
    fixturesFolder.deletingLastPathComponent().deletingLastPathComponent()
  private static let drivers = fixturesFolder.appendingPathComponent("sanitized")

  /// The options with which a bad access, or arithmetic that C leaves undefined, ends the program.
  private static let checked = [
    "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all",
  ]

  init() throws { workshop = try Workshop() }

  /// Returns the paths of the C files in `folder` of the project: all files, or the files that `names` names.
  private static func sources(_ folder: String, _ names: [String]? = nil) throws -> [String] {
    let url = package.appendingPathComponent(folder)
    return try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
      .filter { $0.hasSuffix(".c") && names?.contains($0) != false }
      .map { url.appendingPathComponent($0).path }
  }

  /// Compiles and links with the clang that has sanitizers. The attributes that keep instrumentation out of the page
  /// tracer are off.
  private func build(_ name: String, _ sources: [String], _ flags: [String]) throws -> String {
    let folders = [
      "Sources/System/CProcess/include", "Sources/System/CPtrace/include",
      "Sources/System/CPerf/include",
      "Sources/System/CPages/include", "Sources/Libraries/CDwarf/include",
      "Sources/System/CDevice/include", "Sources/System/CDevice",
      "Runtime/PageTrace/include",
      "Runtime/InProcess/include", "Runtime/PageTracer/include", "Runtime/PageTracer",
    ]
    let includes = folders.map { "-I" + Self.package.appendingPathComponent($0).path }
    let path = workshop.folder.appendingPathComponent(name).path
    let result = try workshop.run(
      Tool.sanitizingClang,
      ["-std=c11", "-Wall", "-Wextra", "-Werror", "-DOF_NOT_IMMUNE"] + includes + sources + flags
        + ["-o", path])
    try #require(result.status == 0, "\(result.output)")
    return path
  }

  private func driver(_ name: String) -> String {
    Self.drivers.appendingPathComponent(name).path
  }

  /// Runs a program, without the leak checker if it traces processes, because the leak checker itself has to trace
  /// them.
  private func run(
    _ program: String, _ arguments: [String] = [], findsLeaks: Bool = false
  ) throws -> Run {
    let run = try RunningProcess(
      program, arguments, in: workshop.folder,
      environment: [
        "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "",
        "ASAN_OPTIONS": "detect_leaks=\(findsLeaks ? 1 : 0)",
      ]
    ).end()
    #expect(run.status == 0 && run.errors == "", "\(run.status): \(run.errors.prefix(3000))")
    return run
  }

  #if os(Linux)
    @Test func launchingTracingAndMeasuringAreClean() throws {
      let targets = [
        "Sources/System/CProcess", "Sources/System/CPtrace", "Sources/System/CPerf",
        "Runtime/PageTrace",
      ]
      let sources = try targets.flatMap { try Self.sources($0) }
      _ = try run(build("launch", [driver("launch.c")] + sources, Self.checked))
    }
  #endif

  #if os(Linux)
    @Test(.needs(.device)) func aDeviceInMemoryIsClean() throws {
      let device = try build(
        "device", [driver("device.c")] + Self.sources("Sources/System/CDevice"),
        Self.checked + ["-pthread"])
      _ = try run(device, [workshop.folder.path], findsLeaks: true)
    }

    /// A thread of the device serves while other threads read.
    @Test(.needs(.device)) func theThreadOfADeviceRacesWithNothing() throws {
      let device = try build(
        "device", [driver("device.c")] + Self.sources("Sources/System/CDevice"),
        ["-O1", "-g", "-fsanitize=thread", "-pthread"])
      _ = try run(device, [workshop.folder.path])
    }
  #endif

  @Test func whatThePageTracerReadsAndWritesIsClean() throws {
    let sources =
      try Self.sources("Sources/System/CPages") + Self.sources("Runtime/PageTrace")
      + Self.sources("Runtime/InProcess") + Self.sources("Runtime/PageTracer", ["page_states.c"])
    _ = try run(build("pages", [driver("pages.c")] + sources, Self.checked))
  }

  #if os(Linux) && arch(x86_64)
    /// The page tracer has no sanitizer runtime, so undefined behaviour becomes an instruction that ends the program.
    @Test func aProgramWithThePageTracerInItIsClean() throws {
      let library = try build(
        "pages.so",
        Self.sources("Runtime/PageTracer") + Self.sources("Runtime/PageTrace")
          + Self.sources("Runtime/InProcess"),
        [
          "-O1", "-fPIC", "-fsanitize=undefined", "-fsanitize-trap=undefined", "-shared",
          "-nostdlib", "-Wl,-z,initfirst",
        ])
      let watched = try build(
        "watched", [driver("watched.c")] + Self.sources("Sources/System/CPages"), Self.checked)
      let sample = try build("sample", [driver("sample.c")], ["-O1"])
      let lines = try run(watched, [library, sample]).text.split(separator: "\n")
      try #require(lines != ["unsupported"], "Linux stops a program's own calls from 5.11 on")
      #expect(lines.last == "status 0 problem 0 executed 1 read 1 wrote 1 kernel 1")
      #expect(lines.contains { $0.hasSuffix("/sample") } && lines.count > 3)
    }
  #endif

  /// Debug information of two compilers in two versions of DWARF is read undamaged, and damaged in 500 ways each.
  @Test(arguments: ["gcc", "clang"], ["-gdwarf-4", "-gdwarf-5"])
  func debugInformationIsReadCleanlyWholeOrDamaged(compiler: String, version: String) throws {
    let reader = try build(
      "dwarf", [driver("dwarf.c")] + Self.sources("Sources/Libraries/CDwarf"),
      Self.checked + ["-ldwarf"])
    let sample = workshop.folder.appendingPathComponent("sample").path
    let made = try workshop.run(compiler, ["-O2", version, driver("sample.c"), "-o", sample])
    try #require(made.status == 0, "\(made.output)")
    let names = try run(reader, [sample, "500"], findsLeaks: true).text.split(separator: "\n")
    #expect(names.sorted() == ["complain 1", "main 1", "sum 1"])
  }
}
