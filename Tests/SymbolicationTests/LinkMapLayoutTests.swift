import Addresses
import ByteReading
import ImageModel
import LinkMapFormat
import Symbolication
import TestSupport
import Testing

@Suite struct LinkMapLayoutTests {
  static func layout(_ bytes: [UInt8]) throws -> (Layout, [Diagnostic]) {
    var diagnostics: [Diagnostic] = []
    let layout = Layout(try LinkMap(parsing: FileBytes(bytes)), diagnostics: &diagnostics)
    return (layout, diagnostics)
  }

  @Test(arguments: linkMapFixtures) func layoutIsAsRecorded(_ name: String) throws {
    let (layout, diagnostics) = try Self.layout(try fixture("linkmap/\(name)/input.map"))
    try expectGolden(
      layout.dump() + diagnostics.map { "\($0)\n" }.joined(), "linkmap/\(name)/layout.txt")
  }

  /// Compares the functions of one section `.text` at 0x1000, each formatted as `address+size name`.
  static func check(
    _ map: String, _ expected: [String], _ warnings: [String] = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let (layout, diagnostics) = try layout(Array(map.utf8))
    let functions = layout.functions.map {
      let address = String($0.address.rawValue, radix: 16)
      let size = String($0.knownBytes, radix: 16)
      return "\(address)+\(size) \(escaped(layout.names[$0.name]))" + ($0.isLocal ? " (local)" : "")
    }
    #expect(functions == expected, sourceLocation: sourceLocation)
    #expect(diagnostics.map(\.message) == warnings, sourceLocation: sourceLocation)
  }

  // MARK: lld

  static func lld(_ body: String) -> String {
    """
         VMA      LMA     Size Align Out     In      Symbol
        1000     1000     1000    16 .text

    """ + body + "\n"
  }

  @Test func zeroSizesAreFilledUpToTheNextSymbolOrTheEndOfTheInputSection() throws {
    try Self.check(
      Self.lld(
        """
            1000     1000       40    16         crt.o:(.text)
            1000     1000        0     1                 first
            1010     1010        0     1                 second
            1010     1010        0     1                 alias
            1040     1040        0     1                 end_of_section
            1040     1040       10    16         a.o:(.text.f)
            1040     1040        0     1                 label_at_f
            1040     1040       10     1                 f
            1050     1050        0    16         a.o:(.text.empty)
            1050     1050        0     1                 empty
        """), ["1000+10 first", "1010+30 alias", "1010+30 second", "1040+10 f"])
  }

  @Test func marksOfAssemblersAreNoFunctions() throws {
    try Self.check(
      Self.lld(
        """
            1000     1000       40    16         a.o:(.text)
            1000     1000        0     1                 $x
            1000     1000       20     1                 f
            1010     1010        0     1                 $d.7
            1010     1010        0     1                 .L0
            1020     1020        0     1                 $xrv64i2p1
            1020     1020       20     1                 $s1a1fyyF
        """), ["1000+20 f", "1020+20 $s1a1fyyF"])
  }

  @Test func aDemangledNameIsTakenFromItsSectionOnce() throws {
    try Self.check(
      Self.lld(
        """
            1000     1000       10    16         a.o:(.text._ZN1DC2Ev)
            1000     1000       10     1                 D::D()
            1000     1000       10     1                 D::D()
            1010     1010       10    16         a.o:(.text.unlikely._Z3foov)
            1010     1010       10     1                 foo() (.isra.0.cold)
            1020     1020       10    16         a.o:(.text.split._Z3foov.cold)
            1020     1020       10     1                 foo() [clone .cold]
            1030     1030       10    16         a.o:(.text)
            1030     1030       10     1                 bar(int)
            1040     1040       10    16         a.o:(.text._ZTH1x)
            1040     1040       10     1                 TLS init function for x
            1050     1050       10    16         a.o:(.text._ZN1EC5Ev)
            1050     1050       10     1                 _ZN1EC1Ev
            1060     1060       10    16         a.o:(.text.mine)
            1060     1060       10     1                 baz(int)
            1070     1070       10    16         a.o:(.text.a (b))
            1070     1070       10     1                 a (b)
            1080     1080       10    16         a.o:(.text.mine)
            1080     1080       10     1                 name with blanks
            1090     1090       10    16         a.o:(.text._Z1fv)
            1090     1090        8     1                 alias_in_c
            1090     1090       10     1                 f()
        """),
      [
        "1000+10 _ZN1DC2Ev", "1010+10 _Z3foov.cold", "1020+10 _Z3foov.cold", "1040+10 _ZTH1x",
        "1050+10 _ZN1EC1Ev", "1070+10 a (b)", "1080+10 name with blanks", "1090+8 alias_in_c",
        "1090+10 _Z1fv",
      ],
      [
        "link map of ld.lld has demangled names: 5 functions named after sections, 3 left out"
      ])
  }

