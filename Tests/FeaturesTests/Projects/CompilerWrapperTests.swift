import ImageModel
import OrderFileFormat
import Projects
import Testing

/// The words that `orderfile cc` adds to a call, and the calls that it does not change.
@Suite struct CompilerWrapperTests {
  private func wrapped(
    _ line: String, in folder: String = "/src", settings: WrapperSettings = .init(),
    compilesForLLD: Bool = true, files: [String: String] = [:]
  ) -> CompilerWrapper {
    let words = line.split(separator: " ").map { Array($0.utf8) }
    let call = CompilerCall(words, in: Array(folder.utf8)) { path in
      files[String(decoding: path, as: UTF8.self)].map { Array($0.utf8) }
    }
    return CompilerWrapper(words, call: call, settings, compilesForLLD: compilesForLLD) { path in
      files[String(decoding: path, as: UTF8.self)] != nil
    }
  }

  private func text(_ wrapper: CompilerWrapper) -> String {
    wrapper.words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
  }

  private static let link = "-fuse-ld=lld -Xlinker --build-id"

  @Test(arguments: [
    ("-c a.c -o a.o", "-ffunction-sections"),
    ("-S a.c", "-ffunction-sections"),
    ("-c -x c -", "-ffunction-sections"),
    ("a.o b.a libc.so.1.2 -o app", link),
    ("-shared a.lo -Wl,-soname -Wl,libx.so -o .libs/libx.so.1", link),
    ("a.c b.o -o app", "-ffunction-sections \(link)"),
    ("a.rcgu.o liba.rlib -o app", link),
    ("a.cc", "-ffunction-sections \(link)"),
    ("-flto a.o -o app", "-ffunction-sections \(link)"),
    ("@words -o app", "-ffunction-sections \(link)"),
    ("@compile", "-ffunction-sections"), ("--compile a.c", "-ffunction-sections"),
    ("-gen-reproducer a.c -c", "-ffunction-sections"),
  ])
  func partsOfTheProjectGetWhatTheyNeed(call: String, added: String) {
    let files = ["words": "'a b.c'", "compile": "-c a.c \"-o\" a.o @compile"]
    #expect(text(wrapped(call, files: files)) == "\(added) \(call)")
  }

  /// Recording needs symbols.
  @Test(arguments: [
    ("-s a.o -o app", "a.o -o app"), ("a.o -Wl,-s -o app", "a.o -o app"),
    ("a.o -Wl,--gc-sections,--strip-all,-z,now", "a.o -Wl,--gc-sections,-z,now"),
    ("a.o -Xlinker -s -Xlinker -z -Xlinker now", "a.o -Xlinker -z -Xlinker now"),
    ("a.o -o -s", "a.o -o -s"), ("a.o -Wl,-soname,x -shared", "a.o -Wl,-soname,x -shared"),
  ])
  func aLinkDoesNotStrip(call: String, kept: String) {
    #expect(text(wrapped(call)) == "\(Self.link) \(kept)")
  }

  /// lld refuses version scripts that name undefined symbols; GNU ld accepts them.
  @Test(arguments: [
    "-Wl,--version-script=v.map", "-Wl,--version-script,v.map", "-Xlinker --version-script=v.map",
  ])
  func aVersionScriptMayNameWhatIsNotThere(script: String) {
    let call = "-shared \(script) a.o -o libx.so"
    #expect(text(wrapped(call)) == "\(Self.link) -Xlinker --undefined-version \(call)")
    var settings = WrapperSettings()
    settings.linker = .gnuLD
    #expect(!text(wrapped(call, settings: settings)).contains("undefined-version"))
  }

