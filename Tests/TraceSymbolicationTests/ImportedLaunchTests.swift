import Addresses
import ByteReading
import ImageModel
import ModelSamples
import PerfScriptFormat
import Symbolication
import TemporalProfileFormat
import TestSupport
import Testing
import TraceFormat
import TraceSymbolication

/// Tests how lists of symbols and addresses are imported as traces.
@Suite struct ImportedLaunchTests {
  /// An image with `helper` at 0x1000, `f` and its alias at 0x1010, `a b` at 0x1020, and `main` at 0x1030, 16 bytes
  /// each.
  static let image = Image(
    path: "/bin/app", id: ImageID(kind: .buildID, bytes: [0x9f, 0x3a]), architecture: .x8664,
    layout: elfLayout(["helper", "f", "=alias of f", "a b", "main"]))

  static func used(_ launch: ImportedLaunch) -> [UInt64] { launch.uses.map(\.entry.rawValue) }

  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var text: String
    var uses: [UInt64]
    var missing: [Int: String] = [:]
    var entries: Int
  }

  @Test(arguments: [
    Case(
      testDescription: "in the list's order", text: "main\nhelper\n", uses: [0x1030, 0x1000],
      entries: 2),
    Case(
      testDescription: "comments, blank lines and carriage returns",
      text: "# in time order\r\n\r\n \t\nmain\r\n#helper\nf", uses: [0x1030, 0x1010], entries: 2),
    Case(
      testDescription: "names with blanks", text: "a b\nalias of f\n", uses: [0x1020, 0x1010],
      entries: 2),
    Case(
      testDescription: "each function once", text: "f\nalias of f\nmain\nf\n",
      uses: [0x1010, 0x1030], entries: 4),
    Case(
      testDescription: "names of another build", text: "main.llvm.123\n", uses: [0x1030],
      entries: 1),
    Case(
      testDescription: "unknown names", text: "nobody\nmain\n\n f\nsancov.module_ctor_x\n",
      uses: [0x1030],
      missing: [
        1: "no such symbol", 4: "no such symbol",
        5: "a constructor of -fsanitize-coverage, only in instrumented builds",
      ], entries: 4),
    Case(testDescription: "nothing", text: "", uses: [], entries: 0),
  ])
  func symbolsAreFound(_ example: Case) {
    let launch = ImportedLaunch(
      symbols: FileBytes(Array(example.text.utf8)), of: Self.image)
    Self.check(launch, example)
  }

  /// A line that names something in the image is no sign of a wrong image.
  @Test func namesThatTheImageHasOfSomethingElseAreExplained() {
    var image = Self.image
    image.layout = sampleLayout(
      [SampleFunction(name: "main", address: 0x1000)],
      absent: [
        ("_printf", .shared), ("_environ", .data), ("_limit", .absolute), ("_maybe", .undefined),
        ("main", .shared),
      ])
    let launch = ImportedLaunch(
      symbols: FileBytes(Array("_printf\n_environ\n_limit\n_maybe\nmain\nnobody\n_printf\n".utf8)),
      of: image)
    let shared = "imported from another image, so it can't be ordered in this image"
    #expect(
      launch.missing.map(\.reason) == [
        shared, "data, not a function", "a number, not a function",
        "undefined, so it can't be ordered", "no such symbol", shared,
      ])
    #expect(launch.unknownCount == 1 && Self.used(launch) == [0x1000])
  }

  @Test(arguments: [
    Case(
      testDescription: "with 0x and without", text: "0x1030\n1000\n0X101F\n",
      uses: [0x1030, 0x1000, 0x1010], entries: 3),
    Case(
      testDescription: "inside of functions, with blanks around",
      text: "#\n 1039\t\r\n\n0000000000001001\n", uses: [0x1030, 0x1000], entries: 2),
    Case(
      testDescription: "outside of functions", text: "0\n1040\n1030\nffffffffffffffff\n",
      uses: [0x1030],
      missing: [1: "in no function", 2: "in no function", 4: "in no function"], entries: 4),
  ])
  func addressesAreFound(_ example: Case) throws {
    Self.check(
      try ImportedLaunch(addresses: FileBytes(Array(example.text.utf8)), of: Self.image), example)
  }

  private static func check(_ launch: ImportedLaunch, _ example: Case) {
    #expect(used(launch) == example.uses)
    #expect(launch.entryCount == example.entries)
    #expect(
      Dictionary(uniqueKeysWithValues: launch.missing.map { ($0.line, $0.reason) })
        == example.missing)
  }

  @Test(arguments: ["1000\nxyz\n", "\n0x\n", "#\n12345678901234567\n", "1\n-1\n", "1\n1 2\n"])
  func whatIsNoAddressIsRefusedWithItsLine(text: String) {
    do {
      _ = try ImportedLaunch(addresses: FileBytes(Array(text.utf8)), of: Self.image)
      Issue.record("'\(text)' was read")
    } catch {
      #expect(error.line == 2 && error.description.hasPrefix("invalid address: "), "\(error)")
    }
  }

  /// The result is the same as from a recorded, sealed trace: the uses of functions with all their names.
  @Test func theTraceNamesItsFunctions() throws {
    let launch = ImportedLaunch(symbols: FileBytes(Array("main\nf\n".utf8)), of: Self.image)
    let file = try TraceFile(parsing: FileBytes(try launch.traceBytes()))
    let trace = Trace(file, path: "t")
    #expect(trace.method == .imported && trace.isSealed && trace.unattributedHits == 0)
    #expect(trace.program == "/bin/app" && trace.images[0].id == Self.image.id)
    #expect(trace.hits.map(\.thread) == [nil, nil])
    #expect(trace.hits.map(\.nanoseconds) == [nil, nil])
    #expect(trace.hits.map(\.guardIndex) == [nil, nil])
    let recorded = RecordedFunctions(
      trace, group: [0], in: RecordedImage(namesOf: trace, group: [0]))
    #expect(
      recorded.uses.map { $0.names.map(\.description) } == [["main"], ["alias of f", "f"]])
    #expect(recorded.unnamedUses == [])
  }

  @Test func timesAreThoseOfTheSource() throws {
    var launch = ImportedTrace(
      machine: 62,
      image: TraceImageRecord(
        slide: Slide(rawValue: 0), textStart: LoadedAddress(rawValue: 0x1000), textSize: 0x100,
        id: .init(kind: 1, bytes: [1]), path: Array("/bin/app".utf8)))
    launch.uses = [
      .init(entry: StatedAddress(rawValue: 0x1000), nanoseconds: 0, thread: 7),
      .init(entry: StatedAddress(rawValue: 0x1010), nanoseconds: 412_101_208, thread: 9),
      .init(entry: StatedAddress(rawValue: 0x1020), nanoseconds: 412_101_209, thread: 7),
      .init(entry: StatedAddress(rawValue: 0x5000), nanoseconds: 1),
    ]
    let trace = Trace(try TraceFile(parsing: FileBytes(try launch.bytes())), path: "t")
    #expect(trace.hits.map(\.nanoseconds) == [0, 412_101_208, 412_101_209])
    #expect(trace.hits.map(\.thread) == [1, 2, 1])
    #expect(trace.unattributedHits == 1)
  }

  @Test func damagedListsThrowOrAreRead() throws {
    let list = Array("# addresses\n0x1030\r\n1000\n 101f\n\n0x1020\n".utf8)
    for end in hostilePrefixLengths(of: list) {
      _ = try? ImportedLaunch(addresses: FileBytes(Array(list[..<end])), of: Self.image)
      _ = ImportedLaunch(symbols: FileBytes(Array(list[..<end])), of: Self.image)
    }
    for damaged in byteFlips(of: list) {
      _ = try? ImportedLaunch(addresses: FileBytes(damaged), of: Self.image)
      _ = ImportedLaunch(symbols: FileBytes(damaged), of: Self.image)
    }
  }

  /// Names in a profile have neither Mach-O's leading underscore nor the character that marks names without it.
  @Test func theNamesOfAProfileAreFoundInMachOImages() throws {
    let names = ["a.o|_row", "b.c.o|_row", "a.o|_main", "a.o|-[Foo bar]", "a.o|__ZN3app4openEv"]
    var image = Self.image
    image.layout = machOLayout(names)
    let text =
      ":temporal_prof_traces\n1\n1\n1\nmain,-[Foo bar],src/b.c;row,_ZN3app4openEv,x/a.c;row,nobody\n"
    let profile = try TemporalProfile(parsing: FileBytes(Array(text.utf8)))
    var map = SymbolMap(image.layout)
    let launch = ImportedLaunch(profile.traces[0], of: profile, image, names: &map)
    let layout = image.layout
    let found = launch.uses.map { use in
      layout.functions(at: use.entry).map { index in
        let function = layout.functions[index]
        let file = function.objectFile.map { "\(layout.names.name($0))|" } ?? ""
        return file + "\(layout.name(of: function))"
      }.joined()
    }
    #expect(found == [names[2], names[3], names[1], names[4], names[0]])
    #expect(launch.missing.map(\.text) == ["nobody"] && launch.entryCount == 6)
  }

  /// The output of perf for a real program, in three forms.
  @Test(arguments: [
    ("stacks", ["main", "load", "worker", "draw"]),
    ("default", ["main", "load", "worker", "draw"]),
    ("flat", ["load", "draw"]),
  ])
  func samplesOfPerfAreRead(name: String, expected: [String]) throws {
    let bytes = try fixture("perf/\(name).txt")
    var image = Self.image
    image.path = "/elsewhere/app"
    image.layout = elfLayout(["draw", "load", "main", "worker"])
    let sampled = try SampledLaunch(
      PerfScript(FileBytes(bytes)), path: name, of: image)
    let layout = image.layout
    #expect(
      sampled.launch.uses.map { use in
        layout.functions(at: use.entry).map { "\(layout.name(of: layout.functions[$0]))" }.joined()
      } == expected)
    #expect(sampled.launch.uses.allSatisfy { $0.thread ?? 0 > 30000 && $0.nanoseconds != nil })
    #expect(sampled.sampleCount > 3 && sampled.command == Array("app".utf8))
    #expect((sampled.launch.processNumber == 30520) == (name == "stacks"))
  }
}
