import Foundation
import TestSupport
import Testing

/// `orderfile faults`: the page faults of real launches, as the kernel takes them.
@Suite(.needs("clang"), .needs(.disk), .needs(.faultEvents))
struct FaultsTests {
  /// Constants so far apart that no fault maps two of them, a file, a forked child, a thread, and exec. What comes first is
  /// touched in this order: 4, 0, 3, the file's 6, 2 and 4 MiB, `zeroes`, then 5 and 2 by the child, 6 by the thread, and
  /// 1 after exec.
  static let program = """
    #define _GNU_SOURCE
    #include <fcntl.h>
    #include <pthread.h>
    #include <stdio.h>
    #include <string.h>
    #include <sys/mman.h>
    #include <sys/wait.h>
    #include <unistd.h>
    #define PAGE(n) const char page##n[4096] __attribute__((aligned(1048576))) = {1};
    PAGE(0) PAGE(1) PAGE(2) PAGE(3) PAGE(4) PAGE(5) PAGE(6) PAGE(7)
    char zeroes[4194304];
    __attribute__((noinline)) char touch(const volatile char *byte) { return *byte; }
    static void *run(void *unused) { touch(page6); return unused; }
    int main(int n, char **v) {
      if (n > 1 && !strcmp(v[1], "again")) return touch(page1) - 1;
      if (n > 1 && !strcmp(v[1], "fail")) return 3;
      if (n > 1 && !strcmp(v[1], "serve")) {
        touch(page4);
        puts("ready");
        fflush(stdout);
        pause();
      }
      touch(page4), touch(page0), touch(page3);
      int file = open("data", O_RDONLY);
      char *bytes = mmap(0, 8 << 20, PROT_READ, MAP_PRIVATE, file, 0);
      if (bytes == MAP_FAILED) return 9;
      touch(bytes + (6 << 20)), touch(bytes + (2 << 20)), touch(bytes + (4 << 20));
      ((volatile char *)zeroes)[3 << 20] = 1;
      pid_t child = fork();
      if (!child) {
        touch(page5), touch(page2);
        _exit(0);
      }
      waitpid(child, 0, 0);
      pthread_t thread;
      if (pthread_create(&thread, 0, run, 0) || pthread_join(thread, 0)) return 9;
      execl("./app", "./app", "again", (char *)0);
      return 9;
    }
    """

  static func workshop() throws -> Workshop {
    let workshop = try Workshop(in: DiskFolder.path)
    try workshop.write(program.utf8, "app.c")
    try workshop.must(
      "clang", ["-O1", "-no-pie", "-pthread", "-Wl,--build-id", "app.c", "-o", "app"])
    try workshop.must("truncate", ["-s", "8M", "data"])
    return workshop
  }

  private static func faults(_ workshop: Workshop, _ words: String...) throws -> (
    json: [String: Any], faults: [[String: Any]]
  ) {
    let run = try workshop.must(Built.orderfile, ["faults", "--json"] + words)
    #expect(run.errors.isEmpty, "\(run.errors)")
    return (run.json, try #require(run.json["faults"] as? [[String: Any]]))
  }

  @Test(arguments: [["--cold"], []])
  func faultsComeInTheOrderOfTheTouchesWithRisingTimes(_ options: [String]) throws {
    let workshop = try Self.workshop()
    let run = try workshop.must(
      Built.orderfile, ["faults", "--json"] + options + ["--", "./app"])
    #expect(run.errors.isEmpty, "\(run.errors)")
    let json = run.json
    let faults = try #require(json["faults"] as? [[String: Any]])
    let pages = faults.filter { ($0["symbol"] as? String)?.hasPrefix("page") ?? false }
    #expect(
      pages.map { $0["symbol"] as? String }
        == ["page4", "page0", "page3", "page5", "page2", "page6", "page1"])
    #expect(pages.map { $0["process"] as? Int } == [1, 1, 1, 2, 2, 1, 1])
    #expect(pages.map { $0["thread"] as? Int } == [1, 1, 1, 2, 2, 3, 1])
    #expect(pages.allSatisfy { $0["function"] as? String == "touch" })
    #expect(pages.allSatisfy { $0["section"] as? String == ".rodata" && $0["file"] as? Int == 0 })
    let offsets = faults.compactMap { $0["fileOffset"] as? Int }.filter { $0 >= 2 << 20 }
    #expect(offsets.map { $0 >> 20 } == [6, 2, 4])
    let zeroes = faults.filter { $0["symbol"] as? String == "zeroes" }
    #expect(zeroes.map { $0["section"] as? String } == [".bss"])

    let times = faults.compactMap { $0["nanoseconds"] as? Int }
    let wall = try #require(json["wallNanoseconds"] as? Int)
    #expect(times == times.sorted() && times.count == faults.count && times.last ?? 0 <= wall)
    #expect(Set(times).count > 10)
    let files = try #require(json["files"] as? [[String: Any]])
    #expect(files[0]["path"] as? String == workshop.path("app") && files[0]["id"] != nil)
    #expect(json["cache"] as? String == (options.isEmpty ? "warm" : "cold"))
    // The kernel's counts include its own faults, and all listed faults.
    for (kind, key) in [("major", "majorFaults"), ("minor", "minorFaults")] {
      let count = faults.count { $0["kind"] as? String == kind }
      #expect(count <= json[key] as? Int ?? 0, "\(kind)")
    }
    // The read-ahead during exec may read the whole file.
    #expect((json["majorFaults"] as? Int == 0) == options.isEmpty)
    #expect(faults.contains { ($0["handlingNanoseconds"] as? Int ?? 0) > 0 })
  }

