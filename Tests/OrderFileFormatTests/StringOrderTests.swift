import ByteReading
import Foundation
import OrderFileFormat
import TestSupport
import Testing

/// Links with a release of ld64.lld that orders strings.
@Suite(.needs(.appleSDK, "ld64.lld-22")) struct StringOrderTests {
  private static let long = String(repeating: "a string of more than 240 bytes. ", count: 9)
  private static let strings = ["first", "second", "%s and %d\\n", long, "", "last"]

  @Test(arguments: [[], ["--no-deduplicate-strings"]])
  func stringsStandInTheOrderAskedFor(flags: [String]) throws {
    let workshop = try Workshop()
    let sdk = try AppleSDK()
    let array = Self.strings.map { "\"\($0)\"" }.joined(separator: ", ")
    try workshop.write(
      """
      int puts(const char *);
      const char *strings[] = {\(array)};
      int main(int count, char **words) { (void)words; return puts(strings[count]); }
      """.utf8, "main.c")
    try sdk.compile("main.c", to: "main.o", for: .macOS, in: workshop)
    let wanted = ["last", Self.long, "first", "%s and %d\n"]
    let order = OrderFileDialect.ld64LLD.write(
      [OrderFileEntry(symbol: bytes("_main"))], strings: wanted.map { bytes($0).stringHash })
    try workshop.write(order.bytes, "app.order")
    try sdk.link(
      ["main.o"], to: "app", for: .macOS, flags: ["-order_file", "app.order"] + flags,
      with: toolPath("ld64.lld-22"), in: workshop)
    let image = try Data(contentsOf: workshop.folder.appendingPathComponent("app"))
    var expected = Data()
    for string in wanted { expected += Data(string.utf8) + [0] }
    #expect(image.range(of: expected) != nil)
  }
}
