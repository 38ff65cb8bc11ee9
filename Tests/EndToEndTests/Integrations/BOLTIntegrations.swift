import Foundation
import TestSupport
import Testing

/// `orderfile gen --splitter bolt`: a linked image that llvm-bolt splits and orders.
@Suite(.needs(.recording, .x8664Machine, "qemu-x86_64", "gcc", "llvm-bolt-19", "valgrind"))
struct BOLTIntegrations {
  /// Two files, each with a local function of the same name, and a variable of that name.
  static let sources = [
    "main.c": """
    #include <stdio.h>
    #include <stdlib.h>
    __attribute__((noinline)) static int help(int n) {
      if (n > 3) { for (int i = 0; i < n; i++) printf("%d ", i * n); abort(); }
      return n + 1;
    }
    int other(int);
    __attribute__((noinline)) int choose(int n) {
      switch (n) {
        case 0: return puts("zero");
        case 1: return 7 * puts("one");
        case 2: return puts("two") + n;
        case 3: return 11;
        case 4: return puts("four");
        default: return n;
      }
    }
    int main(int n, char **v) { (void)v; return help(n) + other(n) + choose(n) < 0; }
    """,
    "other.c": """
    #include <stdio.h>
    __attribute__((noinline)) static int help(int n) {
      if (n > 7) { puts("many"); puts("words"); }
      return n * 2;
    }
    int other(int n) { return help(n); }
    """,
  ]

  static func workshop(
    _ compiler: String = "gcc", _ flags: [String] = ["-fno-reorder-blocks-and-partition"],
    link: [String] = ["-Wl,--emit-relocs"]
  ) throws -> Workshop {
    let workshop = try Workshop()
    for (name, text) in sources { try workshop.write(text.utf8, name) }
    try workshop.must(
      compiler, ["-O2", "-Wl,--build-id", "main.c", "other.c", "-o", "app"] + flags + link)
    return workshop
  }

  private func gen(
    _ workshop: Workshop, image: String? = nil, path: String? = nil
  ) throws -> Run {
    try workshop.orderfile(
      ["gen", "t", "--splitter", "bolt", "--split-profile", "app.fdata", "-o", "app.order"]
        + (image.map { ["--image", $0] } ?? []),
      environment: path.map { ["PATH": $0] } ?? [:])
  }

  /// Returns the command that `gen` prints as the next step.
  private func command(_ run: Run) throws -> String {
    let line = try #require(run.errors.split(separator: "\n").first { $0.contains("; next: ") })
    return String(try #require(line.firstRange(of: "; next: ").map { line[$0.upperBound...] }))
  }

  @Test(
    .needs("clang-19"),
    arguments: [
      ("gcc", ["-fno-reorder-blocks-and-partition"]),
      ("gcc", ["-fno-reorder-blocks-and-partition", "-no-pie", "-g"]),
      ("clang-19", ["-fuse-ld=lld"]),
    ])
  func theCommandMakesAProgramThatDoesTheSame(compiler: String, flags: [String]) throws {
    let workshop = try Self.workshop(compiler, flags)
    try workshop.mustOrderfile("record", "--qemu", "-o", "t", "--", "./app")
    let run = try gen(workshop)
    #expect(run.status == 0, "\(run.errors)")
    let order = workshop.text("app.order").split(separator: "\n")
    #expect(order.contains("help/1") && order.contains("help/2") && order.contains("choose"))
    let bolt = try command(run)
    #expect(bolt.contains(" --update-debug-sections") == flags.contains("-g"))
    try workshop.must("sh", ["-c", bolt])
    let plain = try workshop.start("./app", []).end()
    let same = try workshop.start("./app.bolt", []).end()
    #expect(plain.output == same.output && plain.status == same.status)
    // The launch executes only code in the part for executed code, or in the start code that BOLT can't move.
    let symbols = try workshop.must("nm", ["app.bolt"]).text
    #expect(symbols.contains("help.cold") || symbols.contains("choose.cold"), "\(symbols)")
    // The check fails if BOLT knows fewer functions.
    try workshop.write(
      workshop.text("app.fdata").replacing("help/1", with: "help").utf8, "app.fdata")
    let mistaken = try workshop.start("sh", ["-c", bolt]).end()
    #expect(
      mistaken.status == 1
        && mistaken.errors.contains("BOLT found \(order.count - 1) of \(order.count) functions\n"),
      "\(mistaken.errors)")
    // BOLT's output has the map of BOLT's input, and another ID, so the output is recorded by functions.
    let again = try workshop.orderfile(
      ["gen", "t", "--image", "app.bolt", "--splitter", "bolt", "--split-profile", "x", "-o", "y"])
    #expect(again.status != 0 && again.errors.contains("this image is the output of BOLT"))
    #expect(try workshop.orderfile("show", "app.bolt").status == 0)
  }

