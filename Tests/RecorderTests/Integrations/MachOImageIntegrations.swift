import Foundation
import TestSupport
import Testing

/// Tests the delivered recorder for Darwin, and the images that it is linked into. `MachOEmulator` runs such images in
/// other tests.
@Suite(.needs(.appleSDK, "llvm-nm-19", "llvm-objdump-19"))
struct MachOImageIntegrations {
  static let callbacks: Set<String> = [
    "___sanitizer_cov_trace_pc_guard", "___sanitizer_cov_trace_pc_guard_init",
    "___sanitizer_cov_pcs_init",
  ]
  static let accessCallbacks = Set(
    ["load", "store"].flatMap { kind in [1, 2, 4, 8, 16].map { "___sanitizer_cov_\(kind)\($0)" } })
  static let functions: Set<String> = [
    "_orderfile_rt_mark", "_orderfile_rt_stop", "_orderfile_rt_write_names",
    "_orderfile_rt_write_payload",
  ]
  /// Symbols of which the linker keeps one copy in an image, for this image only.
  static let onceInAnImage = callbacks.union(accessCallbacks).union(functions)
  /// Symbols that other images also see.
  static let shared: Set<String> = ["_orderfile_rt_trace_path", "_orderfile_default_trace"]

  /// Removes the suffixes that the headers add to names for x86-64.
  static func plain(_ names: Set<String>) -> Set<String> {
    Set(names.map { $0.replacing("$INODE64", with: "") })
  }

