// Compares images that real tool chains make with the output of other tools.

import Addresses
import ByteReading
import DebugInfo
import ImageModel
import ObjectFormat
import Symbolication
import TestSupport
import Testing

/// Builds `program.cpp` in a folder of its own.
struct Build {
  let folder: TemporaryFolder
  let path: String

  /// - Returns: `nil` if the compiler is not installed.
  init(_ compiler: String, _ flags: [String], source: String = Self.program) throws {
    folder = try TemporaryFolder()
    path = folder.path("program")
    let file = try folder.write(Array(source.utf8), "program.cpp")
    // The source includes no header and uses no standard library, so that it compiles quickly.
    try #require(Tool(compiler)).run(
      ["-x", "c++", "-fno-exceptions", "-fno-rtti", file, "-o", path] + flags)
  }

  /// A copy made by `llvm-objcopy`, which knows all machines.
  func copy(_ name: String, _ flags: [String]) throws -> String {
    let copy = folder.path(name)
    try #require(Tool("llvm-objcopy")).run(flags + [path, copy])
    return copy
  }

  /// Initializers of three kinds, an alias, an ifunc, an anonymous namespace, a template, a constructor,
  /// a function that is only called out of line.
  static let program = """
    extern "C" int puts(const char *);
    struct Object { Object(); ~Object(); int value; };
    Object::Object() : value(1) { puts("object"); }
    Object::~Object() { puts("gone"); }
    static Object object;
    __attribute__((constructor(101))) void early() { puts("early"); }
    __attribute__((constructor)) void visible() { puts("visible"); }
    namespace { __attribute__((noinline)) int hidden(int a) { return a * object.value; } }
    template <class T> __attribute__((noinline)) T twice(T a) { return a + a; }
    static __attribute__((noinline)) int local(int a) { return hidden(a) + twice(a); }
    extern "C" int plain(int a) { return local(a); }
    extern "C" int other(int) __attribute__((alias("plain")));
    extern "C" int one() { return 1; }
    extern "C" int (*resolver())() { return one; }
    extern "C" int chosen() __attribute__((ifunc("resolver")));
    #ifndef LIBRARY
    static void first(int, char **, char **) {}
    __attribute__((section(".preinit_array"), used)) static void (*entry)(int, char **, char **) = first;
    #endif
    int main(int count, char **) { return plain(count) + chosen() + (int)twice(2.0); }
    """
}

@Suite struct RealImageTests {
  static let links: [CompilerLink] = [
    CompilerLink(flags: ["-fuse-ld=lld", "-pie", "-fPIE"]),
    CompilerLink(flags: ["-fuse-ld=lld", "-no-pie"]),
    CompilerLink(flags: ["-fuse-ld=lld", "-pie", "-fPIE", "-Wl,--pack-dyn-relocs=relr"]),
    CompilerLink(flags: ["-fuse-ld=lld", "-shared", "-fPIC", "-DLIBRARY"]),
    CompilerLink(compiler: "gcc", flags: ["-pie", "-fPIE"]),
    CompilerLink(compiler: "gcc", flags: ["-no-pie"]),
    CompilerLink(compiler: "gcc", flags: ["-shared", "-fPIC", "-DLIBRARY"]),
    CompilerLink(compiler: "aarch64-linux-gnu-gcc", flags: ["-pie", "-fPIE"]),
    CompilerLink(compiler: "aarch64-linux-gnu-gcc", flags: ["-no-pie"]),
    CompilerLink(compiler: "aarch64-linux-gnu-gcc", flags: ["-shared", "-fPIC", "-DLIBRARY"]),
  ].filter(\.keepsArguments)

