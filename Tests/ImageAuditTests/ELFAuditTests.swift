import Foundation
import ImageAudit
import ImageModel
import Reporting
import TestSupport
import Testing

/// `orderfile audit` of programs and libraries that were linked for these tests.
@Suite(.needs("clang", "ld.lld")) struct ELFAuditTests {
  private static func workshop(_ sources: [String: String]) throws -> Workshop {
    let workshop = try Workshop()
    for (name, text) in sources.sorted(by: { $0.key < $1.key }) {
      try workshop.write(text.utf8, name)
    }
    return workshop
  }

  private static func link(_ workshop: Workshop, _ words: String...) throws {
    let run = try workshop.run("clang", ["-fuse-ld=lld", "-O1", "-Wl,--build-id"] + words)
    try #require(run.status == 0, "\(run.output)")
  }

  private static func audit(
    _ workshop: Workshop, _ name: String, _ options: Audit.Options = Audit.Options()
  ) throws -> AuditDocument {
    try Audit(workshop.folder.appendingPathComponent(name).path, options).examine()
  }

  private static func library(_ name: String, _ document: AuditDocument) -> AuditedLibrary? {
    document.libraries.first { $0.name.description == name }
  }

  @Test func aCycleIsFoundOnceAndAMissingLibraryIsSaid() throws {
    let workshop = try Self.workshop([
      "a.c": "int b(void); int a(void) { return b(); }",
      "b.c": "int a(void); int b(void) { return (long)a; }",
      "gone.c": "int c(void) { return 1; }",
      "app.c": "int a(void); int c(void); int main(void) { return a() + c(); }",
    ])
    let shared = ["-shared", "-fPIC", "-nostdlib", "-Wl,-rpath,$ORIGIN"]
    func make(_ name: String, _ words: [String]) throws {
      let run = try workshop.run(
        "clang",
        ["-fuse-ld=lld", "\(name).c", "-o", "lib\(name).so", "-Wl,-soname,lib\(name).so"] + shared
          + words)
      try #require(run.status == 0, "\(run.output)")
    }
    try make("a", [])
    try make("b", ["-L.", "-la"])
    try make("a", ["-L.", "-lb"])
    try make("gone", [])
    try Self.link(workshop, "app.c", "-o", "app", "-L.", "-la", "-lgone", "-Wl,-rpath,${ORIGIN}")
    try FileManager.default.removeItem(at: workshop.folder.appendingPathComponent("libgone.so"))

    let document = try Self.audit(workshop, "app")
    let a = try #require(Self.library("liba.so", document))
    #expect(a.isDirect && a.isEmbedded == true && a.isExamined)
    #expect(a.neededBy == ["app", "libb.so"])
    let b = try #require(Self.library("libb.so", document))
    #expect(!b.isDirect && b.isEmbedded == true && b.neededBy == ["liba.so"])
    let missing = try #require(Self.library("libgone.so", document))
    #expect(missing.problem == "not found" && missing.isEmbedded == nil && missing.path == nil)
    #expect(Self.library("libc.so.6", document)?.isEmbedded == false)
    #expect(document.libraries.map(\.name).count == Set(document.libraries.map(\.name)).count)
    #expect(document.images.first?.name == "app")
  }

  @Test(.needs("clang++")) func initializersHaveNamesFilesAndSizes() throws {
    let workshop = try Self.workshop([
      "value.cpp": "#include <stdlib.h>\nint value = rand(); int main() { return value; }",
      "early.c":
        "__attribute__((constructor)) static void early(void) { __asm__ volatile(\"nop\"); }",
    ])
    try Self.link(workshop, "-c", "early.c")
    let run = try workshop.run(
      "clang++", ["-fuse-ld=lld", "-O1", "value.cpp", "early.o", "-o", "app", "-Wl,-Map=app.map"])
    try #require(run.status == 0, "\(run.output)")
    let own = { (document: AuditDocument) in document.initializers.filter { $0.image == "app" } }

    let document = try Self.audit(workshop, "app")
    let value = try #require(own(document).first { $0.origin == "c++" })
    #expect(value.kind == ".init_array" && value.objectFile == "value.cpp")
    #expect((value.size ?? 0) > 0 && value.pages == 1)
    let early = try #require(own(document).first { $0.name == "early" })
    #expect(early.objectFile == "early.c" && early.origin == nil)

    var options = Audit.Options()
    options.linkMap = workshop.folder.appendingPathComponent("app.map").path
    let mapped = own(try Self.audit(workshop, "app", options))
    #expect(
      mapped.first { $0.name == "early" }?.objectFile?.description.hasSuffix("early.o") ?? false)
  }

  @Test func relocationsAreCountedByKindAndPage() throws {
    let words = (0..<2048).map { "&values[\($0)]" }.joined(separator: ",")
    let workshop = try Self.workshop([
      "app.c":
        "int values[2048]; int *pointers[] = { \(words) }; int main(void) { return *pointers[3]; }"
    ])
    for (flag, kind) in [("-Wl,-z,norelro", "relative"), ("-Wl,-z,pack-relative-relocs", "relr")] {
      try Self.link(workshop, "app.c", "-o", "app", "-pie", "-fPIE", flag)
      let image = try #require(try Self.audit(workshop, "app").images.first)
      let count = image.relocations.counts.first { $0.kind == kind }?.words ?? 0
      #expect(2048...2060 ~= count, "\(flag)")
      #expect(4...7 ~= image.relocations.pages, "16 KiB of pointers")
    }
  }

  @Test func whatIsNotOnTheListFailsTheCheck() throws {
    let workshop = try Self.workshop([
      "app.c": "int main(void) { return 0; }", "all": "ld-linux*\r\nlibc.so.6\r\n",
      "none": "# none\n",
    ])
    try Self.link(workshop, "app.c", "-o", "app")
    var options = Audit.Options()
    options.allow = workshop.folder.appendingPathComponent("all").path
    let all = try Self.audit(workshop, "app", options)
    #expect(all.notAllowed == [] && all.problem == nil)
    options.allow = workshop.folder.appendingPathComponent("none").path
    let problem = try #require(try Self.audit(workshop, "app", options).problem)
    #expect(problem.severity == .checkFailed && problem.message.contains("libc.so.6"))
  }

  @Test func anImageOfAnotherMachineFindsNothingHere() throws {
    let workshop = try Self.workshop(["app.c": "int f(void) { return 0; }"])
    try Self.link(
      workshop, "app.c", "-o", "a.so", "-shared", "-nostdlib", "-Wl,-soname,libother.so")
    try Self.link(
      workshop, "app.c", "-o", "b.so", "--target=aarch64-linux-gnu", "-shared", "-nostdlib",
      "-Wl,-soname,libc.so.6")
    try Self.link(
      workshop, "app.c", "-o", "app.so", "--target=aarch64-linux-gnu", "-shared", "-nostdlib",
      "b.so")
    let library = try #require(try Self.audit(workshop, "app.so").libraries.first)
    #expect(library.problem == "it is for another machine" || library.problem == "not found")
    var options = Audit.Options()
    options.root = workshop.folder.path
    #expect(try Self.audit(workshop, "app.so", options).libraries.first?.problem == "not found")
    let folder = workshop.folder.appendingPathComponent("usr/lib")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try FileManager.default.moveItem(
      at: workshop.folder.appendingPathComponent("b.so"),
      to: folder.appendingPathComponent("libc.so.6"))
    let found = try #require(try Self.audit(workshop, "app.so", options).libraries.first)
    #expect(found.problem == nil && found.isEmbedded == false)
  }
}
