import Foundation
import TestSupport
import Testing

/// The commands on Mach-O images, fat files and dSYMs.
@Suite(
  .needs(.appleSDK, "llvm-nm-19", "llvm-strip-19"))
struct MachOCommandTests {
  static let source = """
    namespace app { __attribute__((noinline)) int parse(int a) { return a * 3; } }
    extern "C" __attribute__((noinline)) int draw(int a) { return a + 2; }
    #ifdef RECORDED
    extern "C" void __sanitizer_cov_trace_pc_guard(unsigned *) {}
    extern "C" void __sanitizer_cov_trace_pc_guard_init(unsigned *, unsigned *) {}
    #endif
    int main(int count, char **) { return draw(app::parse(count)); }
    """

  /// A folder with `arm`, `intel`, and `fat` of both.
  static func workshop(isRecorded: Bool = false) throws -> Workshop {
    let workshop = try Workshop()
    let sdk = try AppleSDK()
    try workshop.write(source.utf8, "main.cpp")
    let flags = isRecorded ? ["-DRECORDED", "-fsanitize-coverage=func,trace-pc-guard"] : []
    for (platform, name) in [(AppleSDK.Platform.macOS, "arm"), (.macOSx8664, "intel")] {
      try sdk.compile(
        "main.cpp", to: "\(name).o", for: platform, flags: flags + ["-g"], in: workshop)
      try sdk.link(["\(name).o"], to: name, for: platform, in: workshop)
    }
    try workshop.must(sdk.lipo, ["-create", "intel", "arm", "-output", "fat"])
    return workshop
  }

  /// Returns the UUID of an image as `llvm-objdump` prints it.
  static func uuid(_ image: String, in workshop: Workshop) throws -> String {
    let text = try workshop.must("llvm-objdump-19", ["--macho", "--private-headers", image]).text
    let line = try #require(text.split(separator: "\n").first { $0.contains("    uuid ") })
    return String(try #require(line.split(separator: " ").last))
  }

  static func address(_ name: String, of image: String, in workshop: Workshop) throws -> UInt64 {
    let text = try workshop.must("llvm-nm-19", [image]).text
    let line = try #require(text.split(separator: "\n").first { $0.hasSuffix(" \(name)") })
    return try #require(UInt64(line.prefix(16), radix: 16))
  }

  /// Writes a trace of `arm`, which is at `path`: `functions` ran in their order.
  static func writeTrace(
    ofImageAt path: String, uuid: String, functions: [String] = ["_draw", "__ZN3app5parseEi"],
    in workshop: Workshop
  ) throws {
    let digits = uuid.filter { $0 != "-" }.map { UInt8($0.hexDigitValue ?? 0) }
    let id = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    let image = TraceWriter.Image(
      path: path, slide: 0x4000, text: 0x1_0000_0000..<0x1_0000_4000, idKind: 2, id: id)
    var trace = TraceWriter()
    trace.program = path
    trace.addLoad(image)
    for (index, name) in functions.enumerated() {
      trace.addHit(
        image, guard: UInt64(index), entry: try address(name, of: "arm", in: workshop))
    }
    try workshop.write(trace.bytes(), "app.oftrace")
  }

  @Test func showSaysWhetherAnImageIsInstrumented() throws {
    let recorded = try Self.workshop(isRecorded: true)
    let plain = try Self.workshop()
    #expect(
      try recorded.mustOrderfile("show", "arm").text.contains("\n  instrumented: yes, 3 guards\n"))
    #expect(try plain.mustOrderfile("show", "arm").text.contains("\n  instrumented: no\n"))
    let yes = try recorded.mustOrderfile("show", "--json", "arm").json
    #expect(yes["instrumented"] as? Bool == true)
    #expect(yes["guardCount"] as? Int == 3)
    let no = try plain.mustOrderfile("show", "--json", "arm").json
    #expect(no["instrumented"] as? Bool == false)
    #expect(no["guardCount"] as? Int == 0)
    #expect(no["id"] as? String == (try Self.uuid("arm", in: plain)))
  }

  @Test func namesForPeopleHaveNoUnderscore() throws {
    let workshop = try Self.workshop()
    let text = try workshop.mustOrderfile("show", "arm").text
    #expect(text.contains("  app::parse(int)\n"))
    #expect(text.contains("  _main\n"), "C has no mangling: it is called as the linker calls it")
    let json = try workshop.mustOrderfile("show", "--json", "arm").text
    #expect(json.contains(#""name": "__ZN3app5parseEi""#))
  }

  @Test func aFatFileNeedsAnArchitecture() throws {
    let workshop = try Self.workshop()
    let message = """
      orderfile: error: fat: missing architecture: the file has images for x86_64, arm64
        hint: choose one with '--arch'

      """
    let run = try workshop.orderfile("show", "fat")
    #expect(run.status == 1)
    #expect(run.errors == message)
    #expect(run.output.isEmpty)
    for (architecture, name) in [("arm64", "arm"), ("x86_64", "intel")] {
      let json = try workshop.mustOrderfile("show", "--json", "fat", "--arch", architecture).json
      #expect(json["architecture"] as? String == architecture)
      #expect(json["id"] as? String == (try Self.uuid(name, in: workshop)))
    }
    let other = try workshop.orderfile("show", "fat", "--arch", "arm64e")
    #expect(other.status == 3)
    #expect(
      other.errors == """
        orderfile: error: fat: architecture mismatch: expected arm64e, found x86_64, arm64

        """)

