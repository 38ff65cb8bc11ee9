import ByteReading
import ImageModel
import ObjectFormat
import Symbolication
import TestSupport
import Testing

@Suite struct DebugFileRequestTests {
  /// A stripped image; its debug file has the same code at the same place.
  static func image(
    buildID: [UInt8]? = [0xab, 0xcd, 0xef], link: [UInt8]? = nil, machine: UInt16 = 62,
    text: UInt64 = 0x1000, symbols: [ELFWriter.Symbol]? = nil
  ) -> [UInt8] {
    var writer = ELFWriter(machine: machine)
    writer.addText(address: text)
    if let buildID { writer.addBuildID(buildID) }
    if let link { writer.add(.init(".gnu_debuglink", contents: link)) }
    if let symbols { writer.addSymbols(symbols) }
    return writer.bytes()
  }

  static func link(_ name: String, checksum: UInt32) -> [UInt8] {
    var link = ByteWriter()
    link.writeZeroTerminated(name)
    link.align(to: 4)
    link.write(checksum)
    return link.bytes
  }

  static let symbols = [ELFWriter.Symbol("hidden", info: 0x02, value: 0x1010, size: 4)]

  /// Reads `image` on a machine on which only `files` exist.
  static func read(
    _ image: [UInt8], at path: String = "/opt/app", debugFile: String? = nil,
    files: [String: [UInt8]] = [:]
  ) throws -> (image: Image, warnings: [Diagnostic]) {
    try Image.reading(FileBytes(image), path: path, debugFile: debugFile, debugRoots: ["/root"]) {
      (path: String) throws(SystemError) in
      guard let bytes = files[path] else { throw SystemError("open", errno: 2) }
      return FileBytes(bytes)
    }
  }

