import Foundation
import TestSupport
import Testing

/// `orderfile auto` with launches that end by `--until-ready`, and the progress that it shows.
@Suite(.needs(.recording)) struct AutoReadinessTests {
  private static let server = "./app more; echo ready; exec sleep 1000"
  private static let ready = ["--until-ready", "line=ready"]

  @Test func aLaunchThatEndsByItselfNeedsNoSign() throws {
    let project = try AutoProject()
    let running = try project.start(
      ["--launch", "./app", "--launch", Self.server] + Self.ready)
    let run = running.endAlone()
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.json["launches"] as? [String] == ["./app", Self.server])
    #expect(running.leavesNothing())
  }

  @Test func ifNoLaunchBecomesReadyTheFirstIsNamed() throws {
    let project = try AutoProject()
    let run = try project.start(["--launch", "./app", "--launch", "./app more"] + Self.ready).end()
    #expect(
      run.status == 1
        && run.errors.contains(
          "error: ./app: the program ended before it was ready (exit status 0): expected 'ready' in its output"
        ), "\(run.errors)")
  }

  @Test func aLaunchThatFailsBeforeItIsReadyIsNamed() throws {
    let project = try AutoProject()
    let run = try project.start(["--launch", Self.server, "--launch", "./app fail"] + Self.ready)
      .end()
    #expect(
      run.status == 1
        && run.errors.contains(
          "error: ./app fail: the program ended before it was ready (exit status 3): expected 'ready' in its output\n  6\n  hint: --until-ready applies to each launch"
        ), "\(run.errors)")
  }

  /// A launch that gives its sign only once: later steps name the launch, not the shell that runs it.
  @Test func aLaunchThatIsReadyOnceIsNamedByLaterSteps() throws {
    let project = try AutoProject()
    let once = "./app; test ! -e ../once || exit 4; touch ../once; echo ready; exec sleep 1000"
    let run = try project.start(["--launch", once] + Self.ready).end()
    #expect(
      run.status == 1
        && run.errors.contains(
          "error: \(once): the program ended before it was ready (exit status 4)"),
      "\(run.errors)")
  }

  @Test(.needs("script")) func onATerminalTheRunningStepIsShown() throws {
    let project = try AutoProject()
    let words = [
      Built.orderfile, "auto", "--project", project.folder, "--output", project.output,
      "--launch", "./app",
    ]
    let line = words.map { "'\($0)'" }.joined(separator: " ")
    func run(_ options: String) throws -> String {
      try project.workshop.start(
        "script", ["-qec", line + options, "/dev/null"],
        environment: ["TERM": "xterm", "NO_COLOR": "", "COLUMNS": "80"]
      ).end().text
    }
    let text = try run("")
    #expect(text.contains("\r\u{1b}[Kbuild: make"), "\(text)")
    #expect(text.contains("\r\u{1b}[Korderfile: build: make"), "\(text)")
    #expect(try !run(" --quiet").contains("\u{1b}[K"))
  }
}
