import Projects
import Rendering
import TestSupport
import Testing

@Suite struct DoctorDocumentTests {
  private static let document = DoctorDocument(
    subject: .image, path: "build/a\u{1b}pp",
    findings: [
      Finding(.tools, "lld", .ok, "LLD 19.1.4: orders functions (tried)"),
      Finding(
        .tools, "default linker of gcc", .warning, "GNU ld 2.40", hint: "link with -fuse-ld=lld"),
      Finding(
        .image, "function sections", .error, "0 of 5\u{1b} functions have one",
        hint: "compile with -ffunction-sections"),
      Finding(.auto, "obstacles", .error, "ptrace is refused"),
    ], obstacles: ["ptrace is refused"])

  @Test func allFormsAreAsRecorded() throws {
    try expectGolden(DoctorText(Self.document).text, "reporting/doctor/expected.txt")
    try expectGolden(
      String(decoding: Self.document.json(), as: UTF8.self), "reporting/doctor/expected.json")
  }

  @Test func coloursAreThoseOfTheSeverities() {
    let text = DoctorText(Self.document, isColoured: true).text
    for part in [
      "\u{1b}[1;32mok\u{1b}[0m ", "\u{1b}[1;33mwarning\u{1b}[0m ", "\u{1b}[1;31merror\u{1b}[0m ",
    ] {
      #expect(text.contains(part))
    }
    // Text from files can't contain escape sequences.
    #expect(text.contains("0 of 5\\x1b functions") && text.contains("image build/a\\x1bpp"))
  }

  @Test func aLinkMapIsCalledSo() {
    var document = Self.document
    document.subject = .linkMap
    document.path = "app.map"
    #expect(DoctorText(document).text.contains("\nlink map app.map\n"))
  }

  @Test func anObstacleKeepsAutoFromSucceeding() {
    var document = Self.document
    #expect(!document.canSucceed)
    document.obstacles = []
    #expect(document.canSucceed)
  }
}
