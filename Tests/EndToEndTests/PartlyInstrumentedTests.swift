import TestSupport
import Testing

/// A program of which only some object files have callbacks, and one of which all have.
@Suite(.needs(.recording, "ar")) struct PartlyInstrumentedTests {
  static func functions(_ prefix: String, _ count: Int, linkage: String = "") -> String {
    (0..<count).map { index in
      """
      \(linkage) __attribute__((noinline)) int \(prefix)\(index)(int x) {
        __asm__ volatile(".skip 200, 0x90");
        return x + \(index);
      }

      """
    }.joined()
  }

  static func calls(_ prefix: String, _ count: Int) -> String {
    stride(from: 0, to: count, by: 7).map { "x = \(prefix)\($0)(x);" }.joined(separator: " ")
  }

  /// A main program, a static library with two members, and an object that is linked by itself.
  static let sources = [
    (
      "main.c",
      """
      int core(int), helper(int), object(int);
      int main(int n, char **v) { return core(n) + helper(n) + object(n) == 12345; }
      """
    ),
    (
      "core.c",
      functions("core", 200)
        + "int core(int n) { volatile int x = n; \(calls("core", 200)) return x; }"
    ),
    (
      "helper.c",
      functions("help", 80, linkage: "static __attribute__((used))")
        + "int helper(int n) { volatile int x = n; \(calls("help", 80)) return x; }"
    ),
    (
      "object.c",
      functions("obj", 20)
        + "int object(int n) { volatile int x = n; \(calls("obj", 20)) return x; }"
    ),
  ]

  /// Makes "app.rec", whose objects `instrumented` have callbacks, its trace "app.oftrace", the release build "app",
  /// and "ordered", which is ordered by the trace.
  static func workshop(
    instrumented: Set<String>, hasDebugInformation: Bool = false,
    coverage: String = Build.coverage
  ) throws -> (workshop: Workshop, recorded: Run, gen: Run) {
    let workshop = try (hasDebugInformation ? compiledWithDebugInformation : compiled).copy()
    for name in instrumented {
      try workshop.must(
        "clang",
        ["-O1", "-ffunction-sections", "-c", name, "-o", name + ".rec.o", coverage]
          + (hasDebugInformation ? ["-g"] : []))
    }
    func build(_ image: String, _ suffix: String, _ link: [String]) throws {
      let archive = "libcore\(suffix).a"
      try workshop.must("ar", ["rcs", archive, "core.c" + suffix, "helper.c" + suffix])
      try workshop.must(
        "clang",
        ["main.c" + suffix, "object.c" + suffix, archive, "-fuse-ld=lld", "-Wl,--build-id"]
          + ["-o", image] + link)
    }
    try build("app.rec", ".rec.o", [try #require(Built.recorder)])
    let recorded = try workshop.mustOrderfile("record", "-o", "app.oftrace", "--", "./app.rec")
    try build("app", ".o", [])
    let gen = try workshop.mustOrderfile(
      "gen", "app.oftrace", "--image", "app", "-o", "app.order")
    try build("ordered", ".o", ["-Wl,--symbol-ordering-file=app.order"])
    return (workshop, recorded, gen)
  }

  /// The sources, and the objects of each for a recorded build and another, without callbacks in either.
  private static let compiled = PreparedFolder<Workshop> { try compile([], in: $0) }
  private static let compiledWithDebugInformation = PreparedFolder<Workshop> {
    try compile(["-g"], in: $0)
  }

  private static func compile(_ options: [String], in workshop: Workshop) throws {
    for (name, text) in sources {
      try workshop.write(text.utf8, name)
      try workshop.must(
        "clang", ["-O1", "-ffunction-sections", "-c", name, "-o", name + ".o"] + options)
      try workshop.must("cp", [name + ".o", name + ".rec.o"])
    }
  }

  static let all = Set(sources.map(\.0))

  static func diff(_ workshop: Workshop, _ options: String...) throws -> Run {
    try workshop.orderfile(
      ["diff", "app", "ordered", "--trace", "app.oftrace", "--page-size", "4k"] + options)
  }

  /// Only a part of the callbacks is in the pc-table.
  @Test func whatHasACallbackWithoutAPlaceInTheTableIsRecordable() throws {
    let workshop = try Workshop()
    for (name, text) in Self.sources {
      let coverage =
        "-fsanitize-coverage=func,trace-pc-guard" + (name == "main.c" ? ",pc-table" : "")
      try workshop.write(text.utf8, name)
      try workshop.must("clang", ["-O1", "-c", name, coverage])
    }
    try workshop.must(
      "clang",
      ["main.o", "core.o", "helper.o", "object.o", "-fuse-ld=lld", "-Wl,--build-id", "-o", "app"]
        + [try #require(Built.recorder)])
    let recorded = try workshop.mustOrderfile("record", "-o", "app.oftrace", "--", "./app")
    #expect(!recorded.errors.contains("warning: "))
  }

  @Test func whatHasNoCallbackIsNamedAndNotPredicted() throws {
    let (workshop, recorded, gen) = try Self.workshop(
      instrumented: ["main.c"], hasDebugInformation: true)
    #expect(
      recorded.errors.contains("recorded 1 first hit of 1 instrumented function (the code has 304)")
    )
    for run in [recorded, gen] {
      #expect(run.errors.contains("warning: "))
      #expect(run.errors.contains("only 1 of 304 functions is instrumented, 0."))
      #expect(run.errors.contains("without a callback: core.c (4"))
      #expect(run.errors.contains("helper.c (1"))
      #expect(run.errors.contains("object.c ("))
    }

    let plain = try Self.diff(workshop)
    #expect(plain.status == 0)
    #expect(plain.text.hasPrefix("no prediction: 1 of 304 functions is instrumented, 0."))
    #expect(!plain.text.contains("predicted"))
    #expect(plain.errors.contains("without a callback: core.c"))

    let gate = try Self.diff(workshop, "--limit", "diff.predictedPagesAtMost<=100000")
    #expect(gate.status == 2)
    #expect(
      gate.errors.contains(
        "expected at most 100000, found nothing: no prediction: 1 of 304 functions is instrumented")
    )
    #expect(try Self.diff(workshop, "--limit", "diff.recordable>=90%").status == 2)
    // A user who permits a smaller share gets the figures, and the warning.
    let accepted = try Self.diff(
      workshop, "--limit", "diff.recordable>=0%", "--limit", "diff.predictedPagesAtMost<=100000")
    #expect(accepted.status == 0)
    #expect(accepted.text.contains("not counted: code that could not be recorded (1 of 304"))
    #expect(accepted.errors.contains("only 1 of 304 functions is instrumented"))

    let json = try Self.diff(workshop, "--json").json
    let refusal = try #require(json["refusal"] as? String)
    #expect(refusal.hasPrefix("no prediction: "))
    let recordable = try #require(json["recordable"] as? [String: Any])
    #expect(recordable["allFunctions"] as? Int == 304)
    #expect(recordable["functions"] as? Int == 1)
    let units = try #require(recordable["unseen"] as? [[String: Any]])
    #expect(units.map { $0["name"] as? String } == ["core.c", "helper.c", "object.c"])
    #expect(units.map { $0["functions"] as? Int } == [201, 81, 21])

    let image = try workshop.mustOrderfile("show", "app.rec")
    #expect(
      image.text.contains("yes, 1 guard\n  recordable:   1 of 304 functions is instrumented, 0."))
    #expect(image.text.contains("201  core.c\n"))
    let trace = try workshop.mustOrderfile("show", "app.oftrace")
    #expect(trace.text.contains("\n    1 of 304 functions is instrumented, 0."))
  }

  /// The trace states it, so nothing depends on whether the recorded image is still there.
  @Test(arguments: [["main.c"], ["main.c", "core.c", "object.c"]])
  func aTraceWhoseImageIsGoneStillTellsHowMuchItSaw(instrumented: Set<String>) throws {
    let (workshop, _, _) = try Self.workshop(instrumented: instrumented, hasDebugInformation: true)
    func results() throws -> [Run] {
      try [
        Self.diff(workshop, "--limit", "diff.predictedPagesAtMost<=100000"),
        workshop.orderfile("gen", "app.oftrace", "--image", "app", "-o", "again", "--json"),
        workshop.orderfile("show", "app.oftrace"),
      ]
    }
    let before = try results()
    try workshop.must("rm", ["app.rec"])
    for (before, after) in zip(before, try results()) {
      #expect(after.status == before.status && after.text == before.text)
      #expect(after.errors == before.errors)
    }
    #expect(before[0].errors.contains("without a callback: "))
    #expect(before[2].text.contains("; without a callback: "))
  }

  /// The trace is unsealed, like that of a process that still runs when `record` ends, or of an app on a device.
  @Test func aTraceWithoutASealStillTellsIfLittleWasInstrumented() throws {
    let (workshop, _, _) = try Self.workshop(instrumented: ["main.c"])
    try workshop.must("env", ["ORDERFILE_TRACE=open.oftrace", "./app.rec"])
    let image = try workshop.orderfile("diff", "app", "ordered", "--trace", "open.oftrace")
    #expect(image.text.hasPrefix("no prediction: 1 of 304 functions is instrumented, 0."))
  }

  /// More than half of the code is recordable, but less than in completely instrumented programs.
  @Test func aMissingLibraryIsWarnedAbout() throws {
    let (workshop, recorded, _) = try Self.workshop(
      instrumented: ["main.c", "core.c", "object.c"], hasDebugInformation: true)
    #expect(recorded.errors.contains("without a callback: helper.c ("))
    #expect(!recorded.errors.contains("core.c"))
    let plain = try Self.diff(workshop)
    #expect(plain.text.hasPrefix("predicted page faults"))
    #expect(plain.text.contains("  not counted: code that could not be recorded (223 of 304"))
    #expect(try Self.diff(workshop, "--limit", "diff.predictedPagesAtMost<=100000").status == 0)
    #expect(try Self.diff(workshop, "--limit", "diff.recordable>=90%").status == 2)
    #expect(try Self.diff(workshop, "--limit", "diff.recordable>=60%").status == 0)
  }

  /// Without debug information, only file symbols show the files of functions, and only for local functions.
  @Test func withoutDebugInformationFileSymbolsTell() throws {
    let (_, recorded, _) = try Self.workshop(instrumented: ["main.c", "core.c", "object.c"])
    #expect(recorded.errors.contains("without a callback: helper.c ("))
  }

  /// Assembly has none: its local functions follow the recorder's in the symbol table, and its hidden ones, which linkers
  /// make local, those of the last file.
  @Test(arguments: [
    (".type quiet, %function", "main.o", "quiet and 1 more"),
    (".hidden library", "last.o", "library and 1 more"),
  ])
  func whatHasNoFileSymbolIsNotTakenForAnotherFile(
    declaration: String, last: String, named: String
  ) throws {
    let workshop = try Workshop()
    try workshop.write("void library(void); int main(void) { library(); return 0; }".utf8, "main.c")
    try workshop.write("static void last(void) {} void (*used)(void) = last;".utf8, "last.c")
    let assembly = """
      .text
      .globl library
      .type library, %function
      \(declaration)
      library: ret
      .skip \(named.hasPrefix("library") ? 8192 : 0), 0
      .size library, .-library
      quiet: .skip 4096, 0
      .size quiet, .-quiet
      .type quiet, %function

      """
    try workshop.write(assembly.utf8, "library.s")
    try workshop.must("clang", ["-c", "library.s"])
    try workshop.must("clang", ["-O1", "-c", Build.coverage, "main.c", "last.c"])
    try workshop.must(
      "clang",
      ["main.o", try #require(Built.recorder), "library.o", "-fuse-ld=lld", "-Wl,--build-id"]
        + (last == "main.o" ? [] : [last]) + ["-o", "app"])
    let recorded = try workshop.mustOrderfile("record", "-o", "app.oftrace", "--", "./app")
    #expect(recorded.errors.contains("without a callback: \(named)"), "\(recorded.errors)")
  }

  @Test(arguments: [Build.coverage, "-fsanitize-coverage=func,trace-pc-guard"])
  func aProgramOfWhichAllIsInstrumentedHasNothingToSay(coverage: String) throws {
    let (workshop, recorded, gen) = try Self.workshop(instrumented: Self.all, coverage: coverage)
    #expect(recorded.errors.contains("of 304 instrumented functions in 1 image"))
    for run in [recorded, gen] { #expect(!run.errors.contains("warning"), "\(run.errors)") }
    let gate = try Self.diff(
      workshop, "--limit", "diff.recordable>=100%", "--limit", "diff.predictedPagesAtMost<=100000")
    #expect(gate.status == 0, "\(gate.errors)")
    #expect(!gate.text.contains("could not be recorded"))
  }

  #if os(Linux)
    @Test func breakpointsSeeTheWholeProgram() throws {
      let (workshop, _, _) = try Self.workshop(instrumented: ["main.c"])
      let recorded = try workshop.mustOrderfile(
        "record", "--breakpoints", "-o", "app.oftrace", "--", "./app")
      #expect(!recorded.errors.contains("warning"), "\(recorded.errors)")
      let gate = try Self.diff(
        workshop, "--limit", "diff.recordable>=100%", "--limit", "diff.predictedPagesAtMost<=100000"
      )
      #expect(gate.status == 0, "\(gate.errors)")
      // Without symbols and unwind tables it is unknown where functions begin.
      let compile = [
        "-O1", "-fno-asynchronous-unwind-tables", "-fno-pic", "-no-pie", "-fuse-ld=lld",
      ]
      try workshop.must(
        "clang",
        compile + Self.sources.map(\.0) + ["-o", "stripped", "-Wl,--build-id", "-rdynamic"])
      try workshop.must("strip", ["stripped"])
      let stripped = try workshop.orderfile(
        "record", "--breakpoints", "-o", "s.oftrace", "--", "./stripped")
      #expect(stripped.errors.contains("warning: "), "\(stripped.errors)")
      #expect(stripped.errors.contains("functions could get a breakpoint"), "\(stripped.errors)")
    }
  #endif

  @Test func aGateOnCodeThatNobodyToldOfFails() throws {
    let (workshop, _, _) = try Self.workshop(instrumented: Self.all)
    let gate = try workshop.orderfile(
      "diff", "app", "ordered", "--order", "app.order", "--limit", "diff.recordable>=10%")
    #expect(gate.status == 2)
    #expect(
      gate.errors.contains(
        "error: ordered: diff.recordable: expected at least 10%, found nothing\n"))
  }
}
