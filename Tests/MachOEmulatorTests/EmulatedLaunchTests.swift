import Foundation
import TestSupport
import Testing

/// Tests the emulator itself, with images that are not instrumented.
@Suite(.needs(.machOEmulator))
struct EmulatedLaunchTests {
  /// Links the program and its two libraries with `linkFlags`, and launches it.
  private func launch(_ platform: AppleSDK.Platform, linkFlags: [String]) throws
    -> MachOEmulator.Run
  {
    let sdk = try AppleSDK()
    let workshop = try Workshop()
    for (source, text) in [
      ("program.m", ApplePrograms.main), ("library.cpp", ApplePrograms.library),
      ("plugin.c", ApplePrograms.plugin),
    ] {
      try workshop.write(text.utf8, source)
      try sdk.compile(
        source, to: source + ".o", for: platform, flags: ["-fno-exceptions"], in: workshop)
    }
    for (source, library) in [("library.cpp", "library"), ("plugin.c", "plugin")] {
      let flags = ["-dylib", "-install_name", "@rpath/lib\(library).dylib"] + linkFlags
      try sdk.link(
        [source + ".o"], to: "lib\(library).dylib", for: platform, flags: flags, in: workshop)
    }
    try sdk.link(
      ["program.m.o", "liblibrary.dylib"], to: "program", for: platform, flags: linkFlags,
      in: workshop)
    return try MachOEmulator().run(
      "program", ["argument"], environment: ["HOME": "/home"], in: workshop)
  }