  @Test(.needs("clang", "ld.lld", "gcc"), arguments: links)
  func initializersAreFoundInTheOrderOfTheLoader(_ link: CompilerLink) throws {
    let build = try Build(link.compiler, link.flags)
    let (image, warnings) = try Image.reading(path: build.path)
    #expect(warnings.isEmpty)
    let names = image.initializers.map { address in
      image.layout.functions(at: address).map {
        image.layout.name(of: image.layout.functions[$0]).description
      }
    }
    // The functions of the C runtime, and those to which different compilers give different names.
    let others = names.flatMap { $0 }.filter {
      $0 != "frame_dummy" && $0 != "init_have_lse_atomics" && !$0.hasPrefix("_GLOBAL__sub_I_")
    }
    let expected = ["_ZL5firstiPPcS0_", "_Z5earlyv", "_Z7visiblev"]
    #expect(others == (link.flags.contains("-DLIBRARY") ? Array(expected.dropFirst()) : expected))
    #expect(names.joined().contains { $0.hasPrefix("_GLOBAL__sub_I_") })
    #expect(names.allSatisfy { !$0.isEmpty }, "each address is a function's")
    let isForARM = link.compiler.hasPrefix("aarch64")
    #expect(image.architecture == (isForARM ? .arm64 : .x8664))
  }

  /// Compares the functions of the image at `path` with what `llvm-nm` lists in sections of code.
  static func expectAgreementWithLLVM(_ path: String, atLeast count: Int) throws {
    let (image, _) = try Image.reading(path: path)
    let code = image.layout.sections.filter(\.isExecutable).map(\.range)
    let lines = try #require(Tool("llvm-nm")).run(["--defined-only", "--no-demangle", path])
    let expected = try lines.split(separator: "\n").compactMap { line -> String? in
      let fields = line.split(separator: " ", maxSplits: 2)
      try #require(fields.count == 3)
      let address = StatedAddress(rawValue: try #require(UInt64(fields[0], radix: 16)))
      guard ["t", "T", "W", "i"].contains(fields[1]), code.contains(where: { $0.contains(address) })
      else { return nil }
      let name = fields[2].split(separator: "@")[0]
      return "\(address) \(name)"
    }
    let found = Set(ImageTests.names(image))
    // On aarch64 the C runtime's _start holds a label of this name.
    let differing = found.symmetricDifference(expected).filter { !$0.hasSuffix(" __wrap_main") }
    #expect(differing.isEmpty)
    #expect(found.count >= count)
  }

  @Test(.needs("llvm-nm"), arguments: links)
  func functionsAgreeWithLLVM(_ link: CompilerLink) throws {
    let build = try Build(link.compiler, link.flags)
    try Self.expectAgreementWithLLVM(build.path, atLeast: 12)
  }

  /// The test bundle: Swift and C.
  @Test(.needs("llvm-nm"))
  func thisProgramAgreesWithLLVM() throws {
    let path = try #require(CommandLine.arguments.first)
    try Self.expectAgreementWithLLVM(path, atLeast: 1)
  }

  @Test(.needs("readelf", "gcc"))
  func theBuildIDAgreesWithReadelf() throws {
    let build = try Build("gcc", ["-Wl,--build-id"])
    let (image, _) = try Image.reading(path: build.path)
    let notes = try #require(Tool("readelf")).run(["-n", build.path])
    #expect(notes.contains("Build ID: \(try #require(image.id))"))
  }

  @Test(.needs("clang", "ld.lld"))
  func instrumentationLeavesGuards() throws {
    let build = try Build(
      "clang",
      ["-fPIC", "-c", "-fsanitize-coverage=func,trace-pc-guard"])
    let linked = build.folder.path("linked.so")
    try #require(Tool("ld.lld")).run(["-shared", build.path, "-o", linked])
    let (image, _) = try Image.reading(path: linked)
    let size = try #require(image.guards).size
    #expect(size > 0 && size % 4 == 0)
  }
}

@Suite struct RealDebugInfoTests {
  struct Variant: CustomTestStringConvertible, Sendable {
    var compiler: String
    var flags: [String]
    var testDescription: String { ([compiler] + flags).joined(separator: " ") }
    static let all = [
      Variant(compiler: "clang", flags: ["-gdwarf-4", "-O0"]),
      Variant(compiler: "clang", flags: ["-gdwarf-5", "-O2"]),
      Variant(compiler: "clang", flags: ["-gdwarf-5", "-O1", "-gz=zlib"]),
      Variant(compiler: "clang", flags: ["-gdwarf-4", "-O1", "-fbasic-block-sections=all"]),
      Variant(compiler: "clang", flags: ["-gdwarf-5", "-O1", "-fbasic-block-sections=all"]),
      Variant(
        compiler: "clang", flags: ["-gdwarf-5", "-O1", "-ffunction-sections", "-Wl,--gc-sections"]),
      Variant(compiler: "gcc", flags: ["-gdwarf-4", "-O1"]),
      Variant(compiler: "gcc", flags: ["-gdwarf-5", "-O0"]),
      Variant(compiler: "aarch64-linux-gnu-gcc", flags: ["-g", "-O1"]),
    ].filter { Tool($0.compiler) != nil }
  }

