import ByteReading
import Foundation
import TestSupport
import Testing
import TraceFormat

@Suite(.needs(.compiling)) struct PluginTests {
  /// Builds the host program and its plugins. Each plugin has its own copy of the recorder, or none.
  private struct Stage {
    let workshop: Workshop
    let host: String

    init(
      hostRecorder: Bool, flags: [String] = [], links: [String] = [], compiler: String = "clang"
    ) throws {
      workshop = try Workshop()
      host = try workshop.build(
        "host", from: ["plugins/host.c"], flags: ["-O1"] + flags,
        coverage: hostRecorder ? Workshop.instrumented : [], links: ["-ldl"] + links,
        recorder: hostRecorder ? try Workshop.runtime.get() : nil, compiler: compiler)
    }

    func plugin(
      _ name: String, _ flags: [String] = [], source: String = "plugin", links: [String] = [],
      hasRecorder: Bool
    ) throws -> String {
      try workshop.build(
        "\(name).so", from: ["plugins/\(source).c"],
        flags: ["-O1", "-shared", "-DNAME=\(name)"] + flags, links: links,
        recorder: hasRecorder ? try Workshop.runtime.get() : nil)
    }

    /// Records a launch, and returns the names of the libraries' functions in the trace, in the order of the hits.
    func record(
      _ arguments: [String], environment: [String: String] = [:], trace: String = "trace"
    ) throws -> [String] {
      let ended = try workshop.record(host, arguments, environment: environment)
      #expect(ended.status == 0 && ended.errors == "", "\(ended.errors)")
      #expect(try workshop.files("tra").count == 1)
      return try names(trace)
    }

    func names(_ trace: String) throws -> [String] { try names(workshop.trace(trace)) }

    func names(_ trace: TraceFile) throws -> [String] {
      var names = FunctionNames(workshop)
      return try names.hits(trace).filter { $0.image != "host" }.map { "\($0.image):\($0.name)" }
    }
  }

  /// The host exports its recorder, or the plugin has its own: otherwise the plugin would not be recorded.
  @Test(arguments: [(true, true), (true, false), (false, true)])
  func aPluginJoinsTheHostsTrace(exportsDynamic: Bool, hasRecorder: Bool) throws {
    let stage = try Stage(hostRecorder: true, flags: exportsDynamic ? ["-rdynamic"] : [])
    let a = try stage.plugin("a", ["-DEARLY"], hasRecorder: hasRecorder)
    #expect(try stage.record(["open=\(a)", "call=0=a"]) == ["a.so:a_early", "a.so:a"])
    #expect(try stage.workshop.trace().loads.count == 2)
  }

  @Test func aLibraryLinkedAtLinkTimeJoinsTheTrace() throws {
    let workshop = try Workshop()
    let library = try workshop.build(
      "liba.so", from: ["plugins/plugin.c"], flags: ["-O1", "-shared", "-DNAME=puts_a", "-DEARLY"])
    let program = try workshop.build(
      "program", from: ["launch/tail.c"], flags: ["-O1"],
      links: ["-Wl,--no-as-needed", library, "-Wl,-rpath,\(workshop.folder.path)"])
    #expect(try workshop.record(program).status == 0)
    #expect(try workshop.files() == ["trace"])
    var names = FunctionNames(workshop)
    #expect(
      try names.names(try workshop.trace())
        == ["puts_a_early", "main", "first_empty", "second_empty"])
  }

  @Test func twoPluginsOfAnUninstrumentedHostShareATraceAlsoAfterTheFirstIsClosed() throws {
    let stage = try Stage(hostRecorder: false)
    let a = try stage.plugin("a", hasRecorder: true)
    let b = try stage.plugin("b", hasRecorder: true)
    let calls = ["open=\(a)", "open=\(b)", "call=0=a", "close=0", "call=1=b"]
    #expect(try stage.record(calls) == ["a.so:a", "b.so:b"])
    let late = ["open=\(a)", "call=0=a", "close=0", "open=\(b)", "call=1=b"]
    #expect(try stage.record(late) == ["a.so:a", "b.so:b"])
  }

  @Test(arguments: [true, false])
  func aPluginOpenedAgainAtItsAddressIsRecordedAgain(hasRecorder: Bool) throws {
    let stage = try Stage(hostRecorder: true, flags: ["-rdynamic"])
    let a = try stage.plugin("a", ["-DEARLY"], hasRecorder: hasRecorder)
    let once = ["reopen=0=\(a)", "call=0=a", "close=0"]
    let names = try stage.record(once + once + once)
    #expect(names == Array(repeating: ["a.so:a_early", "a.so:a"], count: 3).flatMap { $0 })
    let numbers = try stage.workshop.trace().loads.map(\.number)
    #expect(numbers.count == 4 && Set(numbers).count == 4)
  }

  @Test(arguments: [[true, true], [false, false], [false, true], [true, false]])
  func aPluginThatReusesAnAddressKeepsItsHits(hasRecorder: [Bool]) throws {
    let stage = try Stage(
      hostRecorder: true, flags: hasRecorder[0] && hasRecorder[1] ? [] : ["-rdynamic"])
    let a = try stage.plugin("a", ["-DMORE", "-DEARLY"], hasRecorder: hasRecorder[0])
    let b = try stage.plugin("b", ["-DEARLY"], hasRecorder: hasRecorder[1])
    let names = try stage.record([
      "open=\(a)", "call=0=a", "call=0=a_third", "call=0=a_second", "close=0", "open=\(b)",
      "call=1=b_second", "call=1=b", "close=1", "reopen=2=\(a)", "call=2=a_fourth",
    ])
    #expect(
      names == [
        "a.so:a_early", "a.so:a", "a.so:a_third", "a.so:a_second", "b.so:b_early", "b.so:b_second",
        "b.so:b", "a.so:a_early", "a.so:a_fourth",
      ])
  }

  /// After the end of the launch, guards are set without a record, so nothing shows which hits at the address belong to
  /// the new library. None of them does.
  @Test func aPluginThatReusesAnAddressAfterTheLaunchGetsNoHitsOfTheOther() throws {
    let stage = try Stage(hostRecorder: true, flags: ["-rdynamic"])
    let a = try stage.plugin("a", ["-DMORE", "-DEARLY"], hasRecorder: false)
    let b = try stage.plugin("b", ["-DMORE", "-DEARLY"], hasRecorder: false)
    let names = try stage.record([
      "open=\(a)", "call=0=a", "call=0=a_third", "close=0", "stop", "open=\(b)", "call=1=b",
    ])
    #expect(names == ["a.so:a_early", "a.so:a", "a.so:a_third"])
  }

  /// A sanitizer's runtime in the program exports weak callbacks, which do nothing.
  @Test(arguments: ["address", "undefined"])
  func aPluginOfASanitizedHostIsRecorded(sanitizer: String) throws {
    let stage = try Stage(
      hostRecorder: false, flags: ["-fsanitize=\(sanitizer)"], compiler: Workshop.sanitizingClang)
    let a = try stage.plugin("a", hasRecorder: true)
    #expect(
      try stage.record(["open=\(a)", "call=0=a"], environment: ["ASAN_OPTIONS": "detect_leaks=0"])
        == ["a.so:a"])
  }

  /// With mold, the loader calls resolvers before it binds symbols.
  @Test(.needs("mold"), arguments: ["lld", "mold"])
  func aResolverInALibraryReachesTheLibrarysRecorder(linker: String) throws {
    let stage = try Stage(hostRecorder: true)
    let a = try stage.plugin(
      "a", source: "resolver", links: ["-fuse-ld=\(linker)"], hasRecorder: true)
    #expect(
      try stage.record(["open=\(a)", "call=0=a"]) == ["a.so:in_resolver", "a.so:a", "a.so:chosen"])
  }

  @Test func moreImagesThanEverHaveTheirEntriesAlsoInAChild() throws {
    let stage = try Stage(hostRecorder: true, flags: ["-rdynamic"])
    let count = 1100
    let first = try stage.plugin("a", hasRecorder: false)
    let paths = try (0..<count).map { number in
      let path = stage.workshop.path("\(number).so")
      try FileManager.default.copyItem(atPath: first, toPath: path)
      return path
    }
    let ended = try stage.workshop.record(
      stage.host,
      paths.enumerated().flatMap { ["open=\($1)", "call=\($0)=a"] }
        + ["fork", "call=\(count - 1)=a_second"])
    #expect(ended.status == 0 && ended.errors == "", "\(ended.errors)")
    let traces = try stage.workshop.traces()
    #expect(traces.count == 2)
    for (pid, trace) in traces {
      let hits = try #require(trace.entries.count == trace.guards.count ? trace.entries : nil)
      #expect(hits.count == (pid == UInt32(ended.pid) ? count + 2 : 1))
      #expect(hits.allSatisfy { $0 != nil } && trace.loads.count == count + 1)
    }
  }

  /// The guards of the two plugins overlap, so the entry PCs of the closed plugin would be wrong for the other plugin.
  @Test func twoPluginsThatTakeTurnsAtOneAddressKeepTheirEntries() throws {
    let stage = try Stage(hostRecorder: true, flags: ["-rdynamic"])
    let place = ["-Wl,--image-base=0x20000000"]
    let a = try stage.plugin("a", source: "large", links: place, hasRecorder: false)
    let b = try stage.plugin("b", ["-DMORE"], source: "large", links: place, hasRecorder: false)
    let turn = [
      "reopen=0=\(a)", "call=0=a", "close=0", "reopen=0=\(b)", "call=0=b", "close=0",
    ]
    let names = try stage.record(Array(repeating: turn, count: 600).flatMap { $0 })
    let hits = ["a", "b"].flatMap { n in ["", "_000", "_777"].map { "\(n).so:\(n)\($0)" } }
    #expect(names == Array(repeating: hits, count: 600).flatMap { $0 })
    let trace = try stage.workshop.trace()
    #expect(trace.entries.allSatisfy { $0 != nil } && trace.header.lostRecords == 0)
  }

  @Test func loadsAndUnloadsTakeNoRoomFromHits() throws {
    let stage = try Stage(hostRecorder: true, flags: ["-rdynamic"])
    let a = try stage.plugin("a", hasRecorder: false)
    let once = ["reopen=0=\(a)", "call=0=a", "close=0"]
    let names = try stage.record(Array(repeating: once, count: 600).flatMap { $0 })
    #expect(names == Array(repeating: "a.so:a", count: 600))
    #expect(try stage.workshop.trace().header.lostRecords == 0)
  }

  @Test(arguments: [true, false])
  func aPluginOpenedOverAndOverMapsTheTraceOnce(hostRecorder: Bool) throws {
    let stage = try Stage(hostRecorder: hostRecorder)
    let a = try stage.plugin("a", hasRecorder: true)
    let once = ["reopen=0=\(a)", "call=0=a", "close=0"]
    let ended = try stage.workshop.record(
      stage.host,
      Array(repeating: once, count: 20).flatMap { $0 }
        + ["mappings=\(stage.workshop.path("trace"))"])
    #expect(ended.status == 0 && ended.text == "1\n", "\(ended.text)\(ended.errors)")
    #expect(try stage.names("trace") == Array(repeating: "a.so:a", count: 20))
  }

  /// The kernel limits the number of mappings of a process.
  @Test(arguments: [true, false])
  func aPluginThatIsClosedLeavesNothingMapped(hostRecorder: Bool) throws {
    let stage = try Stage(hostRecorder: hostRecorder, flags: hostRecorder ? ["-rdynamic"] : [])
    let a = try stage.plugin("a", hasRecorder: true)
    let once = ["reopen=0=\(a)", "call=0=a", "close=0"]
    let some = Array(repeating: once, count: 10).flatMap { $0 } + ["mappings="]
    let ended = try stage.workshop.record(stage.host, some + some + some)
    let counts = ended.text.split(separator: "\n")
    #expect(ended.status == 0 && counts.count == 3 && counts[1] == counts[2], "\(counts)")
  }

  /// Blocks that are allocated in the copy would be missing from the file that is mapped.
  @Test func aTraceThatACopyHasReplacedGrowsNoMore() throws {
    let stage = try Stage(hostRecorder: true, flags: ["-rdynamic"])
    let a = try stage.plugin("a", ["-DMANY=20000"], hasRecorder: false)
    let trace = stage.workshop.path("trace")
    let ended = try stage.workshop.record(
      stage.host, ["copy=\(trace)", "open=\(a)", "call=0=a", "call=0=a_many"])
    #expect(ended.status == 0 && ended.errors == "", "\(ended.status): \(ended.errors)")
    #expect(try stage.names("trace") == [])
  }

  /// `orderfile record` moves the trace in this way if the program lives on.
  @Test func aTraceThatWasMovedGrowsOnAndHasItsChildrensBesideIt() throws {
    let stage = try Stage(hostRecorder: true, flags: ["-rdynamic"])
    let a = try stage.plugin("a", ["-DMANY=20000"], hasRecorder: false)
    let b = try stage.plugin("b", hasRecorder: true)
    let old = try stage.workshop.makeFolder("old") + "/trace"
    let new = stage.workshop.path("trace")
    let ended = try stage.workshop.record(
      stage.host,
      [
        "move=\(old)=\(new)", "open=\(a)", "call=0=a", "call=0=a_many", "open=\(b)", "call=1=b",
        "fork", "call=0=a_second", "call=1=b_second",
      ], environment: ["ORDERFILE_TRACE": old])
    #expect(ended.status == 0 && ended.errors == "", "\(ended.status): \(ended.errors)")
    let files = try stage.workshop.files()
    try #require(files.count == 2, "\(files)")
    let first = try stage.workshop.trace()
    #expect(first.header.lostRecords == 0 && first.guards.count > 20000)
    #expect(try stage.names("trace").filter { $0.hasPrefix("b.so") } == ["b.so:b"])
    #expect(try stage.names(files[1]) == ["a.so:a_second", "b.so:b_second"])
  }

  /// The trace has some space in advance, which needs no descriptor. Records for which there is no space are counted.
  @Test(.needs(.root), arguments: [20_000, 100_000])
  func aLibraryThatIsOpenedWhenTheTraceIsOutOfReachIsRecorded(functions: Int) throws {
    let stage = try Stage(hostRecorder: true)
    let a = try stage.plugin("a", ["-DMANY=\(functions)"], hasRecorder: true)
    chmod(stage.workshop.folder.path, 0o755)
    let locked = try stage.workshop.makeFolder("locked")
    chmod(locked, 0o700)
    let ended = try stage.workshop.record(
      stage.host, ["user=65534", "open=\(a)", "call=0=a", "call=0=a_many"],
      environment: ["ORDERFILE_TRACE": locked + "/trace"])
    #expect(ended.status == 0 && ended.errors == "", "\(ended.errors)")
    let trace = try stage.workshop.trace("locked/trace")
    let lost = Int(trace.header.lostRecords)
    #expect((lost > 0) == (functions > 50_000))
    // The records of the end of its two tables of guards are lost, too.
    let records = trace.guards.count + lost - (lost > 0 ? 2 : 0)
    #expect(records == functions + 3, "\(trace.guards.count) \(lost)")
  }

  @Test(arguments: ["trace", "tra\nce"])
  func aRelativePathIsFoundAgainFromAnotherFolder(name: String) throws {
    let stage = try Stage(hostRecorder: false)
    let a = try stage.plugin("a", hasRecorder: true)
    let b = try stage.plugin("b", hasRecorder: true)
    let other = try stage.workshop.makeFolder("other")
    let names = try stage.record(
      ["open=\(a)", "call=0=a", "chdir=\(other)", "clearenv", "open=\(b)", "call=1=b"],
      environment: ["ORDERFILE_TRACE": name], trace: name)
    #expect(names == ["a.so:a", "b.so:b"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: other) == [])
  }

  @Test func aChildOfAProgramThatMovedHasOneTraceBesideItsParents() throws {
    let stage = try Stage(hostRecorder: false)
    let a = try stage.plugin("a", hasRecorder: true)
    let b = try stage.plugin("b", hasRecorder: true)
    let other = try stage.workshop.makeFolder("other")
    let ended = try stage.workshop.record(
      stage.host,
      [
        "open=\(a)", "chdir=\(other)", "open=\(b)", "call=0=a", "fork", "call=0=a_second",
        "call=1=b_second", "call=0=a",
      ], environment: ["ORDERFILE_TRACE": "trace"])
    #expect(ended.status == 0 && ended.errors == "")
    let files = try stage.workshop.files()
    try #require(files.count == 2 && files[0] == "trace")
    #expect(try stage.names(files[0]) == ["a.so:a"])
    #expect(try stage.names(files[1]) == ["a.so:a_second", "b.so:b_second"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: other) == [])
  }

  @Test(arguments: [false, true])
  func aProgramThatClearsItsEnvironmentStaysRecorded(isInSharedMemory: Bool) throws {
    let stage = try Stage(hostRecorder: true)
    let b = try stage.plugin("b", hasRecorder: true)
    let path =
      isInSharedMemory ? "/dev/shm/recorder-\(UUID().uuidString)" : stage.workshop.path("trace")
    defer { try? FileManager.default.removeItem(atPath: path) }
    let ended = try stage.workshop.record(
      stage.host, ["clearenv", "open=\(b)", "call=0=b"], environment: ["ORDERFILE_TRACE": path])
    #expect(ended.status == 0 && ended.errors == "")
    #expect(try stage.names(TraceFile(parsing: FileBytes(path: path))) == ["b.so:b"])
  }
}
