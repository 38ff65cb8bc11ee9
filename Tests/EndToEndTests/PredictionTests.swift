import Foundation
import TestSupport
import Testing

/// Compares the prediction of `diff` for a release build with measurements.
@Suite(.needs("clang", "ld.lld", "nm"))
struct PredictionTests {
  /// A program with 300 functions of a page each. It calls every seventh function, backwards, and half of a big
  /// function.
  static let program = """
    #include <stdio.h>
    #define PAGE __attribute__((noinline, aligned(4096)))
    #define F(n) PAGE int f##n(int x) { __asm__ volatile(".skip 3000, 0x90"); return x + n; }
    #define TEN(n) F(n##0) F(n##1) F(n##2) F(n##3) F(n##4) F(n##5) F(n##6) F(n##7) F(n##8) F(n##9)
    #define HUNDRED(n) TEN(n##0) TEN(n##1) TEN(n##2) TEN(n##3) TEN(n##4) TEN(n##5) TEN(n##6) \\
      TEN(n##7) TEN(n##8) TEN(n##9)
    HUNDRED(1) HUNDRED(2) HUNDRED(3)
    PAGE int big(int x) {
      if (x < 100) return x;
      __asm__ volatile(".skip 20000, 0x90");
      return x * 3;
    }
    #define G(n) f##n,
    int main(int n, char **v) {
      static int (*const all[])(int) = {CALLED big};
      int sum = 0;
      for (int i = 0; i < (int)(sizeof all / sizeof *all); i++) sum += all[i](n);
      return printf("%d\\n", sum) < 0;
    }
    """

  /// Every seventh of the 300, the last first.
  static let called = stride(from: 399, through: 100, by: -7).map { "f\($0)" }

  /// Makes a folder with `app`, `app.order`, which lists the functions that a launch calls, and `ordered`.
  static func workshop(_ flags: [String]) throws -> Workshop {
    let workshop = try Workshop()
    try workshop.write(program.utf8, "app.c")
    let list = called.map { "\($0)," }.joined()
    try workshop.must(
      "clang",
      ["-O1", "-ffunction-sections", "-c", "app.c", "-o", "app.o", "-DCALLED=\(list)"]
        + flags.filter { $0.hasPrefix("-f") })
    let order = ["main"] + called + ["big"]
    try workshop.write((order.joined(separator: "\n") + "\n").utf8, "app.order")
    let link = ["app.o", "-fuse-ld=lld", "-Wl,--build-id"] + flags.filter { !$0.hasPrefix("-f") }
    try workshop.must("clang", link + ["-o", "app"])
    try workshop.must(
      "clang", link + ["-o", "ordered", "-Wl,--symbol-ordering-file=app.order"])
    return workshop
  }

  static func diff(_ workshop: Workshop, _ options: String...) throws -> [String: Any] {
    try workshop.must(
      Built.orderfile, ["diff", "app", "ordered", "--order", "app.order", "--json"] + options
    ).json
  }

  // MARK: Faults