  @Test(arguments: [
    ("iphoneos", 2, ["arm64", "arm64e"]), ("macosx", 1, ["arm64", "arm64e", "x86_64"]),
    ("iphonesimulator", 7, ["arm64", "x86_64"]), ("maccatalyst", 6, ["arm64", "x86_64"]),
    ("appletvos", 3, ["arm64"]), ("appletvsimulator", 8, ["arm64", "x86_64"]),
    ("xros", 11, ["arm64"]), ("xrsimulator", 12, ["arm64"]), ("watchos", 4, ["arm64"]),
    ("watchsimulator", 9, ["arm64", "x86_64"]),
  ])
  func whatIsDeliveredOffersTheContractAlone(
    name: String, platform: Int, architectures: [String]
  ) throws {
    let workshop = try Workshop()
    let path = try AppleSDK.deliveredRecorders()
      .appendingPathComponent("\(name)/orderfile_rt.o").path
    let slices = try workshop.make("llvm-lipo-19", ["-archs", path]).text
    #expect(
      Set(slices.split(whereSeparator: \.isWhitespace).map(String.init)) == Set(architectures))
    for architecture in architectures {
      let object = try MachOImage(path, architecture: architecture, in: workshop)
      #expect(object.exported == Self.shared)
      let once = object.symbols.filter { $0.linkage == "weak external automatically hidden" }
      #expect(Set(once.map(\.name)) == Self.onceInAnImage)
      // No other symbol can collide with another copy of the recorder. The labels of signed pointers are not visible to
      // other images.
      let others = Set(object.symbols.filter { !$0.section.isEmpty }.map(\.linkage))
      #expect(
        others == ["weak external", "weak external automatically hidden", "non-external"])
      let undefined = Self.plain(object.undefined).filter { !$0.hasPrefix("l_") }
      #expect(undefined == MachOImageTests.allowed)
      let commands = try workshop.make("llvm-otool-19", ["-l", "-arch", architecture, path]).text
      #expect(commands.contains(" platform \(platform)\n"))
      #expect(!object.symbols.contains { $0.name.contains(".cold") })
      // The recorder costs a launch nothing, because it has no constructor.
      let sections = try object.sections()
      #expect(sections.keys.filter { $0.contains("init") } == [])
    }
  }

  @Test(arguments: AppleSDK.Platform.allCases)
  func anInstrumentedProgramIsLinkedWithIt(platform: AppleSDK.Platform) throws {
    let apple = try AppleWorkshop(platform)
    let objects = try apple.compileProgram(isInstrumented: true)
    let image = try apple.link(objects + [apple.recorder()])
    #expect(Self.shared.isSubset(of: image.exported))
    for name in Self.onceInAnImage {
      #expect(image.symbol(name)?.linkage == "non-external (was a private external)", "\(name)")
    }
    let foreign = image.exported.filter { $0.hasPrefix("_of_") }
    #expect(foreign.sorted() == [])
    let ownCalls = Set(
      image.symbols.filter { !$0.section.isEmpty && $0.name.contains("_of_") }.map(\.linkage))
    #expect(ownCalls.isSubset(of: ["non-external", "non-external (was a private external)"]))

    let sections = try image.sections()
    let guards = try #require(sections["__DATA,__sancov_guards"]) / 4
    #expect(sections["__DATA,__sancov_pcs"] == guards * 16)
    // main, two +load, +show, the constructor of core.c and of engine.cpp, three functions; and Swift's.
    #expect(guards >= (platform == .iOS ? 10 : 9))
    let objectiveC = sections.keys.filter { $0.hasSuffix("__objc_nlclslist") }
    #expect(objectiveC.count == 1 && sections[objectiveC[0]] == 8)
    let initializers =
      sections["__TEXT,__init_offsets"].map { $0 / 4 }
      ?? sections.first { $0.key.hasSuffix(",__mod_init_func") }.map { $0.value / 8 }
    // Each object has one constructor of the compiler, the program has two, and the recorder has none.
    #expect(try #require(initializers) == objects.count + 2)
  }

  @Test(arguments: AppleSDK.Platform.allCases)
  func aProgramWithoutTheRecorderIsLinkedAndItsMarksDoNothing(
    platform: AppleSDK.Platform
  ) throws {
    let apple = try AppleWorkshop(platform)
    let image = try apple.link(
      apple.compileProgram(isInstrumented: false, flags: ["-DHAS_DEFAULT"]))
    #expect(!image.symbols.contains { $0.name.contains("sanitizer") })
    #expect(
      !image.symbols.contains { MachOImageTests.allowed.contains($0.name) && $0.name == "_dlsym" })
    #expect(!image.symbols.contains { $0.name.contains("orderfile_rt") })
    #expect(try image.sections()["__DATA,__orderfile"] ?? 0 == 0)
  }

  @Test(arguments: [false, true])
  func theProgramFindsTheRecorderAndReplacesItsDefault(isRecorderFirst: Bool) throws {
    let apple = try AppleWorkshop(.iOS)
    let program = try apple.compileProgram(isInstrumented: true, flags: ["-DHAS_DEFAULT"])
    let recorder = [try apple.recorder()]
    let image = try apple.link(isRecorderFirst ? recorder + program : program + recorder)
    #expect(image.symbol("_orderfile_default_trace")?.linkage == "external")
    #expect(try image.sections()["__DATA,__orderfile"] == 32, "four functions")
    let bytes = try Data(contentsOf: URL(fileURLWithPath: image.path))
    #expect(bytes.range(of: Data("apple.oftrace\0".utf8)) != nil)
  }

  @Test func eachImageOfAProcessHasACopyOfItsOwn() throws {
    let apple = try AppleWorkshop(.iOS)
    let library = try apple.link(
      [
        apple.compile("apple/core.c", isInstrumented: true), try apple.recorder(),
      ], flags: ["-dylib", "-install_name", "@rpath/core.dylib"])
    #expect(Self.callbacks.isSubset(of: library.symbols.map(\.name)))
    #expect(library.undefined.isDisjoint(with: Self.onceInAnImage.union(Self.shared)))
  }

  @Test(arguments: AppleSDK.Platform.allCases)
  func aSeenCallIsALoadACompareAndABranch(platform: AppleSDK.Platform) throws {
    let apple = try AppleWorkshop(platform)
    let image = try apple.link(
      apple.compileProgram(isInstrumented: true) + [apple.recorder()])
    let body = try image.instructions("___sanitizer_cov_trace_pc_guard")
    let end = try #require(body.firstIndex { $0.hasPrefix("ret") })
    let seen = body[...end].compactMap { $0.split(separator: "\t").first.map(String.init) }
    #expect(
      seen
        == (platform == .macOSx8664
          ? ["movl", "testl", "je", "retq"] : ["ldr", "cbz", "ret"]))
  }
}
