import ProcessLaunch
import Testing

/// Tests the values of `--until-ready`. Launches with such signs of readiness are tested in `ReadinessTests` and
/// `ProgramLaunchTests`.
@Suite struct ReadinessSignTests {
  @Test(arguments: [
    ("port=8080", Readiness.port(8080)), ("port=1", .port(1)), ("port=65535", .port(65535)),
    ("line=ready", .output("ready")), ("line=a=b c", .output("a=b c")),
    ("mark=main", .mark("main")),
  ])
  func aSignIsAKindAndAValue(text: String, sign: Readiness) {
    #expect(Readiness(text) == sign)
    #expect(sign.mark == (text == "mark=main" ? "main" : nil))
  }

  @Test(arguments: [
    "", "port", "port=", "port=0", "port=65536", "port=-1", "port=http", "line=", "mark=", "time=1",
    "line=two\nlines", "PORT=80", "line=" + String(repeating: "x", count: 256),
  ])
  func anythingElseIsNone(text: String) { #expect(Readiness(text) == nil) }

  @Test func onlyAPortCanBeThereBeforeTheLaunch() {
    #expect(!Readiness.output("x").isThereAlready && !Readiness.mark("x").isThereAlready)
  }
}