    try workshop.write("_draw\n_main\n".utf8, "app.order")
    let ambiguous = try workshop.orderfile("diff", "fat", "fat", "--order", "app.order")
    #expect(ambiguous.status == 1)
    #expect(ambiguous.errors == message)
    for (architecture, pageSize) in [("arm64", 16384), ("x86_64", 4096)] {
      let diff = try workshop.mustOrderfile(
        "diff", "fat", "fat", "--order", "app.order", "--arch", architecture, "--json")
      #expect(diff.json["pageSizeBytes"] as? Int == pageSize)
    }
  }

  @Test func theRecordedUUIDChoosesTheSlice() throws {
    let workshop = try Self.workshop()
    let uuid = try Self.uuid("arm", in: workshop)
    try Self.writeTrace(ofImageAt: workshop.path("fat"), uuid: uuid, in: workshop)
    let gen = try workshop.mustOrderfile("gen", "app.oftrace")
    let lines = gen.text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(lines == ["arm64:_draw", "arm64:__ZN3app5parseEi"])
    #expect(gen.text.contains(uuid))
    try workshop.must("mv", ["fat", "moved"])
    let moved = try workshop.mustOrderfile(
      "gen", "app.oftrace", "--image", "arm", "--recorded", "moved")
    #expect(moved.text.contains("\n_draw\n__ZN3app5parseEi\n"))
    let show = try workshop.mustOrderfile("show", "app.oftrace", "--recorded", "moved")
    #expect(show.text.contains("app::parse(int)"))

    let image = try workshop.orderfile(
      "gen", "app.oftrace", "--image", "moved", "--recorded", "moved")
    #expect(image.status == 1, "the build to be ordered has another UUID as a rule")
    #expect(image.errors.contains("hint: choose one with '--arch'"))
    let chosen = try workshop.mustOrderfile(
      "gen", "app.oftrace", "--image", "moved", "--recorded", "moved", "--arch", "arm64")
    #expect(chosen.text.contains("\narm64:_draw\narm64:__ZN3app5parseEi\n"))
  }

  @Test func anotherBuildIsRefusedWithBothUUIDs() throws {
    let workshop = try Self.workshop()
    let recorded = "01234567-89AB-CDEF-0123-456789ABCDEF"
    try Self.writeTrace(ofImageAt: workshop.path("arm"), uuid: recorded, in: workshop)
    let uuid = try Self.uuid("arm", in: workshop)
    for arguments in [["app.oftrace"], ["app.oftrace", "--recorded", "arm"]] {
      let run = try workshop.orderfile(["gen"] + arguments)
      #expect(run.status == 3)
      #expect(
        run.errors.contains("arm: image ID mismatch: expected \(recorded), found \(uuid)\n"),
        "\(run.errors)")
    }
  }

  @Test func aStrippedImageTakesItsNamesFromTheDSYM() throws {
    let workshop = try Self.workshop()
    let sdk = try AppleSDK()
    let whole = try workshop.mustOrderfile("show", "arm").text
    try workshop.must(sdk.dsymutil, ["arm", "-o", "kept.dSYM"])
    try workshop.must("llvm-strip-19", ["arm"])
    let bare = try workshop.mustOrderfile("show", "arm")
    #expect(bare.errors.contains("warning: arm: missing symbols: "))
    let named = try workshop.mustOrderfile("show", "arm", "--debug-file", "kept.dSYM")
    #expect(named.text == whole)
    #expect(named.errors.isEmpty)
    try workshop.must("mv", ["kept.dSYM", "arm.dSYM"])
    #expect(try workshop.mustOrderfile("show", "arm").text == whole)

    let wrong = try workshop.orderfile("show", "intel", "--debug-file", "arm.dSYM")
    #expect(wrong.status == 0, "the image has all its symbols")
    try workshop.must("llvm-strip-19", ["intel"])
    let refused = try workshop.orderfile("show", "intel", "--debug-file", "arm.dSYM")
    #expect(refused.status == 3)
    #expect(
      refused.errors.contains(
        "UUID mismatch: expected \(try Self.uuid("intel", in: workshop)), "
          + "found \(try Self.uuid("arm", in: workshop))\n"))
  }

  @Test func whatIsNotLinkedIsNoImage() throws {
    let workshop = try Self.workshop()
    try workshop.must("llvm-ar-19", ["rc", "lib.a", "arm.o"])
    for (name, found) in [("arm.o", "MH_OBJECT"), ("lib.a", "an archive")] {
      let run = try workshop.orderfile("show", name)
      #expect(run.status == 1)
      #expect(run.errors.contains("found \(found), expected a linked image"), "\(run.errors)")
    }
  }

  @Test func doctorSaysWhatCannotBeDoneHere() throws {
    let workshop = try Self.workshop()
    let run = try workshop.orderfile("doctor", "arm")
    #expect(
      run.status == 2 && run.text.contains("arm64 Mach-O, linked: it can't be run or traced here"))
    #expect(run.text.contains("Mach-O images can't be run here"))
    #expect(try workshop.orderfile("doctor", "fat").errors.contains("--arch"))
    #expect(
      try workshop.orderfile("doctor", "fat", "--arch", "x86_64").text.contains("x86_64 Mach-O"))
  }
}
