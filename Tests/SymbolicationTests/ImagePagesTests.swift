import Addresses
import ByteReading
import Foundation
import ImageModel
import Symbolication
import TestSupport
import Testing

@Suite struct ImagePagesTests {
  private static let source = """
    const char constants[9000] = {1};
    char variables[5000] = {1}, zeros[70000];
    int main(void) { return variables[0] + zeros[1] + constants[2]; }
    """

  private static func build(_ flags: [String]) throws -> [UInt8] {
    let workshop = try Workshop()
    try workshop.write(source.utf8, "main.c")
    let result = try workshop.run("clang", ["main.c", "-o", "app"] + flags)
    try #require(result.status == 0, "\(result.output)")
    return [UInt8](try Data(contentsOf: workshop.folder.appendingPathComponent("app")))
  }

  /// `PT_LOAD` and its flags, as llvm-readobj has them: kind, first page, pages.
  private static func segments(of bytes: [UInt8], _ readobj: String) throws -> [String] {
    let workshop = try Workshop()
    try workshop.write(bytes, "app")
    let output = try workshop.run(readobj, ["--program-headers", "--elf-output-style=GNU", "app"])
    return output.output.split(separator: "\n").compactMap { line in
      let fields = line.split(separator: " ")
      guard fields.first == "LOAD", fields.count >= 8 else { return nil }
      let numbers = fields[1...5].compactMap { UInt64($0.dropFirst(2), radix: 16) }
      guard numbers.count == 5, numbers[3] > 0 else { return nil }
      let flags = fields[6...].dropLast().joined()
      let kind = flags.contains("E") ? "text" : flags.contains("W") ? "data" : "read-only"
      let first = numbers[1] / 4096
      return "\(kind) \(first) \((numbers[1] + numbers[3] + 4095) / 4096 - first)"
    }
  }

  @Test(
    .needs("llvm-readobj-19"),
    arguments: [
      [], ["-no-pie"], ["-static"], ["-fuse-ld=lld"], ["-fuse-ld=lld", "-Wl,-z,noseparate-code"],
      ["-fuse-ld=bfd", "-Wl,-z,noseparate-code"],
    ])
  func segmentsAreThoseThatTheFileFills(flags: [String]) throws {
    let bytes = try Self.build(flags)
    let pages = try ImagePages(of: FileBytes(bytes))
    let found = pages.mappings.map {
      "\($0.segment.rawValue) \($0.range.start.rawValue / 4096) \($0.range.size / 4096)"
    }
    let expected = try Self.segments(of: bytes, try #require(toolPath("llvm-readobj-19")))
    #expect(found == expected && !found.isEmpty)
    #expect(pages.hasLoader == !flags.contains("-static"))
    #expect(pages.start == pages.mappings.first?.range.start)
    for segment in Segment.allCases {
      let own = pages.mappings.filter { $0.segment == segment }
      let each = own.reduce(0) { $0 + Int($1.range.size / 4096) }
      #expect(pages.count(of: segment, .fourKibibytes) == each)
      #expect(pages.count(of: segment, .sixtyFourKibibytes) <= each)
    }
    let zeros = pages.mappings.last.map { $0.range.end }
    #expect(zeros.map { pages.segment(holding: $0) == nil } ?? false)
  }

  @Test(.needs("clang", "ld.lld")) func damagedImagesThrowAndNeverTrap() throws {
    let bytes = try Self.build(["-fuse-ld=lld"])
    func check(_ bytes: [UInt8]) {
      guard let pages = try? ImagePages(of: FileBytes(bytes)) else { return }
      for segment in Segment.allCases { _ = pages.count(of: segment, .fourKibibytes) }
      _ = pages.segment(holding: pages.start)
    }
    for length in hostilePrefixLengths(of: bytes) { check(Array(bytes[..<length])) }
    for flipped in byteFlips(of: bytes) { check(flipped) }
    // The damaged bytes are those that contain the program headers.
    for flipped in byteFlips(of: Array(bytes[..<1024]), seed: 3) { check(flipped + bytes[1024...]) }
  }
}
