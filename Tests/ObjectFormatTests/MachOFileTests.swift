import Addresses
import ByteReading
import ObjectFormat
import TestSupport
import Testing

@Suite(.needs(.appleSDK, "llvm-nm-19")) struct MachOFileTests {
  @Test(arguments: AppleFile.all)
  func theHeaderIsWhatOtoolReads(_ input: AppleFile) throws {
    let (path, folder) = try input.write()
    let header = try MachOFile(parsing: FileBytes(try input.bytes())).header
    let fields = try #require(
      judge("llvm-otool-19", ["-h", path]).split(separator: "\n").last?.split(separator: " "))
    // magic cputype cpusubtype caps filetype ncmds sizeofcmds flags
    let found = [
      "0xfeedfacf", "\(header.architecture.cpuType)", "\(header.architecture.cpuSubtype)",
      "\(header.type.rawValue)", "\(header.commandCount)", "\(header.commandsSize)",
      "0x" + hexadecimalPadded(UInt64(header.flags.rawValue), 8),
    ]
    #expect(found == (fields[..<3] + fields[4...]).map(String.init))
    #expect(header.architecture.description == input.platform.architecture)
    withExtendedLifetime(folder) {}
  }

  @Test(arguments: AppleFile.all)
  func segmentsAndSectionsAreWhatOtoolReads(_ input: AppleFile) throws {
    let (path, folder) = try input.write()
    let file = try MachOFile(parsing: FileBytes(try input.bytes()))
    let commands = LoadCommandText(try judge("llvm-otool-19", ["-l", path]))
    #expect(
      file.segments.map { segment in
        [
          String(decoding: segment.name, as: UTF8.self),
          "0x" + hexadecimalPadded(segment.range.start.rawValue, 16),
          "0x" + hexadecimalPadded(segment.range.size, 16), "\(segment.offset.rawValue)",
          "\(segment.fileSize)",
        ]
      }
        == commands.records(
          "LC_SEGMENT_64", ["segname", "vmaddr", "vmsize", "fileoff", "filesize"])
    )
    #expect(
      file.sections.map { section in
        [
          String(decoding: section.name, as: UTF8.self),
          "0x" + hexadecimalPadded(section.range.start.rawValue, 16),
          "0x" + hexadecimalPadded(section.range.size, 16), "\(section.offset.rawValue)",
          "0x"
            + hexadecimalPadded(
              UInt64(section.attributes.rawValue) | UInt64(section.type.rawValue), 8),
        ]
      }
        == commands.records("Section", ["segname", "sectname", "addr", "size", "offset", "flags"])
        .map { ["\($0[0]),\($0[1])"] + $0[2...] })
    withExtendedLifetime(folder) {}
  }

  @Test(arguments: AppleFile.all)
  func theUUIDAndThePlatformAreWhatOtoolReads(_ input: AppleFile) throws {
    let (path, folder) = try input.write()
    let file = try MachOFile(parsing: FileBytes(try input.bytes()))
    let commands = LoadCommandText(try judge("llvm-otool-19", ["-l", path]))
    let uuids = commands.records("LC_UUID", ["uuid"])
    #expect(
      try file.uuid().map { $0.map { hexadecimalPadded(UInt64($0), 2) }.joined() }
        == uuids.first?[0].filter { $0 != "-" }.lowercased())
    #expect(uuids.isEmpty == (input.kind == .object || input.name == "bundle"))
    #expect(
      try file.platform().map { "\($0.rawValue)" }
        == commands.records("LC_BUILD_VERSION", ["platform"]).first?[0])
    #expect(try file.platform() == (input.platform == .iOS ? .iOS : .macOS))
    withExtendedLifetime(folder) {}
  }

  /// Each older system has a load command of its own, but simulators have none. The newer command has values for all.
  @Test func eachTargetHasItsPlatform() throws {
    let workshop = try Workshop()
    try workshop.write("int f(void) { return 1; }".utf8, "f.c")
    let targets = [
      ("x86_64-apple-macos10.13", "macos"), ("arm64-apple-ios11", "ios"),
      ("x86_64-apple-ios11-simulator", "ios-simulator"), ("arm64-apple-tvos11", "tvos"),
      ("x86_64-apple-watchos4-simulator", "watchos-simulator"),
      ("arm64-apple-ios15-simulator", "ios-simulator"),
      ("arm64-apple-ios15-macabi", "mac-catalyst"), ("arm64-apple-xros1", "xros"),
    ]
    for (target, platform) in targets {
      let result = try workshop.run("clang", ["-target", target, "-c", "f.c", "-o", "f.o"])
      #expect(result.status == 0, "\(result.output)")
      let file = try MachOFile(
        parsing: FileBytes(path: workshop.folder.appendingPathComponent("f.o").path))
      #expect(try file.platform()?.description == platform, "\(target)")
      let isOld = !file.commands.contains { $0.kind == .buildVersion }
      #expect(isOld == (target.contains("10.13") || target.contains("11") || target.contains("s4")))
    }
  }

  @Test(arguments: AppleFile.images)
  func theContentsOfASectionAreWhatObjdumpPrints(_ input: AppleFile) throws {
    let (path, folder) = try input.write()
    let file = try MachOFile(parsing: FileBytes(try input.bytes()))
    for name in ["__TEXT,__text", "__TEXT,__cstring", "__TEXT,__objc_methname"] {
      let section = try #require(file.section(named: name))
      let range = try file.contents(of: section)
      let start = "0x" + hexadecimalPadded(section.range.start.rawValue, 0)
      let text = try judge(
        "llvm-objdump-19",
        ["-s", "--section=" + name.split(separator: ",")[1], "--start-address=" + start, path])
      let lines = text.split(separator: "\n").drop { !$0.hasPrefix("Contents of section") }
      // ` 100004000 1f2003d5 1f2003d5 ...  text`: 35 columns of bytes behind the address.
      let digits = lines.dropFirst().map { line in
        line.dropFirst().drop { $0 != " " }.dropFirst().prefix(35).filter { $0 != " " }
      }.joined()
      #expect(
        file.bytes.copy(range.indices).map { hexadecimalPadded(UInt64($0), 2) }.joined() == digits)
    }
    withExtendedLifetime(folder) {}
  }

  @Test func whatAFileDoesNotHoldIsEmpty() throws {
    let image = try MachOFile(parsing: FileBytes(AppleFile.all[0].bytes()))
    let common = try #require(image.section(named: "__DATA,__common"))
    #expect(common.range.size > 0)
    #expect(try image.contents(of: common).isEmpty)

    let input = try #require(AppleFile.all.first { $0.kind == .debugSymbols })
    let debug = try MachOFile(parsing: FileBytes(input.bytes()))
    let text = try #require(debug.section(named: "__TEXT,__text"))
    #expect(debug.header.type == .debugSymbols)
    #expect(text.range == image.section(named: "__TEXT,__text")?.range)
    #expect(try debug.contents(of: text).isEmpty)
    let lines = try #require(debug.section(named: "__DWARF,__debug_line"))
    #expect(try debug.contents(of: lines).byteCount == Int(lines.range.size))
    #expect(try debug.uuid() == image.uuid())
  }

  @Test(arguments: AppleFile.images)
  func codeIsInSectionsThatSaySo(_ input: AppleFile) throws {
    let file = try MachOFile(parsing: FileBytes(try input.bytes()))
    let code = file.sections.filter(\.holdsInstructions)
      .map { String(decoding: $0.name, as: UTF8.self) }
    #expect(code.starts(with: ["__TEXT,__text", "__TEXT,__stubs"]))
    #expect(Set(code).isSubset(of: ["__TEXT,__text", "__TEXT,__stubs", "__TEXT,__stub_helper"]))
    #expect(file.baseAddress == file.segment(named: "__TEXT")?.range.start)
    #expect(file.header.type.isLinkedImage)
  }

  @Test(arguments: AppleFile.images)
  func functionStartsAreWhatObjdumpReads(_ input: AppleFile) throws {
    let (path, folder) = try input.write()
    let file = try MachOFile(parsing: FileBytes(try input.bytes()))
    let starts = try #require(try file.functionStarts())
    let lines = try judge("llvm-objdump-19", ["--macho", "--function-starts", path])
      .split(separator: "\n").dropFirst()
    #expect(starts.map { hexadecimalPadded($0.rawValue, 16) } == lines.map(String.init))
    #expect(starts.count >= 12)
    withExtendedLifetime(folder) {}
  }
}

/// `value` in lower case with at least `width` digits, as these tools print it.
func hexadecimalPadded(_ value: UInt64, _ width: Int) -> String {
  let digits = String(value, radix: 16)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

/// The fields that `otool -l` prints, command by command.
struct LoadCommandText {
  private var commands: [(kind: String, fields: [String: String])] = []

  init(_ text: String) {
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 1).map(String.init)
      guard let key = words.first else { continue }
      let value = words.count > 1 ? words[1].trimmingPrefix { $0 == " " } : ""
      if key == "Section" {
        commands.append((key, [:]))
      } else if key == "cmd" {
        commands.append((String(value), [:]))
      } else if !commands.isEmpty {
        commands[commands.count - 1].fields[key] = String(value)
      }
    }
  }

  func records(_ kind: String, _ keys: [String]) -> [[String]] {
    commands.filter { $0.kind == kind }.map { command in keys.map { command.fields[$0] ?? "" } }
  }
}
