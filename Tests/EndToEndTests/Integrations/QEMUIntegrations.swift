import Foundation
import TestSupport
import Testing

/// `orderfile record --qemu`: the functions and blocks of an unmodified program that an emulator sees.
@Suite(.needs(.recording, .x8664Machine, "qemu-x86_64", "gcc")) struct QEMUIntegrations {
  /// With a map of blocks, an emulator records the same functions and blocks as breakpoints, in the same order.
  @Test(
    .needs("clang-19", "llvm-profdata-19"),
    arguments: BlockTests.programs.filter { !$0.flags.contains("-fcf-protection=full") })
  func withAMapItSeesWhatBreakpointsSee(_ program: BlockTests.Program) throws {
    let workshop = try BlockTests.workshop(program)
    let command = ["./app"] + program.arguments
    let plain = try workshop.start("./app", program.arguments).end()
    let run = try workshop.orderfile(["record", "--qemu", "-o", "q", "--"] + command)
    #expect(run.status == 0 && run.text == plain.text, "\(run.errors)")
    try workshop.must(
      Built.orderfile, ["record", "--breakpoints", "--blocks", "-o", "t", "--"] + command)
    let emulated = try QEMUWorkshop.uses(workshop, in: "q")
    let expected = try QEMUWorkshop.uses(workshop)
    #expect(emulated.entries == expected.entries && emulated.blocks == expected.blocks)
    #expect(emulated.blocks.count > 5)
  }

  /// Breakpoints can't tell a block from the landing pad before it; an emulator can.
  @Test(.needs("clang-19", "valgrind", "llvm-readobj-19"))
  func withLandingPadsItSeesWhatCallgrindSees() throws {
    let workshop = try BlockTests.workshop(BlockTests.withLandingPads)
    try workshop.mustOrderfile("record", "--qemu", "-o", "t", "--", "./app")
    let blocks = try QEMUWorkshop.uses(workshop).blocks.map(\.lowerBound)
    let executed = try BlockTests.executed(workshop, ["./app"])
    let expected = try BlockTests.allBlocks(workshop).intersection(executed)
    #expect(Set(blocks) == expected)
  }

  /// gcc writes no map. Each instruction that callgrind sees is in a run, and each run begins with one.
  @Test(.needs("valgrind"), arguments: ["", "thread"])
  func withoutAMapItSeesTheInstructionsThatCallgrindSees(what: String) throws {
    let workshop = try QEMUWorkshop.workshop("gcc", ["-no-pie"])
    let run = try QEMUWorkshop.record(workshop, what)
    #expect(run.status == 0, "\(run.errors)")
    let runs = try QEMUWorkshop.uses(workshop).blocks
    // callgrind does not know the image of some code, such as .init, but it knows the addresses of this code.
    let executed = try BlockTests.executed(
      workshop, ["./app", what], image: nil, options: ["--skip-plt=no"]
    ).filter { (0x400000..<0x500000).contains($0) }
    let unseen = executed.filter { address in !runs.contains { $0.contains(address) } }
    #expect(unseen.isEmpty && executed.count > 50)
    #expect(runs.allSatisfy { executed.contains($0.lowerBound) })
    // No byte is in two runs.
    let sorted = runs.sorted { $0.lowerBound < $1.lowerBound }
    #expect(zip(sorted, sorted.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound })
    // The entered functions are the functions that breakpoints record.
    try workshop.mustOrderfile("record", "--breakpoints", "-o", "b", "--", "./app", what)
    #expect(try Set(QEMUWorkshop.names(workshop)) == Set(QEMUWorkshop.names(workshop, in: "b")))
  }

  @Test func whatItSaysIsRightForSuchTraces() throws {
    let workshop = try QEMUWorkshop.workshop("gcc", ["-ffunction-sections", "-fuse-ld=lld"])
    let run = try QEMUWorkshop.record(workshop)
    #expect(run.errors.contains(", emulated by qemu-x86_64, CPU max"), "\(run.errors)")
    #expect(!run.errors.contains("warning"))
    let show = try workshop.mustOrderfile("show", "t").text
    #expect(show.contains(", 100.0% of the code\n") && show.contains("no map of basic blocks"))
    #expect(show.contains("sealed:   yes"))
    let json = try workshop.mustOrderfile("show", "--json", "t").json
    #expect(json["method"] as? String == "emulation")
    let functions = try #require(json["functions"] as? [[String: Any]])
    let half = try #require(functions.first { $0["name"] as? String == "half" })
    #expect(half["executedBytes"] as? Int ?? 0 < half["sizeBytes"] as? Int ?? 0)
    try workshop.mustOrderfile("gen", "t", "-o", "order")
    let order = workshop.text("order").split(separator: "\n").map(String.init)
    #expect(order.contains("half") && order.contains("last") && !order.contains("never"))
    try workshop.must(
      "gcc",
      [
        "-O1", "-g0", "-Wl,--build-id", "main.c", "-o", "ordered", "-pthread",
        "-ffunction-sections", "-fuse-ld=lld", "-Wl,--symbol-ordering-file=order",
      ])
    // Without a map, functions of the same size count as the same.
    let diff = try workshop.mustOrderfile("diff", "app", "ordered", "--trace", "t")
    #expect(
      !diff.errors.contains("not only the recorded blocks") && !diff.errors.contains("block"),
      "\(diff.errors)")
  }

  struct Target: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var compiler: String
    var flags: [String] = []
    var sysroot: String?
  }

  static let targets = [
    Target(testDescription: "static", compiler: "gcc", flags: ["-static"]),
    Target(testDescription: "static-pie", compiler: "gcc", flags: ["-static-pie"]),
    Target(testDescription: "stripped", compiler: "gcc", flags: ["-s"]),
    Target(
      testDescription: "static AArch64", compiler: "aarch64-linux-gnu-gcc", flags: ["-static"]),
    Target(
      testDescription: "AArch64", compiler: "aarch64-linux-gnu-gcc",
      sysroot: "/usr/aarch64-linux-gnu"),
    Target(
      testDescription: "RISC-V", compiler: "riscv64-linux-gnu-gcc",
      sysroot: "/usr/riscv64-linux-gnu"),
  ]

  @Test(
    .needs("aarch64-linux-gnu-gcc", "riscv64-linux-gnu-gcc", "qemu-aarch64", "qemu-riscv64"),
    arguments: targets)
  func everyKindOfProgramIsRecorded(_ target: Target) throws {
    let workshop = try QEMUWorkshop.workshop(target.compiler, target.flags)
    let options = target.sysroot.map { ["--sysroot", $0] } ?? []
    let run = try QEMUWorkshop.record(workshop, options: options, "thread")
    #expect(run.status == 0 && run.text == "many\nwords\n", "\(run.errors)")
    let json = try workshop.mustOrderfile("show", "--json", "t").json
    #expect(json["unattributedHits"] as? Int == 0 && json["lostRecords"] as? Int == 0)
    let images = try #require(json["images"] as? [[String: Any]])
    #expect(images.count == 1 && images[0]["path"] as? String == workshop.path("app"))
    guard !target.flags.contains("-s") else {
      // Unwind tables show the functions of the stripped program, which have no names.
      #expect((json["hits"] as? [Any])?.count ?? 0 >= 5)
      return
    }
    let own = ["main", "half", "of_thread", "last"]
    #expect(try QEMUWorkshop.names(workshop).filter(own.contains) == own)
    #expect(try !QEMUWorkshop.names(workshop).contains("never"))
    let functions = try #require(json["functions"] as? [[String: Any]])
    let half = try #require(functions.first { $0["name"] as? String == "half" })
    #expect(half["executedBytes"] as? Int == half["sizeBytes"] as? Int)
  }

  @Test func aForkedChildHasATraceOfItsOwn() throws {
    let workshop = try QEMUWorkshop.workshop()
    let run = try QEMUWorkshop.record(workshop, "fork")
    #expect(run.status == 0, "\(run.errors)")
    #expect(try !QEMUWorkshop.names(workshop).contains("of_child"))
    let child = try #require(workshop.fileNames.first { $0.hasPrefix("t.") })
    #expect(try QEMUWorkshop.names(workshop, in: child) == ["of_child"])
    let json = try workshop.mustOrderfile("show", "--json", child).json
    #expect(json["forkedBy"] != nil)
  }

  @Test func librariesThatComeAndGoKeepTheirFunctions() throws {
    let workshop = try Workshop()
    for name in ["one", "two"] {
      try workshop.write("int \(name)(int n) { return n + 1; }\n".utf8, "\(name).c")
      try workshop.must("gcc", ["-shared", "-fPIC", "\(name).c", "-o", "\(name),.so"])
    }
    try workshop.write(
      """
      #include <dlfcn.h>
      static int use(const char *path, const char *name) {
        void *library = dlopen(path, RTLD_NOW);
        int n = ((int (*)(int))dlsym(library, name))(1);
        dlclose(library);
        return n;
      }
      int main(void) {
        return use("./one,.so", "one") + use("./two,.so", "two") + use("./one,.so", "one") != 6;
      }
      """.utf8, "main.c")
    try workshop.must("gcc", ["main.c", "-o", "app", "-ldl"])
    let run = try QEMUWorkshop.record(
      workshop, options: ["--also", "one,.so", "--also", "two,.so"])
    #expect(run.status == 0, "\(run.errors)")
    let functions = try QEMUWorkshop.names(workshop)
    #expect(functions.contains("one") && functions.contains("two"))
    let json = try workshop.mustOrderfile("show", "--json", "t").json
    #expect(json["unattributedHits"] as? Int == 0)
  }
}
