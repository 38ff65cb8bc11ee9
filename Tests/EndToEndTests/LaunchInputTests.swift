import TestSupport
import Testing

/// `--input` of commands that launch a program several times: each launch reads the whole input.
@Suite(.needs("clang", "bash")) struct LaunchInputTests {
  /// The program appends the number of bytes that it reads to `notes`.
  private static let program = """
    #include <stdio.h>
    int main(void) {
      int count = 0;
      while (getchar() != EOF) count++;
      FILE *notes = fopen("notes", "a");
      fprintf(notes, "%d\\n", count);
      return 0;
    }
    """

  private static let built = PreparedFolder<Workshop> { workshop in
    try workshop.write(program.utf8, "app.c")
    try workshop.must("clang", ["-O1", "app.c", "-o", "app"])
    try workshop.write([UInt8](repeating: 65, count: 100_000), "text")
    try workshop.must("cp", ["app", "kept"])
    try workshop.write("main\n".utf8, "order")
    try workshop.must("mkfifo", ["fifo"])
    try workshop.must("mkdir", ["folder"])
  }

  private static let commands = [
    "measure --warm --runs 2 --before ./app --after ./app", "stages --runs 2 -- ./app",
  ]

  private static func command(_ words: String, input: String) -> String {
    let (name, rest) = (words.prefix { $0 != " " }, words.drop { $0 != " " })
    return "'\(Built.orderfile)' \(name) --input \(input)\(rest)"
  }

  @Test(
    arguments: commands,
    [
      "text", "<(cat text)", "/dev/stdin <text", "/dev/stdin < <(cat text)",
      "fifo & cat text >fifo; wait $!",
    ])
  func eachLaunchReadsAllOfIt(words: String, input: String) throws {
    try Self.check(words, input)
  }

  @Test(.needs(.faultEvents), arguments: ["text", "<(cat text)"])
  func soDoesALaunchWhoseFaultsAreListed(input: String) throws {
    try Self.check("faults -- ./app", input)
  }

  /// The commands that link an image repeatedly, and `check --launch`.
  @Test(
    .needs(.recording),
    arguments: [
      "refine --order order --image app --relink 'cp kept app' -o best -- ./app",
      "advise app --relink 'cp kept app' -- ./app", "check --init -o budget --launch ./app",
    ], ["text", "<(cat text)"])
  func soDoesEachLaunchOfARelinkedImage(words: String, input: String) throws {
    try Self.check(words, input)
  }

  private static func check(_ words: String, _ input: String) throws {
    let workshop = try built.copy()
    let parts = input.split(separator: " ", maxSplits: 1).map(String.init)
    // A redirection or a second command belongs at the end of the line.
    let isProcess = input.hasPrefix("<(")
    let line =
      isProcess || parts.count == 1
      ? command(words, input: input) : "\(command(words, input: parts[0])) \(parts[1])"
    let run = try workshop.start("bash", ["-c", line]).end()
    #expect(run.status == 0, "\(line): \(run.errors)")
    let notes = workshop.text("notes").split(separator: "\n")
    #expect(notes.count > 1 && Set(notes) == ["100000"], "\(line): \(notes)")
  }

  @Test(
    .needs(.recording),
    arguments: ["record --breakpoints -o t", "pages -o p", "pages -o p --method ptrace"])
  func theProgramOfOneLaunchReadsIt(words: String) throws {
    let workshop = try Self.built.copy()
    let run = try workshop.start(
      "bash",
      ["-c", "echo other | '\(Built.orderfile)' \(words) --input text -- ./app"]
    ).end()
    #expect(run.status == 0, "\(run.errors)")
    #expect(workshop.text("notes") == "100000\n")
    let pipe = try workshop.start(
      "bash", ["-c", "'\(Built.orderfile)' \(words) --input fifo -- ./app"]
    ).end()
    #expect(
      pipe.errors.contains("fifo: unable to use this as input: expected a file, found a pipe"))
  }

  @Test(.needs(.recording)) func theTraceHasAHashOfTheInput() throws {
    let workshop = try Self.built.copy()
    try workshop.mustOrderfile(
      "record", "--breakpoints", "-o", "t", "--input", "text", "--", "./app")
    let shown = try workshop.orderfile("show", "t").text
    #expect(shown.contains(/input [0-9a-f]{16} text/), "\(shown)")
  }

  /// Nobody writes to the FIFO, so that only `--timeout` ends the wait.
  @Test(arguments: [
    (
      "fifo", " --timeout 0.1",
      "fifo: the input did not end within 0.1 s: the whole input is read before the first launch\n  hint: save the input to a file, and give the file\n"
    ),
    ("folder", "", "folder: unable to use this as input: expected a file, found a folder\n"),
    ("nowhere", "", "nowhere: No such file or directory\n"),
  ])
  func whatCannotBeReadIsAnError(input: String, option: String, message: String) throws {
    let workshop = try Self.built.copy()
    for words in Self.commands + ["faults -- ./app"] {
      let line = Self.command(words, input: input + option)
      let run = try workshop.start("bash", ["-c", line]).end()
      #expect(
        run.status == 1 && run.errors == "orderfile: error: \(message)", "\(line): \(run.errors)")
    }
    #expect(!workshop.fileNames.contains("notes"))
  }

  /// `auto` compares its input with the input of the last run, so it needs a file.
  @Test func aPipeIsNoInputOfAProject() throws {
    let workshop = try Self.built.copy()
    let run = try workshop.orderfile("auto", "--input", "fifo", "--launch", "./app", "--", "make")
    #expect(
      run.errors == """
        orderfile: error: fifo: unable to use this as input: expected a file, found a pipe
          hint: save the input to a file, and give the file

        """)
  }

  @Test func anInterruptEndsTheWaitForAPipe() throws {
    let workshop = try Self.built.copy()
    for words in Self.commands {
      let running = try workshop.start(
        "bash", ["-c", "exec \(Self.command(words, input: "fifo"))"])
      try running.wait(for: "the command to open the FIFO") {
        try workshop.start("bash", ["-c", "ls -l /proc/\(running.number)/fd"]).end().text.contains(
          "/fifo")
      }
      running.send(15)
      #expect(running.end().status == 128 + 15)
    }
  }
}