  /// Every function that DWARF names has a symbol at the same address with the same name and size, and
  /// the program's own functions are all there.
  @Test(.needs("clang", "ld.lld", "gcc"), arguments: Variant.all)
  func dwarfAgreesWithTheSymbolTable(_ variant: Variant) throws {
    let build = try Build(variant.compiler, variant.flags)
    let symbols = try Image.reading(path: build.path).image
    let known = Set(symbols.layout.functions.map { Self.line($0, symbols) })
    let bare = try build.copy("bare", ["--remove-section=.symtab", "--remove-section=.strtab"])
    let (image, warnings) = try Image.reading(path: bare)
    #expect(image.symbolSource == .debugInformation)
    let found = image.layout.functions.map { Self.line($0, image) }
    #expect(Set(found).count == found.count, "no function twice")
    #expect(Set(found).isSubset(of: known))
    var expected = [
      "main", "plain", "one", "resolver", "_Z5twiceIiET_S0_", "_Z5earlyv", "_ZN6ObjectC2Ev",
    ]
    if variant.compiler == "clang" {
      expected += ["_ZL5locali", "_ZN12_GLOBAL__N_16hiddenEi", "_ZL5firstiPPcS0_"]
      #expect(warnings.isEmpty)
    } else {
      #expect(
        warnings.map { $0.message.hasSuffix("functions skipped: missing DW_AT_linkage_name") } == [
          true
        ])
    }
    let names = Set(image.layout.functions.map { image.layout.name(of: $0).description })
    // The linker may have discarded some of them.
    let symbolNames = symbols.layout.functions.map { symbols.layout.name(of: $0).description }
    #expect(Set(expected).intersection(symbolNames).subtracting(names).isEmpty)
    #expect(names.contains("main"))
  }

  static func line(_ function: PlacedSymbol, _ image: Image) -> String {
    "\(function.address) \(function.knownBytes) \(image.layout.name(of: function))"
  }

  /// `strip`, then the two ways in which the debug file is found.
  @Test(.needs("gcc", "llvm-objcopy"))
  func aStrippedImageTakesItsNamesFromItsDebugFile() throws {
    let build = try Build("gcc", ["-g", "-Wl,--build-id"])
    let whole = try Image.reading(path: build.path).image
    let debugFile = try build.copy("program.debug", ["--only-keep-debug"])
    let stripped = try build.copy(
      "stripped", ["--strip-all", "--add-gnu-debuglink=\(debugFile)"])
    for named in [nil, debugFile] {
      let (image, warnings) = try Image.reading(path: stripped, debugFile: named)
      #expect(image.symbolSource == .debugFile(path: debugFile))
      #expect(ImageTests.names(image) == ImageTests.names(whole))
      #expect(image.id == whole.id)
      #expect(warnings.isEmpty)
    }
    let bare = try build.copy("bare", ["--strip-all"])
    let (image, warnings) = try Image.reading(path: bare)
    #expect(image.symbolSource == .dynamicSymbols)
    #expect(image.layout.functions.count < whole.layout.functions.count)
    #expect(warnings.count == 1)
  }