  /// Only objects of clang are split, because only these can be linked by lld. With link-time optimization, the linker
  /// splits.
  @Test(arguments: [
    ("-c a.c", true, [], "-ffunction-sections -fbasic-block-address-map"),
    (
      "-c a.c", true, ["/p"],
      "-ffunction-sections -fbasic-block-address-map -fbasic-block-sections=list=/p"
    ),
    ("-c a.c", false, ["/p"], "-ffunction-sections"),
    ("-flto -c a.c", true, ["/p"], "-ffunction-sections"),
    ("a.o", true, ["/p"], link),
    ("-flto a.o", true, [], "-ffunction-sections \(link) -Xlinker --lto-basic-block-address-map"),
    (
      "-Wl,-plugin-opt=O3 a.o", false, ["/p"],
      "\(link) -Xlinker --lto-basic-block-address-map -Xlinker --lto-basic-block-sections=/p"
    ),
  ])
  func whatIsCompiledIsSplitByAProfile(
    call: String, isClang: Bool, files: [String], added: String
  ) {
    var settings = WrapperSettings()
    settings.split = Array("/p".utf8)
    let contents = Dictionary(uniqueKeysWithValues: files.map { ($0, "") })
    let wrapper = wrapped(call, settings: settings, compilesForLLD: isClang, files: contents)
    #expect(text(wrapper) == "\(added) \(call)")
  }

  /// gcc gets these options, too, and refuses them: only clang can report loads and stores.
  @Test(arguments: [
    ("-c a.c", "", "-ffunction-sections -fdata-sections"),
    (
      "-c a.c", "/r.o",
      "-ffunction-sections -fdata-sections -fsanitize-coverage=func,trace-pc-guard,pc-table,trace-loads,trace-stores"
    ),
    ("-flto a.o -o app", "", "-ffunction-sections -fdata-sections \(link)"),
    ("a.o -o app", "", link),
  ])
  func dataGetSectionsAndAreRecorded(call: String, recorder: String, added: String) {
    var settings = WrapperSettings()
    settings.data = true
    settings.recorder = recorder.isEmpty ? nil : Array(recorder.utf8)
    #expect(text(wrapped(call, settings: settings)) == "\(added) \(call)")
  }

  /// A probe gets the same answer with and without the wrapper.
  @Test(arguments: [
    "", "--version", "-v", "-print-prog-name=ld", "-dumpmachine", "-E a.c", "-M a.c",
    "-MM a.c -o deps",
    "-fsyntax-only a.c", "-### a.c", "-c conftest.c", "-o conftest -O2 conftest.c -lm",
    "-o conftest.exe @words", "-c boot.s", "-c boot.S -o boot.o", "-x assembler -c -",
    "-r a.o b.o -o both.o", "-Wl,-r a.o -o both.o", "-Xlinker -r a.o -o both.o", "-Wl,--version",
    "-o meson-private/tmp1/testfile.exe testfile.c", "-x c-header a.h -o a.pch", "-o a.gch a.hpp",
    "-x c++-header -c a.h", "-Xclang -emit-pch a.h -o a.pch", "-emit-ast a.c",
  ])
  func otherCallsArePassedOnAsTheyAre(call: String) {
    let wrapper = wrapped(call, files: ["words": "conftest.c"])
    #expect(text(wrapper) == call)
    #expect(wrapper.link == nil)
  }

  @Test(arguments: [
    "/b/CMakeFiles/CMakeScratch/TryCompile-x", "/b/CMakeFiles/3.25.1/CompilerIdC",
    "/b/CMakeFiles/CMakeTmp",
    "/b/meson-private/tmpabc",
  ])
  func callsInFoldersOfProbesAreProbes(folder: String) {
    #expect(text(wrapped("-c a.c", in: folder)) == "-c a.c")
  }

