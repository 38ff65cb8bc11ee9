import CommandSupport
import TestSupport
import Testing

@Suite(.needs(.processes)) struct ProgramLogTests {
  @Test(arguments: [
    ("", ""), ("one\ntwo\n", "two"), ("one\ntwo", "two"), ("one\n\n \t\n", "one"),
    (" 10%\r 20%\r", " 20%"), (String(repeating: "x\n", count: 9000) + "last\n", "last"),
    ("\n", ""),
  ])
  func theLastLineIsNotBlank(text: String, line: String) throws {
    let workshop = try Workshop()
    try workshop.write(text.utf8, "log")
    #expect(ProgramLog(workshop.folder.appendingPathComponent("log").path).lastLine == line)
  }

  @Test func aLogThatIsNotThereHasNoLine() {
    #expect(ProgramLog("/nonexistent/log").lastLine == "")
  }
}
