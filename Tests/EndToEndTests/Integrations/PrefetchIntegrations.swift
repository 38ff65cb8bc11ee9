import Foundation
import TestSupport
import Testing

/// Images that prefetch, made by further compilers, linkers and C libraries, and the costs of prefetching.
@Suite(
  .needs(
    .recording, "strace", "gcc", "clang-19", "ld.bfd", "ld.lld-19", "ld.lld-22", "musl-gcc",
    "valgrind"))
struct PrefetchIntegrations {
  private typealias Link = PrefetchTests.Link

  static let links: [PrefetchTests.Link] = [
    Link(testDescription: "lld, -no-pie", flags: ["-no-pie"]),
    Link(testDescription: "lld, static-pie", flags: ["-static-pie"]),
    Link(testDescription: "gcc, lld", compiler: "gcc"),
    Link(
      testDescription: "clang 19, lld 22", compiler: "clang-19",
      linker: OrderingLinker(name: "lld-22", format: "lld", option: "--symbol-ordering-file=")),
    Link(
      testDescription: "clang 19, lld 19, ThinLTO", compiler: "clang-19",
      linker: OrderingLinker(name: "lld-19", format: "lld", option: "--symbol-ordering-file="),
      flags: ["-flto=thin", "-Wl,--gc-sections,--icf=all"]),
    Link(testDescription: "lld, full LTO", flags: ["-flto"]),
    Link(testDescription: "GNU ld, LTO", compiler: "gcc", linker: .bfd, flags: ["-flto"]),
    Link(
      testDescription: "musl", compiler: "musl-gcc",
      linker: OrderingLinker(name: "musl", format: "gnu-ld", option: "-T")),
    Link(
      testDescription: "musl, static", compiler: "musl-gcc",
      linker: OrderingLinker(name: "musl", format: "gnu-ld", option: "-T"), flags: ["-static"]),
    Link(
      testDescription: "instrumented, without optimization",
      prefetchFlags: [
        "-O0", "-finstrument-functions", "-fstack-protector-all", "-fsanitize=undefined",
        "-fsanitize-coverage=trace-pc-guard,func", "-fprofile-instr-generate", "-pg",
      ]),
  ]

  @Test(arguments: links) func aLaunchPrefetchesWhatTheRecordedLaunchUsed(
    link: PrefetchTests.Link
  ) throws {
    try PrefetchTests.expectRegion(try PrefetchTests.linked(link), link)
  }

  @Test func theSourceIsAlsoCPlusPlusAndOldC() throws {
    let workshop = try PrefetchTests.linked(PrefetchTests.links[0])
    for words in [
      ["clang", "-std=c89", "-Wpedantic"], ["clang", "-x", "c++", "-Wpedantic"],
      ["gcc", "-std=c89", "-Wpedantic"], ["g++", "-x", "c++", "-Wpedantic"],
      ["clang", "-m32"], ["aarch64-linux-gnu-gcc"],
    ] {
      try workshop.must(
        words[0],
        Array(words.dropFirst()) + ["-Wall", "-Wextra", "-Werror", "-c", "prefetch.c", "-o", "o.o"])
    }
  }

