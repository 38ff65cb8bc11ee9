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

  /// Runs a tool that must succeed.
  @discardableResult
  private static func must(
    _ workshop: Workshop, _ tool: String, _ words: [String]
  ) throws -> String {
    let run = try workshop.run(tool, words)
    try #require(run.status == 0, "\(run.output)")
    return run.output
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

    // The given image is part of the cycle: by its name in the table of names, and by its path.
    let own = try Self.audit(workshop, "liba.so")
    #expect(
      own.libraries.map(\.name) == ["libb.so"] && own.images.map(\.name) == ["liba.so", "libb.so"])
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
    let workshop = try Self.workshop(["a.c": Self.relocated])
    try Self.link(
      workshop, "a.c", "-o", "a.so", "--target=\(machine)-linux-android", "-shared", "-nostdlib",
      "-fPIC", "-Wl,--pack-dyn-relocs=\(packing)", "-Wl,--use-android-relr-tags")
    let document = try Self.audit(workshop, "a.so")
    let image = try #require(document.images.first)
    let text = try Self.must(workshop, "llvm-readelf", ["-r", "a.so"])
    // Since LLVM 17 the first word of each entry of SHT_RELR has a number in front of it, `0003:`.
    let lines = text.split(separator: "\n").map { line in
      line.split(separator: " ").drop { $0.hasSuffix(":") }
    }.filter { UInt64($0.first ?? "", radix: 16) != nil }
    let kinds = Dictionary(grouping: lines) { line in
      line.first { $0.hasPrefix("R_") }.map { Self.kind(of: String($0)) } ?? "relative"
    }.mapValues(\.count)
    #expect(image.relocations.words == lines.count && lines.count > 8)
    // readelf lists the words of SHT_RELR as relative ones.
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
    let workshop = try Self.workshop([
      "a.cpp":
        "#include <vector>\n#include <cstdlib>\nstd::vector<int> all(rand()); struct S { virtual int f() { return 1; } }; S s; int main() { return s.f(); }"
    ])
    try Self.must(workshop, "clang++", ["-fuse-ld=lld", "-fPIC", "a.cpp", "-o", "a", mode])
    let whole = try Self.audit(workshop, "a")
    try Self.must(workshop, "llvm-strip", ["--strip-sections", "a"])
    let stripped = try Self.audit(workshop, "a")
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
    let workshop = try Self.workshop(["a.c": "int main(void) { return 0; }"])
    try Self.link(workshop, "a.c", "-o", "a", "-static")
    try Self.must(workshop, "llvm-strip", ["--strip-sections", "a"])
    let warnings = try Self.audit(workshop, "a").warnings
    #expect(warnings.contains { $0.message.hasPrefix("it has neither section headers") })
  }

  /// A library without code whose dynamic section asks for libraries.
  private static func asking(for names: [[UInt8]]) -> [UInt8] {
    var strings: [UInt8] = [0]
    var table = ByteWriter()
    for name in names {
      table.write(1 as UInt64)
      table.write(UInt64(strings.count))
      strings += name + [0]
    }
    for field: UInt64 in [5, 0x5000, 10, UInt64(strings.count), 0, 0] { table.write(field) }
    var writer = ELFWriter()
    let text = writer.addText()
    let dynamic = writer.add(
      .init(".dynamic", type: 6, flags: 3, address: 0x10_0000, contents: table.bytes))
    let list = writer.add(.init(".dynstr", type: 3, flags: 2, address: 0x5000, contents: strings))
    writer.segments = [(1, text), (1, list), (2, dynamic)]
    return writer.bytes()
  }

  /// A library with a build ID and no initializer, and a program that asks for it.
  private static func recorded(_ id: [UInt8]) throws -> Workshop {
    let workshop = try Workshop()
    var library = ELFWriter()
    library.segments = [(1, library.addText())]
    library.addBuildID(id)
    try workshop.write(library.bytes(), "libplain.so")
    try workshop.write(Self.asking(for: [Array("$ORIGIN/libplain.so".utf8)]), "app")
    return workshop
  }

  private static func trace(of path: String, _ id: [UInt8], _ workshop: Workshop) throws -> String {
    var trace = TraceWriter()
    let image = TraceWriter.Image(path: path, id: id)
    trace.addLoad(image)
    trace.addHit(image, guard: 1, entry: 0x1010)
    try workshop.write(trace.bytes(), "app.oftrace")
    return workshop.folder.appendingPathComponent("app.oftrace").path
  }

  @Test func aLibraryWithoutInitializersIsToldFromItsOtherBuildsAndFoundAnywhere() throws {
    let workshop = try Self.recorded([1, 2, 3])
    let path = workshop.folder.appendingPathComponent("libplain.so").path
    var options = Audit.Options()
    options.traces = [try Self.trace(of: path, [9, 9], workshop)]
    let rebuilt = try Self.audit(workshop, "app", options)
    #expect(rebuilt.warnings.contains { $0.message.hasPrefix("it recorded another build of") })
    #expect(rebuilt.libraries.map(\.wasLoaded) == [nil])

    options.traces = [try Self.trace(of: "/elsewhere/libplain.so", [1, 2, 3], workshop)]
    let moved = try Self.audit(workshop, "app", options)
    #expect(moved.libraries.map(\.wasLoaded) == [true] && moved.use?.notObserved == [])
    #expect(moved.warnings.allSatisfy { !$0.message.contains("another build") })
  }

  @Test func aLibraryThatOnlyATraceKnowsHasToBeOnTheList() throws {
    let workshop = try Self.recorded([1, 2, 3])
    try workshop.write("libplain.so\n".utf8, "list")
    var options = Audit.Options()
    options.allow = workshop.folder.appendingPathComponent("list").path
    options.traces = [try Self.trace(of: "/opt/libplugin.so", [7], workshop)]
    let document = try Self.audit(workshop, "app", options)
    #expect(
      document.notAllowed == ["/opt/libplugin.so"] && document.problem?.severity == .checkFailed)
    let plugin = try #require(document.libraries.last)
    #expect(plugin.kinds == [.runTime] && plugin.path == "/opt/libplugin.so")
    // Nothing asks for it, directly or not.
    let rows = AuditText(document).text.split(separator: "\n").filter { $0.contains("libplugin") }
    #expect(rows.first?.contains("run-time") ?? false)
    #expect(!(rows.first?.contains("indirect") ?? true))
  }

  @Test func aTraceThatRecordedNoLibraryIsNoProofForAList() throws {
    let workshop = try Self.recorded([1, 2, 3])
    try workshop.write("*\n".utf8, "list")
    var options = Audit.Options()
    options.allow = workshop.folder.appendingPathComponent("list").path
    func warns() throws -> Bool {
      try Self.audit(workshop, "app", options).warnings.contains {
        $0.message.hasPrefix("no trace recorded a library")
      }
    }
    #expect(try !warns())
    let library = workshop.folder.appendingPathComponent("libplain.so").path
    options.traces = [try Self.trace(of: library, [9, 9], workshop)]
    #expect(try warns())
    options.traces = [try Self.trace(of: library, [1, 2, 3], workshop)]
    #expect(try !warns())
  }

  private static func stages(_ workshop: Workshop, _ images: [(path: String, id: String)]) throws
    -> String
  {
    let list = images.map {
      "{\"id\": \"\($0.id)\", \"loadNanoseconds\": 2000, \"mappedNanoseconds\": 1000, \"path\": \"\($0.path)\"}"
    }
    let text = """
      {"images": [\(list.joined(separator: ", "))], "initializers": [], "schema": "orderfile.stages/1"}
      """
    try workshop.write(text.utf8, "stages.json")
    return workshop.folder.appendingPathComponent("stages.json").path
  }

  /// Both programs load the same library.
  @Test func nothingIsTakenFromTheTimesOfAnotherProgram() throws {
    let workshop = try Self.recorded([1, 2, 3])
    let library = workshop.folder.appendingPathComponent("libplain.so").path
    let app = workshop.folder.appendingPathComponent("app").path
    var options = Audit.Options()
    options.stages = try Self.stages(
      workshop, [("/opt/other", "77"), (library, "010203"), ("/opt/libplugin.so", "88")])
    let other = try Self.audit(workshop, "app", options)
    #expect(other.libraries.map(\.loadNanoseconds) == [nil])
    #expect(
      other.warnings.map(\.message).contains {
        $0.contains("it measured launches without \(app): nothing of it is used")
      })

    let id = try #require(other.id).description
    options.stages = try Self.stages(
      workshop, [(app, id), (library, "010203"), ("/opt/libplugin.so", "88")])
    let own = try Self.audit(workshop, "app", options)
    #expect(own.libraries.map(\.loadNanoseconds).contains(2000) && own.libraries.count >= 2)
    #expect(own.warnings.allSatisfy { !$0.message.contains("it measured launches without") })
  }

  @Test func aTraceOfAnotherProgramIsSaid() throws {
    let workshop = try Self.recorded([1, 2, 3])
    try workshop.write(Data(contentsOf: workshop.folder.appendingPathComponent("app")), "another")
    var options = Audit.Options()
    options.traces = [try Self.trace(of: "/elsewhere/libplain.so", [1, 2, 3], workshop)]
    func warns(_ name: String) throws -> Bool {
      try Self.audit(workshop, name, options).warnings.contains {
        $0.message.contains("it recorded a launch of /bin/app, and nothing of ")
      }
    }
    #expect(try warns("another"))
    #expect(try !warns("app"))
  }

  @Test func theImagesOfAMeasurementCostTimeInProportion() throws {
    let workshop = try Self.recorded([1, 2, 3])
    let app = workshop.folder.appendingPathComponent("app").path
    let id = try #require(try Self.audit(workshop, "app").id).description
    func examine(_ size: Int) throws -> Int {
      var options = Audit.Options()
      options.stages = try Self.stages(
        workshop, [(app, id)] + (0..<size).map { ("/opt/lib\($0).so", "88") })
      return try Self.audit(workshop, "app", options).libraries.count
    }
    #expect(try examine(3) >= 4)
    #expect(costGrowth(from: 1000, by: 4) { _ = try? examine($0) } < 10)
  }

  @Test func anUnreadableListIsNoticedFirst() throws {
    let workshop = try Workshop()
    var options = Audit.Options()
    options.allow = workshop.folder.appendingPathComponent("none").path
    let error = #expect(throws: Diagnostic.self) { try Self.audit(workshop, "gone", options) }
    #expect(error?.description.contains("/none: ") ?? false)
  }

  /// A sysroot for the machine of `asking(for:)`, with a C library in `folder` and `libx.so` in `lib` of the root.
  private static func sysroot(_ folder: String) throws -> Workshop {
    let workshop = try Workshop()
    func make(_ path: String) throws {
      let url = workshop.folder.appendingPathComponent(path)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try workshop.write(Self.asking(for: []), path)
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
      Self.asking(
        for: ["/opt/$LIB/liby.so", "/opt/${LIB}/../$PLATFORM/z.so", "/opt/a$b.so"].map {
          Array($0.utf8)
        }), "app")
    var options = Audit.Options()
    options.root = workshop.folder.appendingPathComponent("root").path
    #expect(
      try Self.audit(workshop, "app", options).libraries.map(\.problem) == [
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
    try workshop.write(Self.asking(for: []), "libhost.so")
    let names = ["libc.so.6", "libx.so", "libhost.so", "libloop.so"]
    try workshop.write(Self.asking(for: names.map { Array($0.utf8) }), "app")
    var options = Audit.Options()
    options.root = workshop.folder.path + "/" + root
    let libraries = try Self.audit(workshop, "app", options).libraries
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
    try workshop.write(Self.asking(for: names.map { Array($0.utf8) }), "app")
    try workshop.write(Self.asking(for: []), "lib7.so")
    let document = try Self.audit(workshop, "app")
    #expect(document.libraries.map(\.name.description) == names)
    #expect(document.libraries.allSatisfy { $0.problem == "not found" && $0.isDirect })
  }

  @Test func namesOfAnyBytesAreListedAndWritten() throws {
    let workshop = try Workshop()
    let names: [[UInt8]] = [
      Array("a\"b'\\.so".utf8), Array("lib\u{1b}[31m\n\t.so".utf8), [0xff, 0xfe, 0x80], [0x2f],
      Array("$ORIGIN/${LIB}/x.so".utf8), Array("".utf8), Array("../..".utf8), Array("*".utf8),
    ]
    try workshop.write(Self.asking(for: names), "app")
    try workshop.write("\u{fe}*\nlib?*.so\r\n \n".utf8, "list")
    var options = Audit.Options()
    options.allow = workshop.folder.appendingPathComponent("list").path
    let document = try Self.audit(workshop, "app", options)
    #expect(document.libraries.map(\.name.bytes) == names)
    #expect(document.libraries[2].problem == "its name is not UTF-8")
    #expect(document.libraries.allSatisfy { $0.problem != nil })
    #expect(document.notAllowed?.count == names.count - 1)
    let text = AuditText(document).text
    #expect(!text.contains("\u{1b}") && !text.unicodeScalars.contains("\t"))
    let written = try parsedJSON(document.json())["libraries"] as? [[String: Any]]
    #expect(written?.count == names.count)
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