  @Test(.needs("clang", "llvm-objcopy"))
  func aDebugFileWithoutSymbolsGivesItsDWARF() throws {
    let build = try Build("clang", ["-g", "-Wl,--build-id"])
    let debugFile = try build.copy("program.debug", ["--only-keep-debug", "-R", ".symtab"])
    let stripped = try build.copy("stripped", ["--strip-all"])
    let (image, _) = try Image.reading(path: stripped, debugFile: debugFile)
    #expect(image.symbolSource == .debugFileInformation(path: debugFile))
    let names = Set(image.layout.functions.map { image.layout.name(of: $0) })
    #expect(names.isSuperset(of: ["main", "plain", "_ZL5locali"]))
  }

  /// Range lists, string offsets and address tables too, which hand-made DWARF has not.
  @Test(
    .needs("clang", "llvm-objcopy"), arguments: ["4", "5"])
  func damagedDWARFNeverTraps(version: String) throws {
    let build = try Build(
      "clang", ["-gdwarf-\(version)", "-O1", "-fbasic-block-sections=all", "-Wl,--build-id"])
    let bytes = try FileBytes(path: try build.copy("bare", ["-R", ".symtab"]))
    let whole = bytes.copy(bytes.all.indices)
    let file = try ELFFile(parsing: bytes)
    let sections = file.sections.filter { bytes.text($0.name.indices).hasPrefix(".debug_") }
    #expect(sections.count >= 5)
    for section in sections {
      let range = try file.contents(of: section).indices
      for damaged in byteFlips(of: Array(whole[range]), count: 60) {
        let copy = whole[..<range.lowerBound] + damaged + whole[range.upperBound...]
        let read = try? Image.reading(FileBytes(Array(copy)), path: "bare") {
          (_: String) throws(SystemError) in throw SystemError("open", errno: 2)
        }
        #expect(read != nil, "damaged DWARF is a warning, not an error")
      }
    }
  }

  @Test(.needs("clang", "llvm-objcopy"))
  func splitDWARFIsSaidToBeUnsupported() throws {
    let build = try Build("clang", ["-gdwarf-5", "-gsplit-dwarf", "-c"])
    let linked = build.folder.path("linked")
    try #require(Tool("clang")).run([build.path, "-o", linked])
    let bare = build.folder.path("bare")
    try #require(Tool("llvm-objcopy")).run(["-R", ".symtab", linked, bare])
    let (_, warnings) = try Image.reading(path: bare)
    #expect(
      warnings.map(\.message) == ["1 compilation unit skipped: unsupported split DWARF"])
  }

  @Test(.needs("swiftc", "llvm-objcopy"))
  func swiftFunctionsAreFound() throws {
    let folder = try TemporaryFolder()
    let source = try folder.write(
      Array("struct P { func go() -> Int { [1].map { $0 + 1 }.count } }; print(P().go())".utf8),
      "main.swift")
    try #require(Tool("swiftc")).run(["-g", source, "-o", folder.path("program")])
    try #require(Tool("llvm-objcopy")).run(
      ["-R", ".symtab", folder.path("program"), folder.path("bare")])
    let whole = try Image.reading(path: folder.path("program")).image
    let (image, warnings) = try Image.reading(path: folder.path("bare"))
    #expect(image.symbolSource == .debugInformation)
    #expect(warnings.isEmpty)
    let names = Set(image.layout.functions.map { Self.line($0, image) })
    let swiftNames = whole.layout.functions.map { Self.line($0, whole) }.filter {
      $0.contains(" $s")
    }
    #expect(!swiftNames.isEmpty)
    #expect(names.isSuperset(of: swiftNames))
  }
}