  @Test func versionsAreCutOff() throws {
    try Self.check(
      Self.lld(
        """
            1000     1000       10    16         a.o:(.text.f)
            1000     1000       10     1                 f@@V2
            1000     1000       10     1                 f_old@V1
        """), ["1000+10 f", "1000+10 f_old"])
  }

  // MARK: Sections

  @Test func codeIsKnownByTheNamesOfSections() throws {
    let names = [
      ".init", ".text", ".text.hot", "freeres", ".plt", ".plt.sec", ".iplt", ".fini",
      ".init.text", ".mine", ".rodata", ".data", ".context",
    ]
    var map = "     VMA      LMA     Size Align Out     In      Symbol\n"
    for (index, name) in names.enumerated() {
      let address = String(0x1000 + index * 16, radix: 16)
      let input = name == ".mine" ? ".text.f" : name
      map += "    \(address)     \(address)       10    16 \(name)\n"
      map += "    \(address)     \(address)       10    16         a.o:(\(input))\n"
      map += "    \(address)     \(address)       10     1                 in\(name)\n"
    }
    map += "       0        0       10     1 .comment\n    2000     2000        0     1 .tbss\n"
    let (layout, _) = try Self.layout(Array(map.utf8))
    #expect(layout.sections.map(\.name.description) == names)
    #expect(
      layout.sections.filter(\.isExecutable).map(\.name.description) == Array(names.prefix(10)))
    // The linker gives its own stubs the names of functions in other images.
    #expect(
      layout.functions.map { layout.name(of: $0).description }
        == ["in.init", "in.text", "in.text.hot", "infreeres", "in.fini", "in.init.text", "in.mine"])
  }

  @Test func constantsThatAScriptPutIntoTextAreNoFunctions() throws {
    try Self.check(
      Self.lld(
        """
            1000     1000       10    16         a.o:(.text.f)
            1000     1000       10     1                 f
            1010     1010       10    16         a.o:(.rodata.table)
            1010     1010       10     1                 table
        """), ["1000+10 f"])
  }

  // MARK: GNU ld and gold

  @Test func functionsWithoutASymbolAreNamedForTheirSections() throws {
    let body = """
      .text           0x00001000     0x1000
       .text          0x00001000       0x10 a.o
       .text.hot      0x00001010       0x10 a.o
       .text.local    0x00001020       0x10 a.o
       .text.weak     0x00001030       0x10 a.o
                      0x00001030                weak
       .text.weak     0x00001040       0x20 b.o
       .text.local    0x00001060       0x10 b.o
       .text.unlikely.local
                      0x00001070        0x8 a.o
       .text.unlikely.cold
                      0x00001080        0x8 a.o
       .text.split.s  0x00001090        0x8 a.o
       .text.startup.main
                      0x000010a0        0x8 a.o
                      0x000010a0                main
       .text.unlikely.main
                      0x000010b0        0x8 a.o
       .text._ZL2sti  0x000010c0        0x8 a.o
       .text._ZN1DC2Ev
                      0x000010d0        0x8 a.o
                      0x000010d0                D::D()
                      0x000010d0                D::D()
       .text.empty    0x000010e0        0x0 a.o
       ** fill        0x000010e0       0x20

      """
    let functions = [
      "1020+10 local (local)", "1030+10 weak", "1060+10 local (local)",
      "1070+8 local.cold (local)", "1080+8 cold (local)", "1090+8 s.cold (local)", "10a0+8 main",
      "10b0+8 main.cold (local)", "10c0+8 _ZL2sti (local)", "10d0+8 _ZN1DC2Ev",
    ]
    for (title, linker) in [("Linker script and memory map", "GNU ld"), ("Memory map", "gold")] {
      try Self.check(
        "\(title)\n\n" + body, functions,
        [
          "link map of \(linker) has demangled names: 1 function named after sections, "
            + "1 left out",
          "link map of \(linker) has no local symbols: 3 input sections of code left out, 64 bytes",
        ])
    }
  }

  @Test func theNameOfTheSectionComesWithEachFunction() throws {
    let (layout, _) = try Self.layout(
      Array(
        Self.lld(
          """
              1000     1000       10    16         a.o:(.text.unlikely.f)
              1000     1000        8     1                 f
              1008     1008        8     1                 g
          """
        ).utf8))
    let sections = layout.functions.map {
      $0.inputSection.map { layout.names.name($0).description }
    }
    #expect(sections == [".text.unlikely.f", ".text.unlikely.f"])
  }

  // MARK: ld64

  static func ld64(_ symbols: String, sections: String = "") -> String {
    """
    # Path: app
    # Arch: arm64
    # Object files:
    [  0] linker synthesized
    [  1] /build/a b.o
    [  2] /build/libx.a(b.o)
    [  3] /tmp/lto.tmp
    [  4] /tmp/app_lto.o
    [  5] noext
    [  6] /src/salto.o
    [  7] /build/lib/libx.a(sub/lto.o)
    [  8] /tmp/lto.o
    [  9] /build/App_lto.o/0.arm64.thinlto.o
    # Sections:
    # Address\tSize    \tSegment\tSection
    0x00001000\t0x00000100\t__TEXT\t__text
    \(sections)# Symbols:
    # Address\tSize    \tFile  Name

    """ + symbols + "\n"
  }

  @Test func namesOfOneAddressShareTheGreatestSize() throws {
    try Self.check(
      Self.ld64(
        """
        0x00001000\t0x00000000\t[  1] _alias
        0x00001000\t0x00000010\t[  1] ltmp0
        0x00001010\t0x00000010\t[  1] _kept
        0x00001010\t0x00000000\t[  2] _folded
        0x00001020\t0x00000000\t[  1] _assembly
        0x00001030\t0x00000004\t[  0] _x.thunk.0
        0x00001034\t0x00000004\t[  1] anon
        0x00001038\t0x00000004\t[  1] l_label
        0x00001040\t0x00000000\t[  1] _last
        """),
      [
        "1000+10 _alias", "1010+10 _folded", "1010+10 _kept", "1020+10 _assembly", "1040+c0 _last",
      ])
  }

  /// ld64.lld lists all names of a folded function, also alternate entries, after the names of the kept function.
  @Test func namesOfFoldedPiecesFindTheirAddress() throws {
    try Self.check(
      Self.ld64(
        """
        0x00001000\t0x00000008\t[  1] _f
        0x00001008\t0x00000008\t[  1] _f_entry
        0x00001000\t0x00000000\t[  2] _g
        0x00001008\t0x00000000\t[  2] _g_entry
        0x00001010\t0x00000004\t[  1] _h
        """), ["1000+8 _f", "1000+8 _g", "1008+8 _f_entry", "1008+8 _g_entry", "1010+4 _h"])
  }

  @Test func objectFilesAreNamedAsAnOrderFileNamesThem() throws {
    let map = Self.ld64(
      (1...9).map { "0x0000100\($0)\t0x00000001\t[  \($0)] _f" }.joined(separator: "\n"))
    let (layout, _) = try Self.layout(Array(map.utf8))
    #expect(
      layout.functions.map { $0.objectFile.map { layout.names.name($0).description } }
        == [
          "a b.o", "libx.a(b.o)", nil, nil, nil, "salto.o", "libx.a(lto.o)", nil, nil,
        ])
  }

  @Test func codeOfMachOIsKnownByTheNamesOfSections() throws {
    let names = [
      "__TEXT,__text", "__TEXT,__stubs", "__TEXT,__startup", "__TEXT,__cstring", "__TEXT,__const",
      "__TEXT,__objc_stubs", "__TEXT,__objc_methlist", "__BD_TEXT,__text", "__DATA,__startup",
      "__TEXT_EXEC,__text",
    ]
    var sections = ""
    var symbols: [String] = []
    for (index, name) in names.enumerated() {
      let address = "0x0000\(2000 + index * 10)"
      sections += "\(address)\t0x00000010\t\(name.replacing(",", with: "\t"))\n"
      symbols.append("\(address)\t0x00000010\t[  1] _in\(index)")
    }
    let map = Self.ld64(symbols.joined(separator: "\n"), sections: sections)
    let (layout, _) = try Self.layout(Array(map.utf8))
    #expect(layout.sections.dropFirst().map(\.name.description) == names)
    #expect(
      layout.sections.dropFirst().map(\.isExecutable) == [
        true, true, true, false, false, true, false, true, false, true,
      ])
    #expect(
      layout.functions.map { layout.name(of: $0).description } == ["_in0", "_in2", "_in7", "_in9"])
  }

  // MARK: Damage

  @Test(.needs(.time), arguments: linkMapFixtures)
  func damagedMapsGiveALayoutOrAnError(_ name: String) throws {
    let whole = try fixture("linkmap/\(name)/input.map")
    for bytes in byteFlips(of: whole, count: 60) { _ = try? Self.layout(bytes) }
    for end in lineBoundaries(of: whole) { _ = try? Self.layout(Array(whole[..<end])) }
  }
}

extension Layout {
  /// One line for each section and function: its address, size and name, and the input section of a function.
  func dump() -> String {
    var text = ""
    for section in sections {
      let kind = section.isExecutable ? "code" : "section"
      let size = hexadecimal(section.range.size)
      text += "\(kind) \(section.range.start) \(size) \(escaped(section.name.bytes))\n"
    }
    for function in functions {
      let input = function.inputSection.map { escaped(names[$0]) } ?? "-"
      let local = function.isLocal ? " local" : ""
      let file = function.objectFile.map { " of " + escaped(names[$0]) } ?? ""
      text +=
        "\(function.address) \(hexadecimal(function.knownBytes)) \(escaped(names[function.name]))"
      text += "\(local) in \(input)\(file)\n"
    }
    return text
  }
}
