import ByteReading
import LinkMapFormat
import ObjectFormat
import ProfileFormat
import Symbolication
import TestSupport
import Testing
import TraceFormat

extension FileKind: CustomTestStringConvertible {
  /// The kind as text, such as `trace`, `object elf`, `map of gold` and `other`.
  public var testDescription: String {
    switch self {
    case .trace: "trace"
    case .profile: "profile"
    case .payload: "payload"
    case .objectFile(let kind): "object \(kind)"
    case .linkMap(let grammar): "map of \(grammar)"
    case .other: "other"
    }
  }
}

@Suite struct FileKindTests {
  @Test(
    arguments: [
      (TraceHeader.magic, "trace"), (Profile.magic, "profile"),
      ([0x89] + Array("OFFIELD".utf8), "payload"), ([0x89] + Array("OFFIEL".utf8), "other"),
      (TraceHeader.magic.dropLast(), "other"),
      ([0x7f, 0x45, 0x4c, 0x46], "object elf"), ([0x7f, 0x45, 0x4c], "other"),
      ([0xcf, 0xfa, 0xed, 0xfe, 1], "object machO"), ([0xfe, 0xed, 0xfa, 0xce], "object machO"),
      ([0xca, 0xfe, 0xba, 0xbe], "object fat"), ([0xca, 0xfe, 0xba, 0xbf], "object fat"),
      (Array("!<arch>\n".utf8), "object archive"), (Array("!<thin>\n".utf8), "object archive"),
      (Array("!<oops>\n".utf8), "other"), (Array("\n\nMemory map\n".utf8), "map of gold"),
      (Array("# Path: app\n".utf8), "map of ld64"), (Array("main\nfoo\n".utf8), "other"),
      (Array("Memory Configuration\n".utf8), "other"), ([], "other"),
    ] as [([UInt8], String)])
  func theFirstBytesTell(bytes: [UInt8], kind: String) {
    #expect(FileKind(of: FileBytes(bytes)).testDescription == kind)
  }

  @Test(arguments: linkMapFixtures) func aMapIsOfItsLinker(_ name: String) throws {
    let bytes = FileBytes(try fixture("linkmap/\(name)/input.map"))
    let grammar = try LinkMap(parsing: bytes).grammar
    #expect(FileKind(of: bytes).testDescription == "map of \(grammar)")
  }
}
