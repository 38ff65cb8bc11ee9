import Foundation
import TestSupport
import Testing

/// Strings that a recorded launch of a Mach-O program reads, and the order in which ld64.lld places them.
@Suite(.needs(.machOEmulator, "ld64.lld-22")) struct RecordedStringIntegrations {
  /// The launch reads every fourth of 24 strings, the last first, and a table; and it writes to every eighth of 40 tables of
  /// zeros.
  private static let program: String = {
    let strings = (0..<24).map { "\"string number \($0)\"" }.joined(separator: ", ")
    let zeros = (0..<40).map { "int zeros\($0)[256];" }.joined(separator: " ")
    let writes = stride(from: 0, to: 40, by: 8).map { "zeros\($0)[count] = count;" }
      .joined(separator: " ")
    return """
      \(zeros)
      static const char *const strings[] = {\(strings)};
      const int unused[2048] = {1};
      const int table[64] = {1, 2};
      int main(int count, char **words) {
        (void)words;
        \(writes)
        int sum = table[count];
        for (int i = 20; i >= 0; i -= 4)
          for (const volatile char *text = strings[i + count - 1]; *text; text++) sum += *text;
        return sum != 0 ? 7 : 8;
      }
      """
  }()

  /// Where the strings that the launch reads are in an image, in the order in which it reads them.
  private static func places(in image: Data) throws -> [Int] {
    try stride(from: 20, through: 0, by: -4).map {
      try #require(image.range(of: Data("string number \($0)".utf8) + [0])).lowerBound
    }
  }

  /// The recorded build and the release are two builds, and two releases of the linker.
  @Test func stringsStandInTheOrderOfTheirFirstTouches() throws {
    let workshop = try Workshop()
    let sdk = try AppleSDK()
    let linker = toolPath("ld64.lld-22")
    try workshop.write(Self.program.utf8, "main.c")
    try sdk.compileInstrumented(
      "main.c", to: "record.o", for: .macOS,
      flags: ["-fsanitize-coverage=trace-loads,trace-stores"], in: workshop)
    try sdk.link(
      ["record.o", sdk.recorder(for: .macOS)], to: "app-record", for: .macOS, in: workshop)
    try sdk.compile("main.c", to: "main.o", for: .macOS, in: workshop)
    try sdk.link(["main.o"], to: "app", for: .macOS, with: linker, in: workshop)
    let trace = workshop.folder.appendingPathComponent("app.oftrace").path
    let run = try MachOEmulator().run(
      "app-record", environment: ["ORDERFILE_TRACE": trace], in: workshop)
    #expect(run.status == 7 && run.errors == "", "\(run.errors)")

    let gen = try workshop.mustOrderfile(
      "gen", "app.oftrace", "--recorded", "app-record", "--image", "app", "--linker", "ld64.lld",
      "-o", "app.order", "--json")
    let images = try #require(gen.json["images"] as? [[String: Any]])
    let data = try #require(images.first?["data"] as? [String: Any])
    // A granule of 8 bytes that contains the border of two strings belongs to both, so neighbors are listed, too. Data
    // of the recorder are before the first string.
    let count = try #require(data["strings"] as? Int)
    let missing = try #require(data["missing"] as? [[String: String]]).compactMap { $0["name"] }
    #expect((6...18).contains(count) && missing.allSatisfy { $0.hasPrefix("_of_") }, "\(data)")
    let lines = workshop.text("app.order").split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init)
    #expect(lines.filter { $0.hasPrefix("CSTR;") }.count == count)

    #expect(lines.count { $0.hasPrefix("_zeros") } == 5)
    // ld64 would turn zero-filled data into bytes of the file, so they are not ordered for it.
    try workshop.mustOrderfile(
      "gen", "app.oftrace", "--recorded", "app-record", "--image", "app", "--linker", "ld64",
      "-o", "ld64.order")
    #expect(!workshop.text("ld64.order").contains("_zeros"))
    #expect(workshop.text("ld64.order").contains("\n_table\n"))

    try sdk.link(
      ["main.o"], to: "ordered", for: .macOS, flags: ["-order_file", "app.order"], with: linker,
      in: workshop)
    let before = try Self.places(in: Data(workshop.bytes("app")))
    #expect(before == before.sorted(by: >))
    let after = try Self.places(in: Data(workshop.bytes("ordered")))
    #expect(after == after.sorted())

    let diff = try workshop.mustOrderfile(
      "diff", "app", "ordered", "--trace", "app.oftrace", "--recorded", "app-record", "--order",
      "app.order", "--json")
    let order = try #require(diff.json["order"] as? [String: Any])
    let checked = try #require(order["data"] as? [String: Any])
    #expect(checked["stringsInOrder"] as? Int == count, "\(checked)")
    let predicted = try #require(diff.json["dataPages"] as? [String: Any])
    #expect(predicted["unplacedTouches"] as? [String: Int] == ["before": 0, "after": 0])

    // The checked build lacks one of the strings.
    let verified = try workshop.mustOrderfile(
      "verify", "app.order", "--image", "ordered", "--json")
    #expect(verified.json["stale"] as? Int == 0)
    #expect(verified.json["strings"] as? Int == count)
    try workshop.write(Self.program.replacing("number 8\"", with: "eight\"").utf8, "main.c")
    try sdk.compile("main.c", to: "main.o", for: .macOS, in: workshop)
    try sdk.link(["main.o"], to: "changed", for: .macOS, with: linker, in: workshop)
    let stale = try workshop.mustOrderfile("verify", "app.order", "--image", "changed", "--json")
    let problems = try #require(stale.json["problems"] as? [[String: Any]])
    #expect(problems.compactMap { $0["reason"] as? String } == ["no such string"], "\(problems)")
    let name = try #require(problems.first?["name"] as? String)
    #expect(lines[(problems.first?["line"] as? Int ?? 1) - 1] == name)
  }
}