  /// Writes `prefetch.c` with another table of data.
  ///
  /// - Parameter words: the words of each line of the table.
  private static func write(_ words: [[UInt32]], _ workshop: Workshop) throws {
    let source = workshop.text("prefetch.c")
    let empty = try #require(
      source.firstRange(of: /".long 0\\n"\s+".long 0\\n"/), "\(source)")
    let table = words.map { line in
      "\".long \(line.map { "\($0)" }.joined(separator: ", "))\\n\""
    }.joined(separator: " ")
    try workshop.write(source.replacingCharacters(in: empty, with: table).utf8, "prefetch.c")
  }

  /// The table states segments that the image lacks, that have another size or do not ascend, ranges past their end, a
  /// range of no segment, and too many segments.
  @Test(
    arguments: [
      [[1], [.max, .max], [1], [0, 0, 4096]], [[1], [99, 0], [1], [0, 0, 4096]],
      [[1], [0, 1500], [1], [0, .max, .max]], [[1], [0, 1500], [1], [0, 0, .max]],
      [[1], [1, 500], [1], [0, 4096, 1]], [[1], [1, .max], [1], [0, 0, .max]],
      [[1], [0, 0], [1], [0, 0, .max]], [[1], [0, 1500], [1], [7, 0, 4096]],
      [[2], [1, 500], [0, 1500], [2], [1, 0, 4096], [0, 0, 4096]],
      [[9], [0, 1500], [1], [0, 0, 4096]], [[.max], [0, 1500], [.max], [0, 0, 4096]],
    ] as [[[UInt32]]])
  func noTableDoesHarm(words: [[UInt32]]) throws {
    let workshop = try PrefetchTests.linked(PrefetchTests.links[0])
    try Self.write(words, workshop)
    try workshop.must(
      "clang",
      [
        "-O1", "-ffunction-sections", "-fuse-ld=lld", "main.c", "prefetch.c", "-o", "app",
        "-Wl,--symbol-ordering-file=app.order",
      ])
    #expect(try PrefetchTests.calls(workshop, ["./app"]).count <= 3)
  }

  /// The smallest program is the one on which the initializer weighs most. `PrefetchTable.mostRanges` is the number of
  /// ranges of a full table.
  @Test(arguments: [0, 3, 40]) func itAddsHardlyAnyInstructions(ranges: Int) throws {
    let data: [[UInt32]] =
      [[3], [0, 1500], [1, 500], [3, 40], [UInt32(ranges)]]
      + (0..<ranges).map { [[0, 0, 1400], [1, 0, 400], [2, 0, 40]][$0 % 3] }
    let workshop = try PrefetchTests.linked(PrefetchTests.links[0])
    try workshop.write("int main(void) { return 0; }\n".utf8, "small.c")
    try workshop.write(
      "orderfile_prefetch_first\norderfile_prefetch\nmain\norderfile_prefetch_last\n".utf8,
      "small.order")
    if ranges > 0 { try Self.write(data, workshop) }
    func instructions(_ more: [String]) throws -> Int {
      try workshop.must(
        "clang", ["-O1", "-fuse-ld=lld", "-ffunction-sections", "small.c", "-o", "small"] + more)
      let run = try workshop.must(
        "valgrind", ["--tool=callgrind", "--callgrind-out-file=/dev/null", "./small"])
      let line = try #require(
        (run.text + run.errors).split(separator: "\n").first { $0.contains("Collected : ") })
      return try #require(line.split(separator: " ").last.flatMap { Int($0) })
    }
    let before = try instructions([])
    let after = try instructions(["prefetch.c", "-Wl,--symbol-ordering-file=small.order"])
    #expect(50 * (after - before) <= before, "\(before) \(after)")
  }

  /// A system call that asks for pages does not map them into the process. The images are in memory, because on a disk one
  /// fault may map a large folio, which differs between two copies of a file.
  @Test(.needs(.sharedMemory)) func residentMemoryStaysTheSame() throws {
    let workshop = try PrefetchTests.linked(PrefetchTests.links[0], countsPages: true)
    try workshop.must(
      "clang",
      [
        "-O1", "-ffunction-sections", "-fuse-ld=lld", "-Wl,--build-id", "main.c", "-o", "ordered",
        "-Wl,--symbol-ordering-file=app.order,--no-warn-symbol-ordering",
      ])
    let folder = "/dev/shm/prefetch-\(UUID().uuidString)"
    try workshop.must("mkdir", [folder])
    defer { _ = try? workshop.run("rm", ["-r", folder]) }
    try workshop.must("cp", ["ordered", "app", folder])
    let run = try workshop.mustOrderfile(
      "measure", "--warm", "--memory", "--runs", "5", "--json", "--before", "\(folder)/ordered",
      "--after", "\(folder)/app")
    let memory = try #require(run.json["memory"] as? [String: Any])
    let sides = try #require(memory["sides"] as? [[String: Any]])
    let medians = try sides.map { side in
      let launches = try #require(side["launches"] as? [[String: Any]])
      return try #require(launches.compactMap { $0["rssBytes"] as? Int }.sorted()[2])
    }
    #expect(medians.count == 2 && medians[0] > 0 && 100 * medians[1] <= 105 * medians[0])
  }

  /// A filter of system calls that refuses madvise is no obstacle.
  @Test func aRefusedCallIsIgnored() throws {
    let workshop = try PrefetchTests.linked(PrefetchTests.links[0])
    try workshop.write(
      """
      #include <errno.h>
      #include <linux/filter.h>
      #include <linux/seccomp.h>
      #include <stddef.h>
      #include <sys/prctl.h>
      #include <sys/syscall.h>
      #include <unistd.h>
      int main(void) {
        struct sock_filter code[] = {
          BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
          BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 1),
          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        };
        struct sock_fprog filter = {4, code};
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, 2, &filter)) return 9;
        execl("./app", "./app", (char *)0);
        return 8;
      }

      """.utf8, "filter.c")
    try workshop.must("clang", ["filter.c", "-o", "filter"])
    try workshop.must("./filter", [])
  }
}
