import Addresses
import ByteReading
import ImageModel
import Symbolication
import TestSupport
import Testing

@Suite struct ImageTests {
  static func read(
    _ writer: ELFWriter
  ) throws -> (image: Image, warnings: [Diagnostic]) {
    try Image.reading(FileBytes(writer.bytes()), path: "app", opening: noFile)
  }

  static func noFile(_ path: String) throws(SystemError) -> FileBytes {
    throw SystemError("open", errno: 2)
  }

  static func names(_ image: Image) -> [String] {
    image.layout.functions.map { "\($0.address) \(image.layout.name(of: $0))" }
  }

  /// An image with code at 0x1000 ..< 0x1100 (section 1), data at 0x2000, and `symbols`.
  static func writer(_ symbols: [ELFWriter.Symbol], machine: UInt16 = 62) -> ELFWriter {
    var writer = ELFWriter(machine: machine)
    writer.addText()
    writer.add(
      .init(".data", flags: 3, address: 0x2000, contents: [UInt8](repeating: 0, count: 16)))
    writer.addSymbols(symbols)
    return writer
  }

  @Test func functionsAscendAndKeepTheirSizesAndBindings() throws {
    let (image, warnings) = try Self.read(
      Self.writer([
        .init("second", info: 0x02, value: 0x1010, size: 8),
        .init("resolver", info: 0x1a, value: 0x1020, size: 4),
        .init("alias", info: 0x22, value: 0x1000, size: 16),
        .init("first", value: 0x1000, size: 16),
      ]))
    #expect(warnings.isEmpty)
    #expect(
      Self.names(image) == ["0x1000 alias", "0x1000 first", "0x1010 second", "0x1020 resolver"])
    #expect(image.layout.functions.map(\.isLocal) == [false, false, true, false])
    #expect(image.layout.functions.map(\.size) == [16, 16, 8, 4])
    #expect(image.layout.sections.map(\.name) == [".text", ".data"])
    #expect(image.layout.sections.map(\.isExecutable) == [true, false])
    #expect(image.symbolSource == .symbolTable)
    #expect(image.architecture == .x8664)
    #expect(image.guards == nil)
  }

  /// Symbols that are not functions, each with the reason.
  @Test(
    arguments: [
      ("an object", .init("x", info: 0x11, value: 0x1000, size: 4)),
      ("a section", .init("x", info: 0x03, value: 0x1000)),
      ("a file", .init("x", info: 0x04, section: 0xfff1, value: 0)),
      ("undefined", .init("x", section: 0, value: 0x1000)),
      ("absolute", .init("x", section: 0xfff1, value: 0x1000)),
      ("common", .init("x", section: 0xfff2, value: 0x1000)),
      ("thread-local", .init("x", info: 0x16, value: 0x1000)),
      ("data", .init("x", info: 0x10, section: 2, value: 0x2000)),
      ("the end of the code", .init("_etext", info: 0x10, value: 0x1100)),
      ("outside every section", .init("x", value: 0x9000)),
      ("without a name", .init("", value: 0x1000, size: 4)),
      ("a mapping symbol", .init("$x", info: 0x00, value: 0x1000)),
      ("a numbered mapping symbol", .init("$d.17", info: 0x00, value: 0x1000)),
      ("a mapping symbol with an instruction set", .init("$xrv64i2p1", info: 0x00, value: 0x1000)),
      ("a label of a basic block", .init(".LBB_END7_3", info: 0x00, value: 0x1060)),
      ("a label inside a function", .init("loop", info: 0x00, value: 0x1050)),
    ] as [(String, ELFWriter.Symbol)])
  func thisIsNoFunction(_ what: String, _ symbol: ELFWriter.Symbol) throws {
    let (image, _) = try Self.read(
      Self.writer([.init("whole", value: 0x1040, size: 0x20), symbol]))
    #expect(Self.names(image) == ["0x1040 whole"], "\(what)")
  }

  @Test(
    arguments: [
      ("a label outside functions", .init("asm", info: 0x10, value: 0x1060), "0x1060 asm"),
      ("a label with a size", .init("asm", info: 0x10, value: 0x1000, size: 8), "0x1000 asm"),
      ("a label at a function's start", .init("a", info: 0x10, value: 0x1040), "0x1040 a"),
      ("an index that did not fit", .init("far", section: 0xffff, value: 0x1000), "0x1000 far"),
      ("a name with a dollar", .init("$s4main", info: 0x10, value: 0x1000), "0x1000 $s4main"),
      ("a default version", .init("f@@V1", value: 0x1000), "0x1000 f"),
      ("an old version", .init("f@V0", value: 0x1000), "0x1000 f"),
      ("a name that begins with an at sign", .init("@f", value: 0x1000), "0x1000 @f"),
      ("a name that ends with an at sign", .init("f@", value: 0x1000), "0x1000 f@"),
    ] as [(String, ELFWriter.Symbol, String)])
  func thisIsAFunction(_ what: String, _ symbol: ELFWriter.Symbol, _ expected: String) throws {
    let (image, _) = try Self.read(
      Self.writer([.init("whole", value: 0x1040, size: 0x20), symbol]))
    #expect(Self.names(image).contains(expected), "\(what)")
    #expect(image.layout.functions.count == 2)
  }

  @Test func labelsUnderOverlappingFunctionsAreLabels() throws {
    let (image, _) = try Self.read(
      Self.writer([
        .init("wide", value: 0x1000, size: 0x40), .init("inner", value: 0x1008, size: 8),
        .init("l1", info: 0, value: 0x100a), .init("l2", info: 0, value: 0x103f),
        .init("l3", info: 0, value: 0x1040),
      ]))
    #expect(Self.names(image) == ["0x1000 wide", "0x1008 inner", "0x1040 l3"])
  }

  @Test func theThumbBitIsNoPartOfAnARMAddress() throws {
    let symbols = [ELFWriter.Symbol("thumb", value: 0x1011, size: 4)]
    #expect(try Self.names(Self.read(Self.writer(symbols, machine: 40)).image) == ["0x1010 thumb"])
    #expect(try Self.names(Self.read(Self.writer(symbols)).image) == ["0x1011 thumb"])
  }

  @Test func namesThatRunOffTheTableAreCounted() throws {
    var table = ByteWriter()
    table.write([UInt8](repeating: 0, count: 24))
    for name in [1, 3, 99, 6] as [UInt32] {
      table.write(name)
      table.write([0x12, 0])
      table.write(UInt16(1))
      table.write(UInt64(0x1000) + UInt64(name))
      table.write(UInt64(1))
    }
    var writer = ELFWriter()
    writer.addText()
    writer.add(.init(".strtab", type: 3, contents: Array("\0good\0bad".utf8)))
    writer.add(.init(".symtab", type: 2, contents: table.bytes, link: 2, entrySize: 24))
    let (image, warnings) = try Self.read(writer)
    #expect(Self.names(image) == ["0x1001 good", "0x1003 od"])
    #expect(
      warnings.map(\.description) == [
        "app: 2 symbols skipped: invalid st_name: expected a name within 9 bytes"
      ])
  }

  @Test(
    arguments: [
      (3, "i386"), (40, "arm"), (62, "x86_64"), (183, "arm64"), (243, "riscv64"),
      (4711, "machine-4711"),
    ] as [(UInt16, String)])
  func theArchitectureHasItsUsualName(machine: UInt16, name: String) throws {
    let (image, _) = try Self.read(ELFWriter(machine: machine))
    #expect(image.architecture.description == name)
  }

  @Test func theBuildIDIsTheID() throws {
    var writer = Self.writer([])
    writer.addBuildID([0xab, 0x0c])
    #expect(try Self.read(writer).image.id == ImageID(kind: .buildID, bytes: [0xab, 0x0c]))
  }

  @Test func withoutABuildIDTheProgramHeadersGiveAWeakOne() throws {
    var writer = Self.writer([])
    writer.segments = [(1, 1)]
    let id = try #require(try Self.read(writer).image.id)
    var expected: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in writer.bytes()[64..<64 + 56] {
      expected = (expected ^ UInt64(byte)) &* 0x100_0000_01b3
    }
    #expect(id.kind == .weak)
    #expect(id.bytes.reduce(0) { $0 << 8 | UInt64($1) } == expected)
    #expect(id.description == "weak:" + String(expected, radix: 16))
    writer.segments = []
    #expect(try Self.read(writer).image.id?.description == "weak:cbf29ce484222325")
  }

  @Test func guardsAreTheSectionOfThatName() throws {
    var writer = Self.writer([])
    writer.add(
      .init(
        "__sancov_guards", flags: 3, address: 0x5000, contents: [UInt8](repeating: 0, count: 12)))
    #expect(
      try Self.read(writer).image.guards
        == AddressRange(start: StatedAddress(rawValue: 0x5000), size: 12))
  }

  @Test func initializersAreThoseOfPreinitArrayFirst() throws {
    var writer = Self.writer([])
    func array(_ values: UInt64...) -> [UInt8] {
      var array = ByteWriter()
      for value in values { array.write(value) }
      return array.bytes
    }
    writer.add(
      .init(".init_array", type: 14, flags: 3, address: 0x3000, contents: array(0x1020, 0x1010)))
    writer.add(
      .init(".preinit_array", type: 16, flags: 3, address: 0x2ff8, contents: array(0x1030)))
    #expect(try Self.read(writer).image.initializers.map(\.rawValue) == [0x1030, 0x1020, 0x1010])
  }

  @Test func initializersThatCannotBeKnownAreCounted() throws {
    var writer = Self.writer([])
    var relocation = ByteWriter()
    for value in [0x3000, 99, 0] as [UInt64] { relocation.write(value) }
    writer.add(
      .init(".init_array", type: 14, flags: 3, address: 0x3000, contents: [0, 0, 0, 0, 0, 0, 0, 1]))
    writer.add(.init(".rela.dyn", type: 4, flags: 2, contents: relocation.bytes, entrySize: 24))
    let (image, warnings) = try Self.read(writer)
    #expect(image.initializers.isEmpty)
    #expect(
      warnings.map(\.description) == [
        "app: 1 initializer skipped: its relocation refers to no function of this image"
      ])
  }

  /// The names of functions do not depend on the damaged parts.
  @Test func damagedPartsThatNothingDependsOnAreWarnings() throws {
    var writer = Self.writer([.init("main", value: 0x1000, size: 16)])
    var array = ELFWriter.Section(
      ".init_array", type: 14, flags: 3, address: 0x3000, contents: [0, 0x10, 0, 0, 0, 0, 0, 0])
    array.statedSize = 1 << 20
    writer.add(array)
    writer.add(.init(".note.x", type: 7, flags: 2, contents: [4, 0, 0, 0, 9, 9, 9, 9, 1, 0, 0, 0]))
    writer.add(.init(".dynamic", type: 6, flags: 2, contents: [14, 0, 0, 0, 0, 0, 0, 0, 1]))
    let (image, warnings) = try Self.read(writer)
    #expect(Self.names(image) == ["0x1000 main"])
    #expect(image.initializers.isEmpty && image.libraryName == nil)
    #expect(
      warnings.map { $0.description.split(separator: ":").prefix(3).joined(separator: ":") } == [
        "app: initializers left out: truncated sh_size", "app: malformed note: truncated n_name",
      ], "\(warnings)")
  }

  /// The recorder reads only segments, not sections.
  @Test func aBuildIDThatASegmentLacksIsWarnedOf() throws {
    func warnings(segments: [(type: UInt32, section: Int)], noBits: Bool = false) throws -> [String]
    {
      var writer = ELFWriter()
      if noBits {
        writer.add(.init(".text", type: 8, flags: 6, address: 0x1000, statedSize: 0x100))
      } else {
        writer.addText()
      }
      writer.addBuildID([0x9f, 0x3a])
      writer.add(
        .init(
          ".note.other", type: 7, flags: 2,
          contents: [4, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0] + Array("Go\0\0".utf8)))
      writer.addSymbols([.init("main", value: 0x1000, size: 16)])
      writer.segments = segments
      return try Self.read(writer).warnings.map(\.message).filter { $0.contains("build ID") }
    }
    #expect(try warnings(segments: [(1, 1), (4, 2)]) == [])
    #expect(
      try warnings(segments: [(1, 1), (4, 3)]) == [
        "the image states two build IDs: 9f3a in its sections, none in its segments"
      ])
    #expect(try warnings(segments: [(1, 2)]).count == 1)
    #expect(try warnings(segments: []) == [], "not an image to run")
    #expect(try warnings(segments: [(1, 2)], noBits: true) == [], "a file of debug information")
  }

  @Test func aLibraryIsCalledWhatItStates() throws {
    for (contents, name) in [
      ([14, 1, 0, 0], "libjq.so.1"), ([5, 9, 14, 1, 0, 0], "libjq.so.1"), ([14, 0, 0, 0], nil),
      ([0, 0, 14, 1], nil), ([], nil), ([14, 99, 0, 0], nil),
    ] as [([UInt64], String?)] {
      var writer = Self.writer([])
      var dynamic = ByteWriter()
      for word in contents { dynamic.write(word) }
      let names = writer.add(.init(".dynstr", type: 3, contents: Array("\0libjq.so.1\0".utf8)))
      writer.add(
        .init(".dynamic", type: 6, flags: 2, contents: dynamic.bytes, link: UInt32(names)))
      let image = try Self.read(writer).image
      #expect(image.libraryName == name)
      let identity = ImageIdentity(
        id: try #require(image.id), architecture: image.architecture, libraryName: name)
      #expect(try ImageIdentity.all(in: FileBytes(writer.bytes())) == [identity])
    }
  }

  @Test(
    arguments: [
      (1, "app: unsupported e_type: found ET_REL, expected a linked image (at offset 0x10)"),
      (4, "app: unsupported e_type: found ET_CORE, expected a linked image (at offset 0x10)"),
    ] as [(UInt16, String)])
  func onlyLinkedImagesAreImages(type: UInt16, message: String) {
    let error = #expect(throws: Diagnostic.self) { try Self.read(ELFWriter(type: type)) }
    #expect(error?.description == message)
  }

  @Test func aFileThatIsNotThereSaysSo() {
    let error = #expect(throws: Diagnostic.self) { try Image.reading(path: "/no/such/file") }
    #expect(error?.description == "/no/such/file: No such file or directory")
  }

  @Test func damagedImagesNeverTrap() throws {
    var writer = Self.writer([
      .init("main", value: 0x1000, size: 16), .init("label", info: 0, value: 0x1008),
      .init("asm", info: 0, value: 0x1080),
    ])
    writer.add(
      .init(
        ".init_array", type: 14, flags: 3, address: 0x3000, contents: [0, 0x10, 0, 0, 0, 0, 0, 0]))
    writer.addBuildID([1, 2, 3])
    writer.add(.init(".gnu_debuglink", contents: Array("a.debug\0abcd".utf8)))
    let whole = writer.bytes()
    var readCount = 0
    func read(_ bytes: [UInt8]) {
      let read = try? Image.reading(FileBytes(bytes), path: "app", opening: Self.noFile)
      readCount += read == nil ? 0 : 1
    }
    for length in hostilePrefixLengths(of: whole) { read(Array(whole[..<length])) }
    #expect(readCount == 1)
    for copy in byteFlips(of: whole) { read(copy) }
    #expect(readCount > 100)
  }
}
