import Foundation
import TestSupport
import Testing

/// `orderfile gen --split`: functions divided by what a launch ran of them, by real compilers and linkers.
@Suite(.needs(.recording, "clang-19")) struct SplitTests {
  /// Cleanups, exceptions caught in the thrower's caller and rethrown, `noexcept`, constructors with aliases.
  static let exceptions = """
    #include <cstdio>
    #include <cstring>
    #include <stdexcept>
    #include <string>
    #include <vector>
    struct Noisy { std::string name; ~Noisy() { std::puts(name.c_str()); } };
    struct Base { int n; Base(int n); virtual ~Base(); };
    Base::Base(int n) : n(n) { if (n > 100) std::puts("large"); }
    Base::~Base() { if (n > 50) std::puts("gone"); }
    struct Typed { int n; template <class T> Typed(T, int n); };
    template <class T> __attribute__((noinline)) Typed::Typed(T, int n) : n(n) { if (n > 100) std::puts("huge"); }
    template Typed::Typed(long, int);
    __attribute__((noinline)) static int check(int x) {
      Noisy noisy{"checked"};
      if (x > 2) throw std::runtime_error("too large");
      if (x < 0) throw 5;
      return x;
    }
    __attribute__((noinline)) static int again(int x) {
      try { return check(x); }
      catch (const std::exception &error) { std::puts("again"); throw; }
    }
    __attribute__((noinline)) static int attempt(int x) {
      Base base(x);
      Typed typed(1L, x);
      try { return again(x); }
      catch (const std::exception &error) { std::puts(error.what()); return -1; }
      catch (int number) { return number; }
    }
    __attribute__((noinline)) static int quiet(int x) noexcept { return attempt(x) + 1; }
    int main(int n, char **v) {
      int sum = quiet(1);
      for (int i = 1; i < n; i++) sum += attempt(std::atoi(v[i]));
      std::printf("%d\\n", sum);
      return 0;
    }
    """

  struct Program: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var source: String
    var compiler = "clang-19"
    var flags: [String] = ["-O2"]
    /// Of the recorded launch, and of one that runs what the recorded one did not.
    var recorded: [String] = []
    var other: [String] = []
    var isCxx: Bool { source.contains("<cstdio>") }
  }

  static let programs: [Program] = ["clang-19", "clang"].flatMap { compiler in
    [
      Program(
        testDescription: "\(compiler): jump tables, computed goto, longjmp",
        source: BlockTests.branches, compiler: compiler, flags: ["-O1"],
        other: ["1", "2", "3", "4"]),
      Program(
        testDescription: "\(compiler): exceptions not thrown", source: exceptions,
        compiler: compiler, recorded: ["2"], other: ["3", "-1", "1"]),
      Program(
        testDescription: "\(compiler): exceptions thrown", source: exceptions,
        compiler: compiler, recorded: ["3"], other: ["2", "-1", "200"]),
    ]
  }

  /// A folder with the program `app` and a trace of its basic blocks.
  static func recorded(
    _ program: Program, environment: [String: String] = [:]
  ) throws -> Workshop {
    let workshop = try Workshop()
    try workshop.write(program.source.utf8, program.isCxx ? "main.cpp" : "main.c")
    try build(program, "app", in: workshop)
    let run = try workshop.orderfile(
      ["record", "--breakpoints", "--blocks", "-o", "t", "--", "./app"] + program.recorded,
      environment: environment)
    try #require(run.status == 0, "\(run.errors)")
    return workshop
  }

  static func build(
    _ program: Program, _ image: String, in workshop: Workshop,
    _ flags: [String] = []
  ) throws {
    let compiler =
      program.isCxx ? program.compiler.replacing("clang", with: "clang++") : program.compiler
    try workshop.must(
      compiler,
      [
        "-ffunction-sections", "-fbasic-block-address-map", "-fuse-ld=lld", "-Wl,--build-id",
        program.isCxx ? "main.cpp" : "main.c", "-o", image,
      ] + program.flags + flags)
  }

  static let splitting = [
    "-fbasic-block-sections=list=app.clusters", "-Wl,--symbol-ordering-file=app.order",
    "-Wl,--fatal-warnings",
  ]

  static func profile(_ workshop: Workshop, _ name: String = "app.clusters") -> [Substring] {
    workshop.text(name).split(separator: "\n").filter { !$0.hasPrefix("#") }
  }

  @Test(.needs("clang"), arguments: programs)
  func aSplitProgramIsTheSameProgram(_ program: Program) throws {
    let workshop = try Self.recorded(program)
    try workshop.mustOrderfile(
      "gen", "t", "--image", "app", "--split", "app.clusters", "-o", "app.order")
    let profile = Self.profile(workshop)
    #expect(profile.first == "v1" && profile.count { $0.hasPrefix("f ") } > 1)
    // --fatal-warnings: each line of the order file is a symbol of the split image.
    try Self.build(program, "split", in: workshop, Self.splitting)
    for arguments in [program.recorded, program.other] {
      let plain = try workshop.start("./app", arguments).end()
      let split = try workshop.start("./split", arguments).end()
      #expect(split.text == plain.text && split.status == plain.status)
    }
    let symbols = try workshop.must("nm", ["split"]).text
    #expect(symbols.contains(".cold\n") && !symbols.contains(".eh\n"))
    let report = try workshop.mustOrderfile(
      "diff", "app", "split", "--trace", "t", "--order", "app.order", "--json")
    #expect(!report.errors.contains("count whole"), "\(report.errors)")
    let order = try #require(report.json["order"] as? [String: Any])
    #expect(order["inOrder"] as? Int == order["entries"] as? Int)
    // What it costs, as other tools count it.
    let sizes = try #require(report.json["imageSizes"] as? [String: [String: Int]])
    for (image, key) in [("app", "before"), ("split", "after")] {
      let found = try #require(sizes[key])
      #expect(found["fileBytes"] == workshop.bytes(image).count)
      let sections = try workshop.must("size", ["-A", "-d", image]).text.split(separator: "\n")
        .map { $0.split(separator: " ") }
      let unwind = sections.filter {
        [".eh_frame", ".eh_frame_hdr", ".gcc_except_table"].contains($0[0])
      }
      #expect(found["unwindBytes"] == unwind.compactMap { Int($0[1]) }.reduce(0, +))
      let symbols = try workshop.must("readelf", ["-sW", image]).text
      #expect(symbols.contains("'.symtab' contains \(found["symbols"] ?? 0) entries"))
    }
    #expect((sizes["after"]?["unwindBytes"] ?? 0) > (sizes["before"]?["unwindBytes"] ?? 0))
    let text = try workshop.mustOrderfile("diff", "app", "split", "--trace", "t").text
    #expect(text.contains("%  unwind tables\n") && text.contains(" sections)\n"))

    // The same launch of the split program runs the same blocks: nothing that was split off.
    try workshop.must(
      Built.orderfile,
      ["record", "--breakpoints", "--blocks", "-o", "t2", "--", "./split"] + program.recorded)
    try workshop.mustOrderfile(
      "gen", "t2", "--image", "split", "--split", "again.clusters", "-o", "again.order")
    #expect(Set(Self.profile(workshop, "again.clusters")) == Set(profile))
    let lines = { (name: String) in
      workshop.text(name).split(separator: "\n").filter { !$0.hasPrefix("#") }
    }
    #expect(lines("again.order") == lines("app.order"))
  }

  // MARK: Several modules

  /// Two modules with a function `reduce` each, of which a launch runs a part.
  static let modules = [
    "a.c": """
    #include <stdio.h>
    int other(int n);
    __attribute__((noinline)) static int reduce(int n) { if (n > 9) { puts("a"); return n / 3; } return n + 1; }
    int main(int n, char **v) { (void)v; return reduce(n) + other(n) == 3 ? 0 : 1; }
    """,
    "lib/b.c": """
    #include <stdio.h>
    __attribute__((noinline)) static int reduce(int n) { if (n % 7 == 3) { puts("b"); return n / 5; } return n; }
    int other(int n) { if (n > 5) { puts("many"); n -= 5; } return reduce(n); }
    """,
  ]

  /// A folder with `app`, compiled of `modules`, and a trace of its basic blocks.
  private func workshopOfModules(_ flags: [String]) throws -> Workshop {
    let workshop = try Workshop()
    try FileManager.default.createDirectory(
      at: workshop.folder.appendingPathComponent("lib"), withIntermediateDirectories: false)
    for (name, text) in Self.modules.sorted(by: { $0.key < $1.key }) {
      try workshop.write(text.utf8, name)
    }
    try build("app", flags, in: workshop)
    try workshop.must(
      Built.orderfile, ["record", "--breakpoints", "--blocks", "-o", "t", "--", "./app"])
    return workshop
  }

  private func build(
    _ image: String, _ flags: [String], compiler: String = "clang-19", in workshop: Workshop
  ) throws {
    try workshop.must(
      compiler,
      ["-O2", "-ffunction-sections", "-fuse-ld=lld", "-Wl,--build-id", "./a.c", "lib/b.c"] + flags
        + ["-o", image])
  }

  static let map = "-fbasic-block-address-map"

  @Test func namesakesAreToldApartByTheirCompileUnits() throws {
    let flags = [Self.map, "-gline-tables-only", "-fdebug-info-for-profiling"]
    let workshop = try workshopOfModules(flags)
    try workshop.mustOrderfile(
      "gen", "t", "--image", "app", "--split", "app.clusters", "-o", "app.order")
    let profile = Self.profile(workshop)
    #expect(profile.contains("m a.c") && profile.contains("m lib/b.c"))
    let shown = try workshop.mustOrderfile("show", "app.clusters").text
    #expect(shown.contains("a.c: reduce\n") && shown.contains("lib/b.c: reduce\n"))
    let json = try workshop.mustOrderfile("show", "--json", "app.clusters").json
    #expect(json["schema"] as? String == "orderfile.clusters/1")
    let mistaken = try workshop.orderfile(
      "diff", "app", "app", "--trace", "t", "--order", "app.clusters")
    #expect(mistaken.status != 0 && mistaken.errors.contains("a profile of basic block clusters"))
    #expect(profile.count { $0 == "f reduce" } == 2)
    try build("split", flags + Self.splitting, in: workshop)
    let symbols = try workshop.must("nm", ["split"]).text
    #expect(symbols.split(separator: "\n").count { $0.hasSuffix(" reduce.cold") } == 2)
    let report = try workshop.mustOrderfile(
      "diff", "app", "split", "--trace", "t", "--order", "app.order", "--max-drifted", "0")
    #expect(report.errors.isEmpty, "\(report.errors)")
    #expect(try workshop.start("./split", []).end().status == 0)
  }

  @Test func withoutDebugInformationNamesakesStayWhole() throws {
    let workshop = try workshopOfModules([Self.map])
    let run = try workshop.mustOrderfile(
      "gen", "t", "--image", "app", "--split", "app.clusters", "-o", "app.order", "--explain")
    #expect(
      run.errors.contains(
        """
        left whole: 2 functions
          reduce: unable to split: several functions have the name, and no debug information tells their compile units

        """), "\(run.errors)")
    #expect(
      Self.profile(workshop).filter { $0.hasPrefix("f ") || $0.hasPrefix("m ") } == ["f other"])
    try build("split", [Self.map] + Self.splitting, in: workshop)
    #expect(try workshop.start("./split", []).end().status == 0)
  }

  struct Linker: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var option: String
    var order: String
  }

  @Test(
    arguments: [
      Linker(testDescription: "gnu-ld", option: "-fuse-ld=bfd", order: "-Wl,-T,app.order"),
      Linker(
        testDescription: "gold", option: "-fuse-ld=gold",
        order: "-Wl,--section-ordering-file=app.order"),
    ])
  func linkersThatOrderBySectionPlaceTheParts(_ linker: Linker) throws {
    let flags = [Self.map, "-gline-tables-only", "-fdebug-info-for-profiling", linker.option]
    let workshop = try workshopOfModules(flags)
    try workshop.mustOrderfile(
      "gen", "t", "--image", "app", "--split", "app.clusters", "-o", "app.order", "--linker",
      linker.testDescription)
    try build(
      "split", flags + ["-fbasic-block-sections=list=app.clusters", linker.order], in: workshop)
    let symbols = try workshop.must("nm", ["-n", "split"]).text.split(separator: "\n")
    func place(_ name: String) throws -> Int {
      try #require(symbols.firstIndex { $0.hasSuffix(" \(name)") })
    }
    #expect(try place("main") < place("other") && place("other") < place("reduce.cold"))
    #expect(try place("reduce.cold") < place("other.cold"))
    let report = try workshop.mustOrderfile(
      "diff", "app", "split", "--trace", "t", "--order", "app.order", "--json")
    let order = try #require(report.json["order"] as? [String: Any])
    #expect(order["inOrder"] as? Int == order["entries"] as? Int)
    #expect(try workshop.start("./split", []).end().status == 0)
  }

  /// The linker compiles, and splits.
  @Test(
    .needs("clang"), arguments: ["clang-19", "clang"], ["-flto=full", "-flto=thin"])
  func linkTimeOptimizationSplitsToo(compiler: String, lto: String) throws {
    let workshop = try Workshop()
    let flags = [
      lto, "-gline-tables-only", "-fdebug-info-for-profiling", "-Wl,--lto-basic-block-address-map",
    ]
    try FileManager.default.createDirectory(
      at: workshop.folder.appendingPathComponent("lib"), withIntermediateDirectories: false)
    for (name, text) in Self.modules.sorted(by: { $0.key < $1.key }) {
      try workshop.write(text.utf8, name)
    }
    try build("app", flags, compiler: compiler, in: workshop)
    try workshop.must(
      Built.orderfile, ["record", "--breakpoints", "--blocks", "-o", "t", "--", "./app"])
    try workshop.mustOrderfile(
      "gen", "t", "--image", "app", "--split", "app.clusters", "-o", "app.order")
    try build(
      "split",
      flags + [
        "-Wl,--lto-basic-block-sections=app.clusters", "-Wl,--symbol-ordering-file=app.order",
        "-Wl,--fatal-warnings",
      ], compiler: compiler, in: workshop)
    #expect(try workshop.must("nm", ["split"]).text.contains(".cold\n"))
    let report = try workshop.mustOrderfile(
      "diff", "app", "split", "--trace", "t", "--order", "app.order", "--max-drifted", "0")
    #expect(report.errors.isEmpty, "\(report.errors)")
    #expect(try workshop.start("./split", []).end().status == 0)
  }

  @Test func aSwiftProgramIsSplitByLinkTimeOptimization() throws {
    let workshop = try Workshop()
    try workshop.write(
      """
      enum Problem: Error { case odd(Int), negative(Int) }
      actor Sum {
        private(set) var total = 0
        func add(_ number: Int) throws {
          if number < 0 { print("no sum of \\(number)"); throw Problem.negative(number) }
          total += number
        }
      }
      func pairs(_ words: [String]) throws -> [String: Int] {
        if words.count % 2 == 1 { throw Problem.odd(words.count) }
        var found: [String: Int] = [:]
        for index in stride(from: 0, to: words.count, by: 2) {
          guard let number = Int(words[index + 1]) else { print("no number: \\(words[index + 1])"); continue }
          found[words[index]] = number
        }
        return found
      }
      @inline(never) func add(_ number: Int, to sum: Sum) async throws -> Int {
        if number > 99 { await Task.yield(); print("large: \\(number)"); try await sum.add(1) }
        try await sum.add(number)
        return number
      }
      @inline(never) func total(_ numbers: [Int]) async -> Int {
        let sum = Sum()
        do {
          try await withThrowingTaskGroup(of: Int.self) { group in
            for number in numbers { group.addTask { try await add(number, to: sum) } }
            for try await number in group where number == 7 { print("seven") }
          }
        } catch { print("problem: \\(error)") }
        return await sum.total
      }
      do {
        let found = try pairs(Array(CommandLine.arguments.dropFirst())).sorted { $0.key < $1.key }
        print(found, await total(found.map { $0.value }))
      } catch { print("problem: \\(error)") }
      """.utf8, "main.swift")
    func build(_ image: String, _ options: [String] = []) throws {
      try workshop.must(
        "swiftc",
        ["-O", "-lto=llvm-full", "-use-ld=lld", "-module-name", "app", "main.swift", "-o", image]
          + (["--lto-basic-block-address-map", "--build-id", "--no-warn-symbol-ordering"] + options)
          .flatMap { ["-Xlinker", $0] })
    }
    try build("app")
    try workshop.must(
      Built.orderfile,
      ["record", "--breakpoints", "--blocks", "-o", "t", "--", "./app", "triangle", "3"])
    try workshop.mustOrderfile(
      "gen", "t", "--image", "app", "--split", "app.clusters", "-o", "app.order")
    try build(
      "split", ["--lto-basic-block-sections=app.clusters", "--symbol-ordering-file=app.order"])
    for arguments in [
      ["triangle", "3"], ["triangle"], ["square", "many"], [], ["square", "100"], ["none", "-1"],
      ["seven", "7"],
    ] {
      let plain = try workshop.start("./app", arguments).end()
      #expect(try workshop.start("./split", arguments).end().text == plain.text)
    }
    let report = try workshop.mustOrderfile(
      "diff", "app", "split", "--trace", "t", "--order", "app.order", "--max-drifted", "0", "--json"
    )
    let order = try #require(report.json["order"] as? [String: Any])
    #expect(order["inOrder"] as? Int == order["entries"] as? Int)
    #expect(try workshop.must("nm", ["split"]).text.contains(".cold\n"))
  }

  // MARK: Later builds

  @Test func whatHasOtherBlocksNowIsListedAndStaysWhole() throws {
    let workshop = try workshopOfModules([Self.map, "-g"])
    try workshop.mustOrderfile(
      "gen", "t", "--image", "app", "--split", "app.clusters", "-o", "app.order")
    let changed = (Self.modules["lib/b.c"] ?? "").replacing(
      "if (n > 5) {", with: "if (n > 7) puts(\"seven\"); if (n > 5) {")
    try workshop.write(changed.utf8, "lib/b.c")
    try build("split", [Self.map, "-g"] + Self.splitting.dropLast(), in: workshop)
    let diff = ["diff", "app", "split", "--trace", "t", "--order", "app.order"]
    let report = try workshop.orderfile(diff + ["--max-drifted", "0"])
    #expect(report.status == 2)
    #expect(
      report.text.contains("other basic blocks than recorded: 1 startup function:\n  other: "),
      "\(report.text)")
    #expect(
      report.errors.contains(
        "error: split: functions with other basic blocks: expected at most 0, found 1"),
      "\(report.errors)")
    #expect(try workshop.orderfile(diff + ["--max-drifted", "1"]).status == 0)

    try workshop.mustOrderfile(
      "gen", "t", "--image", "split", "--split", "next.clusters", "-o", "next.order")
    let next = Self.profile(workshop, "next.clusters")
    #expect(!next.contains("f other") && next.count { $0 == "f reduce" } == 2)
    #expect(!workshop.text("next.order").contains("other.cold"))
  }

  /// The profile has the numbers that one compiler gave the blocks, and another one does not check them.
  @Test(.needs("clang")) func anotherCompilerThanTheRecordedOneIsFound() throws {
    var program = Program(
      testDescription: "", source: BlockTests.branches, compiler: "clang-19", flags: ["-O1"])
    let workshop = try Self.recorded(program)
    try workshop.mustOrderfile(
      "gen", "t", "--image", "app", "--split", "app.clusters", "-o", "app.order")
    program.compiler = "clang"
    try Self.build(program, "split", in: workshop, Array(Self.splitting.dropLast()))
    let report = try workshop.orderfile(
      "diff", "app", "split", "--trace", "t", "--order", "app.order", "--max-drifted", "0")
    #expect(report.status == 2)
    #expect(
      report.text.contains("other basic blocks than recorded: 1 startup function:\n  main: "),
      "\(report.text)")
  }

  /// 60 functions with more than a page of what a launch without arguments does not run.
  static let large: String = {
    let functions = (0..<60).map { index in
      """
      __attribute__((noinline)) int f\(index)(int n) {
        if (n > \(100 + index)) __asm__ volatile(".fill 1500, 1, 0x90");
        return n * 3 + \(index);
      }
      """
    }
    let calls = (0..<60).map { "n = f\($0)(count > 1 && \($0) % 20 == 7 ? 500 : n % 90);" }
    return functions.joined(separator: "\n") + """

      int main(int count, char **words) {
        (void)words;
        int n = count;
        \(calls.joined(separator: "\n  "))
        return n == 0;
      }
      """
  }()

  /// `large`, recorded and split, and the commands that compile and link it.
  private func largeWorkshop() throws -> (Workshop, compile: [String], link: [String]) {
    let workshop = try Workshop()
    try workshop.write(Self.large.utf8, "app.c")
    let compile = ["-O1", "-ffunction-sections", Self.map, "-c", "app.c", "-o", "app.o"]
    let link = ["-fuse-ld=lld", "-Wl,--build-id", "app.o", "-o", "app"]
    try workshop.must("clang-19", compile)
    try workshop.must("clang-19", link)
    try workshop.must(
      Built.orderfile, ["record", "--breakpoints", "--blocks", "-o", "t", "--", "./app"])
    try workshop.mustOrderfile(
      "gen", "t", "--image", "app", "--split", "app.clusters", "-o", "app.order")
    try workshop.must("clang-19", compile + ["-fbasic-block-sections=list=app.clusters"])
    try workshop.must("clang-19", link + ["-Wl,--symbol-ordering-file=app.order"])
    return (workshop, compile, link)
  }

  /// Refines for another launch than the recorded one, which runs three of the cold parts.
  private func refineLarge(
    _ workshop: Workshop, _ options: [String], relink: [[String]]
  ) throws -> [Int] {
    let commands = relink.map { "clang-19 " + $0.joined(separator: " ") }.joined(separator: " && ")
    let run = try workshop.must(
      Built.orderfile,
      [
        "refine", "--order", "app.order", "--image", "app", "--json", "--page-size", "4k",
        "--relink", commands + " -Wl,--symbol-ordering-file=\"$ORDERFILE_ORDER\"",
      ] + options + ["--", "./app", "more"])
    let kept = try #require(run.json["steps"] as? [[String: Any]])
      .filter { $0["isKept"] as? Bool ?? false }.compactMap { $0["textPages"] as? Int }
    #expect(kept.count >= 2 && kept == kept.sorted(by: >), "\(run.errors)")
    return kept
  }

  @Test func refineSplitsAnewWhatRan() throws {
    let (workshop, compile, link) = try largeWorkshop()
    let before = Self.profile(workshop)
    let option = "-fbasic-block-sections=list=\"$ORDERFILE_SPLIT\""
    _ = try refineLarge(
      workshop, ["--split", "app.clusters"], relink: [compile + [option], link])
    // The cold parts of three functions have joined the others.
    let after = Self.profile(workshop)
    let changed = zip(before, after).filter { $0 != $1 }
    #expect(before.count == after.count && changed.count == 3)
    #expect(changed.allSatisfy { $1.hasPrefix($0) && $1.count > $0.count })
    let cold = workshop.text("app.order").split(separator: "\n").filter { $0.hasSuffix(".cold") }
    #expect(cold.count == 57 && !cold.contains("f7.cold") && !cold.contains("f47.cold"))
    // The image is the one of both files.
    let image = workshop.bytes("app")
    try workshop.must("clang-19", compile + ["-fbasic-block-sections=list=app.clusters"])
    try workshop.must("clang-19", link + ["-Wl,--symbol-ordering-file=app.order"])
    #expect(workshop.bytes("app") == image)
    // Without a map it is not known what ran of each function.
    let plain = "clang-19 -O1 app.c -fuse-ld=lld -o app #"
    let run = try workshop.orderfile(
      "refine", "--order", "app.order", "--split", "app.clusters", "--image", "app", "--relink",
      plain, "--", "./app")
    #expect(run.status != 0 && run.errors.contains("app: missing basic block address map"))
    #expect(workshop.bytes("app") == image && Self.profile(workshop) == after)
  }

  @Test func refineBringsInTheColdPartsThatRan() throws {
    let (workshop, _, link) = try largeWorkshop()
    _ = try refineLarge(workshop, ["-o", "best.order"], relink: [link])
    let order = workshop.text("best.order").split(separator: "\n")
    let cold = order.filter { $0.hasSuffix(".cold") }
    #expect(cold.prefix(3) == ["f7.cold", "f27.cold", "f47.cold"] && cold.count == 60)
  }

  @Test func errorsSayHowToRecord() throws {
    let workshop = try workshopOfModules([Self.map])
    try build("plain", [], in: workshop)
    try workshop.must(
      Built.orderfile, ["record", "--breakpoints", "-o", "functions", "--", "./app"])
    try workshop.must(Built.orderfile, ["record", "--breakpoints", "-o", "nomap", "--", "./plain"])
    try workshop.must("strip", ["-o", "stripped", "app"])
    for (trace, image, message) in [
      ("functions", "stripped", "stripped: only 0 of "),
      ("functions", "app", "app: missing basic blocks: the traces recorded functions only"),
      (
        "nomap", "plain",
        "plain: missing basic block address map: without it functions can't be split"
      ),
    ] {
      let run = try workshop.orderfile(
        "gen", trace, "--image", image, "--split", "x.clusters", "-o", "x.order")
      #expect(
        run.status != 0 && run.errors.contains("error: \(message)")
          && run.errors.contains("\n  hint: "), "\(run.errors)")
      #expect(!workshop.fileNames.contains { $0.hasPrefix("x.") })
    }
  }
}
