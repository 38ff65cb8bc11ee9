import Foundation
import TestSupport
import Testing
import TraceFormat

/// Records first touches of data in programs that are compiled with callbacks before loads and stores.
@Suite(.needs(.compiling)) struct DataTouchTests {
  static let coverage = [
    "-fsanitize-coverage=func,trace-pc-guard,pc-table,trace-loads,trace-stores"
  ]
  static let order = [
    "in_constructor", "constants", "writable", "local", "zero_filled", "pointers", "text", "pair",
    "across", "across", "wide", "wide", "common", "after_fork",
  ]

  @Test(arguments: [
    [], ["-fno-pic", "-no-pie"], ["-static"], ["-static-pie"], ["-fuse-ld=bfd"],
    ["-fuse-ld=gold"], ["-fuse-ld=mold"], ["-flto"],
  ])
  func eachGranuleOnceInItsOrder(flags: [String]) throws {
    if let linker = flags.first(where: { $0.hasPrefix("-fuse-ld=") }) {
      guard findTool("ld.\(linker.dropFirst(9))") != nil else { return }
    }
    let workshop = try Workshop()
    let program = try workshop.build(
      "program", from: ["touches/main.c"], flags: ["-O1", "-fcommon"] + flags,
      coverage: Self.coverage, links: flags)
    let ended = try workshop.record(program)
    #expect(ended.status == 0 && ended.errors == "", "\(ended.errors)")
    let traces = try workshop.traces().values.sorted { $0.header.parentPID < $1.header.parentPID }
    #expect(traces.count == 2)
    var names = TouchedNames(workshop)
    #expect(try names.names(traces[0]) == Self.order + ["after_plugins"])
    #expect(try names.names(traces[1]) == ["of_child"], "what its parent has not touched")
    for trace in traces { #expect(trace.header.lostRecords == 0 && trace.inFlightRecords == 0) }
  }

  /// `a` and `b` use the program's recorder, and are loaded at one address in turn; `c` has its own.
  @Test func aLibraryThatIsClosedAndOpenedAgainIsTouchedAgain() throws {
    let workshop = try Workshop()
    let program = try workshop.build(
      "program", from: ["touches/main.c"], flags: ["-O1", "-fcommon", "-rdynamic"],
      coverage: Self.coverage, links: ["-ldl"])
    for name in ["a", "b", "c"] {
      try workshop.build(
        "lib\(name).so", from: ["touches/plugin.c"], flags: ["-O1", "-shared", "-DHERE=\(name)"],
        coverage: Self.coverage, recorder: name == "c" ? try Workshop.runtime.get() : nil)
    }
    let ended = try workshop.record(program, ["a", "b", "a", "c"].map { "./lib\($0).so" })
    #expect(ended.status == 0 && ended.errors == "", "\(ended.errors)")
    var names = TouchedNames(workshop)
    let touched = try names.names(try workshop.trace())
    #expect(
      touched == Self.order
        + ["a", "b", "a", "c"].flatMap { ["index", "constants_of_\($0)", "first_of_\($0)"] }
        + ["after_plugins"])
  }

  @Test(arguments: [[], ["-static"], ["-static-pie"]])
  func whatIsTouchedBeforeAnImageRegistersIsKept(flags: [String]) throws {
    let workshop = try Workshop()
    let program = try workshop.build(
      "program", from: ["touches/early.c"], flags: ["-O1"] + flags, coverage: Self.coverage)
    #expect(try workshop.record(program).errors == "")
    var names = TouchedNames(workshop)
    #expect(
      Set(try names.names(try workshop.trace())) == [
        "by_resolver", "before_initializers", "by_constructor", "by_main", "by_chosen",
      ])
  }

  /// By then, a library that uses the program's recorder and a library with its own recorder have touched data. Only
  /// the touches of the first library are lost.
  @Test(arguments: [false, true])
  func functionsOfALibraryThatRunBeforeItRegistersAreCounted(hasRecorder: Bool) throws {
    let workshop = try Workshop()
    let program = try workshop.build(
      "program", from: ["touches/main.c"], flags: ["-O1", "-fcommon", "-rdynamic"],
      coverage: Self.coverage, links: ["-ldl"])
    try workshop.build(
      "libearly.so", from: ["touches/early_library.c"], flags: ["-O1", "-shared"],
      coverage: Self.coverage, recorder: hasRecorder ? try Workshop.runtime.get() : nil)
    let ended = try workshop.record(program, ["./libearly.so"])
    #expect(ended.status == 0 && ended.errors == "", "\(ended.errors)")
    let trace = try workshop.trace()
    var names = TouchedNames(workshop)
    let touched = try names.names(trace).filter { $0.hasSuffix("registering") }
    let early = hasRecorder ? ["before_registering"] : []
    #expect(touched == early + ["after_registering"])
    #expect(trace.header.earlyFunctions == (hasRecorder ? 0 : 1))
    #expect(trace.header.lostRecords == 0)
  }

  @Test func threadsAndSignalsTouchEachGranuleOnce() throws {
    let workshop = try Workshop()
    let program = try workshop.build(
      "program", from: ["touches/threads.c"], coverage: Self.coverage)
    #expect(try workshop.record(program).status == 0)
    let trace = try workshop.trace()
    let touches = trace.touches.map(\.address)
    #expect(Set(touches).count == touches.count)
    var names = TouchedNames(workshop)
    // While a thread that makes slots waits for a processor, other threads continue without slots. The touches that are
    // lost in this way are counted.
    let known = try names.names(trace).count { $0 == "table" }
    #expect(known <= 80000 && known + Int(trace.header.lostRecords) >= 80000)
    #expect(trace.inFlightRecords == 0)
  }

  /// Touches have slots of their own, and take none of the slots for functions.
  @Test func aProgramWithoutTheCallbacksHasNoSlotsForTouches() throws {
    let workshop = try Workshop()
    var capacities: [UInt64] = []
    for (name, coverage) in [("functions", Workshop.instrumented), ("data", Self.coverage)] {
      let program = try workshop.build(name, from: ["touches/threads.c"], coverage: coverage)
      #expect(
        try workshop.record(
          program, environment: ["ORDERFILE_TRACE": workshop.path("trace.\(name)")]
        ).status
          == 0)
      let trace = try workshop.trace("trace.\(name)")
      #expect(trace.touches.isEmpty == (name == "functions"))
      capacities.append(trace.header.capacity)
    }
    #expect(capacities[0] < 2000 && capacities[1] > 16384)
  }

  @Test func aProgramThatIsNotRecordedWritesNothing() throws {
    let workshop = try Workshop()
    let program = try workshop.build(
      "program", from: ["touches/main.c"], flags: ["-O1", "-fcommon"], coverage: Self.coverage)
    let ended = try workshop.run(program)
    #expect(ended.status == 0 && ended.errors == "")
    #expect(try workshop.files() == [])
  }
}