  /// `faults` of a launch that finds the image in memory.
  static func warmFaults(_ workshop: Workshop, _ image: String) throws -> (
    faults: Int, start: UInt64
  ) {
    let path = workshop.folder.resolvingSymlinksInPath().appendingPathComponent(image).path
    let run = try workshop.start("./faults", [path]).end()
    try #require(run.status == 0, "\(run.errors)")
    let numbers = run.text.split { !$0.isHexDigit }
    let faults = numbers.first.flatMap { Int($0) }
    let start = numbers.last.flatMap { UInt64($0, radix: 16) }
    return (try #require(faults), try #require(start))
  }

  /// Returns the slide of an image in pages of 4 KiB; 0 if the image is loaded at its stated address.
  static func slidePages(_ workshop: Workshop, _ image: String, start: UInt64) throws -> UInt64 {
    let header = try workshop.must("readelf", ["-lW", image]).text
    let line = header.split(separator: "\n").first { $0.contains("LOAD") && $0.contains(" R E ") }
    let words = try #require(line).split(separator: " ")
    let stated = try #require(UInt64(words[2].dropFirst(2), radix: 16))
    return (start - stated / 4096 * 4096) / 4096
  }

  #if os(Linux)
    @Test(
      .needs("readelf", .pagesOf4KiB, .faultEvents),
      arguments: [["-no-pie"], ["-pie", "-fPIE"]])
    func warmFaultsOnCodeAreWithinTwo(flags: [String]) throws {
      let workshop = try Self.workshop(flags)
      try FaultCounter.build(in: workshop)
      let json = try Self.diff(workshop)
      let linux = try #require(json["linuxFaults"] as? [String: Any])
      let warm = try #require(linux["warmMinorFaults"] as? [String: [Int]])
      for (image, key) in [("app", "before"), ("ordered", "after")] {
        let measured = try Self.warmFaults(workshop, image)
        let predicted = try #require(warm[key])
        #expect(predicted.count == (flags == ["-no-pie"] ? 1 : 16))
        let slide = try Self.slidePages(workshop, image, start: measured.start)
        let here = predicted[Int(slide) % predicted.count]
        #expect(abs(here - measured.faults) <= 2, "\(image): \(here), measured \(measured.faults)")
      }
      let (before, after) = (warm["before"]?.min() ?? 0, warm["after"]?.max() ?? 0)
      #expect(before > 2 * after, "the order gathers what is called")
    }
  #endif

  // MARK: Measured pages

  /// A document as `orderfile pages` writes it, of an image with these executed addresses.
  static func document(
    _ workshop: Workshop, _ image: String, id: String? = nil, _ addresses: [UInt64]
  ) throws -> [UInt8] {
    let found = try workshop.mustOrderfile("show", "--json", image).json["id"] as? String
    let pages = addresses.enumerated().map { step, address in
      """
      {"access": "execute", "address": "0x\(String(address & ~4095, radix: 16))", \
      "function": null, "pc": "0x\(String(address, radix: 16))", "segment": "text", "step": \(step)}
      """
    }
    return Array(
      """
      {"command": ["./\(image)"], "exitStatus": 0, "images": [{"id": "\(id ?? found ?? "")", \
      "pages": [\(pages.joined(separator: ", "))], "path": "/x/\(image)"}], "method": "preload", \
      "schema": "orderfile.pages/1"}
      """.utf8)
  }

  static func symbols(_ workshop: Workshop, _ image: String) throws -> [String: UInt64] {
    let lines = try workshop.must("nm", [image]).text.split(separator: "\n")
    return Dictionary(
      lines.compactMap { line in
        let words = line.split(separator: " ")
        guard words.count == 3, let address = UInt64(words[0], radix: 16) else { return nil }
        return (String(words[2]), address)
      }, uniquingKeysWith: { first, _ in first })
  }

  @Test func eachPageOfTheDifferenceHasItsCause() throws {
    let workshop = try Self.workshop(["-no-pie"])
    let symbols = try Self.symbols(workshop, "app")
    // The executed functions are those of the launch without one, and a function that no order names.
    var executed = try (["main", "_start", "_init", "big"] + Self.called.dropLast()).map {
      try #require(symbols[$0])
    }
    executed.append(try #require(symbols["f200"]) + 8)
    try workshop.write(try Self.document(workshop, "app", executed), "app.json")
    let json = try Self.diff(workshop, "--pages-before", "app.json")
    let measured = try #require(json["measuredPages"] as? [String: Any])
    #expect(measured["after"] == nil)
    let before = try #require(measured["before"] as? [String: Any])
    let differences = try #require(before["differences"] as? [[String: Any]])
    let rows = differences.map {
      "\($0["function"] ?? "-") \($0["cause"] ?? "-") \($0["isExecuted"] as? Bool ?? false)"
    }
    #expect(rows.contains("f200 noEntry true"))
    #expect(rows.contains("\(Self.called.last ?? "") otherPath false"))
    #expect(rows.count { $0 == "big functionPart false" } >= 3, "the rest of a function of 20 KB")
    let first = try #require((before["pages"] as? [[String: Any]])?.first)
    let (predicted, count) = (first["predicted"] as? Int ?? 0, first["measured"] as? Int ?? 0)
    #expect(count == Set(executed.map { $0 / 4096 }).count)
    let missed = differences.count { $0["isExecuted"] as? Bool ?? false }
    #expect(predicted + missed - (differences.count - missed) == count)
    #expect(first["error"] as? Int == predicted - count)

    let text = try workshop.mustOrderfile(
      "diff", "app", "ordered", "--order", "app.order", "--pages-before", "app.json", "--list-pages"
    ).text
    #expect(text.contains("part of a function not entered"))
    #expect(text.contains("  f200\n"))
  }

  #if os(Linux) && arch(x86_64)
    /// `diff` of `app` and `ordered` by `app.oftrace`, a recording of `app`, and by the pages of both.
    static func measuredDiff(_ workshop: Workshop) throws -> Run {
      try workshop.mustOrderfile("record", "--breakpoints", "-o", "app.oftrace", "--", "./app")
      for image in ["app", "ordered"] {
        try workshop.mustOrderfile(
          "pages", "--method", "ptrace", "--json", "-o", "\(image).json", "--", "./\(image)")
      }
      return try workshop.mustOrderfile(
        "diff", "app", "ordered", "--trace", "app.oftrace", "--json", "--pages-before", "app.json",
        "--pages-after", "ordered.json")
    }

    /// The program as it ships, recorded with breakpoints; both layouts measured by `orderfile pages`.
    @Test func whatPagesMeasuresIsPredictedButForPartsNotEntered() throws {
      let workshop = try Self.workshop(["-no-pie"])
      let run = try Self.measuredDiff(workshop)
      let measured = try #require(run.json["measuredPages"] as? [String: [String: Any]])
      for layout in ["before", "after"] {
        let side = try #require(measured[layout])
        let causes = try #require(side["causes"] as? [[String: Any]])
        // One function has 20 KB; padding and alignment decide on how many pages it lies.
        #expect(causes.compactMap { $0["cause"] as? String } == ["functionPart"], "\(layout)")
        #expect(causes.allSatisfy { $0["onlyExecuted"] as? Int == 0 }, "\(layout)")
        let first = try #require((side["pages"] as? [[String: Any]])?.first)
        let (error, count) = (first["error"] as? Int ?? 99, first["measured"] as? Int ?? 0)
        #expect((3...6).contains(error), "\(layout)")
        #expect(count >= Self.called.count, "\(layout)")
      }
    }
  #endif

  #if os(Linux) && arch(x86_64)
    /// Labels of the compiler's own are in no symbol table; unwind tables know them, and the sequence in
    /// which the linker has them is the same in both images.
    @Test func codeWithoutASymbolThatRanIsCounted() throws {
      let workshop = try Workshop()
      func hidden(_ name: String, _ size: Int) -> String {
        ".section .text.\(name),\\\"ax\\\",@progbits\\n.p2align 12\\n.L\(name):\\n.cfi_startproc\\n"
          + ".skip \(size), 0x90\\nret\\n.cfi_endproc\\n.text\\n"
      }
      let code = (1...9).map { hidden("hidden\($0)", 100 * $0) }.joined()
      try workshop.write(
        """
        __asm__("\(code)");
        #ifndef CALL
        #define CALL(n) __asm__ volatile("call .Lhidden" #n ::: "memory")
        #endif
        __attribute__((noinline)) void first(void) { CALL(3); }
        __attribute__((noinline)) void unused(void) { CALL(5); }
        int main(int n, char **v) { (void)v; CALL(8); first(); if (n > 9) unused(); return 0; }
        """.utf8, "app.c")
      try workshop.write("main\nfirst\n".utf8, "app.order")
      let link = [
        "-O1", "-mno-red-zone", "-ffunction-sections", "-fuse-ld=lld", "-Wl,--build-id", "app.c",
      ]
      try workshop.must("clang", link + ["-o", "app"])
      try workshop.must(
        "clang", link + ["-o", "ordered", "-Wl,--symbol-ordering-file=app.order"])
      let run = try Self.measuredDiff(workshop)
      let measured = try #require(run.json["measuredPages"] as? [String: [String: Any]])
      for layout in ["before", "after"] {
        #expect((measured[layout]?["causes"] as? [Any])?.isEmpty ?? false, "\(layout)")
        let counts = try #require(measured[layout]?["pages"] as? [[String: Any]]).first
        #expect(counts?["measured"] as? Int ?? 0 >= 4, "\(layout)")
      }
      #expect(run.errors.isEmpty)
      // In another program it is unknown which labels correspond.
      try workshop.must("clang", link + ["-o", "other", "-Wl,--defsym=extra=0", "-DCALL(n)="])
      let other = try workshop.orderfile("diff", "other", "other", "--trace", "app.oftrace")
      #expect(
        other.errors.contains("2 startup functions without a name cannot be found in the layouts"))
    }
  #endif

  // MARK: Namesakes

  #if os(Linux) && arch(x86_64)
    /// A recording of one of the images itself knows which of several functions of one name ran; and in the
    /// other layout it is the one of that size.
    @Test func namesakesAreToldApartByTheRecordedImage() throws {
      let workshop = try Workshop()
      for (file, filler) in [("one", 40), ("two", 400)] {
        try workshop.write(
          """
          static __attribute__((noinline)) int same(int x) {
            __asm__ volatile(".skip \(filler), 0x90"); return x + 1;
          }
          int \(file)(int x) { return same(x) * 3; }
          """.utf8, "\(file).c")
      }
      try workshop.write(
        "int one(int), two(int); int main(int n, char **v) { return n > 9 ? two(n) : one(n) < 0; }"
          .utf8, "main.c")
      try workshop.write("main\none\n".utf8, "app.order")
      let link = ["-O1", "-ffunction-sections", "-fuse-ld=lld", "-Wl,--build-id"]
      let sources = ["two.c", "one.c", "main.c"]
      try workshop.must("clang", link + sources + ["-o", "app"])
      try workshop.must(
        "clang", link + sources + ["-o", "ordered", "-Wl,--symbol-ordering-file=app.order"])
      try workshop.mustOrderfile("record", "--breakpoints", "-o", "app.oftrace", "--", "./app")
      let diff = try workshop.mustOrderfile("diff", "app", "ordered", "--trace", "app.oftrace")
      #expect(!diff.errors.contains("several functions"))
      let other = try workshop.mustOrderfile(
        "diff", "ordered", "ordered", "--trace", "app.oftrace")
      #expect(other.errors.contains("belongs to several functions of the layout before"))
    }
  #endif

  @Test func documentsThatDoNotBelongAreRefused() throws {
    let workshop = try Self.workshop(["-no-pie", "-Wl,-Map=app.map"])
    try workshop.write(try Self.document(workshop, "app", [0x1000]), "app.json")
    try workshop.write(try Self.document(workshop, "app", id: "00ff", [0x1000]), "other.json")
    try workshop.write(try Self.document(workshop, "app", [0x1000]).dropLast(9), "cut.json")
    try workshop.write(Array("{\"schema\": \"orderfile.diff/1\"}".utf8), "diff.json")
    func check(_ options: [String], _ status: Int32, _ message: String) throws {
      let run = try workshop.orderfile(
        ["diff"] + options.prefix(1) + ["ordered", "--order", "app.order"] + options.dropFirst())
      #expect(run.status == status)
      #expect(message.isEmpty || run.errors.contains(message), "\(run.errors)")
    }
    try check(["app", "--pages-before", "app.json"], 0, "")
    try check(
      ["app", "--pages-before", "other.json"], 3, "other.json: image ID mismatch: expected ")
    try check(["app", "--pages-after", "app.json"], 3, "no image called 'ordered'")
    try check(
      ["app", "--pages-before", "cut.json"], 1, "cut.json: ends early, in 'schema' (at line ")
    try check(
      ["app", "--pages-before", "diff.json"], 1,
      "invalid schema: expected orderfile.pages/1, found orderfile.diff/1")
    try check(["app", "--pages-before", "none.json"], 1, "none.json: ")
    try check(
      ["app.map", "--pages-before", "app.json"], 1, "app.map: --pages-before needs an image: ")
  }
}
