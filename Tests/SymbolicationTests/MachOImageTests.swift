import Addresses
import ByteReading
import ImageModel
import Symbolication
import TestSupport
import Testing

/// Compares images that a real linker made with the output of LLVM's tools.
@Suite(.needs(.appleSDK, "llvm-nm-19", "llvm-strip-19")) struct MachOImageTests {
  /// `0x100004000 _main`, ascending.
  static func lines(_ image: Image) -> [String] {
    image.layout.functions.map { "\($0.address) \(image.layout.name(of: $0))" }
  }

  /// The sizes of the functions as `_main: 24`, in the order of their addresses.
  static func sizes(_ image: Image) -> [String] {
    image.layout.functions.map { "\(image.layout.name(of: $0)): \($0.knownBytes)" }
  }

  /// `LC_BUILD_VERSION` names the linker: `tool` and `version` of its only entry.
  @Test(arguments: [
    (4, 19, "ld64.lld"), (3, 907, "ld64"), (3, 956, "ld64"), (3, 1015, "ld-prime"), (54321, 1, nil),
  ])
  func anImageSaysByWhichLinkerItWasWritten(tool: Int, major: Int, linker: String?) throws {
    let build = try MachOBuild(.macOS)
    var bytes = try build.bytes("image")
    let command = try #require(MachOEditor.command(0x32, in: bytes))
    try #require(MachOEditor.word(bytes, command + 20) == 1, "lld's own entry")
    #expect(MachOEditor.word(bytes, command + 24) == 4)
    let entry = [tool, major << 16].flatMap { word in
      (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
    }
    bytes.replaceSubrange(command + 24..<command + 32, with: entry)
    #expect(try Image.reading(FileBytes(bytes), path: "image").image.linker == linker)
    // The command states more entries than it contains.
    bytes.replaceSubrange(command + 20..<command + 24, with: [0xff, 0xff, 0xff, 0xff])
    bytes.replaceSubrange(command + 24..<command + 28, with: [1, 0, 0, 0])
    #expect(try Image.reading(FileBytes(bytes), path: "image").image.linker == nil)
  }

  @Test(arguments: AppleSDK.Platform.allCases)
  func functionsAreTheSymbolsInCode(_ platform: AppleSDK.Platform) throws {
    let build = try MachOBuild(platform)
    let (image, warnings) = try build.read()
    #expect(warnings.isEmpty)
    #expect(image.layout.imageFormat == .machO)
    #expect(image.architecture.description == platform.architecture)
    #expect(image.symbolSource == .symbolTable)
    let symbols = try MachOSymbolLine.all(in: build.path("image")).filter {
      $0.section == "__TEXT,__text" && $0.name != "__mh_execute_header"
    }
    #expect(symbols.count > 15)
    func line(_ address: UInt64, _ name: String, _ isLocal: Bool) -> String {
      "\(hexadecimal(address)) \(name)\(isLocal ? " local" : "")"
    }
    let found = image.layout.functions.map {
      line($0.address.rawValue, "\(image.layout.name(of: $0))", $0.isLocal)
    }
    #expect(found.sorted() == symbols.map { line($0.address, $0.name, $0.isLocal) }.sorted())
    #expect(found.contains { $0.hasSuffix(" -[Root add:to:] local") })
    #expect(found.contains { $0.hasSuffix(" __Z6sharedi") }, "hidden, and not local")
    #expect(found.count { $0.hasSuffix(" _local local") } == 2)
  }

  /// The linker creates them and names them in the symbol table.
  @Test func stubsForObjectiveCMessagesAreNoFunctions() throws {
    let source = """
      int count(void *object) __asm("_objc_msgSend$count");
      int main(int number, char **arguments) { return count(arguments) + 1; }
      """
    let build = try MachOBuild(sources: [(name: "message.c", text: source)])
    let (image, _) = try build.read()
    #expect(image.layout.sections.contains { $0.name == "__TEXT,__objc_stubs" && $0.isExecutable })
    #expect(image.layout.functions.map { "\(image.layout.name(of: $0))" } == ["_main"])
  }

  @Test(arguments: AppleSDK.Platform.allCases)
  func sectionsAreThoseInMemory(_ platform: AppleSDK.Platform) throws {
    let build = try MachOBuild(platform)
    let (image, _) = try build.read()
    let map = String(decoding: try build.bytes("image.map"), as: UTF8.self)
    // A line of the map is `0x1000004A0 0x00000084 __TEXT __text`.
    let expected = map.split(separator: "\n").map { $0.split(separator: "\t") }
      .filter { $0.count == 4 && $0[2].hasPrefix("__") }
      .map { "\($0[0].lowercased()) \($0[2]),\($0[3])" }
    #expect(expected.count > 8)
    #expect(image.layout.sections.map { "\($0.range.start) \($0.name)" } == expected)
    let executable = image.layout.sections.filter(\.isExecutable).map(\.name.description)
    #expect(executable.prefix(2) == ["__TEXT,__text", "__TEXT,__stubs"])
    #expect(!executable.contains("__TEXT,__cstring"))
  }

  /// The map states the sizes of atoms, without what aligns the next one.
  @Test(arguments: AppleSDK.Platform.allCases)
  func functionsReachToTheNextOne(_ platform: AppleSDK.Platform) throws {
    let build = try MachOBuild(platform)
    let (image, _) = try build.read()
    let map = String(decoding: try build.bytes("image.map"), as: UTF8.self)
    var sizes: [String: UInt64] = [:]
    for line in map.split(separator: "\n") {
      // `0x1000004A0	0x00000008	[  2] _f`
      let fields = line.split(separator: "\t", maxSplits: 2)
      guard fields.count == 3, let end = fields[2].firstRange(of: "] "),
        let size = UInt64(fields[1].dropFirst(2), radix: 16)
      else { continue }
      sizes["\(fields[0].lowercased()) \(fields[2][end.upperBound...])"] = size
    }
    var compared = 0
    for function in image.layout.functions {
      let name = image.layout.name(of: function)
      let size = try #require(sizes["\(function.address) \(name)"], "\(name)")
      // The name is an alias: of the names at one address, the last one has the atom's size.
      if size == 0 { continue }
      #expect(size <= function.knownBytes && function.knownBytes < size + 16, "\(name)")
      compared += 1
    }
    #expect(compared > 15)
  }

  /// The linker lists functions that only a private label names, too.
  @Test func aFunctionWithoutANameIsAGap() throws {
    let build = try MachOBuild()
    let (image, _) = try build.read()
    let starts = try #require(Tool("llvm-objdump-19")).run([
      "--macho", "--function-starts=addrs", build.path("image"),
    ]).split(separator: "\n").compactMap { UInt64($0, radix: 16) }
    let named = Set(image.layout.functions.map(\.address.rawValue))
    #expect(named.isSubset(of: starts))
    let unnamed = try #require(starts.first { !named.contains($0) })
    #expect(Set(starts).subtracting(named).count == 1)
    #expect(image.layout.functions(containing: StatedAddress(rawValue: unnamed)).isEmpty)
    let before = image.layout.functions(containing: StatedAddress(rawValue: unnamed - 1))
    #expect(before.map { image.layout.name(of: image.layout.functions[$0]) } == ["_unnamed"])
    #expect(Self.sizes(image).contains("_unnamed: 8"))
  }

  @Test func aliasesAreAllKept() throws {
    let (image, _) = try MachOBuild().read()
    let outer = try #require(image.layout.functions.first { image.layout.name(of: $0) == "_outer" })
    let aliases = image.layout.functions(at: outer.address)
    #expect(
      aliases.map { image.layout.name(of: image.layout.functions[$0]) } == ["_alias", "_outer"])
    #expect(Set(image.layout.functions[aliases].map(\.size)) == [8])
  }

  /// `_outer` is 4 instructions long, of which `_inner` is the second half; the linker drops the mark.
  @Test func aSecondEntryDoesNotEndAFunction() throws {
    let build = try MachOBuild()
    let plain = Self.sizes(try build.read().image)
    #expect(plain.filter { $0.contains("er: ") } == ["_outer: 8", "_inner: 8"])
    var bytes = try build.bytes("image")
    try MachOEditor.editSymbol("_inner", in: &bytes) { $0[$0.startIndex + 7] |= 2 }  // N_ALT_ENTRY
    try build.workshop.write(bytes, "marked")
    let sizes = Self.sizes(try build.read("marked").image)
    #expect(sizes.filter { $0.contains("er: ") } == ["_outer: 16", "_inner: 8"])
    #expect(sizes.contains("_alias: 16"))
  }

  /// Linkers leave private labels out. If a private label was kept, there was a reason.
  @Test func aPrivateLabelCountsOnlyWhereNothingElseDoes() throws {
    let build = try MachOBuild()
    let whole = try build.read().image
    var bytes = try build.bytes("image")
    try MachOEditor.rename("_alias", to: "lalias", in: &bytes)
    try MachOEditor.rename("_twins", to: "ltwins", in: &bytes)
    try build.workshop.write(bytes, "renamed")
    let image = try build.read("renamed").image
    let expected = Self.sizes(whole).filter { !$0.hasPrefix("_alias") }
      .map { $0.hasPrefix("_twins") ? "l" + $0.dropFirst() : $0 }
    #expect(Self.sizes(image) == expected)
  }

  /// Initializers come from a table of pointers, with fixups in either form, or from a table of offsets.
  @Test(
    arguments: AppleSDK.Platform.allCases,
    [["-fixup_chains"], ["-no_fixup_chains"], ["-init_offsets", "-no_fixup_chains"]])
  func loadMethodsComeBeforeInitializers(
    _ platform: AppleSDK.Platform, linkerFlags: [String]
  ) throws {
    let (image, warnings) = try MachOBuild(platform, linkerFlags: linkerFlags).read()
    #expect(warnings.isEmpty)
    let names = image.initializers.map { address in
      image.layout.functions(at: address).map {
        image.layout.name(of: image.layout.functions[$0]).description
      }
    }
    #expect(names == [["+[Root load]"], ["_first"], ["__GLOBAL__sub_I_shapes.cpp"]])
  }

  @Test func theUUIDIsTheIDInAppleSpelling() throws {
    let build = try MachOBuild()
    let id = try #require(try build.read().image.id)
    #expect(id.kind == .uuid)
    let text = try #require(Tool("llvm-objdump-19")).run([
      "--macho", "--private-headers", build.path("image"),
    ])
    #expect(text.contains("uuid \(id)\n"))
    #expect(ImageID(kind: .uuid, bytes: [1, 0xab]).description == "01ab", "not of 16 bytes")
  }

  @Test func withoutAUUIDTheLoadCommandsGiveAWeakID() throws {
    let build = try MachOBuild(linkerFlags: ["-no_uuid"])
    let id = try #require(try build.read().image.id)
    let bytes = try build.bytes("image")
    let size = (0..<4).reduce(0) { $0 | Int(bytes[20 + $1]) << (8 * $1) }  // sizeofcmds
    var expected: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes[32..<32 + size] { expected = (expected ^ UInt64(byte)) &* 0x100_0000_01b3 }
    let digits = String(expected, radix: 16)
    #expect(id.description == "weak:" + String(repeating: "0", count: 16 - digits.count) + digits)
  }

  @Test func guardsAreCountedInAnySegment() throws {
    let sources = [
      (
        name: "main.c",
        text: """
        void __sanitizer_cov_trace_pc_guard(unsigned *g) {}
        void __sanitizer_cov_trace_pc_guard_init(unsigned *a, unsigned *b) {}
        int other(int a) { return a + 1; }
        int main(int count, char **arguments) { return count; }
        """
      )
    ]
    let flags = ["-fsanitize-coverage=func,trace-pc-guard"]
    let build = try MachOBuild(flags: flags, sources: sources)
    let guards = try #require(try build.read().image.guards)
    let sections = try build.read().image.layout.sections
    #expect(guards == sections.first { $0.name == "__DATA,__sancov_guards" }?.range)
    #expect(guards.size == 4 * 2, "the callbacks are not instrumented")
    let moved = try MachOBuild(
      flags: flags,
      linkerFlags: ["-rename_section", "__DATA", "__sancov_guards", "__X", "__sancov_guards"],
      sources: sources)
    #expect(try moved.read().image.guards?.size == 8)
    #expect(try MachOBuild(sources: sources).read().image.guards == nil)
  }
}
