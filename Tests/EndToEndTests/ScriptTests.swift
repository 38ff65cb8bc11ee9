import Foundation
import TestSupport
import Testing

/// `--script`: launches with a terminal, into which a script types.
@Suite(.needs(.recording)) struct ScriptTests {
  /// A program that asks for a word, and runs a function for it. It fails without a terminal.
  private static let program = """
    #include <signal.h>
    #include <stdio.h>
    #include <string.h>
    #include <unistd.h>
    #define F(name) __attribute__((noinline, aligned(4096))) void name(void) { __asm__ volatile(""); }
    F(greet) F(part) F(serve)
    __attribute__((aligned(4096))) int main(void) {
      char word[80] = "";
      if (!isatty(0) || !isatty(1) || !isatty(2)) return 9;
      printf("word? ");
      fflush(stdout);
      if (!fgets(word, sizeof word, stdin)) return 8;
      if (!strcmp(word, "hello\\n")) greet();
      if (!strcmp(word, "bye\\n")) part();
      printf("did %s", word);
      fflush(stdout);
      if (!strcmp(word, "serve\\n")) { serve(); for (;;) pause(); }
      return 0;
    }
    """

  private static let built = PreparedFolder<Workshop> { workshop in
    try workshop.write(program.utf8, "app.c")
    let options = [
      "-O1", "-ffunction-sections", "-fuse-ld=lld", "-Wl,--build-id", "-I\(Built.headers)",
    ]
    try workshop.must("clang", options + ["app.c", "-o", "app"])
    try workshop.must("cp", ["app", "kept"])
    try workshop.must(
      "clang",
      options + ["-fsanitize-coverage=func,trace-pc-guard,pc-table", "-c", "app.c", "-o", "app.o"])
    try workshop.must(
      "clang", options + ["app.o", try #require(Built.recorder), "-o", "app-record"])
    let limit = "within \(Int(hangLimit))"
    for word in ["hello", "bye"] {
      try workshop.write(
        "wait \"word? \" \(limit)\ntype \"\(word)\" Enter\nwait \"did \(word)\" \(limit)\nwait end \(limit)\n"
          .utf8, "\(word).script")
    }
    try workshop.write(
      "wait \"word? \" \(limit)\ntype \"serve\" Enter\nwait \"did\" \(limit)\nwait quiet \(limit)\nready\n"
        .utf8, "serve.script")
    try workshop.write(
      "wait \"word? \" \(limit)\nwait \"never\" within 0.01\n".utf8, "never.script")
    try workshop.write("main\n".utf8, "order")
  }

  private static func functions(_ workshop: Workshop, _ trace: String) throws -> [String] {
    let text = try workshop.orderfile("show", trace).text
    return ["greet", "part", "serve"].filter { text.contains($0) }
  }

  @Test(
    arguments: [("hello", "greet"), ("bye", "part"), ("serve", "serve")],
    ["--breakpoints -- ./app", "-- ./app-record"])
  func aRecordedLaunchRunsWhatIsTyped(script: (name: String, function: String), way: String) throws
  {
    let workshop = try Self.built.copy()
    let words = ["record", "--script", "\(script.name).script", "-o", "trace"]
    let run = try workshop.orderfile(words + way.split(separator: " ").map { String($0) })
    #expect(run.status == 0 && run.text.isEmpty, "\(run.errors)")
    #expect(try Self.functions(workshop, "trace") == [script.function])
  }

  @Test(arguments: ["hello", "serve"], ["preload", "ptrace"])
  func soDoesALaunchWhosePagesAreCounted(script: String, method: String) throws {
    let workshop = try Self.built.copy()
    let run = try workshop.orderfile(
      "pages", "--script", "\(script).script", "--method", method, "--list", "--", "./app")
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.text.contains(script == "hello" ? "greet" : "serve") && !run.text.contains("part"))
    #expect(!run.text.contains("word?"))
  }

  @Test(
    arguments: [
      "measure --warm --runs 2 --before ./app --after ./app", "stages --runs 2 -- ./app",
      "refine --order order --image app --relink 'cp kept app' -o best -- ./app",
      "advise app --relink 'cp kept app' -- ./app", "check --init -o budget --launch ./app",
    ], ["hello", "serve"])
  func soDoesEachLaunchOfOtherCommands(words: String, script: String) throws {
    let workshop = try Self.built.copy()
    let (name, rest) = (words.prefix { $0 != " " }, words.drop { $0 != " " })
    let run = try workshop.start(
      "bash", ["-c", "'\(Built.orderfile)' \(name) --script \(script).script\(rest)"]
    ).end()
    #expect(run.status == 0, "\(run.errors)")
    #expect(!run.text.contains("word?"))
  }

  /// The tracer in the program finds its variables although `TERM` is set, too.
  @Test func theStagesOfALaunchWithATerminalAreSeparated() throws {
    let workshop = try Self.built.copy()
    let run = try workshop.orderfile(
      "stages", "--runs", "2", "--script", "hello.script", "--", "./app")
    #expect(run.status == 0 && run.text.contains("main"), "\(run.text)\(run.errors)")
    #expect(!run.text.contains("not separated"))
  }

  @Test(.needs(.faultEvents)) func soDoesALaunchWhoseFaultsAreListed() throws {
    let workshop = try Self.built.copy()
    let run = try workshop.orderfile("faults", "--script", "hello.script", "--", "./app")
    #expect(run.status == 0, "\(run.errors)")
  }

  @Test(arguments: [
    "record --breakpoints --script never.script -- ./app", "pages --script never.script -- ./app",
    "measure --warm --script never.script --before ./app --after ./app",
    "check --init --script never.script --launch ./app",
  ])
  func aScriptThatNeverMatchesIsAnErrorWithTheScreen(words: String) throws {
    let workshop = try Self.built.copy()
    let run = try workshop.orderfile(words.split(separator: " ").map { String($0) })
    #expect(run.status == 1 && run.text.isEmpty)
    #expect(
      run.errors.contains(
        "never.script: line 2: expected 'never' on the screen, found: not there after 0.01 s; the screen is:\n  word?\n"
      ), "\(run.errors)")
    #expect(!workshop.fileNames.contains("app.oftrace"))
  }

  @Test(arguments: [
    ("record --script hello.script --input app.c -- ./app", 64, "--script types the input"),
    (
      "pages --script hello.script --until-ready line=x -- ./app", 64,
      "wait for the text in the script"
    ),
    (
      "pages --script serve.script --until-ready port=9 -- ./app", 64,
      "found 'ready', but --until-ready"
    ),
    (
      "pages --script app.c -- ./app", 1,
      "app.c: invalid step: expected wait, type, resize or ready"
    ),
    ("pages --script nothing -- ./app", 1, "nothing: No such file or directory"),
  ])
  func optionsThatDoNotFitAreRefused(words: String, status: Int32, message: String) throws {
    let workshop = try Self.built.copy()
    let run = try workshop.orderfile(words.split(separator: " ").map { String($0) })
    #expect(run.status == status && run.errors.contains(message), "\(run.errors)")
  }
}