  @Test func aDamagedDebugLinkIsAWarningAndTheBuildIDStillLeadsToTheFile() throws {
    let image = Self.image(link: Self.link("../x.dbg", checksum: 7))
    let debugFile = Self.image(symbols: Self.symbols)
    let found = try Self.read(image, files: ["/root/.build-id/ab/cdef.debug": debugFile])
    #expect(found.image.layout.functions.count == 1)
    let lost = try Self.read(image)
    for warnings in [found.warnings, lost.warnings] {
      #expect(
        warnings.contains { $0.message.hasPrefix("debug link left out: invalid debuglink name") },
        "\(warnings)")
    }
  }

  @Test func candidatesComeInTheOrderOfGDB() throws {
    let file = try ELFFile(parsing: FileBytes(Self.image(link: Self.link("x.dbg", checksum: 7))))
    func paths(_ path: String, _ debugFile: String? = nil) throws -> [String] {
      file.debugFileCandidates(at: path, named: debugFile, roots: ["/a", "/b"]).candidates
        .map { $0.path + ($0.checksum == nil ? "" : " with checksum") }
    }
    #expect(
      try paths("/opt/bin/app") == [
        "/a/.build-id/ab/cdef.debug", "/b/.build-id/ab/cdef.debug",
        "/opt/bin/x.dbg with checksum", "/opt/bin/.debug/x.dbg with checksum",
        "/a/opt/bin/x.dbg with checksum", "/b/opt/bin/x.dbg with checksum",
      ])
    #expect(
      try paths("app").suffix(2) == ["x.dbg with checksum", ".debug/x.dbg with checksum"])
    #expect(try paths("/opt/bin/app", "/mine") == ["/mine"])
  }

  @Test func theBuildIDLeadsToTheDebugFile() throws {
    let path = "/root/.build-id/ab/cdef.debug"
    let (image, warnings) = try Self.read(
      Self.image(), files: [path: Self.image(symbols: Self.symbols)])
    #expect(ImageTests.names(image) == ["0x1010 hidden"])
    #expect(image.symbolSource == .debugFile(path: path))
    #expect(warnings.isEmpty)
  }

  @Test(arguments: ["/opt/x.dbg", "/opt/.debug/x.dbg", "/root/opt/x.dbg"])
  func theDebugLinkLeadsToTheDebugFile(path: String) throws {
    let debug = Self.image(buildID: nil, symbols: Self.symbols)
    let link = Self.link("x.dbg", checksum: ELFDebugLink.checksum(of: FileBytes(debug)))
    let (image, _) = try Self.read(Self.image(buildID: nil, link: link), files: [path: debug])
    #expect(ImageTests.names(image) == ["0x1010 hidden"])
  }

  @Test func eachRejectedCandidateHasItsReason() throws {
    let link = Self.link("x.dbg", checksum: 7)
    let (image, warnings) = try Self.read(
      Self.image(link: link),
      files: [
        "/root/.build-id/ab/cdef.debug": Self.image(buildID: [1, 2], symbols: Self.symbols),
        "/opt/x.dbg": Self.image(symbols: Self.symbols),
        "/opt/.debug/x.dbg": Array("#!/bin/sh".utf8),
      ])
    #expect(image.layout.functions.isEmpty)
    #expect(image.symbolSource == .dynamicSymbols)
    #expect(
      warnings.map(\.description) == [
        """
        /opt/app: missing symbol table: only exported functions have names
          tried /root/.build-id/ab/cdef.debug: build ID mismatch: expected abcdef, found 0102
          tried /opt/x.dbg: CRC mismatch: expected 0x7, found \(checksumText(symbols: Self.symbols))
          tried /opt/.debug/x.dbg: invalid e_ident: expected 7f 45 4c 46, found 23 21 2f 62 \
        (at offset 0x0)
          tried /root/opt/x.dbg: No such file or directory
          hint: use the unstripped image, or give its debug file with '--debug-file'
        """
      ])
    #expect(warnings.map(\.kind) == [.missingSymbolTable])
  }

  func checksumText(symbols: [ELFWriter.Symbol]) -> String {
    let bytes = FileBytes(Self.image(symbols: symbols))
    return "0x" + String(ELFDebugLink.checksum(of: bytes), radix: 16)
  }

  @Test func anImageWithNothingToGoByNamesNoCandidate() throws {
    let (_, warnings) = try Self.read(Self.image(buildID: nil))
    #expect(
      warnings.map(\.message) == ["missing symbol table: only exported functions have names"])
  }

  /// The errors in a debug file that the user named, each with its message and exit code.
  @Test(
    arguments: [
      (image(buildID: [1], symbols: symbols), "build ID mismatch: expected abcdef, found 01", 3),
      (image(buildID: nil, symbols: symbols), "build ID mismatch: expected abcdef, found none", 3),
      (
        image(machine: 183, symbols: symbols),
        "machine mismatch: expected EM_X86_64, found EM_AARCH64", 3
      ),
      (image(), "missing symbol table and .debug_info", 1),
      ([], "truncated e_ident: expected 4 bytes, found 0 (at offset 0x0)", 1),
      (nil, "No such file or directory", 1),
    ] as [([UInt8]?, String, Int32)])
  func aNamedFileThatDoesNotFitIsAnError(file: [UInt8]?, message: String, code: Int32) {
    let error = #expect(throws: Diagnostic.self) {
      try Self.read(Self.image(), debugFile: "/d", files: file.map { ["/d": $0] } ?? [:])
    }
    #expect(error?.description == "/d: \(message)")
    #expect(error?.severity.rawValue == code)
  }

  @Test func withoutABuildIDTheSectionsOfANamedFileMustFit() throws {
    let image = Self.image(buildID: nil)
    let fitting = Self.image(buildID: nil, symbols: Self.symbols)
    let moved = Self.image(buildID: nil, text: 0x2000, symbols: Self.symbols)
    let read = try Self.read(image, debugFile: "/d", files: ["/d": fitting])
    #expect(ImageTests.names(read.image) == ["0x1010 hidden"])
    let error = #expect(throws: Diagnostic.self) {
      try Self.read(image, debugFile: "/d", files: ["/d": moved])
    }
    #expect(error?.severity == .mismatch)
  }

  @Test func anUnstrippedImageNeedsNoDebugFile() throws {
    let (image, warnings) = try Self.read(Self.image(symbols: Self.symbols), debugFile: "/nowhere")
    #expect(image.symbolSource == .symbolTable)
    #expect(
      warnings.map(\.description) == [
        "/opt/app: debug file ignored: the image has a symbol table"
      ])
  }
}