  @Test(arguments: [
    ("lld", "--symbol-ordering-file=/o,1/app.order -Xlinker --no-warn-symbol-ordering"),
    ("gold", "--section-ordering-file=/o,1/app.order"), ("gnu-ld", "-T -Xlinker /o,1/app.order"),
  ])
  func anImageIsLinkedWithTheOrderFileOfItsName(linker: String, option: String) throws {
    var settings = WrapperSettings()
    let dialect = try #require(OrderFileDialect(name: linker))
    settings.linker = dialect
    settings.orders = Array("/o,1".utf8)
    settings.maps = Array("/maps".utf8)
    let driver = try #require(dialect.driverName)
    let ordered = wrapped("a.o -o bin/app", settings: settings, files: ["/o,1/app.order": ""])
    #expect(
      text(ordered)
        == "-fuse-ld=\(driver) -Xlinker --build-id -Xlinker -Map=/maps/app.map -Xlinker \(option) a.o -o bin/app"
    )
    let other = wrapped(
      "a.o -o bin/other -Wl,-Map=x", settings: settings, files: ["/o,1/app.order": ""])
    #expect(text(other) == "-fuse-ld=\(driver) -Xlinker --build-id a.o -o bin/other -Wl,-Map=x")
  }

  @Test(arguments: [
    ("-c a.c", "-ffunction-sections -fno-plt -g"), ("a.o -o app", "\(link) -Wl,-z,now x.o"),
    (
      "a.c -o app",
      "-ffunction-sections -fuse-ld=lld -fno-plt -g -Xlinker --build-id -Wl,-z,now x.o"
    ),
    ("-E a.c", ""),
  ])
  func furtherOptionsAreAddedWhereTheyHaveAnEffect(call: String, added: String) {
    var settings = WrapperSettings()
    settings.compileOptions = ["-fno-plt", "-g"].map { Array($0.utf8) }
    settings.linkOptions = ["-Wl,-z,now", "x.o"].map { Array($0.utf8) }
    #expect(text(wrapped(call, settings: settings)) == (added.isEmpty ? "" : added + " ") + call)
  }

  /// The order file is then in the dialect of that linker, which `auto` reads in the log.
  @Test(arguments: [
    ("-fuse-ld=gold", "gold", "-Xlinker --section-ordering-file=/o/app.order "),
    ("-fuse-ld=mold", "mold", ""),
    ("--ld-path=/usr/bin/ld.bfd", "bfd", "-Xlinker -T -Xlinker /o/app.order "),
    ("--ld-path=/usr/bin/ld", "bfd", "-Xlinker -T -Xlinker /o/app.order "),
    // clang prefers `--ld-path=` to `-fuse-ld=`, in any order of the two options.
    ("--ld-path=/usr/bin/mold -fuse-ld=lld", "mold", ""),
    ("-fuse-ld=mold -fuse-ld=gold", "gold", "-Xlinker --section-ordering-file=/o/app.order "),
    (
      "-fuse-ld=lld-19", "lld",
      "-Xlinker --symbol-ordering-file=/o/app.order -Xlinker --no-warn-symbol-ordering "
    ),
  ])
  func theLinkerThatTheProjectDemandsLinks(demand: String, linker: String, option: String) {
    var settings = WrapperSettings()
    settings.orders = Array("/o".utf8)
    let call = "a.o -o app \(demand)"
    let wrapper = wrapped(call, settings: settings, files: ["/o/app.order": ""])
    #expect(
      wrapper.link
        == CompilerWrapper.Link(
          output: Array("app".utf8), linker: BuildLinker(demandedBy: linker)))
    #expect(text(wrapper) == "-Xlinker --build-id \(option)\(call)")
  }

  /// `auto --prefetch` writes the source file.
  @Test func theSourceFileThatPrefetchesIsCompiledForTheTargetOfTheLink() throws {
    var settings = WrapperSettings()
    settings.orders = Array("/o".utf8)
    let files = ["/o/app.order": "", "/o/app-prefetch.c": ""]
    let words = text(wrapped("a.o -o app", settings: settings, files: files))
    #expect(words.contains("/o/app-prefetch.o ") && words.hasSuffix("a.o -o app"), "\(words)")
    #expect(!text(wrapped("a.o -o b", settings: settings, files: files)).contains("prefetch"))
    #expect(!text(wrapped("-c a.c", settings: settings, files: files)).contains("prefetch"))
    for (target, kept) in [
      ("", ""), ("-O3 -flto -Wl,-z,now -mllvm -x -lm", ""),
      ("-march=native -m64", "-march=native -m64"),
      ("--target=aarch64-linux-gnu --sysroot /arm", "--target=aarch64-linux-gnu --sysroot /arm"),
      (
        "-target riscv64 -B tools -fcf-protection=full",
        "-target riscv64 -B tools -fcf-protection=full"
      ),
    ] {
      let wrapper = wrapped("\(target) a.o -o app", settings: settings, files: files)
      let words = try #require(wrapper.prefetch).words(object: Array("p.o".utf8))
      #expect(
        words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
          == "\(kept) -O2 -fPIC -x c -c /o/app-prefetch.c -o p.o".trimmingPrefix(" "))
    }
    let probe = wrapped("conftest.o -o app", settings: settings, files: files)
    #expect(probe.prefetch == nil)
  }

  /// An empty name means the driver's default linker.
  @Test func aDemandWithoutANameIsNone() {
    #expect(wrapped("-fuse-ld=mold -fuse-ld= a.o").link?.linker.name == "lld")
  }

  @Test(arguments: [
    ("LLD 19.1.4", "lld"), ("GNU gold 1.16", "gold"), (nil, "bfd"), ("mold 2.30", "mold"),
    ("Wild version 0.5", "wild"),
  ])
  func whatAnImageStatesTellsItsLinker(statement: String?, name: String) {
    let linker = BuildLinker(stating: statement)
    #expect(linker.name == name)
    #expect((linker.dialect == nil) == ["mold", "wild"].contains(name))
  }

  @Test func aLinkerWithoutOrderFilesIsRefusedByItsName() throws {
    #expect(try BuildLinker(demandedBy: "/usr/bin/ld.gold").orderingDialect(of: "app") == .gold)
    let error = #expect(throws: Diagnostic.self) {
      try BuildLinker(demandedBy: "mold").orderingDialect(of: "app")
    }
    let text =
      "app: not ordered: the project links this image with mold, which can't order\n"
      + "  hint: remove -fuse-ld=mold from the project's flags, or replace it by lld, gold or bfd, "
      + "or keep it, and rename sections with 'orderfile gen --linker mold --rename-sections'"
    #expect(error?.description == text)
  }

  @Test func whatGCCOptimizesAtTheLinkGoesToGNULd() {
    let wrapper = wrapped("-flto=auto a.o -o app", compilesForLLD: false)
    #expect(wrapper.link?.linker.name == "bfd")
    for call in ["-flto -fno-lto a.o -o app", "-flto-partition=none a.o -o app"] {
      #expect(wrapped(call, compilesForLLD: false).link?.linker.name == "lld")
    }
  }

  @Test(arguments: ["-o app", "-oapp", "--output=app", "--output app", "-Wl,-o,app"])
  func theImageIsKnownHoweverItIsNamed(option: String) {
    #expect(wrapped("a.o \(option)").link?.output == Array("app".utf8))
  }

  @Test func anImageThatRecordsItselfContainsTheRecorder() {
    var settings = WrapperSettings()
    settings.recorder = Array("/lib/orderfile_rt.o".utf8)
    let coverage = "-fsanitize-coverage=func,trace-pc-guard,pc-table"
    #expect(text(wrapped("-c a.c", settings: settings)) == "-ffunction-sections \(coverage) -c a.c")
    #expect(
      text(wrapped("a.o -o app", settings: settings))
        == "-fuse-ld=lld /lib/orderfile_rt.o -Xlinker --build-id a.o -o app")
    // rustc links in this way.
    #expect(
      text(wrapped("a.o /lib/orderfile_rt.o -o app", settings: settings))
        == "\(Self.link) a.o /lib/orderfile_rt.o -o app")
  }

  private static let coverage =
    " -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=1 -Cllvm-args=-sanitizer-coverage-trace-pc-guard -Cllvm-args=-sanitizer-coverage-pc-table -Clink-arg=/rt.o"

  /// Cargo also asks the compiler for its version, and for names of files.
  @Test(arguments: [
    ("--crate-name app src/main.rs --crate-type bin", coverage),
    ("--crate-name parts lib.rs --crate-type lib --emit=dep-info,metadata,link", coverage),
    ("-vV", ""), ("- --crate-name ___ --print=file-names --crate-type bin", ""),
    ("--crate-name x --print cfg", ""), ("--crate-name", ""), ("", ""),
  ])
  func eachCrateThatRecordsItselfContainsTheRecorder(call: String, added: String) {
    var settings = WrapperSettings()
    #expect(rustCall(call, settings) == call)
    settings.recorder = Array("/rt.o".utf8)
    #expect(rustCall(call, settings) == call + added)
  }

  /// Returns the words that rustc gets for the words of `call`.
  private func rustCall(
    _ call: String, _ settings: WrapperSettings, hasProfile: Bool = false
  ) -> String {
    let words = call.split(separator: " ").map { Array($0.utf8) }
    return RustWrapper(words, settings) { _ in hasProfile }.words
      .map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
  }

  private static let map = " -Cllvm-args=-basic-block-address-map"

  /// What runs during the build only is not split.
  @Test(arguments: [
    ("--crate-name app main.rs", map, map + " -Cllvm-args=-basic-block-sections=/p"),
    ("--crate-name macros lib.rs --crate-type proc-macro", "", ""),
    ("--crate-name build_script_build build.rs", "", ""), ("-vV", "", ""),
  ])
  func rustcWritesAMapAndSplitsByAProfile(call: String, added: String, split: String) {
    var settings = WrapperSettings()
    settings.split = Array("/p".utf8)
    #expect(rustCall(call, settings) == call + added)
    #expect(rustCall(call, settings, hasProfile: true) == call + split)
  }

  /// What cargo compiles for build scripts and macros stays machine code.
  @Test(arguments: [
    (
      "--crate-name app -C lto=fat -C metadata=1",
      "--crate-name app -C linker-plugin-lto -C metadata=1"
    ),
    ("--crate-name app -C lto main.rs", "--crate-name app -C linker-plugin-lto main.rs"),
    ("--crate-name app -Clto=fat", "--crate-name app -Clinker-plugin-lto"),
    ("--crate-name parts -C linker-plugin-lto", "--crate-name parts -C linker-plugin-lto"),
    (
      "--crate-name both --crate-type cdylib",
      "--crate-name both --crate-type cdylib -Clinker-plugin-lto"
    ),
    ("--crate-name host -C embed-bitcode=no", "--crate-name host -C embed-bitcode=no"),
    ("--crate-name lto=fat -C embed-bitcode=no", "--crate-name lto=fat -C embed-bitcode=no"),
  ])
  func rustcLeavesCodeOfLinkedCratesToTheLinker(call: String, changed: String) {
    var settings = WrapperSettings()
    settings.split = Array("/p".utf8)
    settings.bitcode = true
    #expect(rustCall(call, settings) == changed)
  }

  @Test func bytesThatAreNotUTF8AreKept() {
    let words: [[UInt8]] = [[0xff, 0x2e, 0x63], Array("-o".utf8), [0xfe]]
    let wrapper = CompilerWrapper(
      words, call: CompilerCall(words), .init(), compilesForLLD: true, fileExists: { _ in false })
    #expect(Array(wrapper.words.suffix(3)) == words)
    #expect(wrapper.link?.output == [0xfe])
  }

  @Test func anOptionFileThatNamesItselfEnds() {
    let wrapper = wrapped("@loop -c a.c", files: ["loop": "@loop @loop"])
    #expect(text(wrapper) == "-ffunction-sections @loop -c a.c")
  }

  @Test(arguments: [
    ("a b\tc\n", ["a", "b", "c"]), ("'a b' \"c d\"e", ["a b", "c de"]),
    ("a\\ b \\\"", ["a b", "\""]),
    ("'a\\'b'", ["a'b"]), ("''", [""]), ("", []), ("'open", ["open"]), ("x\\", ["x"]),
  ])
  func wordsOfAnOptionFileAreSeparatedAsByGCC(file: String, words: [String]) {
    #expect(OptionFiles.words(in: Array(file.utf8)) == words.map { Array($0.utf8) })
  }

  @Test(arguments: [
    ("cc", true), ("g++", true), ("clang++-19", true), ("x86_64-linux-gnu-gcc-12", true),
    ("gcc-4.9", true),
    ("gcc-ar", false), ("clang-format", false), ("ccache", false), ("orderfile", false),
    ("", false),
    ("-", false), ("12", false),
  ])
  func compilersAreKnownByTheirNames(name: String, isCompiler: Bool) {
    #expect(CompilerSearch.isCompiler(name) == isCompiler)
  }
}
