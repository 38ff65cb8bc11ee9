import Foundation
import TestSupport
import Testing

/// Compares three recordings of a program: by the recorder, by breakpoints, and by callgrind.
@Suite(.needs(.recording, "valgrind")) struct SecondOpinionIntegrations {
  static let threaded = """
    #include <iostream>
    #include <map>
    #include <mutex>
    #include <stdexcept>
    #include <string>
    #include <thread>
    #include <vector>
    struct Shape { virtual ~Shape() {} virtual int area() const = 0; };
    struct Square : Shape { int n; Square(int n) : n(n) {} int area() const override { return n * n; } };
    struct Flat : Shape { int area() const override { return 0; } };
    static std::mutex lock;
    static std::map<std::string, int> sums;
    static Square early(3);
    __attribute__((noinline)) int fails(int n) { if (n % 2) throw std::runtime_error("odd"); return n; }
    __attribute__((noinline)) int unused(int n) { return Flat().area() + n; }
    __attribute__((noinline)) void work(int n) {
      int area = Square(n).area();
      try { area += fails(n); } catch (const std::exception &e) { area += std::string(e.what()).size(); }
      std::lock_guard<std::mutex> guard(lock);
      sums["n" + std::to_string(n)] += area;
    }
    int main(int count, char **) {
      if (count > 9) return unused(count);
      std::vector<std::thread> threads;
      for (int i = 0; i < 8; i++) threads.emplace_back(work, i);
      for (auto &thread : threads) thread.join();
      int sum = early.area();
      for (auto &entry : sums) sum += entry.second;
      std::cout << sum << "\\n";
    }
    """
  static let swift = """
    final class Box<T: Equatable> {
      var list = [T](), text = ""
      @inline(never) func add(_ n: T) -> Int { list.append(n); text += "a1"; return list.count + text.count }
    }
    final class Crate {
      var list = [Int](), text = ""
      @inline(never) func add(_ n: Int) -> Int { list.append(n); text += "b2"; return list.count + text.count }
    }
    @inline(never) func late(_ n: Int) -> Int { Crate().add(n) + Box<Int>().add(n) + Box<String>().add("\\(n)") }
    @inline(never) func unused(_ n: Int) -> Int { n &* 7 }
    @inline(never) func words(_ s: String) -> [String: Int] {
      var counts: [String: Int] = [:]
      for word in s.split(separator: " ") { counts[String(word), default: 0] += 1 }
      return counts
    }
    let count = CommandLine.arguments.count
    print(late(count), count > 90 ? unused(count) : 0, words("a b a").count)
    """
  @Test func aThreadedProgramInCxx() throws {
    let workshop = try Workshop()
    try workshop.write(Self.threaded.utf8, "app.cpp")
    try workshop.must(
      "clang++", ["-O1", "-ffunction-sections", Build.coverage, "-c", "app.cpp", "-o", "app.o"])
    let recorder = try #require(Built.recorder)
    try workshop.must(
      "clang++",
      ["-no-pie", "-fuse-ld=lld", "-Wl,--build-id", "app.o", recorder, "-lpthread", "-o", "app"])
    try expectAgreement(workshop, objects: ["app.o"])
  }

  @Test(.needs("swiftc")) func aProgramInSwift() throws {
    let workshop = try Workshop()
    try workshop.write(Self.swift.utf8, "app.swift")
    let options = LanguageTests.swiftRecorded + ["-Xfrontend", "-function-sections"]
    try workshop.must("swiftc", ["-O", "-c", "app.swift", "-o", "app.o"] + options)
    let recorder = try #require(Built.recorder)
    try workshop.must(
      "swiftc",
      [
        "-use-ld=lld", "-Xclang-linker", "-no-pie", "-Xlinker", "--build-id", "app.o", recorder,
        "-o", "app",
      ])
    // The compiler merges equal functions into one body after each function has got its guard. A hit of the body is
    // reported as a hit of the function whose guard it is.
    try expectAgreement(workshop, objects: ["app.o"]) { $0.hasSuffix("Tm") }
  }

  @Test func theSqliteShell() throws {
    let workshop = try Workshop()
    let folder = try workshop.sqliteSources()
    let compilers = try ["sqlite3", "shell"].map { name in
      try workshop.start(
        "clang",
        ["-O0", "-ffunction-sections", Build.coverage, "-c", "\(folder)/\(name).c"])
    }
    for compiler in compilers { #expect(compiler.end().status == 0) }
    let recorder = try #require(Built.recorder)
    try workshop.must(
      "clang",
      [
        "-no-pie", "-fuse-ld=lld", "-Wl,--build-id", "sqlite3.o", "shell.o", recorder, "-lm",
        "-lpthread", "-ldl", "-o", "app",
      ])
    let sql = Built.sqliteBenchmark.appendingPathComponent("launch.sql").path
    try expectAgreement(
      workshop, objects: ["sqlite3.o", "shell.o"],
      arguments: ["-batch", ":memory:", ".read \(sql)"])
  }

  /// Three opinions on one launch of `app`, which is linked at the addresses that it states.
  ///
  /// - Parameter isToldAsAnother: whether the recorder tells a function of the program, by its name, as
  ///   another.
  private func expectAgreement(
    _ workshop: Workshop, objects: [String], arguments: [String] = [],
    isToldAsAnother: (String) -> Bool = { _ in false }
  ) throws {
    let command = ["./app"] + arguments
    try workshop.must(Built.orderfile, ["record", "-o", "recorder", "--"] + command)
    try workshop.must(
      Built.orderfile, ["record", "--breakpoints", "-o", "breakpoints", "--"] + command)
    try workshop.must(
      "valgrind",
      ["-q", "--tool=callgrind", "--dump-instr=yes", "--callgrind-out-file=executed"] + command)
    let recorder = try hits(workshop, in: "recorder")
    let breakpoints = try hits(workshop, in: "breakpoints")
    #expect(recorder.count > 10)

    // Breakpoints record all functions that the recorder records.
    #expect(recorder.filter { breakpoints[$0.key] == nil }.isEmpty)
    // The functions that only breakpoints record were compiled without the callback, except those that the caller
    // names.
    let own = try Set(objects.flatMap { try functions(workshop, $0).map(\.name) })
    let others = try Set(functions(workshop, try #require(Built.recorder)).map(\.name))
    for (entry, name) in breakpoints.filter({ recorder[$0.key] == nil }).sorted(by: {
      $0.key < $1.key
    }) {
      let isExplained =
        own.contains(name)
        ? name == "sancov.module_ctor_trace_pc_guard" || isToldAsAnother(name)
        : others.contains(name) || Self.startFiles.contains(name)
      #expect(isExplained, "not explained: \(name) at \(String(entry, radix: 16))")
    }

    // A function has a hit if and only if its first instruction was executed. valgrind counts nothing
    // outside of .text for an object: .init and .fini.
    let executed = try CallgrindOutput(contentsOfFile: workshop.path("executed"))
      .executedAddresses(of: "app")
    let unexecuted = breakpoints.filter { !executed.contains($0.key) }.values.sorted()
    #expect(unexecuted == ["_fini", "_init"])
    let missed = try functions(workshop, "app").filter {
      executed.contains($0.address) && breakpoints[$0.address] == nil
    }
    #expect(missed.isEmpty)
  }

  /// The functions of crt1.o, crti.o, crtbegin.o, libc_nonshared.a and swiftrt.o.
  private static let startFiles: Set = [
    "_start", "_init", "_fini", "_dl_relocate_static_pie", "register_tm_clones",
    "deregister_tm_clones", "__do_global_dtors_aux", "frame_dummy", "atexit",
    "_ZL23swift_image_constructorv",
  ]

  /// Returns the first name of each function with a hit, by the function's address.
  private func hits(_ workshop: Workshop, in trace: String) throws -> [UInt64: String] {
    let show = try workshop.mustOrderfile("show", "--json", trace).json
    var found: [UInt64: String] = [:]
    for hit in try #require(show["hits"] as? [[String: Any]]) {
      let text = try #require(hit["entry"] as? String)
      let entry = try #require(UInt64(text.dropFirst(2), radix: 16))
      found[entry] = (hit["names"] as? [String])?.first ?? ""
    }
    return found
  }

  /// The functions that the symbol table of `file` names.
  private func functions(
    _ workshop: Workshop, _ file: String
  ) throws -> [(address: UInt64, name: String)] {
    try workshop.must("nm", ["--defined-only", file]).text.split(separator: "\n").compactMap {
      let parts = $0.split(separator: " ", maxSplits: 2)
      guard parts.count == 3, "tTwW".contains(parts[1]), let address = UInt64(parts[0], radix: 16)
      else { return nil }
      return (address, String(parts[2]))
    }
  }
}