  @Test func aMissingBOLTIsNamedAndAFailingOneFailsTheCommand() throws {
    let workshop = try Self.workshop()
    try workshop.mustOrderfile("record", "--qemu", "-o", "t", "--", "./app")
    let missing = try gen(workshop, path: workshop.folder.path)
    #expect(
      missing.status == 0
        && missing.errors.contains(
          """
          warning: missing 'llvm-bolt' on PATH, which the next command needs
            hint: install Debian's package bolt-19 or bolt-22

          """),
      "\(missing.errors)")
    #expect(try command(missing).hasPrefix("llvm-bolt /"))
    try workshop.writeProgram("#!/bin/sh\necho BOLT-ERROR: no >&2\nexit 3\n".utf8, "llvm-bolt-20")
    let found = try gen(workshop, path: workshop.folder.path)
    let bolt = try command(found)
    #expect(bolt.hasPrefix("llvm-bolt-20 /") && !found.errors.contains("warning"))
    let failed = try workshop.start("sh", ["-c", "PATH=.:$PATH; \(bolt)"]).end()
    #expect(failed.status == 3 && failed.errors == "BOLT-ERROR: no\n")
  }

  @Test func whatBOLTCannotDoIsRefused() throws {
    func refuses(_ workshop: Workshop, _ message: String, image: String? = nil) throws {
      let run = try gen(workshop, image: image)
      #expect(run.status != 0 && run.errors.contains(message), "\(run.errors)")
      #expect(!workshop.fileNames.contains { $0.hasPrefix("app.") })
    }
    let plain = try Self.workshop(link: [])
    try plain.mustOrderfile("record", "--qemu", "-o", "t", "--", "./app")
    try refuses(
      plain, "app: missing relocations: without relocations of the code, BOLT can't move functions")
    let split = try Self.workshop("gcc", [])
    try split.mustOrderfile("record", "--qemu", "-o", "t", "--", "./app")
    try refuses(split, "the compiler has split functions already, such as '")
    let functions = try Self.workshop()
    try functions.mustOrderfile("record", "--breakpoints", "-o", "t", "--", "./app")
    try refuses(functions, "app: missing basic blocks: the traces recorded functions only")
    try functions.mustOrderfile("record", "--qemu", "-o", "t", "--", "./app")
    try functions.must(
      "gcc",
      [
        "-O1", "-fno-reorder-blocks-and-partition", "-Wl,--build-id", "-Wl,--emit-relocs", "main.c",
        "other.c", "-o", "another",
      ])
    try refuses(functions, "a trace is of another build", image: "another")
    let usage = try functions.orderfile("gen", "t", "--splitter", "bolt", "-o", "o")
    #expect(usage.status == 64 && usage.errors.contains("--splitter belongs to --split-profile"))
    let same = try functions.orderfile("gen", "t", "--split-profile", "./o", "-o", "o")
    #expect(same.status == 64 && same.errors.contains("--split-profile and -o need a file each"))
    #expect(!functions.fileNames.contains("o"))
  }
}