  /// The first launch has read all files, so only evicted files are read from the device again.
  @Test func aFileThatIsEvictedFaultsAgain() throws {
    let workshop = try Self.workshop()
    func major(_ words: String...) throws -> Int {
      let run = try workshop.must(
        Built.orderfile, ["faults", "--json", "--cold"] + words + ["--", "./app"])
      let faults = run.json["faults"] as? [[String: Any]] ?? []
      return faults.count { $0["kind"] as? String == "major" && $0["fileOffset"] != nil }
    }
    #expect(try major() == 0 && major("--also", "data") > 0)
  }

  @Test func theTextSaysWhereAndWhen() throws {
    let workshop = try Self.workshop()
    let run = try workshop.mustOrderfile("faults", "--list", "--", "./app")
    #expect(run.errors.isEmpty, "\(run.errors)")
    for part in [
      "page faults of a warm launch of ", " ms, measured: 0 major, ", "FILE AND SECTION",
      "app .rodata\n", "UNTIL MS", " page4 ", " touch\n", "not listed: ",
      "'orderfile pages' counts all pages that a launch touches\n",
    ] { #expect(run.text.contains(part), "no '\(part)' in \(run.text)") }
    #expect(!run.text.contains("predicted"))
  }

  @Test func aServerIsListedUntilItIsReady() throws {
    let workshop = try Self.workshop()
    let (json, faults) = try Self.faults(
      workshop, "--until-ready", "line=ready", "--", "./app", "serve")
    let wall = try #require(json["wallNanoseconds"] as? Int)
    #expect(faults.contains { $0["symbol"] as? String == "page4" })
    #expect(faults.allSatisfy { $0["nanoseconds"] as? Int ?? .max <= wall })
  }

  @Test func aScriptIsItsInterpreter() throws {
    let workshop = try Self.workshop()
    try workshop.writeProgram("#!/bin/sh\nexec ./app again\n".utf8, "script")
    let (json, faults) = try Self.faults(workshop, "--", "./script")
    let files = try #require(json["files"] as? [[String: Any]])
    #expect((files[0]["path"] as? String)?.hasSuffix("sh") ?? false, "\(files[0])")
    #expect(faults.contains { $0["symbol"] as? String == "page1" })
  }

  @Test func failuresAreExplained() throws {
    let workshop = try Self.workshop()
    let failed = try workshop.orderfile("faults", "--", "./app", "fail")
    #expect(failed.status == 1 && failed.output.isEmpty)
    #expect(
      failed.errors.contains("./app: the launch failed: expected exit status 0, found 3"),
      "\(failed.errors)")
    let anyway = try workshop.orderfile("faults", "--ignore-failure", "--", "./app", "fail")
    #expect(anyway.status == 0 && anyway.text.contains("page faults of a warm launch"))
    for (words, message) in [
      (
        ["--also", "data", "--", "./app"],
        "--also needs --cold: it names a file to evict before a cold launch"
      ),
      (["--until-ready", "mark=x", "--", "./app"], "--until-ready can't use marks"),
      (["--lists", "--", "./app"], "unknown option '--lists'"),
      ([], "missing the program to launch"),
    ] {
      let run = try workshop.orderfile(["faults"] + words)
      #expect(run.status == 64 && run.errors.contains(message), "\(run.errors)")
    }
  }

  @Test func theReportHasThemOfItsLayout() throws {
    let workshop = try Self.workshop()
    try workshop.mustOrderfile("faults", "--json", "-o", "faults.json", "--", "./app")
    try workshop.write("main\ntouch\n".utf8, "app.order")
    let report = try workshop.mustOrderfile("report", "--json", "app", "app.order", "faults.json")
    let one = try #require((report.json["faults"] as? [[String: Any]])?.first)
    #expect(one["side"] as? String == "only" && one["cache"] as? String == "warm")
    let places = try #require(one["places"] as? [String])
    let parts = try #require(one["parts"] as? [Int])
    #expect(places.count == parts.count)
    #expect(places.firstIndex(of: "app .rodata").map { parts[$0] } == 1)
    #expect(places.firstIndex(of: "app .text").map { parts[$0] } == 0)
    let counts = ["address", "by", "handlingNanoseconds", "kind", "name", "nanoseconds", "place"]
      .compactMap { (one[$0] as? [Int])?.count }
    #expect(Set(counts).count == 1 && counts.count == 7 && counts[0] > 10)
    let alone = try workshop.mustOrderfile("report", "--json", "faults.json")
    #expect(((alone.json["faults"] as? [[String: Any]])?.first)?["side"] == nil)

    // Of another program.
    try workshop.mustOrderfile("faults", "--json", "-o", "other.json", "--", "true")
    let other = try workshop.orderfile("report", "--json", "app", "app.order", "other.json")
    #expect(other.status == 3 && other.errors.contains("mismatch"), "\(other.errors)")
  }
}

extension FaultsTests {
  /// Without permission there are counts, and the reason why there is no list.
  @Test func withoutPermissionThereAreCountsAndTheReason() throws {
    let workshop = try Self.workshop()
    try FaultCounter.buildRefuser(in: workshop)
    let run = try workshop.start(
      workshop.path("refuser"),
      [Built.orderfile, "faults", "--json", "--", "./app", "again"]
    ).end()
    #expect(run.status == 0, "\(run.errors)")
    #expect(
      run.errors.contains(
        "the faults were counted but not listed: perf_event_open: Operation not permitted"))
    #expect(run.json["refusal"] as? String == "perf_event_open: Operation not permitted")
    #expect((run.json["faults"] as? [Any])?.isEmpty == true)
    #expect(run.json["minorFaults"] as? Int ?? 0 > 10)
  }
}