extension TraceFile {
  /// The loaded addresses of touched granules, and the numbers of their images.
  fileprivate var touches: [(address: UInt64, image: UInt64?)] {
    records.compactMap {
      guard case .data(let address, _, let image) = $0.event else { return nil }
      return (address.rawValue, image)
    }
  }
}

/// The names of touched data according to nm, independently of the tool's own symbolication.
private struct TouchedNames {
  private let workshop: Workshop
  private var tables: [String: [(range: Range<UInt64>, name: String)]] = [:]

  init(_ workshop: Workshop) { self.workshop = workshop }

  /// The first variable in each touched granule. Granules in which nm lists no variable are left out.
  mutating func names(_ trace: TraceFile) throws -> [String] {
    var images: [UInt64: TraceImageRecord] = [:]
    for record in trace.records {
      if case .load(let number, let image) = record.event { images[number] = image }
    }
    return try trace.touches.compactMap { address, number in
      guard let image = number.flatMap({ images[$0] }) else { return "in no image" }
      return try name(
        in: String(decoding: image.path, as: UTF8.self), at: address &- image.slide.rawValue)
    }
  }

  private mutating func name(in path: String, at address: UInt64) throws -> String? {
    if tables[path] == nil {
      let listing = try workshop.make("nm", ["--defined-only", "-S", path]).text
      tables[path] = listing.split(separator: "\n").compactMap { line in
        let words = line.split(separator: " ")
        guard words.count == 4, "bBdDrR".contains(words[2]),
          let start = UInt64(words[0], radix: 16), let size = UInt64(words[1], radix: 16)
        else { return nil }
        return (start..<start + size, String(words[3]))
      }.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }
    return tables[path]?.first { $0.range.overlaps(address..<address + 8) }?.name
  }
}
