import Foundation
import TestSupport
import Testing

/// `orderfile record --breakpoints --blocks`: the basic blocks of a program's functions that a launch executes.
@Suite(.needs(.recording, "clang-19")) struct BlockTests {
  static let branches = """
    #include <setjmp.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    static jmp_buf back;
    __attribute__((noinline)) static int choose(int x) {
      switch (x) {
        case 0: return puts("zero");
        case 1: return 7 * puts("one");
        case 2: return puts("two") + x;
        case 3: return 11;
        case 4: return puts("four");
        default: return x;
      }
    }
    __attribute__((noinline)) static int interpret(const char *code) {
      static void *labels[] = {&&add, &&twice, &&end};
      int value = 1;
      goto *labels[*code - 'a'];
    add: value += 3; goto *labels[*++code - 'a'];
    twice: value *= 2; goto *labels[*++code - 'a'];
    end: return value;
    }
    __attribute__((noinline)) static void leave(int n) { if (n > 0) longjmp(back, 1); puts("stays"); }
    __attribute__((noinline)) static int sum(const int *values, int n) {
      int total = 0;
      for (int i = 0; i < n; i++) total += values[i] > 100 ? abort(), 0 : values[i];
      return total;
    }
    int main(int n, char **v) {
      int values[40];
      for (int i = 0; i < 40; i++) values[i] = i * n % 17;
      if (setjmp(back) == 0) leave(n);
      if (n > 5) return 3;
      printf("%d %d\\n", sum(values, 40), choose(n) + choose(n + 2) + interpret(n > 4 ? "bc" : "ac"));
      return strlen(v[0]) > 1000;
    }
    """

  static let exceptions = """
    #include <cstdio>
    #include <stdexcept>
    #include <string>
    #include <vector>
    struct Noisy { std::string name; ~Noisy() { std::puts(name.c_str()); } };
    __attribute__((noinline)) static int check(int x) {
      Noisy noisy{"checked"};
      if (x > 2) throw std::runtime_error("too large");
      if (x < 0) throw 5;
      return x;
    }
    __attribute__((noinline)) static int attempt(int x) {
      try { return check(x); }
      catch (const std::exception &error) { std::puts(error.what()); return -1; }
      catch (int number) { return number; }
    }
    int main(int n, char **) {
      std::vector<int> results;
      for (int i = 0; i < 4; i++) results.push_back(attempt(n + i));
      return results.size() == 4 && results[3] == -1 ? 0 : 1;
    }
    """

  /// The profile of this program states that `handle` is rarely called with more than 100.
  static let split = """
    #include <stdio.h>
    __attribute__((noinline)) int handle(int n) {
      if (n > 100) {
        fputs("much", stderr);
        for (int i = 0; i < n; i++) if (i % 60 == 7) fputs(".", stderr);
        return -1;
      }
      return n + 1;
    }
    int main(int n, char **v) {
      int sum = 0;
      (void)v;
      for (int i = 0; i < 200; i++) sum += handle(n);
      if (n > 1) sum += handle(n + 200);
      if (n > 5) sum += handle(n + 300);
      return sum == 0;
    }
    """

  struct Program: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var source: String
    var compiler = "clang-19"
    var flags: [String] = []
    /// Whether the program is compiled with the profile of a launch without arguments.
    var isProfiled = false
    /// The arguments of the recorded launch.
    var arguments: [String] = []
  }

  static let branching = Program(
    testDescription: "branches, O1", source: branches, flags: ["-O1"])
  static let throwing = Program(
    testDescription: "exceptions", source: exceptions, compiler: "clang++-19")
  static let withColdParts = Program(
    testDescription: "cold parts", source: split, flags: ["-O2", "-fsplit-machine-functions"],
    isProfiled: true, arguments: ["one"])
  static let withLandingPads = Program(
    testDescription: "landing pads", source: branches, flags: ["-O1", "-fcf-protection=full"])

  /// Other ways to compile the programs.
  static let variants = [
    Program(testDescription: "branches, O3", source: branches, flags: ["-O3"]),
    Program(
      testDescription: "cold parts without frames", source: split,
      flags: ["-O2", "-fsplit-machine-functions", "-fno-asynchronous-unwind-tables"],
      isProfiled: true, arguments: ["one"]),
    Program(
      testDescription: "each block a section", source: branches,
      flags: ["-O1", "-fbasic-block-sections=all"]),
    withLandingPads,
  ]
  static let programs = [branching, throwing, withColdParts] + variants

  /// Makes a folder with the program `app`, which is linked at fixed addresses.
  static func workshop(_ program: Program) throws -> Workshop {
    let workshop = try Workshop()
    let isCxx = program.compiler.contains("++")
    try workshop.write(program.source.utf8, isCxx ? "main.cpp" : "main.c")
    var flags = program.flags
    if program.isProfiled {
      try workshop.must(program.compiler, ["-O2", "-fprofile-generate=raw", "main.c", "-o", "app"])
      try workshop.must("./app", [])
      try workshop.must("llvm-profdata-19", ["merge", "raw", "-o", "profile"])
      flags.append("-fprofile-use=profile")
    }
    try workshop.must(
      program.compiler,
      [
        "-fuse-ld=lld", "-no-pie", "-Wl,--build-id", "-fbasic-block-address-map",
        isCxx ? "main.cpp" : "main.c", "-o", "app",
      ] + flags)
    return workshop
  }

  private func record(
    _ workshop: Workshop, options: [String] = [], _ command: [String] = ["./app"]
  ) throws -> Run {
    try workshop.orderfile(
      ["record", "--breakpoints", "--blocks", "-o", "t"] + options + ["--"] + command)
  }

  private func number(_ text: Any?) -> UInt64 {
    (text as? String).flatMap { UInt64($0.dropFirst(2), radix: 16) } ?? .max
  }

  /// Returns the address and the size of each block in a trace, in the order of first uses.
  private func blocks(_ workshop: Workshop, in trace: String = "t") throws -> [Range<UInt64>] {
    let show = try workshop.mustOrderfile("show", "--json", trace)
    return try #require(show.json["blocks"] as? [[String: Any]]).map { block in
      let start = number(block["address"])
      return start..<start + UInt64(block["sizeBytes"] as? Int ?? 0)
    }
  }

  /// Returns the addresses of the instructions of `image` that ran, as callgrind sees them; `nil` for all images.
  static func executed(
    _ workshop: Workshop, _ command: [String], image: String? = "app", options: [String] = []
  ) throws -> Set<UInt64> {
    try workshop.must(
      "valgrind",
      ["-q", "--tool=callgrind", "--dump-instr=yes", "--callgrind-out-file=calls"] + options
        + command)
    var names: [Substring: Substring] = [:]
    var current: Substring = ""
    var address: UInt64 = 0
    var executed: Set<UInt64> = []
    for line in workshop.text("calls").split(separator: "\n") {
      if line.hasPrefix("ob=") || line.hasPrefix("cob=") {
        let words = line.drop { $0 != "(" }.split(separator: " ", maxSplits: 1)
        if words.count == 2 { names[words[0]] = words[1] }
        if line.hasPrefix("ob=") { current = names[words[0]] ?? "" }
        continue
      }
      guard let word = line.split(separator: " ").first else { continue }
      if word.hasPrefix("0x") {
        guard let value = UInt64(word.dropFirst(2), radix: 16) else { continue }
        address = value
      } else if word.hasPrefix("+"), let step = UInt64(word.dropFirst()) {
        address += step
      } else if word.hasPrefix("-"), let step = UInt64(word.dropFirst()) {
        address -= step
      } else if word != "*" {
        continue
      }
      if image.map({ current.hasSuffix("/\($0)") }) ?? true { executed.insert(address) }
    }
    return executed
  }

  /// Returns the addresses of the first bytes of all blocks of `app`, as LLVM reads the map of blocks.
  static func allBlocks(_ workshop: Workshop) throws -> Set<UInt64> {
    let json = try JSONSerialization.jsonObject(
      with: Data(
        try workshop.must(
          "llvm-readobj-19", ["--bb-addr-map", "--elf-output-style=JSON", "app"]
        ).output))
    let maps = (json as? [[String: Any]])?.first?["BBAddrMap"] as? [[String: Any]] ?? []
    var starts: Set<UInt64> = []
    for map in maps {
      let function = map["Function"] as? [String: Any] ?? [:]
      for range in function["BB Ranges"] as? [[String: Any]] ?? [] {
        for block in range["BB Entries"] as? [[String: Any]] ?? []
        where block["Size"] as? UInt64 != 0 {
          starts.insert((range["Base Address"] as? UInt64 ?? 0) + (block["Offset"] as? UInt64 ?? 0))
        }
      }
    }
    return starts
  }

  @Test(
    .needs("valgrind", "llvm-readobj-19"),
    arguments: [branching, throwing, withColdParts])
  func theBlocksThatRanAreThoseThatCallgrindSees(_ program: Program) throws {
    try expectBlocksThatCallgrindSees(program)
  }

  func expectBlocksThatCallgrindSees(_ program: Program) throws {
    let workshop = try Self.workshop(program)
    let command = ["./app"] + program.arguments
    let plain = try workshop.start("./app", program.arguments).end()
    let run = try record(workshop, command)
    #expect(run.status == 0 && run.text == plain.text, "\(run.errors)")
    let ran = try blocks(workshop).map(\.lowerBound)
    let executed = try Self.executed(workshop, command)
    let expected = try Self.allBlocks(workshop).intersection(executed)
    #expect(Set(ran) == expected && ran.count == expected.count && ran.count > 5)
    #expect(ran.count < (try Self.allBlocks(workshop).count), "some must not have run")
  }

  @Test func aColdPartIsAFunctionOfItsOwn() throws {
    let program = Self.withColdParts
    let workshop = try Self.workshop(program)
    #expect(try record(workshop, ["./app"] + program.arguments).status == 0)
    try workshop.mustOrderfile("gen", "t", "--image", "app", "-o", "order")
    let order = workshop.text("order").split(separator: "\n")
    let handle = try #require(order.firstIndex(of: "handle"))
    let cold = try #require(order.firstIndex(of: "handle.cold"))
    #expect(handle < cold)
  }

  @Test func showAddsUpWhatRan() throws {
    let workshop = try Self.workshop(Self.branching)
    let run = try record(workshop)
    #expect(run.errors.contains(" basic blocks"), "\(run.errors)")
    let json = try workshop.mustOrderfile("show", "--json", "t").json
    let functions = try #require(json["functions"] as? [[String: Any]])
    func sum(_ key: String) -> Int { functions.reduce(0) { $0 + ($1[key] as? Int ?? 0) } }
    #expect(sum("executedBytes") == json["executedBytes"] as? Int)
    #expect(sum("sizeBytes") == json["startupBytes"] as? Int)
    let choose = try #require(functions.first { $0["name"] as? String == "choose" })
    let executed = try #require(choose["executedBytes"] as? Int)
    #expect(executed > 0 && executed < choose["sizeBytes"] as? Int ?? 0)
    #expect(functions.contains { $0["name"] as? String == "_start" && $0["blocks"] == nil })
    let text = try workshop.mustOrderfile("show", "t").text
    #expect(text.contains("executed: \(sum("executedBytes")) of \(sum("sizeBytes")) bytes of"))
    // The trace alone has all facts when the program is removed.
    #expect(text.contains(" could get a breakpoint, "))
    try FileManager.default.removeItem(atPath: workshop.path("app"))
    #expect(try workshop.mustOrderfile("show", "t").text == text)
  }

  @Test func aProgramWithoutAMapIsRefused() throws {
    let workshop = try BreakpointTests.workshop()
    let run = try record(workshop, ["./app", "exit", "0"])
    #expect(run.status == 1)
    #expect(
      run.errors == """
        orderfile: error: ./app: no recorded image has a basic block address map
          hint: compile with clang and -fbasic-block-address-map; for Swift see docs/how-to/BLOCKS.md

        """)
    #expect(!workshop.fileNames.contains { $0.hasPrefix("t") })
  }

  @Test func anImageWithoutAMapIsRecordedByFunctions() throws {
    let workshop = try Workshop()
    try workshop.write("int answer(int n) { return n > 2 ? 42 : n; }\n".utf8, "lib.c")
    try workshop.write(
      "int answer(int); int main(int n, char **v) { (void)v; return answer(n) - 1; }".utf8, "main.c"
    )
    try workshop.must("clang-19", ["-shared", "-fPIC", "lib.c", "-o", "lib.so"])
    try workshop.must(
      "clang-19", ["-fbasic-block-address-map", "main.c", "./lib.so", "-o", "app"])
    let run = try record(workshop, options: ["--also", "lib.so"])
    #expect(run.status == 0)
    #expect(
      run.errors.contains(
        "warning: \(workshop.path("lib.so")): no basic block address map: only functions are recorded"
      ),
      "\(run.errors)")
    let json = try workshop.mustOrderfile("show", "--json", "t").json
    let images = try #require(json["images"] as? [[String: Any]])
    #expect(images.map { ($0["blockCount"] as? Int ?? 0) > 0 } == [true, false])
    let functions = try #require(json["functions"] as? [[String: Any]])
    #expect(functions.contains { $0["name"] as? String == "answer" && $0["blocks"] == nil })
  }

  @Test func aRunningProcessIsRecordedFromNowOn() throws {
    let workshop = try Workshop()
    try workshop.write(
      """
      #include <stdio.h>
      #include <unistd.h>
      __attribute__((noinline)) static int rare(int n) { return n * 3; }
      __attribute__((noinline)) void enough(void) { __asm__ volatile(""); }
      int main(int n, char **v) {
        int i = 0;
        volatile unsigned char *code = (volatile unsigned char *)rare, first = *code;
        (void)v;
        puts("waiting");
        fflush(stdout);
        for (;;) {
          usleep(1000);
          int has_breakpoint = *code != first;
          if (n > 4) i = rare(i);
          i++;
          if (has_breakpoint) enough();
        }
      }
      """.utf8, "main.c")
    try workshop.must(
      "clang-19", ["-O1", "-no-pie", "-fbasic-block-address-map", "main.c", "-o", "app"])
    let app = try workshop.start(workshop.path("app"), [])
    try app.waitForOutput("waiting")
    let before = try BreakpointTests.text(of: app.number)
    let run = try workshop.orderfile([
      "record", "--breakpoints", "--blocks", "-o", "t", "--pid", "\(app.number)",
      "--stop-at-symbol", "enough",
    ])
    #expect(run.status == 0, "\(run.errors)")
    #expect(try BreakpointTests.text(of: app.number) == before && !before.isEmpty)
    app.send(SIGTERM)
    _ = app.end()
    let json = try workshop.mustOrderfile("show", "--json", "t").json
    // `main` was entered before the recording began, but its loop runs, so it is a startup function.
    #expect((json["hits"] as? [Any])?.isEmpty ?? false)
    let functions = try #require(json["functions"] as? [[String: Any]])
    #expect(functions.map { $0["name"] as? String } == ["main"])
    try workshop.mustOrderfile("gen", "t", "--image", "app", "-o", "order")
    #expect(workshop.text("order").contains("\nmain\n"))
  }

  /// `big` has 20 KiB that never run between two parts that do.
  static let big = """
    #include <stdio.h>
    __attribute__((noinline)) int before(int n) { return n > 9 ? puts("before") : n; }
    __attribute__((noinline)) int big(int n) {
      if (n > 50) __asm__ volatile(".fill 20480, 1, 0x90");
      if (n > 60) puts("sixty");
    #ifdef CHANGED
      if (n > 70) puts("seventy");
    #endif
      return before(n) + 1;
    }
    __attribute__((noinline)) void unused(int n) { if (n) __asm__ volatile(".fill 9000, 1, 0x90"); }
    int main(int n, char **v) { (void)v; return n > 3 ? (unused(n), 1) : big(n) - 2; }
    """

  private func diff(
    _ workshop: Workshop, _ before: String, _ after: String
  ) throws -> Run {
    try workshop.must(
      Built.orderfile, ["diff", before, after, "--trace", "t", "--json", "--page-size", "4k"])
  }

  /// Returns the pages that a report of `diff` predicts for `.text`, "before" or "after".
  private static func textPages(_ report: Run, _ side: String) -> Int {
    let sections = report.json["sections"] as? [[String: Any]] ?? []
    let text = sections.first { $0["name"] as? String == ".text" }
    return (text?["pages"] as? [String: Int])?[side] ?? -1
  }

  @Test(.needs("valgrind")) func diffCountsThePagesThatRunAlone() throws {
    let workshop = try Workshop()
    try workshop.write(Self.big.utf8, "main.c")
    func build(_ image: String, _ flags: [String]) throws {
      try workshop.must(
        "clang-19",
        [
          "-O1", "-ffunction-sections", "-no-pie", "-fuse-ld=lld", "-Wl,--build-id", "main.c", "-o",
          image,
        ] + flags)
    }
    let map = ["-fbasic-block-address-map"]
    try build("app", map)
    #expect(try record(workshop).status == 0)
    try workshop.write("main\nbig\nbefore\n".utf8, "order")
    let ordering = ["-Wl,--symbol-ordering-file=order", "-Wl,--no-warn-symbol-ordering"]
    try build("ordered", map + ordering)
    let report = try diff(workshop, "app", "ordered")
    let pages = Self.textPages(report, "after")
    #expect(report.errors.isEmpty)
    for (image, side) in [("app", "before"), ("ordered", "after")] {
      let executed = try Self.executed(workshop, ["./\(image)"], image: image)
      let sections = try workshop.must("readelf", ["-SW", image]).text.split(separator: "\n")
      let text = try #require(sections.first { $0.contains(" .text ") })
        .split(separator: " ").drop { $0 != "PROGBITS" }.dropFirst().compactMap {
          UInt64($0, radix: 16)
        }
      let inText = executed.filter { text[0] <= $0 && $0 < text[0] + text[2] }
      #expect(Self.textPages(report, side) == Set(inText.map { $0 >> 12 }).count)
    }
    let counts = report.json["functionsByBlocks"] as? [String: Int]
    #expect(counts == ["before": 3, "after": 3])

    // Without a map, or with other blocks, `big` counts as a whole, with the 4 or more pages that never ran.
    try build("mapless", ordering)
    let mapless = try diff(workshop, "app", "mapless")
    #expect(Self.textPages(mapless, "after") >= pages + 4)
    #expect(
      mapless.errors.contains(
        "warning: mapless: no basic block address map: all bytes of 3 startup functions count, not only the recorded blocks"
      ), "\(mapless.errors)")
    try build("other", map + ordering + ["-DCHANGED"])
    let other = try diff(workshop, "app", "other")
    #expect(Self.textPages(other, "after") >= pages + 4)
    #expect(
      other.errors.contains(
        "warning: other: all bytes of 1 startup function count, not only the recorded blocks: basic blocks differ from the recorded build's"
      ), "\(other.errors)")

    // This build has other instructions in the same blocks.
    try build("resized", map + ordering + ["-fcf-protection=branch"])
    let resized = try diff(workshop, "app", "resized")
    #expect(resized.errors.isEmpty && Self.textPages(resized, "after") == pages)
  }
}
