import Audit
import Foundation
import ImageModel
import TestSupport
import Testing

/// The places where `orderfile audit` looks for the libraries that an ELF image asks for.
@Suite struct ELFLibrarySearchTests {
  @Test(.needs("clang", "ld.lld")) func aCycleIsFoundOnceAndAMissingLibraryIsSaid() throws {
    let workshop = try AuditedELF.workshop([
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
    try AuditedELF.link(
      workshop, "app.c", "-o", "app", "-L.", "-la", "-lgone", "-Wl,-rpath,${ORIGIN}")
    try FileManager.default.removeItem(at: workshop.folder.appendingPathComponent("libgone.so"))

    let document = try AuditedELF.audit(workshop, "app")
    let a = try #require(AuditedELF.library("liba.so", document))
    #expect(a.isDirect && a.isEmbedded == true && a.isExamined)
    #expect(a.neededBy == "app, libb.so")
    let b = try #require(AuditedELF.library("libb.so", document))
    #expect(!b.isDirect && b.isEmbedded == true && b.neededBy == "liba.so")
    let missing = try #require(AuditedELF.library("libgone.so", document))
    #expect(missing.problem == "not found" && missing.isEmbedded == nil && missing.path == nil)
    #expect(AuditedELF.library("libc.so.6", document)?.isEmbedded == false)
    #expect(document.libraries.map(\.name).count == Set(document.libraries.map(\.name)).count)
    #expect(document.images.first?.name == "app")

    // The given image is part of the cycle. It is recognized by its name in the table of names, and by its path.
    let own = try AuditedELF.audit(workshop, "liba.so")
    #expect(
      own.libraries.map(\.name) == ["libb.so"] && own.images.map(\.name) == ["liba.so", "libb.so"])
  }

  /// Returns a sysroot for the machine of `asking(for:)`, with a C library in `folder`, and with `libx.so` in `lib` of
  /// the root.
  private static func sysroot(_ folder: String) throws -> Workshop {
    let workshop = try Workshop()
    func make(_ path: String) throws {
      let url = workshop.folder.appendingPathComponent(path)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try workshop.write(AuditedELF.asking(for: []), path)
    }
    try make("root/usr/\(folder)/libc.so.6")
    try make("root/opt/\(folder)/liby.so")
    try make("root/opt/real/libx-1.so")
    return workshop
  }

  @Test(arguments: ["lib/x86_64-linux-gnu", "lib64", "lib"])
  func theFolderOfTheCLibraryIsTheValueOfLIB(folder: String) throws {
    let workshop = try Self.sysroot(folder)
    try workshop.write(
      AuditedELF.asking(
        for: ["/opt/$LIB/liby.so", "/opt/${LIB}/../$PLATFORM/z.so", "/opt/a$b.so"].map {
          Array($0.utf8)
        }), "app")
    var options = Audit.Options()
    options.root = workshop.folder.appendingPathComponent("root").path
    #expect(
      try AuditedELF.audit(workshop, "app", options).libraries.map(\.problem) == [
        nil, "its folder contains $PLATFORM, whose value is unknown", "not found",
      ])
  }