  @Test(
    arguments: [
      (.iOS, []), (.macOS, []), (.iOS, ["-objc_relative_method_lists"]),
      (.macOS, ["-no_fixup_chains"]), (.iOS, ["-fixup_chains", "-init_offsets"]),
    ] as [(AppleSDK.Platform, [String])])
  func aProgramRunsAsDyldAndLibobjcWouldRunIt(
    platform: AppleSDK.Platform, linkFlags: [String]
  ) throws {
    let run = try launch(platform, linkFlags: linkFlags)
    #expect(run.output == ApplePrograms.output && run.errors == "")
    #expect(run.status == 3)
    #expect(
      run.report.stages.map(\.stage) == [
        "initializer", "load", "load", "load", "initializer", "initializer", "main",
        "initializer", "initializer",
      ])
  }

  /// Builds one C or assembly file into `program`.
  private func build(_ text: String, _ source: String = "program.c") throws -> Workshop {
    let sdk = try AppleSDK()
    let workshop = try Workshop()
    try workshop.write(text.utf8, source)
    try sdk.compile(source, to: "program.o", for: .iOS, in: workshop)
    try sdk.link(["program.o"], to: "program", for: .iOS, in: workshop)
    return workshop
  }

  @Test(arguments: [0x4000, 0x1234_4000] as [UInt64])
  func pagesAreCountedWhereCodeRunsAndWhereTextIsRead(slide: UInt64) throws {
    let workshop = try build(ApplePrograms.pages, "program.s")
    let run = try MachOEmulator().run("program", slide: slide, in: workshop)
    #expect(run.status == 7 && run.errors == "")
    let image = try #require(run.report.images.first)
    #expect(image.slide == slide)
    #expect(run.report.functionNames == ["_main", "_four", "_two"])
    // The linker places __text on the first page boundary behind the header.
    let text: UInt64 = 0x1_0000_4000
    let pages = [5, 3, 1].map { text + $0 * 0x4000 }
    #expect(image.executedPages16k.map(\.address) == pages)
    #expect(image.executedPages16k.map(\.firstPC) == pages)
    #expect(image.executedPages4k.map(\.address) == pages)
    #expect(image.readTextPages16k == 1)
    #expect(image.loaderTextPages16k == 1, "the header")
    #expect(image.touchedTextPages16k == 5)
  }

  @Test func theSameSeedGivesTheSameRunAndAnotherSeedAnotherSlide() throws {
    let workshop = try build(ApplePrograms.pages, "program.s")
    let slides = try [1, 1, 2].map { (seed: UInt64) in
      let run = try MachOEmulator().run("program", seed: seed, in: workshop)
      return try #require(run.report.images.first).slide
    }
    #expect(slides[0] == slides[1] && slides[0] != slides[2])
    #expect(slides.allSatisfy { $0 > 0 && $0 % 0x4000 == 0 })
  }

  @Test(
    arguments: [
      ("return 300;", 44, nil), ("_exit(5);", 5, nil), ("abort();", 134, "SIGABRT: abort"),
      ("*(volatile int *)16 = 1;", 139, "SIGSEGV: no access to 4 bytes at 0x10, at program`_main+"),
      ("((void (*)(void))32)();", 139, "SIGSEGV: jump to 0x20"),
      ("__builtin_trap();", 133, "SIGTRAP: trap at program`_main+"),
      ("raise(9);", 137, "SIGKILL: raised by itself"),
      (
        "setlocale(0, \"\"); return 1;", 125,
        "'_setlocale' is not simulated; called from program`_main+"
      ),
      ("if (n > 9) setlocale(0, \"\"); return 1;", 1, nil),
    ] as [(String, Int32, String?)])
  func howAProgramEndsIsTold(body: String, status: Int32, reason: String?) throws {
    let workshop = try build(
      """
      #include <locale.h>
      #include <signal.h>
      #include <stdlib.h>
      #include <unistd.h>
      int main(int n, char **arguments) { \(body) }
      """)
    let run = try MachOEmulator().run("program", in: workshop)
    #expect(run.status == status)
    if let reason {
      #expect(run.report.reason?.hasPrefix(reason) == true, "\(run.report.reason ?? "none")")
      #expect(run.errors.hasPrefix("emulator: \(reason)"))
    } else {
      #expect(run.report.reason == nil && run.errors == "")
    }
  }

  @Test func storesIntoASharedMappingAreInTheFileAlsoAfterACrash() throws {
    let workshop = try build(
      """
      #include <errno.h>
      #include <fcntl.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>
      #include <sys/mman.h>
      #include <sys/stat.h>
      #include <unistd.h>
      int main(void) {
        int file = open("new", O_RDWR | O_CREAT | O_EXCL, 0644);
        if (file < 3 || open("new", O_RDWR | O_CREAT | O_EXCL, 0644) >= 0 || errno != EEXIST) return 1;
        fstore_t blocks = {F_ALLOCATEALL, F_PEOFPOSMODE, 0, 65536, 0};
        if (fcntl(file, F_PREALLOCATE, &blocks) || blocks.fst_bytesalloc < 65536) return 2;
        struct stat status;
        if (fstat(file, &status) || status.st_size != 0 || !S_ISREG(status.st_mode)) return 3;
        if (ftruncate(file, 16384)) return 4;
        char *bytes = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (bytes == MAP_FAILED || close(file) || close(file) != -1 || errno != EBADF) return 5;
        strcpy(bytes, "early");
        if (renamex_np("new", "made", RENAME_EXCL)) return 6;
        if (open("/etc/passwd", O_RDONLY) >= 0 || errno != EPERM) return 7;
        file = open("made", O_RDWR);
        if (ftruncate(file, 65536) || lstat("made", &status) || status.st_size != 65536) return 8;
        bytes[65535] = 'z';
        *(volatile int *)8 = 1;
      }
      """)
    let run = try MachOEmulator().run("program", in: workshop)
    #expect(run.status == 139, "\(run.errors)")
    let made = [UInt8](try Data(contentsOf: workshop.folder.appendingPathComponent("made")))
    #expect(made.count == 65536 && Array(made.prefix(6)) == Array("early\0".utf8))
    #expect(made.last == UInt8(ascii: "z"))
  }

  @Test(arguments: [
    ("missing", "no such file"), ("program.o", "a file of type OBJECT can't be run"),
    ("text", "not a Mach-O file"),
  ])
  func whatCannotBeRunIsRefusedWithAReason(name: String, reason: String) throws {
    let workshop = try build("int main(void) { return 0; }")
    try workshop.write("text".utf8, "text")
    let run = try MachOEmulator().run(name, in: workshop)
    #expect(run.status == 125 && run.errors.contains(reason), "\(run.errors)")
  }
}
