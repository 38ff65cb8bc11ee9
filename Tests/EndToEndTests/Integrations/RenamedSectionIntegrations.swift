import Foundation
import TestSupport
import Testing

/// Linkers without an order file place functions by the names that `gen --rename-sections` gives to their sections.
@Suite(
  .needs(
    .recording, "mold", "ld.gold", "ld.bfd", "clang++", "g++", "objcopy", "llvm-objcopy", "ar",
    "objdump", "readelf"))
struct RenamedSectionIntegrations {
  /// A program of two compilers: objects of one name in two folders, an archive with two members of one name, local
  /// functions of one name, a template in a COMDAT group of two objects, and an exception.
  private static let sources: [(path: String, text: String)] = [
    (
      "one/part.cc",
      """
      #include "shared.h"
      static KEPT int helper(int n) { return n + 1; }
      KEPT int one_unused(int n) { return helper(n) * 7; }
      KEPT int one_late(int n) { return helper(n) + shared<int>(n); }
      KEPT int one_first(int n) { return n * 3; }
      """
    ),
    (
      "two parts/part.cc",
      """
      #include "shared.h"
      static KEPT int helper(int n) { return n + 2; }
      KEPT int two_unused(int n) { return n * 5; }
      KEPT int two_late(int n) { try { thrown(n); } catch (const std::exception &) { n += 1; } return helper(n) + shared<int>(n); }
      """
    ),
    (
      "main.cc",
      """
      #include <cstdio>
      int one_first(int), one_late(int), two_late(int), member_a(int), member_b(int);
      int main(int n, char **) { std::printf("%d\\n", one_first(n) + two_late(n) + member_b(n) + one_late(n) + member_a(n)); }
      """
    ),
    (
      "a/member.cc",
      "__attribute__((noinline)) int a_unused(int n) { return n * 9; }\n"
        + "__attribute__((noinline)) int member_a(int n) { return n + 4; }\n"
    ),
    (
      "b/member.cc",
      "__attribute__((noinline)) int b_unused(int n) { return n * 8; }\n"
        + "__attribute__((noinline)) int member_b(int n) { return n + 5; }\n"
    ),
  ]
  private static let header = """
    #include <stdexcept>
    #define KEPT __attribute__((noinline))
    template <class T> KEPT T shared(T n) { return n * n; }
    inline KEPT void thrown(int n) { if (n > 0) throw std::runtime_error("n"); }
    KEPT inline int never(int n) { return n; }
    """
  private static let objects = ["main.o", "one/part.o", "two parts/part.o", "lib/members.a"]
  private static let startup: Set<String> = [
    "main", "_Z9one_firsti", "_Z8two_latei", "_Z8member_bi", "_Z8one_latei", "_Z8member_ai",
    "_ZL6helperi", "_Z6sharedIiET_S0_", "_Z6throwni",
  ]

  private static let byGCC = built(by: "g++", [])
  private static let byClang = built(by: "clang++", ["-fbasic-block-address-map", "-faddrsig"])

  private static func built(by compiler: String, _ flags: [String]) -> PreparedFolder<Workshop> {
    PreparedFolder { workshop in
      for folder in ["one", "two parts", "a", "b", "lib"] {
        try FileManager.default.createDirectory(
          atPath: workshop.path(folder), withIntermediateDirectories: true)
      }
      try workshop.write(header.utf8, "shared.h")
      for (path, text) in sources {
        try workshop.write(text.utf8, path)
        try workshop.must(
          compiler,
          ["-O2", "-fPIE", "-ffunction-sections", "-I.", "-c", path, "-o"]
            + [path.replacing(".cc", with: ".o")] + flags)
      }
      try workshop.must("ar", ["qcs", "lib/members.a", "a/member.o", "b/member.o"])
      try workshop.must("g++", ["-pie", "-Wl,--build-id"] + objects + ["-o", "app"])
      try workshop.mustOrderfile(
        "record", "-q", "--breakpoints", "-o", "app.oftrace", "--", "./app")
    }
  }

  /// A linker, its options, and whether it places functions in the order of the launch.
  struct Case: CustomTestStringConvertible {
    var linker: String
    var options: [String]
    var objcopy: String
    var built: PreparedFolder<Workshop>
    var testDescription: String { "\(linker), \(objcopy)" }
  }

  private static let cases = [
    ("mold", ["-fuse-ld=mold"]), ("gold", ["-fuse-ld=gold"]),
    ("gnu-ld", ["-fuse-ld=bfd"]),
  ].flatMap { linker, options in
    [("objcopy", byGCC), ("llvm-objcopy", byClang)].map {
      Case(linker: linker, options: options, objcopy: $0.0, built: $0.1)
    }
  }

