import Foundation
import TestSupport
import Testing

/// `orderfile auto` with projects that are built with make: its results, and its errors.
@Suite(.needs(.recording)) struct AutoTests {
  @Test func aProjectIsOrderedAndLeftAsItIs() throws {
    let project = try AutoProject()
    let before = try project.contents()
    let summary = try project.expectOrdered(["--launch", "./app"])
    #expect(try project.contents() == before)
    #expect(summary["method"] as? String == "breakpoints")
    #expect(summary["image"] as? String == "images/app")
    let names = project.workshop.fileNames
    #expect(names == ["my app", "out put"])
    let text = try String(contentsOfFile: "\(project.output)/summary.txt", encoding: .utf8)
    #expect(text.contains("--symbol-ordering-file=\(project.output)/orders/app.order"))
    #expect((summary["nextSteps"] as? [Any])?.isEmpty == false && text.contains("\nnext:"))
    try project.workshop.must("make", ["-s", "-C", "\(project.output)/work/tree", "check"])

    // A second run links and launches nothing.
    let again = try project.start(["--launch", "./app"]).end()
    #expect(again.status == 0 && again.errors.contains("nothing has changed since the last run"))
    #expect(!again.errors.contains("record") && again.json["image"] as? String == "images/app")

    // Without a launch nothing is changed.
    #expect(try project.auto().status == 64)
    #expect(FileManager.default.fileExists(atPath: "\(project.output)/summary.json"))
    // A result file that was removed is made again.
    try FileManager.default.removeItem(atPath: "\(project.output)/images/app")
    try project.expectOrdered(["--launch", "./app"])

    // After a change of a source, the files that depend on it are compiled, and all later steps are done again.
    try project.write("generate.sh", "echo 'int generated(int n) { return n + 3 + 0; }'\n")
    let changed = try project.start(["--launch", "./app"]).end()
    #expect(
      changed.status == 0 && changed.errors.contains("orderfile: record"), "\(changed.errors)")
    let log = try String(contentsOfFile: "\(project.output)/logs/build.log", encoding: .utf8)
    #expect(!log.contains("src/main.c"))
    // After a source was removed, all later steps are done again: a launch may have read it, even if make has nothing
    // to do.
    try FileManager.default.removeItem(atPath: "\(project.folder)/static.c")
    let removed = try project.start(["--launch", "./app"]).end()
    #expect(!FileManager.default.fileExists(atPath: "\(project.output)/work/tree/static.c"))
    #expect(removed.status == 0 && removed.errors.contains("orderfile: record"))
  }

  /// The objects of the user's build were not compiled for ordering.
  @Test func whatTheUserHasBuiltIsBuiltAgain() throws {
    let project = try AutoProject()
    try project.workshop.must("make", ["-s", "-C", project.folder])
    try project.expectOrdered(["--launch", "app; app more"])
  }

  /// A folder that one command has configured can't be configured by another one.
  @Test func anotherConfigurationBeginsWithANewCopy() throws {
    let project = try AutoProject()
    let configure = "#!/bin/sh\ntest ! -e stamp || exit 1\ntouch stamp\n"
    try project.writeProgram("configure", configure)
    #expect(try project.auto().status == 64)
    try FileManager.default.removeItem(atPath: "\(project.folder)/configure")
    try project.writeProgram(
      "autogen.sh", "#!/bin/sh\ncat >configure <<'end'\n\(configure)end\nchmod +x configure\n")
    let other = try project.auto()
    #expect(other.status == 64 && other.errors.contains("the build made app"), "\(other.errors)")
  }

  @Test func whatConfigureMissedIsFoundOnceItIsInstalled() throws {
    let project = try AutoProject()
    let library = project.workshop.path("library")
    try project.workshop.writeProgram(
      """
      #!/bin/sh
      test -e '\(library)' && n='n + 3' || n=absent
      echo "echo 'int generated(int n) { return $n; }'" >generate.sh

      """.utf8, "my app/configure")
    let failed = try project.auto()
    #expect(failed.status == 1 && failed.errors.contains("absent"), "\(failed.errors)")
    try project.workshop.write("".utf8, "library")
    let built = try project.auto()
    #expect(built.status == 64 && built.errors.contains("the build made app"), "\(built.errors)")
  }

  @Test func aProjectThatIsNotConfiguredIsConfiguredWithOptions() throws {
    let project = try AutoProject()
    try project.workshop.writeProgram(
      "#!/bin/sh\ntest \"$1\" = --without-x\n".utf8, "my app/configure")
    let failed = try project.auto()
    let hint = "-- sh -c './configure OPTIONS && make -j"
    #expect(failed.status == 1 && failed.errors.contains(hint), "\(failed.errors)")
    let built = try project.auto("--", "sh", "-c", "./configure --without-x && make")
    #expect(built.status == 64 && built.errors.contains("the build made app"), "\(built.errors)")
  }

  @Test func withoutALaunchTheProgramsAreListed() throws {
    let project = try AutoProject()
    let run = try project.auto()
    #expect(
      run.status == 64 && run.errors.contains("missing a launch: the build made app\n  hint: "),
      "\(run.errors)")
    let other = try project.auto("--launch", "true")
    #expect(
      other.status == 64
        && other.errors.contains("the launches ran no image of the project: the build made app"),
      "\(other.errors)")
  }

  @Test func aFolderWithoutABuildSystemOrWithTwoIsRefused() throws {
    let none = try AutoProject(makefile: false)
    let refused = try none.auto("--launch", "./app")
    #expect(
      refused.status == 64
        && refused.errors.contains("\(none.folder): no build system: expected CMakeLists.txt, "),
      "\(refused.errors)")
    let two = try AutoProject()
    try two.write("CMakeLists.txt", "")
    let several = try two.auto("--launch", "./app")
    #expect(
      several.status == 64
        && several.errors.contains(
          "several build systems: cmake, make\n  hint: choose one: --build-system cmake"),
      "\(several.errors)")
    #expect(two.workshop.fileNames == ["my app"])
  }

  private struct Wrong: CustomTestStringConvertible {
    var testDescription: String
    var launch = "./app"
    var options: [String] = []
    var change: @Sendable (AutoProject) throws -> Void = { _ in }
    var message: String
  }

  private static let wrong = [
    Wrong(
      testDescription: "a build that fails",
      change: { try $0.write("shared.c", "int shared(int n) { return m; }\n") },
      message: "make -j"),
    Wrong(
      testDescription: "and why",
      change: { try $0.write("shared.c", "int shared(int n) { return m; }\n") },
      message: "(exit status 2): shared.c:1:28: error: use of undeclared identifier 'm'"),
    Wrong(
      testDescription: "a build that writes elsewhere",
      change: {
        try $0.write(
          "generate.sh",
          "echo 'int generated(int n) { return n; }'; touch '\($0.workshop.path("elsewhere"))'\n")
      },
      message: "because it may write only to "),
    Wrong(
      testDescription: "a launch that fails", launch: "./app fail",
      message: "./app fail: the launch failed: exit status 3\n  6"),
    Wrong(
      testDescription: "a launch of nothing", launch: "./none",
      message: "./none: the launch failed: exit status 127\n"),
    Wrong(
      testDescription: "a launch that hangs", launch: "./app; sleep 1000",
      options: ["--timeout", "0.5"],
      message: "the launch did not end within "),
    Wrong(
      testDescription: "a linker that can't order",
      options: ["--", "make", "LDFLAGS=", "CC=clang -fuse-ld=mold"],
      message: "the project links this image with mold, which can't order"),
  ]

  @Test(.needs("mold"), arguments: wrong)
  private func theCauseIsNamed(_ wrong: Wrong) throws {
    let project = try AutoProject()
    try wrong.change(project)
    let options =
      wrong.options.contains("--") ? wrong.options : ["--"] + ["make", "-j2", "CC=clang"]
    let own = wrong.options.contains("--") ? [] : wrong.options
    let run = try project.start(["--launch", wrong.launch] + own + options).end()
    #expect(run.status == 1 && run.errors.contains(wrong.message), "\(run.errors)")
    #expect(!FileManager.default.fileExists(atPath: "\(project.output)/summary.json"))
    #expect(!project.workshop.fileNames.contains("elsewhere"))
  }

  @Test func aLaunchThatReadsFindsNothingOrTheGivenFile() throws {
    let project = try AutoProject()
    try project.expectOrdered(["--launch", "./app read"])
    try project.write("words", "A")
    let options = ["--launch", "test $(./app read) = 71", "--input", "\(project.folder)/words"]
    let run = try project.start(options).end()
    #expect(run.status == 0, "\(run.errors)")
    // The file that the launch reads is a part of the launch.
    try project.write("words", "B")
    let changed = try project.start(options).end()
    #expect(
      changed.status == 1 && changed.errors.contains("the launch failed"), "\(changed.errors)")
  }

  /// The launch has no terminal, because nobody would see that it waits for an answer.
  @Test(.needs("script")) func aLaunchThatReadsTheTerminalFails() throws {
    let project = try AutoProject()
    let words = [
      Built.orderfile, "auto", "--project", project.folder, "--output", project.output, "--launch",
      "./app && read answer </dev/tty",
    ]
    let line = words.map { "'\($0)'" }.joined(separator: " ")
    let run = try project.workshop.start("script", ["-qec", line, "/dev/null"]).end()
    #expect(
      run.status == 1 && run.text.contains("the launch failed: exit status 2")
        && run.text.contains("cannot open /dev/tty: No such device"), "\(run.text)")
  }

  /// The first image is counted although it does not get the environment variables that would load a library into it.
  @Test func ofTwoImagesWithOneNameTheFirstIsOrdered() throws {
    let project = try AutoProject()
    try project.write("generated.c", "int generated(int n) { return n + 3; }\n")
    try project.write(
      "Makefile",
      """
      all: a/app b/app
      %/app:
      \tmkdir -p $* && $(CC) -O1 src/main.c shared.c static.c generated.c -o $@

      """)
    let summary = try project.expectOrdered(
      ["--launch", "env -i a/app && b/app", "--", "make", "CC=clang"], images: ["app"])
    let warnings = try #require(summary["warnings"] as? [String])
    #expect(
      warnings.contains {
        $0.contains("/b/app: not ordered: ") && $0.contains("/a/app has the same")
      },
      "\(warnings)")
  }

  /// The build strips after the link, or by options in a file, which the compiler wrapper does not read.
  @Test func whatTheBuildStripsIsNamed() throws {
    let project = try AutoProject()
    try project.write("generated.c", "int generated(int n) { return n + 3; }\n")
    try project.write("options", "-s\n")
    try project.write(
      "Makefile",
      """
      app: libshared.so
      \t$(CC) src/main.c static.c generated.c -o $@ -L. -lshared -Wl,-rpath,'$$ORIGIN'
      \tstrip $@
      libshared.so:
      \t$(CC) -fPIC -shared shared.c -o $@ @options

      """)
    let run = try project.auto("--launch", "./app", "--", "make", "CC=clang")
    #expect(
      run.status == 0
        && run.errors.contains("app: not ordered: the project's build strips this image")
        && run.errors.contains(
          "libshared.so: the project's build strips this image: only exported functions are ordered"
        ),
      "\(run.errors)")
    #expect(!run.errors.contains("--recorded") && !run.errors.contains("--debug-file"))
  }

  @Test func whatALaunchLeavesRunningIsEnded() throws {
    let project = try AutoProject()
    let running = try project.start(["--launch", "./app; setsid sleep 1000 & true"])
    let run = running.endAlone()
    #expect(
      run.status == 0 && run.errors.contains("killed 1 process that the launch left running"),
      "\(run.errors)")
    #expect(running.leavesNothing())
    // Warnings are printed even if the run fails.
    let background = try project.start(["--launch", "(sleep 1000; ./app) & true"]).end()
    #expect(
      background.status == 64
        && background.errors.contains("warning: (sleep 1000; ./app) & true: killed ")
        && background.errors.contains("the launches ran no image"), "\(background.errors)")
  }

  @Test func anInterruptedRunLeavesNothingAndIsCompletedByTheNext() throws {
    let project = try AutoProject()
    try project.write(
      "generate.sh",
      "waits='\(project.output)/work/tmp/waits'\ntest -e \"$waits\" || { touch \"$waits\"; sleep 1000; }\necho 'int generated(int n) { return n + 3; }'\n"
    )
    let running = try project.start(["--launch", "./app"])
    try running.wait(for: "the build to be under way") {
      FileManager.default.fileExists(atPath: "\(project.output)/work/tmp/waits")
    }
    let other = try project.auto("--launch", "./app")
    #expect(
      other.status == 1 && other.errors.contains("another 'orderfile auto' is using it"),
      "\(other.errors)")
    running.send(SIGINT)
    let run = running.endAlone()
    #expect(
      run.status == 1 && run.errors.hasSuffix("orderfile: error: interrupted\n"), "\(run.errors)")
    #expect(running.leavesNothing())
    #expect(!FileManager.default.fileExists(atPath: "\(project.output)/summary.json"))
    try project.expectOrdered(["--launch", "./app"])
  }

  /// Tracing is forbidden here, as in a container.
  @Test func aMethodThatCannotBeUsedIsNamed() throws {
    let project = try AutoProject()
    let run = try project.startWithoutTracing(["--launch", "./app", "--breakpoints"])
      .end()
    #expect(
      run.status == 1
        && run.errors.contains(
          "--breakpoints: unable to record: a program can't be traced: Operation not permitted\n  hint: "
        ), "\(run.errors)")
  }

  @Test func aFolderOfSomethingElseIsNotWrittenTo() throws {
    let project = try AutoProject()
    try project.makeFolder("other/work")
    try project.write("other/work/x", "")
    let contents = try project.contents()
    for (out, message) in [
      (project.folder, "unable to copy the project into itself"),
      (project.workshop.folder.path, "unable to copy the project into itself"),
      ("\(project.folder)/other", "unable to use this folder: expected an empty folder"),
      ("\(project.output):", "unable to use this folder: its path has a colon"),
      ("\(project.folder)/none/out", "unable to make the folder: No such file or directory"),
    ] {
      let run = try project.start(["--launch", "./app"], out: out).end()
      #expect(run.status == 1 && run.errors.contains(message), "\(run.errors)")
    }
    #expect(try project.contents() == contents)
    #expect(project.workshop.fileNames == ["my app"])
  }

  /// The processes were started by a shell before it executed this command.
  @Test func processesThatItDidNotStartGoOn() throws {
    let project = try AutoProject()
    let script =
      "(sleep 1000 & echo $! >child; exec \"$@\"); echo $?; kill $(cat child) && echo lives"
    let run = try project.workshop.start(
      "/bin/sh",
      ["-c", script, "sh", Built.orderfile, "auto"]
        + ["--project", project.folder, "--output", project.output]
    ).end()
    #expect(run.text == "64\nlives\n", "\(run.errors)")
  }
}
