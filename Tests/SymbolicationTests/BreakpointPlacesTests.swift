import Addresses
import ByteReading
import ImageModel
import Symbolication
import TestSupport
import Testing

/// Tests at which places of an image breakpoints are planted, and what each stands for.
@Suite struct BreakpointPlacesTests {
  /// The places for breakpoints in the image that clang makes of `source`.
  private func places(
    _ source: String, _ flags: [String], withBlocks: Bool = true, suffix: String = "c",
    compiler: String = "clang"
  ) throws -> BreakpointPlaces {
    let folder = try TemporaryFolder()
    let file = try folder.write(Array(source.utf8), "main.\(suffix)")
    let image = folder.path("image")
    try #require(Tool(compiler)).run(
      ["-O1", "-fbasic-block-address-map", file, "-o", image] + flags)
    return try BreakpointPlaces(
      of: FileBytes(path: image), at: image, withBlocks: withBlocks)
  }

  static let source = """
    __attribute__((noinline)) int count(int n) {
      int sum = 0;
      for (int i = 0; i < n; i++) { if (i % 3) sum += i; __asm__ volatile(""); }
      return sum;
    }
    int unused(int n) { return n ? count(n) : 3; }
    int main(int n, char **v) { (void)v; return count(n); }
    """

  /// The identity of an image is its ELF header first, and the note with the build ID.
  @Test(
    .needs("clang"), arguments: [["-Wl,--build-id"], ["-no-pie", "-Wl,--build-id"], ["-static"]])
  func theIdentityIsWhatIsMappedOfTheHeadersAndNotes(flags: [String]) throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(Array(Self.source.utf8), "main.c")
    let image = folder.path("image")
    try #require(Tool("clang")).run(["-O1", "-fuse-ld=lld", file, "-o", image] + flags)
    let bytes = try FileBytes(path: image)
    let places = try BreakpointPlaces(of: bytes, at: image)
    let first = try #require(places.identity.first)
    #expect(first.bytes == bytes.copy(0..<64))
    let start = try #require(places.executableSegments.first)
    #expect(first.address <= start.range.start)
    if places.id.kind == .buildID {
      #expect(places.idInMemory == places.id)
      let id = places.id.bytes
      #expect(
        places.identity.contains { piece in
          piece.bytes.indices.contains { piece.bytes[$0...].starts(with: id) }
        })
    }
    let named = try BreakpointPlaces(of: bytes, onlyNamed: ["main", "count"])
    #expect(named.functions.isEmpty && named.identity.map(\.bytes) == places.identity.map(\.bytes))
  }

  /// A function is exported if it is in the dynamic symbol table. The symbol table alone does not
  /// export it.
  @Test(.needs("clang"), arguments: [true, false])
  func functionsThatOthersCanUseAreTold(isExported: Bool) throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(Array(Self.source.utf8), "main.c")
    let image = folder.path("image")
    try #require(Tool("clang")).run(
      ["-O1", "-fuse-ld=lld", file, "-o", image] + (isExported ? ["-rdynamic"] : []))
    let bytes = try FileBytes(path: image)
    let places = try BreakpointPlaces(of: bytes, at: image, lookingFor: ["count", "none"])
    #expect(places.named.keys.sorted() == ["count"])
    #expect(places.exported == (isExported ? ["count"] : []))
    let named = try BreakpointPlaces(of: bytes, onlyNamed: ["count", "none"])
    #expect(named.named == (isExported ? places.named : [:]))
  }

  @Test(
    .needs("clang"),
    arguments: [
      [], ["-no-pie"], ["-static"], ["-s"], ["-ffunction-sections", "-Wl,--gc-sections"],
      ["-fuse-ld=bfd", "-ffunction-sections", "-Wl,--gc-sections"],
      ["-fuse-ld=gold", "-ffunction-sections", "-Wl,--icf=all"],
      ["-g", "-gz", "-Wl,--compress-debug-sections=zlib"],
    ])
  func everyBlockOfTheImageHasOne(flags: [String]) throws {
    let linker = flags.contains { $0.hasPrefix("-fuse-ld") } ? [] : ["-fuse-ld=lld"]
    let places = try places(Self.source, flags + linker)
    let blocks = try #require(places.blocks?.ranges)
    #expect(blocks.count > 5)
    #expect(zip(places.places, places.places.dropFirst()).allSatisfy { $0 < $1 })
    #expect(Set(places.places) == Set(places.functions + blocks.map(\.start)))
    let own = places.functions.filter { places.uses(at: $0).blocks.count == 1 }
    #expect(own.count == (flags.contains("-Wl,--gc-sections") ? 2 : 3))
    for place in places.places {
      let uses = places.uses(at: place)
      #expect(uses.isFunction || !uses.blocks.isEmpty)
      #expect(uses.isFunction == places.functions.contains(place))
    }
  }

  @Test func damagedUnwindingTablesLeaveTheFunctionsThatSymbolsName() throws {
    func image(_ symbols: [ELFWriter.Symbol]) -> [UInt8] {
      var writer = ELFWriter()
      writer.addText()
      if !symbols.isEmpty { writer.addSymbols(symbols) }
      let header = writer.add(
        .init(
          ".eh_frame_hdr", flags: 2, address: 0x2000, contents: [1, 0x1b, 3, 0x3b, 0, 0, 0, 0, 9]))
      writer.segments = [(0x6474_e550, header)]
      return writer.bytes()
    }
    let places = try BreakpointPlaces(
      of: FileBytes(image([.init("f", value: 0x1010, size: 16)])), at: "image")
    #expect(places.functions.map(\.rawValue) == [0x1010])
    #expect(places.problems.map(\.description).allSatisfy { $0.hasPrefix("truncated fde_count") })
    #expect(places.problems.count == 1)
    #expect(throws: ParseError.self) {
      try BreakpointPlaces(of: FileBytes(image([])), at: "image")
    }
  }

  @Test(.needs("clang")) func blocksAreThereIfTheyAreAskedFor() throws {
    let places = try places(Self.source, ["-fuse-ld=lld"], withBlocks: false)
    #expect(places.blocks == nil && places.places == places.functions)
    let start = try #require(places.places.first)
    #expect(places.uses(at: start) == (true, []))
  }

  /// Parts of functions are functions of their own, each in its own section.
  @Test(.needs("clang")) func partsOfASplitFunctionCount() throws {
    let places = try places(Self.source, ["-fuse-ld=lld", "-fbasic-block-sections=all"])
    let blocks = try #require(places.blocks?.ranges)
    #expect(blocks.count > 4 && blocks.allSatisfy { places.functions.contains($0.start) })
  }

  @Test(.needs("clang", "objcopy"))
  func aStrippedImageHasTheMapOfItsDebugFile() throws {
    let folder = try TemporaryFolder()
    let source = try folder.write(Array(Self.source.utf8), "main.c")
    let (whole, debug, stripped) = (folder.path("a"), folder.path("a.debug"), folder.path("b"))
    try #require(Tool("clang")).run(
      ["-O1", "-fuse-ld=lld", "-fbasic-block-address-map", source, "-o", whole])
    let objcopy = try #require(Tool("objcopy"))
    try objcopy.run(["--only-keep-debug", whole, debug])
    try objcopy.run([
      "--strip-all", "-R", ".llvm_bb_addr_map", "--add-gnu-debuglink=\(debug)", whole, stripped,
    ])
    func places(_ path: String) throws -> BreakpointPlaces {
      try BreakpointPlaces(of: FileBytes(path: path), at: path, withBlocks: true)
    }
    let expected = try places(whole)
    #expect(expected.blocks != nil)
    #expect(try places(stripped).places == expected.places)
    try objcopy.run(["-R", ".gnu_debuglink", stripped])
    #expect(try places(stripped).blocks == nil, "nothing tells where its debug file is")
  }

  /// The function's first block is only ENDBR64; the loop begins after it.
  @Test(.needs("clang", .x8664Machine))
  func aLandingPadSharesItsBreakpoint() throws {
    let assembly = """
      .text
      .globl spin
      .type spin, @function
      spin:
      .Lbegin: endbr64
      .Lloop: dec %edi
      jnz .Lloop
      .Lafter: ret
      .Lend: .size spin, .Lend - spin
      .section .llvm_bb_addr_map, "o", @llvm_bb_addr_map, .text
      .byte 2, 0
      .quad spin
      .byte 3
      .byte 0, 0
      .uleb128 .Lloop - .Lbegin
      .byte 8
      .byte 1, 0
      .uleb128 .Lafter - .Lloop
      .byte 8
      .byte 2, 0
      .uleb128 .Lend - .Lafter
      .byte 1
      """
    let places = try places(
      assembly, ["-shared", "-nostdlib", "-fuse-ld=lld"], suffix: "s")
    let blocks = try #require(places.blocks?.ranges)
    #expect(blocks.map(\.size) == [4, 4, 1])
    #expect(places.places == [blocks[0].start, blocks[2].start])
    #expect(places.uses(at: blocks[0].start) == (true, Array(blocks[..<2])))
    #expect(places.uses(at: blocks[2].start) == (false, [blocks[2]]))
  }

  /// Padding that is executed on the way to the next block belongs to the block before it. Other padding belongs to no
  /// block.
  @Test(.needs("clang")) func paddingBelongsToWhoRunsIt() throws {
    let assembly = """
      .text
      .globl f
      .type f, @function
      f: .byte 0x90, 0x90, 0x90, 0x90
      .skip 12
      .byte 0x90, 0x90, 0x90, 0xc3
      .skip 12
      .byte 0x90, 0x90, 0x90, 0xc3
      .size f, . - f
      .section .llvm_bb_addr_map, "o", @llvm_bb_addr_map, .text
      .byte 2, 0
      .quad f
      .byte 3
      .byte 0, 0, 4, 8
      .byte 1, 12, 4, 1
      .byte 2, 12, 4, 8
      """
    let places = try places(assembly, ["-shared", "-nostdlib", "-fuse-ld=lld"], suffix: "s")
    #expect(places.blocks?.ranges.map(\.size) == [16, 4, 4])
  }

  /// A map with other addresses than the image's functions is another build's, and its blocks could lie
  /// in the middle of instructions.
  @Test func aMapOfAnotherBuildIsLeftOut() throws {
    func image(_ address: UInt64, version: UInt8 = 2) throws -> BreakpointPlaces {
      var map = ByteWriter()
      map.write([version, 0])
      map.write(address)
      map.write([2, 0, 0, 4, 8, 1, 0, 200, 1, 1])
      var writer = ELFWriter()
      writer.addText()
      writer.addSymbols([.init("f", value: 0x1010, size: 200)])
      writer.add(.init(".llvm_bb_addr_map", type: 0x6fff_4c0a, contents: map.bytes))
      return try BreakpointPlaces(
        of: FileBytes(writer.bytes()), at: "image", withBlocks: true)
    }
    let right = try image(0x1010)
    #expect(right.blocks?.ranges.map(\.start.rawValue) == [0x1010, 0x1014])
    for address: UInt64 in [0, 0x1011, 0x10ff, 0x1100, .max] {
      let places = try image(address)
      #expect(places.blocks == nil && places.blockMapProblem == nil)
      #expect(places.places.map(\.rawValue) == [0x1010])
    }
    let later = try image(0x1010, version: 9)
    #expect(later.blocks == nil && later.places == later.functions)
    #expect(
      later.blockMapProblem?.description.hasPrefix(
        "unsupported BB address map version: found 9") ?? false)
  }

  @Test(.needs("clang")) func damagedImagesNeverTrap() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(Array(Self.source.utf8), "main.c")
    let image = folder.path("image")
    try #require(Tool("clang")).run(
      [
        "-O1", "-nostdlib", "-shared", "-fuse-ld=lld", "-fbasic-block-address-map", file, "-o",
        image,
      ])
    let whole = try FileBytes(path: image).copy(0..<FileBytes(path: image).count)
    for copy in byteFlips(of: whole) {
      _ = try? BreakpointPlaces(
        of: FileBytes(copy), at: "image", withBlocks: true)
    }
    for length in hostilePrefixLengths(of: whole) {
      _ = try? BreakpointPlaces(
        of: FileBytes(Array(whole[..<length])), at: "image", withBlocks: true)
    }
    #expect(
      try BreakpointPlaces(
        of: FileBytes(whole), at: "image", withBlocks: true
      ).blocks != nil)
  }
}
