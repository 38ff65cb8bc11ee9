import Foundation
import TestSupport
import Testing

/// `measure --memory` and limits on memory, around real programs.
@Suite(.needs("clang")) struct MemoryTests {
  /// A program that writes its own `smaps` before its end, or touches as many KiB as its argument says.
  private static let workshop = PreparedFolder<Workshop> { workshop in
    try workshop.write(
      """
      #include <fcntl.h>
      #include <stdlib.h>
      #include <string.h>
      #include <sys/syscall.h>
      #include <unistd.h>
      static char text[1 << 18];
      static void copy(const char *path) {
        int in = open("/proc/self/smaps", O_RDONLY), out = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
        ssize_t size = 0, count;
        while ((count = read(in, text + size, sizeof text - size)) > 0) size += count;
        if (write(out, text, size) != size) _exit(2);
        close(in);
        close(out);
      }
      int main(int count, char **words) {
        if (count == 3 && !strcmp(words[1], "copy")) {
          /* touches what the second copy and the end use */
          memset(text, 1, sizeof text);
          copy(words[2]);
          syscall(SYS_getpid);
          copy(words[2]);
          syscall(SYS_exit_group, 0);
        }
        size_t size = count > 1 ? (size_t)atoi(words[1]) << 10 : 0;
        char *memory = malloc(size + 1);
        memset(memory, 1, size + 1);
        if (count > 2) {
          if (write(1, "ready\\n", 6) != 6) return 2;
          pause();
        }
        _exit(memory[size] != 1);
      }
      """.utf8, "app.c")
    try workshop.must("clang", ["-O1", "app.c", "-o", "app"])
    try workshop.writeProgram("#!/bin/sh\n./app 64\n:\n".utf8, "script")
  }

  private func memory(_ run: Run) throws -> [[String: Any]] {
    let memory = try #require(run.json["memory"] as? [String: Any], "\(run.errors)")
    return try #require(memory["sides"] as? [[String: Any]])
  }

  /// Returns the sum of a field of `smaps` over the mappings whose name is `image`; over all mappings if it is `nil`.
  private func bytes(_ field: String, of image: String?, in smaps: String) -> Int {
    var sum = 0
    var counts = image == nil
    for line in smaps.split(separator: "\n") {
      let words = line.split(separator: " ")
      if words[0].contains("-") { counts = image == nil || words.last.map(String.init) == image }
      if counts, words[0] == "\(field):" { sum += (Int(words[1]) ?? 0) << 10 }
    }
    return sum
  }

  /// The figures at the end of a process equal the figures that the process has read just before.
  @Test func figuresAreThoseOfTheKernel() throws {
    let workshop = try Self.workshop.copy()
    let run = try workshop.mustOrderfile(
      "measure", "--warm", "--memory", "--runs", "3", "--json", "--before", "./app copy before",
      "--after", "./app copy after")
    let image = workshop.folder.resolvingSymlinksInPath().path + "/app"
    for side in try memory(run) {
      let name = try #require(side["name"] as? String)
      let launches = try #require(side["launches"] as? [[String: Any]])
      #expect(launches.count == 3 && side["moment"] as? String == "end")
      let smaps = workshop.text(name)
      let last = try #require(launches.last)
      for (field, key) in [("Rss", "rssBytes"), ("Pss", "pssBytes")] {
        let found = try #require(last[key] as? Int)
        #expect(abs(found - bytes(field, of: nil, in: smaps)) <= (key == "rssBytes" ? 4096 : 65536))
      }
      // 256 KiB of zero-filled data are the image's, too, but they have no name in smaps.
      let mapped = try #require(last["mappings"] as? [[String: Any]])
      let named = mapped.filter { $0["kind"] as? String != "zeroFilled" }
        .compactMap { $0["rssBytes"] as? Int }.reduce(0, +)
      #expect(abs(named - bytes("Rss", of: image, in: smaps)) <= 4096)
      let kinds = mapped.compactMap { $0["kind"] as? String }
      #expect(Set(kinds).isSuperset(of: ["code", "data", "zeroFilled"]), "\(kinds)")
      let peak = try #require(last["peakBytes"] as? Int)
      let rss = try #require(last["rssBytes"] as? Int)
      #expect(peak >= rss - 65536)
    }
  }

  @Test func moreMemoryIsFoundAlsoWhenAServerIsReady() throws {
    let workshop = try Self.workshop.copy()
    let run = try workshop.mustOrderfile(
      "measure", "--warm", "--memory", "--runs", "20", "--json", "--until-ready", "line=ready",
      "--before", "./app 4000 wait", "--after", "./app 8000 wait")
    #expect(try memory(run).map { $0["moment"] as? String } == ["ready", "ready"])
    let found = try #require(run.json["memory"] as? [String: Any])
    let comparison = try #require((found["comparisons"] as? [[String: Any]])?.first)
    let metrics = try #require(comparison["metrics"] as? [[String: Any]])
    let verdicts = metrics.map { "\($0["metric"] ?? "") \($0["verdict"] ?? "")" }
    #expect(verdicts.prefix(2) == ["rss more", "pss more"], "\(verdicts)")
  }

  /// The program has 8 MiB, and then 5% more.
  @Test func fivePercentMoreExceedsTheLimit() throws {
    let workshop = try Self.workshop.copy()
    let first = try workshop.mustOrderfile(
      "check", "--limit", "measure.rss<=999999999", "--launch", "./app 8192", "--runs", "5",
      "--json")
    let figures = try #require(
      (first.json["images"] as? [[String: Any]])?.first?["figures"] as? [[String: Any]])
    let rss = try #require(
      figures.first { $0["metric"] as? String == "rss" }?["value"] as? Double)
    #expect((8.0...16).contains(rss / 1_048_576))
    let limit = "measure.rss<=\(Int(rss * 1.02))"
    for (size, status) in [("8192", 0), ("8800", 2)] {
      let run = try workshop.orderfile(
        "check", "--limit", limit, "--launch", "./app \(size)", "--runs", "5")
      #expect(run.status == status, "\(run.output)\(run.errors)")
      let measured = try workshop.orderfile(
        "measure", "--warm", "--memory", "--runs", "5", "--limit", limit, "--before", "./app 8192",
        "--after", "./app \(size)")
      #expect(measured.status == status, "\(measured.errors)")
    }
  }

  /// Kernels without CONFIG_PROC_PAGE_MONITOR have no files `smaps`.
  @Test func aSystemWithoutSmapsIsNamed() throws {
    let workshop = try Self.workshop.copy()
    try workshop.write(
      """
      #define _GNU_SOURCE
      #include <dlfcn.h>
      #include <errno.h>
      #include <fcntl.h>
      #include <stdarg.h>
      #include <string.h>
      #define OPEN(name) \\
        int name(const char *path, int flags, ...) { \\
          va_list more; \\
          va_start(more, flags); \\
          mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0; \\
          va_end(more); \\
          size_t size = strlen(path); \\
          if (size > 6 && !strcmp(path + size - 6, "/smaps")) { errno = ENOENT; return -1; } \\
          return ((int (*)(const char *, int, ...))dlsym(RTLD_NEXT, #name))(path, flags, mode); \\
        }
      OPEN(open) OPEN(open64)

      """.utf8, "hide.c")
    try workshop.must("clang", ["-shared", "-fPIC", "-w", "hide.c", "-o", "hide.so"])
    let run = try workshop.orderfile(
      "measure", "--warm", "--runs", "2", "--memory", "--before", "./app 1", "--after", "./app 1",
      environment: ["LD_PRELOAD": workshop.path("hide.so")])
    #expect(run.status == 1, "\(run.text)")
    #expect(
      run.errors.contains(
        "unable to read the memory of the program: expected its mappings in /proc/PID/smaps, found none"
      ) && run.errors.contains("CONFIG_PROC_PAGE_MONITOR"), "\(run.errors)")
  }

  @Test(arguments: [
    (["--before", "./script", "--after", "./script"], "had mapped the image at its end"),
    (
      ["--until-ready", "line=never", "--before", "./app 1", "--after", "./app 1"],
      "ended before it was ready"
    ),
    (["--limit", "measure.rss<=1", "--before", "./app", "--after", "./app"], "give --memory, too"),
    (
      ["--limit", "measure.requests<=1", "--before", "./app", "--after", "./app"],
      "give --device, too"
    ),
  ])
  func saysWhyThereIsNoMemory(words: [String], message: String) throws {
    let workshop = try Self.workshop.copy()
    let isUsage = message.hasSuffix(", too")
    let run = try workshop.orderfile(
      ["measure", "--warm", "--runs", "2"] + (isUsage ? [] : ["--memory"]) + words)
    #expect(run.status == (isUsage ? 64 : 1))
    #expect(run.errors.contains(message), "\(run.errors)")
  }
}