  /// The variables with which `orderfile` finds only this objcopy.
  private static func only(_ objcopy: String, _ workshop: Workshop) throws -> [String: String] {
    let tools = workshop.path("tools")
    try? FileManager.default.createDirectory(atPath: tools, withIntermediateDirectories: true)
    let path = try #require(toolPath(objcopy))
    try FileManager.default.createSymbolicLink(
      atPath: "\(tools)/\(objcopy)", withDestinationPath: path)
    return ["PATH": tools]
  }

  private static func gen(_ linker: String, to folder: String = "ordered") -> [String] {
    [
      "gen", "app.oftrace", "--linker", linker, "--rename-sections", folder, "-o", "app.order",
      "--json", "--objects",
    ] + objects
  }

  @Test(arguments: cases) func theStartupFunctionsAreTogether(_ link: Case) throws {
    let workshop = try link.built.copy()
    let gen = try workshop.orderfile(
      Self.gen(link.linker), environment: try Self.only(link.objcopy, workshop))
    try #require(gen.status == 0, "\(gen.errors)")
    let images = try #require(gen.json["images"] as? [[String: Any]])
    let renaming = try #require(images.first?["renaming"] as? [String: Any])
    #expect(renaming["linkOptions"] as? String == link.options.joined(separator: " "))
    let placed = Set(
      workshop.text("app.order").split(separator: "\n").map(String.init)
        .filter { !$0.hasPrefix("#") })
    // The cold part that gcc makes of two_late begins with the landing pad, so a breakpoint records it.
    let others = placed.subtracting(Self.startup)
    try #require(placed.isSuperset(of: Self.startup) && others.allSatisfy { $0.hasSuffix(".cold") })
    #expect(renaming["sections"] as? Int == placed.count)
    #expect(
      (try FileManager.default.contentsOfDirectory(atPath: workshop.path("ordered"))).count == 4)

