import Foundation
import TestSupport
import Testing

/// The files that `orderfile measure` launches: each program must stay one file from the first launch to
/// the last, and the control must have its own file.
@Suite(.needs("clang"), .needs(.disk)) struct MeasuredFilesTests {
  /// The program appends its inode number to `notes`. At the launch with the number in its first argument,
  /// it runs its second argument in a shell.
  private static let program = """
    #include <stdio.h>
    #include <stdlib.h>
    #include <sys/stat.h>
    #include <unistd.h>
    int value(void);
    int main(int n, char **v) {
      struct stat own;
      if (stat("/proc/self/exe", &own)) return 9;
      FILE *notes = fopen("notes", "a+");
      fprintf(notes, "%lu\\n", (unsigned long)own.st_ino);
      int count = 0;
      rewind(notes);
      for (int byte; (byte = getc(notes)) != EOF;) count += byte == '\\n';
      fclose(notes);
      if (n > 2 && count == atoi(v[1])) {
        int status = system(v[2]);
        if (status) return 9;
      }
      return value();
    }
    """

  private static let built = PreparedFolder<Workshop> { workshop in
    try workshop.write(program.utf8, "app.c")
    try workshop.write("int value(void) { return 0; }".utf8, "value.c")
    try workshop.must("clang", ["-shared", "-fPIC", "value.c", "-o", "libvalue.so"])
    try workshop.must(
      "clang", ["-O1", "app.c", "-L.", "-lvalue", "-Wl,-rpath,$ORIGIN", "-o", "a"])
    for name in ["b", "next"] { try workshop.must("cp", ["a", name]) }
    try workshop.must("cp", ["libvalue.so", "next.so"])
    try workshop.must("ln", ["-s", "a", "link"])
    try workshop.writeProgram("#!/bin/sh\nexec ./a \"$@\"\n".utf8, "script")
  }

  /// A folder on a disk, whose files can be evicted.
  private static func workshop() throws -> Workshop {
    let workshop = try Workshop(in: DiskFolder.path)
    let source = try built.copy()
    try withExtendedLifetime(source) {
      _ = try workshop.must("cp", ["-a", "\(source.folder.path)/.", "."])
    }
    return workshop
  }

  private static let message = """
    the image was replaced or changed while it was measured: the launches are not of one build
      hint: measure again while no build changes the image, or measure a copy

    """

  @Test(arguments: [
    ("mv next a", "./a"), ("mv next b", "./b"), ("rm b && cp next b", "./b"), ("touch b", "./b"),
    ("mv next.so libvalue.so", "libvalue.so"),
  ])
  func anImageThatIsReplacedIsNoResult(change: String, image: String) throws {
    // Before the first round, in the first round, and after the rounds of the first state.
    for launch in ["1", "4", "12"] {
      let workshop = try Self.workshop()
      let run = try workshop.orderfile(
        "measure", "--both", "--runs", "4", "--also", "libvalue.so", "--before", "./a", "--after",
        "./b", "--", launch, change)
      #expect(run.status == 1 && run.output.isEmpty, "\(change): \(run.text)")
      #expect(
        run.errors.hasSuffix("\(image): \(Self.message)"),
        "\(change) at launch \(launch): \(run.errors)")
    }
  }

  /// `--also` does not name the library; the kernel reports that the program maps it.
  @Test(.needs(.faultEvents)) func soIsALibraryThatNobodyNamed() throws {
    let workshop = try Self.workshop()
    let run = try workshop.orderfile(
      "measure", "--warm", "--runs", "4", "--before", "./a", "--after", "./b", "--", "6",
      "sleep 0.02; mv next.so libvalue.so")
    #expect(
      run.status == 1 && run.errors.hasSuffix("/libvalue.so: \(Self.message)"), "\(run.errors)")
  }

  @Test(arguments: ["mv next a", "mv next.so libvalue.so"])
  func aLaunchWhoseStagesAreTimedIsOfOneBuildToo(change: String) throws {
    let workshop = try Self.workshop()
    let run = try workshop.orderfile(
      "stages", "--runs", "4", "--", "./a", "5", "sleep 0.02; \(change)")
    #expect(run.status == 1 && run.errors.hasSuffix(Self.message), "\(run.errors)")
  }

  /// A file that is launched twice in a round is read twice as often as the others, and is faster for it.
  @Test(arguments: [
    ["--cold"], ["--warm"], ["--both"], ["--both", "--also", "libvalue.so"],
    ["--both", "--precision", "90%"],
  ])
  func equalBuildsAreReadEquallyOftenBesideTheControl(options: [String]) throws {
    let workshop = try Self.workshop()
    let names = workshop.fileNames
    let run = try workshop.orderfile(
      ["measure", "--control", "--runs", "3", "--json"] + options + [
        "--before", "./a", "--after", "./b",
      ])
    try #require(run.status == 0, "\(run.errors)")
    let counts = Self.launchesOfFiles(workshop)
    #expect(counts.count == 3 && Set(counts.values).count == 1, "\(counts)")
    #expect(workshop.fileNames == (names + ["notes"]).sorted())
  }

  /// If both programs are one file, the control is that file, too.
  @Test(arguments: ["./a", "./link"]) func oneFileMayBeAllThree(other: String) throws {
    let workshop = try Self.workshop()
    let run = try workshop.orderfile(
      "measure", "--control", "--runs", "3", "--before", "./a", "--after", other)
    try #require(run.status == 0, "\(run.errors)")
    #expect(Self.launchesOfFiles(workshop).count == 1)
  }

  @Test func theCopyIsGoneAfterAnInterrupt() throws {
    let workshop = try Self.workshop()
    let names = workshop.fileNames
    let running = try workshop.start(
      Built.orderfile,
      ["measure", "--control", "--warm", "--runs", "1000000", "--before", "./a", "--after", "./b"])
    try running.wait(for: "some launches") { workshop.text("notes").count > 20 }
    running.send(SIGTERM)
    #expect(running.end().status == 1)
    #expect(workshop.fileNames == (names + ["notes"]).sorted())
  }

  @Test func aScriptHasNoControl() throws {
    let workshop = try Self.workshop()
    let run = try workshop.orderfile(
      "measure", "--control", "--warm", "--before", "./script", "--after", "./b")
    #expect(run.status == 1)
    #expect(
      run.errors == """
        orderfile: error: ./script: --control needs an image that can be copied, but this is a script
          hint: measure the program that the script runs, or leave out --control

        """)
  }

  private static func launchesOfFiles(_ workshop: Workshop) -> [Substring: Int] {
    Dictionary(workshop.text("notes").split(separator: "\n").map { ($0, 1) }, uniquingKeysWith: +)
  }
}