  @Test(arguments: ["root", "root/", "./root/../root//"])
  func linksInASysrootStayInIt(root: String) throws {
    let workshop = try Self.sysroot("lib64")
    let manager = FileManager.default
    let folder = workshop.folder.appendingPathComponent("root")
    for (path, target) in [
      ("lib64", "/usr/lib64"), ("usr/lib64/libx.so", "/opt/../../opt/link"),
      ("opt/link", "real/libx-1.so"),
      ("usr/lib64/libhost.so", workshop.folder.path + "/libhost.so"),
      ("usr/lib64/libloop.so", "libloop.so"),
    ] {
      try manager.createSymbolicLink(
        atPath: folder.appendingPathComponent(path).path, withDestinationPath: target)
    }
    try workshop.write(AuditedELF.asking(for: []), "libhost.so")
    let names = ["libc.so.6", "libx.so", "libhost.so", "libloop.so"]
    try workshop.write(AuditedELF.asking(for: names.map { Array($0.utf8) }), "app")
    var options = Audit.Options()
    options.root = workshop.folder.path + "/" + root
    let libraries = try AuditedELF.audit(workshop, "app", options).libraries
    #expect(libraries.map(\.problem) == [nil, nil, "not found", "not found"])
    #expect(libraries.prefix(2).map(\.isEmbedded) == [false, false])
    let real = try #require(realpath(folder.path, nil).map { String(cString: $0) })
    #expect(
      libraries.prefix(2).map(\.path) == [
        "\(real)/usr/lib64/libc.so.6", "\(real)/opt/real/libx-1.so",
      ])
  }

  @Test func thousandsOfLibrariesAreListed() throws {
    let workshop = try Workshop()
    let names = (0..<5000).map { "lib\($0).so" }
    try workshop.write(AuditedELF.asking(for: names.map { Array($0.utf8) }), "app")
    try workshop.write(AuditedELF.asking(for: []), "lib7.so")
    let document = try AuditedELF.audit(workshop, "app")
    #expect(document.libraries.map(\.name.description) == names)
    #expect(document.libraries.allSatisfy { $0.problem == "not found" && $0.isDirect })
  }

  @Test func namesOfAnyBytesAreListedAndWritten() throws {
    let workshop = try Workshop()
    let names: [[UInt8]] = [
      Array("a\"b'\\.so".utf8), Array("lib\u{1b}[31m\n\t.so".utf8), [0xff, 0xfe, 0x80], [0x2f],
      Array("$ORIGIN/${LIB}/x.so".utf8), Array("".utf8), Array("../..".utf8), Array("*".utf8),
    ]
    try workshop.write(AuditedELF.asking(for: names), "app")
    let document = try AuditedELF.audit(workshop, "app")
    #expect(document.libraries.map(\.name.bytes) == names)
    #expect(document.libraries[2].problem == "its name is not UTF-8")
    #expect(document.libraries.allSatisfy { $0.problem != nil })
    let text = AuditText(document).text
    #expect(!text.contains("\u{1b}") && !text.unicodeScalars.contains("\t"))
    let written = try parsedJSON(document.json())["libraries"] as? [[String: Any]]
    #expect(written?.count == names.count)
  }

  @Test(.needs("clang", "ld.lld")) func anImageOfAnotherMachineFindsNothingHere() throws {
    let workshop = try AuditedELF.workshop(["app.c": "int f(void) { return 0; }"])
    try AuditedELF.link(
      workshop, "app.c", "-o", "a.so", "-shared", "-nostdlib", "-Wl,-soname,libother.so")
    try AuditedELF.link(
      workshop, "app.c", "-o", "b.so", "--target=aarch64-linux-gnu", "-shared", "-nostdlib",
      "-Wl,-soname,libc.so.6")
    try AuditedELF.link(
      workshop, "app.c", "-o", "app.so", "--target=aarch64-linux-gnu", "-shared", "-nostdlib",
      "b.so")
    let library = try #require(try AuditedELF.audit(workshop, "app.so").libraries.first)
    #expect(
      library.problem == "this library is for another architecture"
        || library.problem == "not found")
    var options = Audit.Options()
    options.root = workshop.folder.path
    #expect(
      try AuditedELF.audit(workshop, "app.so", options).libraries.first?.problem == "not found")
    let folder = workshop.folder.appendingPathComponent("usr/lib")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try FileManager.default.moveItem(
      at: workshop.folder.appendingPathComponent("b.so"),
      to: folder.appendingPathComponent("libc.so.6"))
    let found = try #require(try AuditedELF.audit(workshop, "app.so", options).libraries.first)
    #expect(found.problem == nil && found.isEmbedded == false)
  }
}
