import ByteReading
import ImageModel
import LinkMapFormat
import ObjectFormat
import Symbolication
import TestSupport
import Testing

/// Compares the facts about a build that its image shows with the options of the build.
@Suite(.needs(.compiling, "gcc")) struct BuildFactsTests {
  /// Functions of different sizes, so that a gap follows most of them. gcc puts `main` into a section of its own.
  private static let source =
    (0..<20).map {
      """
      extern "C" __attribute__((noinline)) int f\($0)(int n) {
        __asm__ volatile(".fill \($0 * 7 + 3), 1, 0x90");
        return n + \($0);
      }

      """
    }.joined() + """
      #ifdef LOADER
      extern "C" const char loader[] __attribute__((used, section(".interp"))) = "/lib/ld.so";
      #endif
      template <int n> __attribute__((noinline)) int t(int x) { __asm__ volatile(""); return x + n; }
      int main(int n, char **) { return f0(f7(f19(n))) + t<1>(n) + t<2>(n); }

      """

  private static func facts(_ compiler: String, _ flags: [String]) throws -> BuildFacts {
    let build = try Build(compiler, ["-O1"] + flags, source: source)
    let image = try Image.reading(path: build.path).image
    return try #require(BuildFacts(of: try FileBytes(path: build.path), image.layout))
  }

  @Test(arguments: [
    ("clang", ["-g", "-fuse-ld=lld"]), ("clang", ["-g", "-gdwarf-4", "-fuse-ld=lld"]),
    ("clang", ["-g", "-fuse-ld=lld", "-Wl,--gc-sections"]),
    ("clang", ["-g", "-gdwarf-4", "-fuse-ld=lld", "-Wl,--gc-sections"]),
    ("clang", ["-g", "-fuse-ld=bfd"]), ("gcc", ["-g", "-fuse-ld=bfd"]),
    ("gcc", ["-g", "-flto", "-fuse-ld=bfd"]), ("clang", ["-fuse-ld=lld"]),
  ])
  func functionSectionsAreSeen(compiler: String, flags: [String]) throws {
    let hasDWARF = flags.contains("-g")
    let with = try #require(
      try Self.facts(compiler, flags + ["-ffunction-sections"]).functionSections)
    #expect(with.source == (hasDWARF ? .debugInformation : .gaps))
    // The C runtime's start files have two gaps.
    #expect(with.own >= with.all - (hasDWARF ? 0 : 3) && with.all > 4, "\(with)")
    let without = try #require(try Self.facts(compiler, flags).functionSections)
    #expect(without.own < without.all / 3, "\(without)")
  }

  /// These linkers fill the gaps within sections and between them in the same way.
  @Test(arguments: ["bfd", "gold"]) func whatDoesNotShowIsNotClaimed(linker: String) throws {
    #expect(try Self.facts("clang", ["-fuse-ld=\(linker)"]).functionSections == nil)
  }

  /// Debug information of other files shows nothing about the project's own files.
  @Test func partsOfAProgramTellNothingOfTheRest() throws {
    let folder = try TemporaryFolder()
    let other = try folder.write(
      Array("int g(int n) { return n + 1; } int h(int n) { return n + 2; }\n".utf8), "other.c")
    let object = folder.path("other.o")
    let clang = try #require(Tool("clang"))
    try clang.run(["-g", "-O1", "-c", other, "-o", object])
    let lld = try #require(
      try Self.facts(
        "clang", ["-fuse-ld=lld", "-ffunction-sections", "-x", "none", object]
      ).functionSections)
    #expect(lld.source == .gaps && lld.own >= lld.all - 3, "\(lld)")
    let gold = try Self.facts(
      "clang", ["-fuse-ld=gold", "-ffunction-sections", "-x", "none", object])
    #expect(gold.functionSections == nil && gold.hasDebugInformation)
  }

  @Test func otherFactsAreSeen() throws {
    let plain = try Self.facts("gcc", ["-g", "-fuse-ld=bfd", "-pie", "-fPIE"])
    #expect(plain.kind == .positionIndependentExecutable && !plain.isStatic)
    #expect(plain.linker == nil && plain.hasDebugInformation && !plain.hasRelocations)
    #expect(plain.optimization.none == 0 && plain.optimization.some > 20)

    let fixed = try Self.facts(
      "gcc", ["-g", "-O0", "-no-pie", "-fuse-ld=gold", "-Wl,--emit-relocs"])
    #expect(fixed.kind == .fixedExecutable && fixed.linker?.hasPrefix("GNU gold ") ?? false)
    #expect(fixed.hasRelocations && fixed.optimization.none > 20)

    let library = try Self.facts("clang", ["-shared", "-fPIC", "-fuse-ld=lld"])
    #expect(library.kind == .sharedLibrary && library.linker?.hasPrefix("LLD ") ?? false)
    #expect(!library.hasDebugInformation && library.optimization == BuildFacts.Optimization())

    // A library with an entry point, such as libc.so.6 and libQt6Core.so.6.
    let startable = try Self.facts(
      "clang", ["-shared", "-fPIC", "-fuse-ld=lld", "-Wl,-soname,libx.so", "-DLOADER"])
    #expect(startable.kind == .sharedLibrary)
  }

  @Test func aLinkMapTellsTheSections() throws {
    for (flag, own) in [("-ffunction-sections", 23), ("-fno-function-sections", 2)] {
      let folder = try TemporaryFolder()
      let build = try Build(
        "clang", ["-O1", flag, "-fuse-ld=lld", "-Wl,-Map=\(folder.path("map"))"],
        source: Self.source)
      let map = try LinkMap(parsing: try FileBytes(path: folder.path("map")))
      var problems: [Diagnostic] = []
      let found = try #require(
        BuildFacts.FunctionSections(ofLinkMap: Layout(map, diagnostics: &problems)))
      // The image has 20 functions, `main`, and two instances of a template. The instances always have sections of
      // their own.
      #expect(found.all == 23 && found.own == own, "\(found)")
      withExtendedLifetime(build) {}
    }
  }
}

@Suite struct BuildFactsHostileTests {
  /// A damaged table of the image counts as a missing table.
  @Test func damagedImagesShowLittle() throws {
    let bytes = sampleImage((0..<12).map { "f\($0)" }, size: 13, id: [1, 2, 3, 4])
    let image = try Image.reading(FileBytes(bytes), path: "a").image
    for count in 0..<bytes.count {
      _ = BuildFacts(of: FileBytes(Array(bytes[..<count])), image.layout)
    }
    var random = SeededRandom(seed: 7)
    for _ in 0..<1000 {
      var damaged = bytes
      damaged[Int.random(in: 0..<bytes.count, using: &random)] ^= UInt8.random(
        in: 1...255, using: &random)
      _ = BuildFacts(of: FileBytes(damaged), image.layout)
    }
    #expect(BuildFacts(of: FileBytes([]), image.layout) == nil)
  }
}
