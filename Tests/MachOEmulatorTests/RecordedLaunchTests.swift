import Foundation
import TestSupport
import Testing
import TraceFormat

/// Runs the recorder's Darwin code, and compares the trace with the emulator's report.
@Suite(.needs(.machOEmulator))
struct RecordedLaunchTests {
  typealias Step = RecordedProgram.Step

  /// The functions that run before main, as dyld, libobjc and the C++ ABI order them.
  static let beforeMain = [
    "liblibrary.dylib __GLOBAL__sub_I_library.cpp", "liblibrary.dylib __ZN7LibraryC1Ev",
    "liblibrary.dylib __ZN7LibraryC2Ev",
    "app +[Screen load]", "app +[SplashScreen load]", "app _helper", "app +[Screen(Early) load]",
    "app _early", "app __GLOBAL__sub_I_engine.cpp", "app __ZN6EngineC1Ev", "app __ZN6EngineC2Ev",
    "app __ZN4PartC1Ev", "app __ZN4PartC2Ev", "app _main",
  ]

  @Test(
    arguments: [
      (.iOS, [], 0x4000), (.macOS, [], 0x3ff_c000), (.iOS, ["-objc_relative_method_lists"], nil),
      (.macOS, ["-no_fixup_chains"], nil), (.iOS, ["-init_offsets"], nil),
      (.iOS, ["-dead_strip"], nil),
    ] as [(AppleSDK.Platform, [String], UInt64?)])
  func theTraceIsWhatTheEmulatorSaw(
    platform: AppleSDK.Platform, linkFlags: [String], slide: UInt64?
  ) throws {
    let program = try RecordedProgram(platform, linkFlags: linkFlags)
    let run = try program.record(slide: slide)
    #expect(run.status == 7 && run.errors == "", "\(run.errors)")
    let trace = try program.trace()
    let steps = trace.steps(run)
    #expect(steps == program.executed(run))
    let places = trace.hits.map { "\($0?.image ?? "") \($0?.address ?? 0)" }
    #expect(Set(places).count == places.count, "no function twice")

    let names = steps.map(\.description)
    #expect(Array(names.prefix(Self.beforeMain.count)) == Self.beforeMain)
    for used in [
      "app _core_value", "app __ZN6Engine5startEi", "liblibrary.dylib _library_value",
      "app _face_show", "libplugin.dylib _begin", "libplugin.dylib _plugin",
      "libplugin.dylib _finish", "app +[SplashScreen initialize]", "app -[SplashScreen show:]",
      "app -[Screen show:]", "app _after_the_screen", "app _core_late", "app _at_exit",
      "app _finished", "liblibrary.dylib __ZN7LibraryD1Ev",
    ] { #expect(names.contains(used), "\(used) in \(names)") }
    for unused in ["app _unused", "app _core_never", "app +[Screen never]"] {
      #expect(!names.contains(unused))
    }
    #expect(names.filter { $0 == "app _helper" }.count == 2, "one in each of two files")
    #expect(trace.marks == ["first screen"])
  }

  @Test func theHeaderAndTheLoadsSayWhatRan() throws {
    let program = try RecordedProgram()
    let run = try program.record(slide: 0x123_4000)
    let trace = try program.trace()
    #expect(trace.header.flags.contains(.emulated))
    #expect(trace.header.machine == 183 && trace.header.ticksPerSecond == 24_000_000)
    #expect(trace.header.state == .recording && trace.header.lostRecords == 0)
    #expect(trace.inFlightRecords == 0)
    #expect(trace.loads.count == 3)
    for load in trace.loads {
      let path = String(decoding: load.path, as: UTF8.self)
      let image = try #require(run.report.images.first { $0.path == path })
      #expect(load.slide.rawValue == image.slide && image.slide > 0)
      let id = try #require(load.id)
      #expect(id.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == image.uuid)
      #expect(id.kind == 2)
      let stated = load.textStart.rawValue &- load.slide.rawValue
      let listing = try program.workshop.run("llvm-otool-19", ["-l", path]).output
      let text = try #require(
        listing.firstMatch(of: /segname __TEXT\n +vmaddr (0x[0-9a-f]+)\n +vmsize (0x[0-9a-f]+)/))
      #expect(UInt64(text.1.dropFirst(2), radix: 16) == stated)
      #expect(UInt64(text.2.dropFirst(2), radix: 16) == load.textSize)
      #expect(listing.contains("uuid "))
    }
    let unloads = trace.records.filter { if case .unload = $0.event { true } else { false } }
    #expect(unloads.count == 2, "the plugin by dlclose, the library at exit")
    #expect(zip(trace.records, trace.records.dropFirst()).allSatisfy { $0.slot <= $1.slot })
  }

