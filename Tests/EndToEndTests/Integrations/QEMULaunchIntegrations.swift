import Foundation
import TestSupport
import Testing

/// `orderfile record --qemu`: how an emulated launch runs and ends, and what is refused.
@Suite(.needs(.recording, .x8664Machine, "qemu-x86_64", "gcc")) struct QEMULaunchIntegrations {
  /// AddressSanitizer under QEMU would fill the memory.
  @Test(arguments: [("clang", "address"), ("gcc", "address"), ("clang", "leak")])
  func aSanitizedProgramIsRefused(compiler: String, sanitizer: String) throws {
    let workshop = try QEMUWorkshop.workshop(
      compiler, ["-fsanitize=\(sanitizer)", "-Wl,--build-id"])
    let run = try QEMUWorkshop.record(workshop)
    #expect(
      run.status == 1
        && run.errors.contains("/app: unable to emulate: the program contains AddressSanitizer"),
      "\(run.errors)")
  }

  @Test(.needs("aarch64-linux-gnu-gcc", "qemu-aarch64"))
  func aForeignProgramWithoutItsLibrariesIsRefused() throws {
    let workshop = try QEMUWorkshop.workshop("aarch64-linux-gnu-gcc")
    let run = try QEMUWorkshop.record(workshop)
    #expect(run.status == 1)
    #expect(
      run.errors.contains(
        ": unable to emulate: missing the loader of the program, /lib/ld-linux-aarch64.so.1\n")
        && run.errors.contains("hint: give --sysroot /usr/aarch64-linux-gnu\n"), "\(run.errors)")
    #expect(!workshop.fileNames.contains { $0.hasPrefix("t") })
  }

  /// The parent of the child counts the loss.
  @Test func aChildThatCannotWriteATraceIsNoSecret() throws {
    let workshop = try QEMUWorkshop.workshop()
    let run = try QEMUWorkshop.record(workshop, "fork without a file")
    #expect(run.status == 0 && run.errors.contains(" lost: t; next: "), "\(run.errors)")
    #expect(workshop.fileNames == ["app", "main.c", "t"])
  }

  /// Only the build that is at the path in the end can be read, so the first build is left out.
  @Test func whatAReplacedPluginExecutedIsLeftOut() throws {
    let workshop = try BreakpointMemoryTests.built.copy()
    try workshop.must("cp", ["plugin1.so", "first"])
    let run = try QEMUWorkshop.record(
      workshop, options: ["--also", "plugin.so"], "plugin replaced", "first", "plugin2.so")
    #expect(run.text == "3 4 " && run.status == 3, "\(run.errors)")
    #expect(
      run.errors.contains("/plugin.so: the image in memory is not this file"), "\(run.errors)")
    let names = try QEMUWorkshop.names(workshop)
    #expect(names.filter { $0.hasPrefix("plugin_") } == ["plugin_entry", "plugin_inner"])
  }

  /// Two builds may have the same program headers; only build IDs tell them apart.
  @Test(arguments: ["none", "sha1"]) func aBuildIDTellsWhichBuildRan(kind: String) throws {
    let workshop = try QEMUWorkshop.workshop("gcc", ["-Wl,--build-id=\(kind)"])
    try workshop.must("cp", ["app", "new"])
    let again = try QEMUWorkshop.record(workshop)
    #expect(again.status == 0 && !again.errors.contains("during the launch"), "\(again.errors)")
    let replaced = try workshop.start(
      Built.orderfile, ["record", "--qemu", "-o", "t", "--", "./app", "wait"])
    try replaced.waitForOutput("waiting")
    try workshop.must("mv", ["new", "app"])
    replaced.send(SIGTERM)
    let end = replaced.end()
    #expect(
      end.errors.contains("this file was written during the launch, and has no build ID")
        == (kind == "none"),
      "\(end.errors)")
  }

  @Test(arguments: ["a\nb", #"a\012b"#]) func anyPathIsFound(name: String) throws {
    let workshop = try QEMUWorkshop.workshop()
    try workshop.must("mv", ["app", name])
    let run = try workshop.orderfile(["record", "--qemu", "-o", "t", "--", "./\(name)"])
    #expect(run.status == 0, "\(run.errors)")
    #expect(try QEMUWorkshop.names(workshop).contains("half"))
  }

  @Test func anExecutedProgramIsNamed() throws {
    let workshop = try QEMUWorkshop.workshop()
    try workshop.write("#!/bin/sh\n".utf8, "not-executable")
    let run = try QEMUWorkshop.record(workshop, "exec", "true")
    #expect(
      run.status == 0
        && run.errors.contains("/bin/true: this program is not recorded: a process executed it"),
      "\(run.errors)")
    let failed = try QEMUWorkshop.record(workshop, "exec", "./not-executable")
    #expect(failed.status == 0 && !failed.errors.contains("is not recorded:"), "\(failed.errors)")
  }

  @Test func streamsStatusesAndSignalsAreTheProgramsOwn() throws {
    let workshop = try QEMUWorkshop.workshop()
    let echo = try QEMUWorkshop.record(
      workshop, options: ["-q"], "echo", input: Array("hello".utf8))
    #expect(echo.status == 3 && echo.text == "hello" && echo.errors == "complaint")
    let crash = try QEMUWorkshop.record(workshop, "crash")
    #expect(
      try crash.status == 139 && QEMUWorkshop.names(workshop).contains("half"), "\(crash.errors)")
    let signal = try QEMUWorkshop.record(workshop, "signal")
    #expect(
      try signal.status == 0 && QEMUWorkshop.names(workshop).contains("handler"), "\(signal.errors)"
    )
  }

  @Test func itEndsWhereItIsTold() throws {
    let workshop = try QEMUWorkshop.workshop()
    let symbol = try QEMUWorkshop.record(workshop, options: ["--stop-at-symbol", "last"])
    #expect(symbol.status == 0, "\(symbol.errors)")
    #expect(
      try QEMUWorkshop.names(workshop).contains("half")
        && !QEMUWorkshop.names(workshop).contains("last"))
    let json = try workshop.mustOrderfile("show", "--json", "t").json
    #expect(json["end"] as? String == "stopped by function")
    let missing = try QEMUWorkshop.record(workshop, options: ["--stop-at-symbol", "nowhere"])
    #expect(missing.errors.contains("nowhere: missing function: no recorded image has"))
    let ready = try QEMUWorkshop.record(
      workshop, options: ["--until-ready", "line=waiting"], "wait")
    #expect(
      try ready.status == 0 && QEMUWorkshop.names(workshop).contains("main"), "\(ready.errors)")
    try withGrowingTime(from: 500) { milliseconds in
      let seconds = "\(Double(milliseconds) / 1000)"
      let limited = try QEMUWorkshop.record(workshop, options: ["--timeout", seconds], "wait")
      guard limited.text == "waiting\n" else { return false }
      #expect(limited.status == 143 && limited.errors.contains("warning: "), "\(limited.errors)")
      return true
    }
  }

  @Test func whateverIsKilledNoHalfTraceIsLeft() throws {
    let workshop = try QEMUWorkshop.workshop()
    // If the program is killed, the functions that it executed before are recorded.
    let app = try workshop.start(
      Built.orderfile, ["record", "--qemu", "-o", "t", "--", "./app", "wait"])
    try app.waitForOutput("waiting")
    let children = try workshop.must("pgrep", ["-P", "\(app.number)"]).text
    let emulator = try #require(Int32(children.trimmingCharacters(in: .whitespacesAndNewlines)))
    kill(emulator, SIGKILL)
    #expect(app.end().status == 137)
    #expect(try QEMUWorkshop.names(workshop).contains("main"))
    // If the command is killed, there is no trace.
    let command = try workshop.start(
      Built.orderfile, ["record", "--qemu", "-o", "u", "--", "./app", "wait"])
    try command.waitForOutput("waiting")
    kill(command.number, SIGKILL)
    _ = command.end()
    #expect(!workshop.fileNames.contains("u"))
    let left = try #require(workshop.fileNames.first { $0.hasPrefix("u.recording.") })
    #expect(try workshop.orderfile("show", "\(left)/trace").status == 0)
  }

  /// The program may not write files of more than 6 MiB: there is room for 131,072 records.
  @Test func lostRecordsAreCounted() throws {
    let workshop = try Workshop()
    let jumps = String(repeating: "jmp 1f\n1:\n", count: 150_000)
    try workshop.write(
      ".globl main\nmain:\n\(jumps)xor %eax, %eax\nret\n.section .note.GNU-stack\n".utf8, "main.s")
    try workshop.must("gcc", ["main.s", "-o", "app"])
    let run = try workshop.start(
      "sh", ["-c", "ulimit -f 12288; exec \(Built.orderfile) record --qemu -o t -- ./app"]
    ).end()
    #expect(run.status == 0 && run.errors.contains(" lost: t; next: "), "\(run.errors)")
    let lost = try workshop.mustOrderfile("show", "--json", "t").json["lostRecords"] as? Int
    #expect(lost ?? 0 > 18_000)
  }

  @Test func whatCannotBeEmulatedIsRefused() throws {
    let workshop = try QEMUWorkshop.workshop()
    try workshop.writeProgram("#!/bin/sh\n".utf8, "script")
    try workshop.must("gcc", ["-static", "main.c", "-o", "qemu-x86_64", "-pthread"])
    func fails(_ arguments: [String], path: String, _ message: String) throws {
      let run = try workshop.orderfile(
        ["record", "--qemu", "-o", "t"] + arguments, environment: ["PATH": path])
      #expect(run.status != 0 && run.errors.contains(message), "\(run.errors)")
      #expect(!workshop.fileNames.contains { $0.hasPrefix("t") })
    }
    try fails(
      ["--", "./script"], path: "/usr/bin",
      "script: unable to emulate: expected a program, found a script")
    try fails(
      ["--", "./app"], path: workshop.folder.path,
      "unable to record with this emulator: it is statically linked, so it loads no plugins")
    try fails(["--", "./app"], path: "/nowhere", "missing 'qemu-x86_64' on PATH")
    try fails(["--", "./main.c"], path: "/usr/bin", "unable to run")
    try fails(
      ["--cpu", "none", "--", "./app"], path: "/usr/bin",
      "the emulator ended before the program began (qemu-x86_64, CPU none)")
    try fails(["--stop-at", "x", "--", "./app"], path: "/usr/bin", "--qemu sees no marks")
  }

  @Test func preloadedLibrariesAreForTheProgramAlone() throws {
    let workshop = try QEMUWorkshop.workshop("aarch64-linux-gnu-gcc")
    try workshop.write(
      """
      #include <unistd.h>
      __attribute__((constructor)) static void begin(void) { write(1, "preloaded\\n", 10); }
      """.utf8, "early.c")
    try workshop.must("aarch64-linux-gnu-gcc", ["-shared", "-fPIC", "early.c", "-o", "early.so"])
    // This command runs on another machine: its own loader complains of the library, but the emulator's does not.
    let variables = ["LD_PRELOAD": workshop.path("early.so")]
    let own = try workshop.orderfile("--version", environment: variables)
    let run = try workshop.start(
      Built.orderfile,
      ["record", "--qemu", "--sysroot", "/usr/aarch64-linux-gnu", "-q", "-o", "t", "--", "./app"],
      environment: variables
    ).end()
    #expect(run.status == 0 && run.text == "preloaded\n", "\(run.errors)")
    #expect(run.errors == own.errors && own.errors.contains("early.so"), "\(run.errors)")
  }

  @Test func theLibraryNeedsTheCLibraryAlone() throws {
    let library = URL(fileURLWithPath: Built.orderfile).deletingLastPathComponent()
      .appendingPathComponent("liborderfile-qemu.so").path
    let workshop = try Workshop()
    let needed = try workshop.must("readelf", ["-d", library]).text.split(separator: "\n")
      .filter { $0.contains("(NEEDED)") }
    #expect(needed.count == 1 && needed[0].contains("libc.so.6"), "\(needed)")
    let defined = try workshop.must("nm", ["-D", "--defined-only", library]).text
    #expect(defined.contains(" qemu_plugin_install") && !defined.contains(" of_"))
  }
}
