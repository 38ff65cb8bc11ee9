import Audit
import Foundation
import ImageModel
import TestSupport
import Testing

/// `orderfile audit` of programs and libraries that were linked for these tests.
@Suite(.needs("clang", "ld.lld")) struct ELFAuditTests {
  @Test(.needs("clang++")) func initializersHaveNamesFilesAndSizes() throws {
    let workshop = try AuditedELF.workshop([
      "value.cpp": "#include <stdlib.h>\nint value = rand(); int main() { return value; }",
      "early.c":
        "__attribute__((constructor)) static void early(void) { __asm__ volatile(\"nop\"); }",
    ])
    try AuditedELF.link(workshop, "-c", "early.c")
    let run = try workshop.run(
      "clang++", ["-fuse-ld=lld", "-O1", "value.cpp", "early.o", "-o", "app", "-Wl,-Map=app.map"])
    try #require(run.status == 0, "\(run.output)")
    let own = { (document: AuditDocument) in document.initializers.filter { $0.image == "app" } }

    let document = try AuditedELF.audit(workshop, "app")
    let value = try #require(own(document).first { $0.origin == "c++" })
    #expect(value.kind == ".init_array" && value.objectFile == "value.cpp")
    #expect((value.size ?? 0) > 0 && value.pages == 1)
    let early = try #require(own(document).first { $0.name == "early" })
    #expect(early.objectFile == "early.c" && early.origin == nil)

    var options = Audit.Options()
    options.linkMap = workshop.folder.appendingPathComponent("app.map").path
    let mapped = own(try AuditedELF.audit(workshop, "app", options))
    #expect(
      mapped.first { $0.name == "early" }?.objectFile?.description.hasSuffix("early.o") ?? false)
  }

  @Test func relocationsAreCountedByKindAndPage() throws {
    let words = (0..<2048).map { "&values[\($0)]" }.joined(separator: ",")
    let workshop = try AuditedELF.workshop([
      "app.c":
        "int values[2048]; int *pointers[] = { \(words) }; int main(void) { return *pointers[3]; }"
    ])
    for (flag, kind) in [("-Wl,-z,norelro", "relative"), ("-Wl,-z,pack-relative-relocs", "relr")] {
      try AuditedELF.link(workshop, "app.c", "-o", "app", "-pie", "-fPIE", flag)
      let image = try #require(try AuditedELF.audit(workshop, "app").images.first)
      let count = image.relocations.counts.first { $0.kind == kind }?.words ?? 0
      #expect(2048...2060 ~= count, "\(flag)")
      #expect(4...7 ~= image.relocations.pages, "16 KiB of pointers")
    }
  }

  /// A library with initializers and relocations of several kinds.
  private static let relocated = """
    extern int shared(void); int local(int n) { return n; } static int hidden(int n) { return -n; }
    int (*table[])(int) = { local, hidden, hidden, local, hidden }; int (*other)(void) = shared;
    static __thread int counter; int data[512]; int *far[] = { data, data + 9, data + 400 };
    __attribute__((constructor)) static void early(void) { table[0](shared() + counter++); }
    __attribute__((constructor)) void late(void) { counter += shared(); }
    """

  @Test(
    .needs("llvm-readelf"),
    arguments: ["none", "android", "relr", "android+relr"], ["x86_64", "aarch64", "armv7"]
  ) func packedRelocationsAreThoseThatReadelfLists(packing: String, machine: String) throws {
    let workshop = try AuditedELF.workshop(["a.c": Self.relocated])
    try AuditedELF.link(
      workshop, "a.c", "-o", "a.so", "--target=\(machine)-linux-android", "-shared", "-nostdlib",
      "-fPIC", "-Wl,--pack-dyn-relocs=\(packing)", "-Wl,--use-android-relr-tags")
    let document = try AuditedELF.audit(workshop, "a.so")
    let image = try #require(document.images.first)
    let text = try AuditedELF.must(workshop, "llvm-readelf", ["-r", "a.so"])
    // Since LLVM 17, a number such as `0003:` precedes the first word of each entry of SHT_RELR.
    let lines = text.split(separator: "\n").map { line in
      line.split(separator: " ").drop { $0.hasSuffix(":") }
    }.filter { UInt64($0.first ?? "", radix: 16) != nil }
    let kinds = Dictionary(grouping: lines) { line in
      line.first { $0.hasPrefix("R_") }.map { Self.kind(of: String($0)) } ?? "relative"
    }.mapValues(\.count)
    #expect(image.relocations.words == lines.count && lines.count > 8)
    // readelf lists the words of SHT_RELR as relative relocations.
    var found: [String: Int] = [:]
    for (kind, words) in image.relocations.counts {
      found[kind == "relr" ? "relative" : kind, default: 0] += words
    }
    #expect(found == kinds)
    #expect(image.relocations.counts.contains { $0.kind == "relr" } == packing.contains("relr"))
    #expect(document.initializers.map(\.name) == ["early", "late"])
    #expect(document.warnings.allSatisfy { !$0.message.contains("relocations") })
  }

  private static func kind(of type: String) -> String {
    for (suffix, kind) in [
      ("RELATIVE", "relative"), ("GLOB_DAT", "globalData"), ("JUMP_SLOT", "jumpSlot"),
      ("JUMP_SLO", "jumpSlot"), ("_64", "symbolic"), ("ABS64", "symbolic"), ("ABS32", "symbolic"),
    ] where type.hasSuffix(suffix) { return kind }
    return "threadLocal"
  }

  @Test(.needs("llvm-strip", "clang++"), arguments: ["-pie", "-static-pie", "-shared", "-no-pie"])
  func withoutSectionHeadersNothingElseIsFound(mode: String) throws {
    let workshop = try AuditedELF.workshop([
      "a.cpp":
        "#include <vector>\n#include <cstdlib>\nstd::vector<int> all(rand()); struct S { virtual int f() { return 1; } }; S s; int main() { return s.f(); }"
    ])
    try AuditedELF.must(workshop, "clang++", ["-fuse-ld=lld", "-fPIC", "a.cpp", "-o", "a", mode])
    let whole = try AuditedELF.audit(workshop, "a")
    try AuditedELF.must(workshop, "llvm-strip", ["--strip-sections", "a"])
    let stripped = try AuditedELF.audit(workshop, "a")
    let relocations = try #require(stripped.images.first).relocations
    #expect(relocations.counts.map(\.kind) == whole.images[0].relocations.counts.map(\.kind))
    #expect(relocations.counts.map(\.words) == whole.images[0].relocations.counts.map(\.words))
    #expect(relocations.words > 0 && relocations.pages == whole.images[0].relocations.pages)
    #expect(stripped.libraries.map(\.name) == whole.libraries.map(\.name))
    let own = { (document: AuditDocument) in
      document.initializers.filter { $0.image == "a" }.map { "\($0.kind) \($0.address!)" }
    }
    #expect(own(stripped) == own(whole) && own(whole).count > 1)
    #expect(stripped.warnings.allSatisfy { !$0.message.contains("section headers") })
  }

  @Test(.needs("llvm-strip")) func aStaticProgramWithoutSectionHeadersIsSaidToBeUnknown() throws {
    let workshop = try AuditedELF.workshop(["a.c": "int main(void) { return 0; }"])
    try AuditedELF.link(workshop, "a.c", "-o", "a", "-static")
    try AuditedELF.must(workshop, "llvm-strip", ["--strip-sections", "a"])
    let warnings = try AuditedELF.audit(workshop, "a").warnings
    #expect(warnings.contains { $0.message.hasPrefix("this image has neither section headers") })
  }
}