  @Test(arguments: [("_exit", 9), ("abort", 134), ("crash", 139)] as [(String, Int32)])
  func whatWasRecordedSurvivesEachEnd(way: String, status: Int32) throws {
    let program = try RecordedProgram()
    let run = try program.record([way])
    #expect(run.status == status)
    let trace = try program.trace()
    #expect(trace.steps(run) == program.executed(run))
    #expect(trace.steps(run).last?.function == "_end")
    #expect(trace.marks == ["first screen"] && trace.header.flags.contains(.emulated))
  }

  @Test func stopRulesEndTheTraceWhereTheySay() throws {
    let program = try RecordedProgram()
    for (arguments, environment, state, last) in [
      ([], ["ORDERFILE_STOP_AT": "first screen"], .stoppedByMark, "-[Screen show:]"),
      (["stop"], [:], .stoppedByCall, "_end"),
      ([], ["ORDERFILE_STOP_AT": "another"], .recording, "__ZN7LibraryD2Ev"),
      // The emulated clock makes 24,000 ticks in a millisecond, one for each block of code that runs;
      // wait_long alone takes 120,000.
      (["wait"], ["ORDERFILE_STOP_AFTER_MS": "3"], .stoppedByTime, "_wait_long"),
    ] as [([String], [String: String], TraceHeader.State, String)] {
      let run = try program.record(arguments, environment: environment)
      #expect(run.status == 7, "\(run.errors)")
      let trace = try program.trace()
      let steps = trace.steps(run)
      #expect(trace.header.state == state)
      #expect(steps.last?.function == last)
      #expect(steps == Array(program.executed(run).prefix(steps.count)))
    }
  }

  @Test func withoutAWordItIsSilent() throws {
    let program = try RecordedProgram()
    let run = try MachOEmulator().run("app", in: program.workshop)
    #expect(run.status == 7 && run.output == "" && run.errors == "")
    #expect(try program.traces() == [])
  }

  @Test func anAppWritesIntoItsContainer() throws {
    let program = try RecordedProgram()
    try FileManager.default.createDirectory(
      atPath: program.path("home/Documents"), withIntermediateDirectories: true)
    let environment = ["ORDERFILE_TRACE": "%n.%p.oftrace", "HOME": program.path("home")]
    let run = try program.record(environment: environment, pid: 4321)
    #expect(run.status == 7 && run.errors == "")
    let trace = try program.trace("home/Documents/app.4321.oftrace")
    #expect(trace.steps(run) == program.executed(run) && trace.header.pid == 4321)
  }

  @Test func aFileThatALivingProcessWritesStaysAndThatOfADeadOneGoes() throws {
    let program = try RecordedProgram()
    let alive = ProcessInfo.processInfo.processIdentifier
    #expect(try program.record(pid: alive).status == 7)
    #expect(try program.record(pid: 4321).status == 7)
    #expect(try program.traces() == ["trace", "trace.4321"])
    #expect(try program.trace().header.pid == UInt32(alive))

    let other = try RecordedProgram()
    #expect(try other.record(pid: 2_000_000_000).status == 7)
    #expect(try other.record(pid: 4321).status == 7)
    #expect(try other.traces() == ["trace"])
    #expect(try other.trace().header.pid == 4321)
  }

  @Test(arguments: [
    ("missing/trace", "no such directory"), ("text", "the file there is not a trace"),
  ])
  func eachImageTellsWhyItCannotBeRecorded(path: String, reason: String) throws {
    let program = try RecordedProgram()
    try program.workshop.write("text".utf8, "text")
    let run = try program.record(environment: ["ORDERFILE_TRACE": program.path(path)])
    #expect(run.status == 7)
    let line =
      "orderfile: cannot record to '\(program.path(path))': \(reason); the program continues unrecorded\n"
    #expect(run.errors == String(repeating: line, count: 3))
    #expect(try program.traces() == [])
  }

  @Test func dladdrNamesWhatWasRecorded() throws {
    let program = try RecordedProgram()
    let run = try program.record(environment: ["ORDERFILE_NAMES": "dladdr"])
    let names = try program.trace().records.compactMap { record -> String? in
      if case .name(_, let name) = record.event {
        String(decoding: name, as: UTF8.self)
      } else {
        nil
      }
    }
    #expect(names.contains("main") && names.contains("+[Screen load]"))
    #expect(run.report.calls.contains("_dladdr"))
  }
}

extension RecordedProgram {
  /// The names of the traces in the program's folder, sorted.
  func traces() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: workshop.folder.path)
      .filter { $0.hasPrefix("trace") || $0.hasSuffix(".oftrace") }.sorted()
  }
}