    let copies = Self.objects.map { "ordered/\($0)" }
    try workshop.must(
      "g++", ["-pie", "-Wl,--build-id"] + link.options + copies + ["-o", "linked"])
    #expect(
      try workshop.must(workshop.path("linked"), []).text
        == (try workshop.must(workshop.path("app"), []).text))
    let functions = try workshop.functions(in: "linked")
    let first = try #require(functions.firstIndex { placed.contains($0) })
    // One of the two local functions is called like the other.
    #expect(Set(functions[first...].prefix(placed.count + 1)) == placed, "\(functions)")

    let diff = try workshop.mustOrderfile(
      "diff", "app", "linked", "--trace", "app.oftrace", "--order", "app.order", "--json")
    let order = try #require(diff.json["order"] as? [String: Any])
    #expect(order["entries"] as? Int == placed.count)
    // In a group of mold, the second of the local functions of one name is not beside the first.
    let apart = link.linker == "mold" ? 1 : 0
    #expect(order["inOrder"] as? Int == placed.count - apart, "\(order)")
    let verify = try workshop.mustOrderfile("verify", "app.order", "--image", "linked", "--json")
    #expect(verify.json["stale"] as? Int == 0)
  }

  /// Returns the code and the relocations of a file, without the names of sections and the file's path, and the groups
  /// with their signatures.
  private static func contents(_ workshop: Workshop, _ path: String) throws -> [String] {
    let code = try workshop.must("objdump", ["-dr", path]).text
    let groups = try workshop.must("readelf", ["-gW", path]).text
    return (code + groups).split(separator: "\n").filter {
      !$0.contains("file format") && !$0.contains("section group [") || $0.contains("COMDAT group")
    }
    .map {
      String($0).replacing(path, with: "").replacing(#/\.(text|startup)\.[^\s+-]+/#, with: ".code")
        .replacing(#/group section \[ *\d+\]/#, with: "group section")
        .replacing(#/\[ *\d+\] */#, with: "").replacing(#/contains \d+ sections/#, with: "")
    }.filter { !$0.contains(" .rela") && !$0.hasSuffix(".rela.llvm_bb_addr_map") }
  }

  @Test(arguments: cases) func codeAndRelocationsAreUnchanged(_ link: Case) throws {
    let workshop = try link.built.copy()
    try #require(
      try workshop.orderfile(
        Self.gen(link.linker), environment: try Self.only(link.objcopy, workshop)
      ).status == 0)
    for object in Self.objects {
      #expect(
        try Self.contents(workshop, "ordered/\(object)") == Self.contents(workshop, object))
    }
    // The same inputs give the same bytes.
    try FileManager.default.removeItem(atPath: workshop.path("tools"))
    try #require(
      try workshop.orderfile(
        Self.gen(link.linker, to: "again"), environment: try Self.only(link.objcopy, workshop)
      ).status == 0)
    for object in Self.objects {
      #expect(workshop.bytes("ordered/\(object)") == workshop.bytes("again/\(object)"))
    }
  }

  @Test func anErrorLeavesTheCopiesAsTheyWere() throws {
    let workshop = try Self.byGCC.copy()
    try workshop.mustOrderfile(Self.gen("mold"))
    let (copy, order) = (workshop.bytes("ordered/main.o"), workshop.bytes("app.order"))
    #expect(!copy.isEmpty && !order.isEmpty)
    try FileManager.default.createDirectory(
      atPath: workshop.path("tools"), withIntermediateDirectories: true)
    try workshop.writeProgram(
      "#!/bin/sh\necho 'no space' >&2\nfor w; do :; done\necho part >\"$w\"\nexit 1\n".utf8,
      "tools/objcopy")
    let failed = try workshop.orderfile(
      Self.gen("gold"), environment: ["PATH": workshop.path("tools")])
    #expect(
      failed.status == 1
        && failed.errors.contains("objcopy failed (exit status 1)\n  no space"), "\(failed.errors)")
    #expect(workshop.bytes("ordered/main.o") == copy && workshop.bytes("app.order") == order)
    let fresh = try workshop.orderfile(
      Self.gen("gold", to: "fresh"), environment: ["PATH": workshop.path("tools")])
    #expect(fresh.status == 1 && !FileManager.default.fileExists(atPath: workshop.path("fresh")))
    let left = try FileManager.default.contentsOfDirectory(atPath: workshop.path("ordered"))
    #expect(left.sorted() == ["lib", "main.o", "one", "two parts"])
  }

  @Test func objectsThatCannotBeRenamedAreRefused() throws {
    let workshop = try Self.byGCC.copy()
    try workshop.must("ar", ["qcsT", "thin.a", "main.o"])
    try workshop.must("g++", ["-O2", "-flto", "-c", "main.cc", "-o", "lto.o"])
    try workshop.must("clang++", ["-O2", "-flto", "-c", "main.cc", "-o", "bitcode.o"])
    try workshop.must("ar", ["qcs", "lto.a", "lto.o"])
    try workshop.must("g++", ["-O2", "-c", "main.cc", "-o", "plain.o"])
    try workshop.must(
      "g++", ["-shared", "-fPIC", "-nostdlib", "b/member.cc", "-o", "libmember.so"])
    let byLinker = "the linker makes the code of this object, by link-time optimization"
    for (object, status, message) in [
      ("thin.a", 1, "thin.a: unable to rename sections: this is a thin archive"),
      ("lto.o", 1, "lto.o: unable to rename sections: \(byLinker)"),
      ("bitcode.o", 1, "bitcode.o: unable to rename sections: \(byLinker)"),
      ("lto.a", 1, "lto.a: lto.o: unable to rename sections: \(byLinker)"),
      ("libmember.so", 1, "libmember.so: not an object file: it is linked already"),
      ("main.cc", 1, "main.cc: not an object file for ELF linkers, and not an archive"),
      ("plain.o", 3, "plain.o: no section to rename: "),
      ("b/member.o", 0, "renamed 1 section in 1 of 1 object: ordered"),
    ] as [(String, Int32, String)] {
      let run = try workshop.orderfile(
        "gen", "app.oftrace", "--linker", "mold", "--rename-sections", "ordered", "-o", "o.order",
        "--objects", object)
      #expect(run.status == status && run.errors.contains(message), "\(object): \(run.errors)")
      #expect((status == 0) == FileManager.default.fileExists(atPath: workshop.path("o.order")))
    }
    let same = try workshop.orderfile(
      "gen", "app.oftrace", "--linker", "mold", "--rename-sections", ".", "-o", "own.order",
      "--objects",
      "main.o")
    #expect(same.status == 1 && same.errors.contains("it is also an input"), "\(same.errors)")
  }

  @Test func wrongOptionsAreNamed() throws {
    let workshop = try Self.byGCC.copy()
    for (words, message) in [
      (["--linker", "mold", "-o", "o"], "mold takes no order file"),
      (
        ["--rename-sections", "d", "-o", "o", "--objects", "main.o"],
        "--rename-sections needs --linker"
      ),
      (
        ["--linker", "lld", "--rename-sections", "d", "-o", "o", "--objects", "main.o"],
        "not lld, which takes the order file"
      ),
      (["--linker", "mold", "--rename-sections", "d", "-o", "o"], "needs the object files"),
      (["--linker", "mold", "--rename-sections", "d", "--objects", "main.o"], "needs -o FILE"),
      (["-o", "o", "--objects", "main.o"], "--objects belongs to --rename-sections"),
    ] {
      let run = try workshop.orderfile(["gen", "app.oftrace"] + words)
      #expect(run.status == 64 && run.errors.contains(message), "\(run.errors)")
    }
  }
}
