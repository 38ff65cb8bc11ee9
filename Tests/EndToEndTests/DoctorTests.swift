import Foundation
import TestSupport
import Testing

/// `orderfile doctor` on this machine, on images that were built for these tests, and on files that are no images.
@Suite(.needs(.recording)) struct DoctorTests {
  /// The contents of a report: the severities by check, and the hints.
  private struct Report {
    let run: Run
    private let findings: [[String: Any]]

    init(_ run: Run) throws {
      self.run = run
      let value = try parsedJSON(Array(run.text.utf8))
      #expect(value["schema"] as? String == "orderfile.doctor/1")
      findings = try #require(value["findings"] as? [[String: Any]])
    }

    func severity(_ check: String) -> String? { finding(check)?["severity"] as? String }
    func text(_ check: String) -> String { finding(check)?["finding"] as? String ?? "" }
    func hint(_ check: String) -> String? { finding(check)?["hint"] as? String }
    private func finding(_ check: String) -> [String: Any]? {
      findings.first { $0["check"] as? String == check }
    }
  }

  private static let source =
    (0..<30).map {
      "__attribute__((noinline)) int f\($0)(int n) { __asm__ volatile(\".fill \($0 + 3), 1, 0x90\"); return n; }\n"
    }.joined() + "int main(int n, char **v) { return f3(f7(n)) > 9; }\n"

  private static func workshop(_ flags: [String], by compiler: String = "clang") throws -> Workshop
  {
    let workshop = try Workshop()
    try workshop.write(source.utf8, "app.c")
    try workshop.must(
      compiler, ["-O1", "app.c"] + (flags.contains("-o") ? [] : ["-o", "app"]) + flags)
    return workshop
  }

  private static func report(_ workshop: Workshop, _ words: String...) throws -> Report {
    try Report(workshop.orderfile(["doctor", "--json"] + words))
  }

  @Test func aGoodBuildHasNothingToMend() throws {
    let workshop = try Self.workshop(["-ffunction-sections", "-fuse-ld=lld", "-Wl,--build-id"])
    let report = try Self.report(workshop, "app")
    for check in [
      "lld", "ptrace", "format", "linker", "function sections", "build ID", "symbols",
      "instrumentation", "breakpoints",
    ] {
      #expect(report.severity(check) == "ok", "\(check): \(report.text(check))")
      #expect(report.hint(check) == nil)
    }
    #expect(report.run.status == 0 && report.run.errors.isEmpty)
    #expect(report.text("lld").hasSuffix(": orders functions and data, writes link maps (tried)"))

    let text = try workshop.mustOrderfile("doctor", "app").text
    #expect(text.contains("\nimage app\n  ok       format: ") && !text.contains("\u{1b}"))
    let coloured = try workshop.orderfile(
      "doctor", "app", environment: ["CLICOLOR_FORCE": "1", "NO_COLOR": ""])
    #expect(coloured.text.contains("  \u{1b}[1;32mok\u{1b}[0m       format: "))
    let plain = try workshop.orderfile(
      "doctor", "app", environment: ["CLICOLOR_FORCE": "1", "NO_COLOR": "1"])
    #expect(plain.text == text)
  }

  @Test(.needs("gcc", "ld.gold", "mold")) func whatIsWrongWithABuildIsNamed() throws {
    let shared = try Self.report(try Self.workshop(["-fuse-ld=lld"]), "app")
    #expect(shared.severity("function sections") == "error")
    #expect(shared.hint("function sections")?.contains("-ffunction-sections") ?? false)
    #expect(
      shared.severity("build ID") == "warning"
        && shared.hint("build ID") == "link with -Wl,--build-id")
    // Problems of an image are no errors of `doctor`, because the image can be built again.
    #expect(shared.run.status == 0)

    let stripped = try Self.report(try Self.workshop(["-s", "-fuse-ld=lld"]), "app")
    #expect(
      stripped.severity("symbols") == "error" && stripped.text("symbols").hasPrefix("stripped"))
    // The finding is not printed a second time as a warning.
    #expect(stripped.run.errors.isEmpty, "\(stripped.run.errors)")
    for (linker, severity, hint) in [
      ("bfd", "warning", "--linker gnu-ld"), ("gold", "warning", "--linker gold"),
      (
        "mold", "error",
        "or rename sections: 'orderfile gen --linker mold --rename-sections'"
      ),
    ] {
      let report = try Self.report(
        try Self.workshop(["-g", "-fuse-ld=\(linker)"], by: "gcc"), "app")
      #expect(report.severity("linker") == severity, "\(linker): \(report.text("linker"))")
      #expect(report.hint("linker")?.hasSuffix(hint) ?? false)
      #expect(
        report.severity("optimization") == "ok" && report.severity("function sections") == "error")
    }
  }

  @Test func aPartlyInstrumentedBuildIsNamed() throws {
    let workshop = try Self.workshop(["-c", "-o", "rest.o"])
    try workshop.write("int main2(int n) { return n; }\n".utf8, "own.c")
    try workshop.must("clang", ["-O1", Build.coverage, "-c", "own.c"])
    try workshop.must(
      "clang", ["-fuse-ld=lld", "rest.o", "own.o", try #require(Built.recorder), "-o", "app"])
    let report = try Self.report(workshop, "app")
    #expect(report.severity("instrumentation") == "warning")
    #expect(
      report.text("instrumentation").contains("partly: 1 of 32 functions is instrumented"),
      "\(report.text("instrumentation"))")
    #expect(report.severity("recorder") == "ok")
  }

  /// A name without a slash is no command of PATH.
  @Test(.needs("ld.lld")) func anImageIsJudgedByItsFile() throws {
    let workshop = try Workshop()
    try workshop.write("void _start(void) { for (;;); }\n".utf8, "a.c")
    try workshop.must(
      "clang",
      ["--target=aarch64-linux-gnu", "-nostdlib", "-static", "-fuse-ld=lld", "a.c", "-o", "za"])
    let bare = try Self.report(workshop, "za")
    let written = try Self.report(workshop, "./za")
    for check in ["format", "method of recording", "obstacles"] {
      #expect(bare.text(check) == written.text(check))
      #expect(bare.severity(check) == written.severity(check))
    }
    if bare.severity("format") == "warning" {
      #expect(bare.hint("format") == "orderfile record --qemu -- ./za")
    }
    // The image has too few gaps between functions to show whether functions have sections of their own.
    #expect(bare.text("function sections").contains("fewer than 8 gaps"))
  }

  @Test(.needs(.appleSDK)) func noMethodRecordsAnImageOfAnotherSystem() throws {
    let workshop = try Workshop()
    let sdk = try AppleSDK()
    try workshop.write("int main(void) { return 0; }\n".utf8, "main.c")
    try sdk.compile("main.c", to: "main.o", for: .macOS, in: workshop)
    try sdk.link(["main.o"], to: "app", for: .macOS, in: workshop)
    let report = try Self.report(workshop, "app")
    #expect(report.severity("method of recording") == nil && report.run.status == 2)
    #expect(report.text("obstacles") == "Mach-O images can't be run here")
  }

  @Test func aLinkMapShowsSections() throws {
    let workshop = try Self.workshop(["-fuse-ld=bfd", "-Wl,-Map=app.map"])
    #expect(try Self.report(workshop, "app.map").severity("function sections") == "error")
  }

  @Test func whatIsNoSubjectIsRefused() throws {
    let workshop = try Workshop()
    try workshop.write("#!/bin/sh\n".utf8, "script")
    try workshop.write([], "empty")
    for (name, message) in [
      (
        "script",
        "script: unsupported file: expected a project's folder, a linked image or a link map, found a script"
      ),
      ("empty", "found an empty file"), ("nothing", "nothing: No such file or directory"),
    ] {
      let run = try workshop.orderfile("doctor", name)
      #expect(run.status == 1 && run.text.isEmpty && run.errors.contains(message), "\(run.errors)")
    }
  }

  @Test func aFolderIsAProject() throws {
    let workshop = try Workshop()
    #expect(try workshop.mustOrderfile("doctor", "--json").json["subject"] as? String == "machine")
    let none = try Self.report(workshop, ".")
    #expect(none.severity("build system") == "warning" && none.run.status == 0)
    #expect(none.hint("build system") == "orderfile auto --launch 'COMMAND' -- BUILD COMMAND")
    try workshop.write(
      "CC = /usr/bin/gcc\nall:\n\t$(CC) -fuse-ld=lld -o app app.c\n".utf8, "Makefile")
    let make = try Self.report(workshop)
    #expect(make.severity("build system") == "ok" && make.text("build system") == "make")
    #expect(make.text("linker") == "Makefile:3 demands lld")
    #expect(make.hint("compiler") == "orderfile auto ... -- make CC=gcc")
  }

  /// The machine has a clang that only prints its version, gcc and cc as links to one wrapper, like ccache, and an
  /// emulator that loads no plugins.
  @Test(.needs("gcc")) func eachToolIsTakenForWhatItIs() throws {
    let workshop = try Workshop()
    try workshop.writeProgram(
      "#!/bin/sh\ntest \"$1\" = --version && echo clang version 99 && exit\necho clang: no libLLVM.so >&2\nexit 127\n"
        .utf8, "clang")
    try workshop.writeProgram("#!/bin/sh\nexec /usr/bin/\"${0##*/}\" \"$@\"\n".utf8, "cache")
    try workshop.must("ln", ["-s", "cache", "gcc"])
    try workshop.must("ln", ["-s", "cache", "cc"])
    for name in ["x86_64", "aarch64", "riscv64"] {
      try workshop.writeProgram("#!/bin/sh\n".utf8, "qemu-\(name)")
    }
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let report = try Report(
      workshop.orderfile(
        "doctor", "--json", environment: ["PATH": "\(workshop.folder.path):\(path)"]))
    #expect(report.severity("clang") == "warning")
    #expect(report.text("clang") == "this tool does not work: clang: no libLLVM.so")
    for check in ["gcc", "cc", "lld"] { #expect(report.severity(check) == "ok") }
    #expect(report.text("qemu-user").hasPrefix("qemu-x86_64, qemu-aarch64, qemu-riscv64: static"))
    #expect(report.run.status == 0)
  }

  /// Older container runtimes answer EPERM to system calls that they do not know. This does not keep `auto` from
  /// building.
  @Test func aFilterThatForbidsConfinementIsAsGoodAsNoLandlock() throws {
    let workshop = try Workshop()
    try workshop.write(
      """
      #define _GNU_SOURCE
      #include <dlfcn.h>
      #include <errno.h>
      #include <sys/syscall.h>
      long syscall(long number, long a, long b, long c, long d, long e, long f) {
        long (*next)(long, long, long, long, long, long, long) = dlsym(RTLD_NEXT, "syscall");
        if (number != SYS_landlock_create_ruleset) return next(number, a, b, c, d, e, f);
        errno = EPERM;
        return -1;
      }

      """.utf8, "filter.c")
    try workshop.must("clang", ["-shared", "-fPIC", "filter.c", "-o", "filter.so"])
    let folder = workshop.folder.path
    let run = try workshop.orderfile(
      "--confined-to", folder, "/bin/echo", "ran",
      environment: ["LD_PRELOAD": "\(folder)/filter.so"])
    #expect(run.status == 0 && run.text == "ran\n", "\(run.errors)")
  }

  @Test func aMissingTemporaryFolderIsReported() throws {
    let workshop = try Workshop()
    let report = try Report(
      workshop.orderfile("doctor", "--json", environment: ["TMPDIR": "/nowhere"]))
    #expect(report.run.status == 2 && report.severity("temporary folder") == "error")
    #expect(report.severity("ptrace") == "ok" && report.severity("lld") == nil)
  }

  /// Devices can be written in any case.
  @Test func aTemporaryFolderBelowDevicesIsAsGoodAsAnother() throws {
    let workshop = try Workshop()
    let other = try Self.report(workshop).text("confined builds")
    let report = try Report(
      workshop.orderfile("doctor", "--json", environment: ["TMPDIR": "/dev/shm"]))
    #expect(report.text("confined builds") == other)
  }

  /// PATH is empty, and the command is already traced.
  @Test(.needs("strace")) func whatAutoNeedsIsMissing() throws {
    let workshop = try Workshop()
    let bare = try Report(workshop.orderfile("doctor", "--json", environment: ["PATH": "/nowhere"]))
    #expect(
      bare.run.status == 2 && bare.severity("compiler") == "error"
        && bare.severity("lld") == "error")
    #expect(bare.text("obstacles") == "no compiler, no linker that orders functions")
    // Without a tracer, an emulator or an instrumented build records.
    func traced(_ path: String? = nil) throws -> Report {
      try Report(
        workshop.start(
          "strace",
          ["-f", "-qq", "-e", "trace=none", "-o", "log", "env"]
            + (path.map { ["PATH=\($0)"] } ?? []) + [Built.orderfile, "doctor", "--json"]
        ).end())
    }
    let other = try traced()
    #expect(other.severity("ptrace") == "warning", "\(other.text("ptrace"))")
    #expect(other.hint("ptrace") == "run orderfile without strace or a debugger")
    #expect(
      other.run.status == 0 && other.severity("method of recording") == "warning"
        && other.text("method of recording").contains("(breakpoints: a program can't be traced: "))
    let none = try traced("/nowhere")
    #expect(none.run.status == 2 && none.severity("ptrace") == "error")
    #expect(
      none.text("obstacles").contains("no way to record: breakpoints: a program can't be traced: "))
    #expect(none.run.errors.contains("error: 'orderfile auto' can't succeed: no compiler, "))
  }
}
