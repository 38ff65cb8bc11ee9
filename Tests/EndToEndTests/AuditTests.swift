import Foundation
import TestSupport
import Testing

/// `orderfile audit` as a shell sees it, with a trace of a launch.
@Suite(.needs(.recording)) struct AuditTests {
  private static func workshop() throws -> Workshop {
    let workshop = try Workshop()
    func functions(_ name: String, _ count: Int) -> String {
      (0..<count).map {
        "__attribute__((noinline)) int \(name)\($0)(int n) { __asm__ volatile(\"nop\"); return n + \($0); }\n"
      }.joined()
    }
    let app = """
      __attribute__((constructor)) static void early(void) { __asm__ volatile("nop"); }
      int seldom0(int); int often0(int); int often1(int);
      int main(int n, char **v) { return n > 9 ? seldom0(n) : often0(often1(n)) > 99; }
      """
    try workshop.write(app.utf8, "app.c")
    try workshop.write(functions("seldom", 400).utf8, "seldom.c")
    try workshop.write(functions("often", 3).utf8, "often.c")
    for name in ["seldom", "often"] {
      try workshop.must(
        "clang",
        [
          "-O1", "-shared", "-fPIC", "-fuse-ld=lld", "-Wl,--build-id", "-Wl,-soname,lib\(name).so",
          "\(name).c", "-o", "lib\(name).so",
        ])
    }
    try workshop.must(
      "clang",
      [
        "-O1", "-fuse-ld=lld", "-Wl,--build-id", "app.c", "-o", "app", "-L.", "-lseldom",
        "-loften", "-Wl,-rpath,$ORIGIN",
      ])
    return workshop
  }

  @Test func aTraceTellsTimesAndWhatCouldBeLoadedLater() throws {
    let workshop = try Self.workshop()
    try workshop.mustOrderfile(
      "record", "--breakpoints", "--also", "libseldom.so", "--also", "liboften.so", "-o",
      "app.oftrace", "--", "./app")
    let json = try workshop.mustOrderfile("audit", "app", "--trace", "app.oftrace", "--json").json
    #expect(json["schema"] as? String == "orderfile.audit/1")
    let use = try #require(json["observedUse"] as? [String: Any])
    let candidates = try #require(use["candidates"] as? [[String: Any]])
    #expect(candidates.compactMap { $0["name"] as? String } == ["libseldom.so"])
    #expect(candidates.first?["kind"] as? String == "library")
    #expect(candidates.first?["relocations"] as? Int ?? 0 > 0)
    #expect((use["notObserved"] as? [String])?.contains("libc.so.6") ?? false)
    let libraries = try #require(json["libraries"] as? [[String: Any]])
    let often = libraries.first { $0["name"] as? String == "liboften.so" }
    #expect(often?["loaded"] as? Bool == true && often?["firstUseMs"] is Double)
    let initializers = try #require(json["initializers"] as? [[String: Any]])
    let early = try #require(initializers.first { $0["name"] as? String == "early" })
    #expect(early["startMs"] is Double && early["ms"] is Double)
  }

  @Test func anArchiveOfWhichALaunchUsesNothingCouldBeLoadedLater() throws {
    let workshop = try Workshop()
    func functions(_ name: String, _ count: Int) -> String {
      let bodies = (0..<count).map {
        "int \(name)\($0)(int n) { __asm__ volatile(\"nop\"); return n * \($0 + 2); }\n"
      }
      let names = (0..<count).map { "\(name)\($0)" }.joined(separator: ",")
      return bodies.joined() + "char \(name)Buffer[9000]; int (*\(name)[])(int) = {\(names)};\n"
    }
    try workshop.write(functions("cold", 60).utf8, "cold.c")
    try workshop.write(functions("warm", 8).utf8, "warm.c")
    try workshop.write(
      """
      extern int (*cold[])(int), (*warm[])(int);
      int main(int n, char **v) { return (n > 9 ? cold[n](n) : warm[n](n)) > 999; }
      """.utf8, "app.c")
    for name in ["cold", "warm"] {
      try workshop.must("clang", ["-O1", "-fPIE", "-c", "\(name).c"])
      try workshop.must("ar", ["rcs", "lib\(name).a", "\(name).o"])
    }
    try workshop.must(
      "clang",
      [
        "-O1", "-fuse-ld=lld", "-pie", "-fPIE", "-Wl,--build-id", "-Wl,-Map=app.map", "-g", "app.c",
        "-o", "app", "libwarm.a", "libcold.a",
      ])
    try workshop.mustOrderfile("record", "--breakpoints", "-o", "app.oftrace", "--", "./app")
    let json = try workshop.mustOrderfile(
      "audit", "app", "--trace", "app.oftrace", "--link-map", "app.map", "--json"
    ).json
    let use = try #require(json["observedUse"] as? [String: Any])
    let candidates = try #require(use["candidates"] as? [[String: Any]])
    #expect(candidates.compactMap { $0["name"] as? String } == ["libcold.a"])
    let cold = try #require(candidates.first)
    #expect(cold["kind"] as? String == "archive")
    #expect(cold["functions"] as? Int == 60 && cold["usedFunctions"] as? Int == 0)
    #expect(cold["relocations"] as? Int == 60, "one for each pointer")
    // A line of the map has the VMA, the LMA, the size, the alignment, and the file with its section.
    let map = String(decoding: workshop.bytes("app.map"), as: UTF8.self)
    var bytes = 0
    for line in map.split(separator: "\n") {
      let fields = line.split(separator: " ").map { String($0) }
      guard fields.count == 5, fields[4].hasPrefix("libcold.a("), fields[0] != "0",
        !fields[4].contains(":(.bss")
      else { continue }
      bytes += Int(fields[2], radix: 16) ?? 0
    }
    #expect(cold["bytes"] as? Int == bytes && bytes > 60 * 8 + 60 * 4)
  }

  @Test func auditAndDoctorSayTheSameOfTheBuild() throws {
    let workshop = try Self.workshop()
    for image in ["app", "libseldom.so"] {
      let audit = try workshop.mustOrderfile("audit", image, "--json").json
      let doctor = try workshop.orderfile("doctor", image, "--json").json
      let ours = try #require(audit["findings"] as? [[String: Any]])
      let all = try #require(doctor["findings"] as? [[String: Any]])
      let theirs = all.filter { $0["area"] as? String == "image" }
      #expect(
        ours.count > 5 && ours.map { $0 as NSDictionary } == theirs.map { $0 as NSDictionary })
    }
  }

  @Test func aFullDeviceIsAnErrorForEachForm() throws {
    let workshop = try Self.workshop()
    for form in [
      ["-o", "/dev/full"], ["-o", "/dev/full", "--json"],
      ["-o", "text", "--export-sarif", "/dev/full"],
    ] {
      let run = try workshop.orderfile(["audit", "app", "-q"] + form)
      #expect(run.status == 1)
      #expect(
        run.errors == "orderfile: error: /dev/full: unable to write: No space left on device\n")
    }
  }

  @Test(.needs(.mounting)) func aFullDiskLeavesTheReportAsItWas() throws {
    let workshop = try Self.workshop()
    let run = try workshop.start(
      "unshare",
      [
        "-m", "sh", "-c",
        """
        mkdir disk; mount -t tmpfs -o size=8k none disk; echo before > disk/report
        "$0" audit app -q --json -o disk/report; echo "status $?"; ls disk; cat disk/report
        """, Built.orderfile,
      ]
    ).end()
    #expect(run.text == "status 1\nreport\nbefore\n")
    #expect(run.errors.hasPrefix("orderfile: error: disk/report: unable to write: No space left"))
  }

  /// A CI system takes some lines for commands.
  @Test func aLineFeedInANameBeginsNoLine() throws {
    let workshop = try Workshop()
    try workshop.write("int f(void) { return 0; }".utf8, "f.c")
    try workshop.write("int f(void); int main(void) { return f(); }".utf8, "main.c")
    try workshop.must(
      "clang",
      ["-shared", "-fuse-ld=lld", "-Xlinker", "-soname=x\n::error::y", "f.c", "-o", "libf.so"])
    try workshop.must("clang", ["-fuse-ld=lld", "main.c", "libf.so", "-o", "app"])
    try workshop.mustOrderfile("audit", "-q", "app", "--json", "-o", "audit.json")
    try workshop.write(Self.budget.utf8, "budget.json")
    let run = try workshop.orderfile("check", "-q", "--budget", "budget.json", "audit.json")
    #expect(run.status == 2 && run.errors.contains("::error::y"), "\(run.errors)")
    #expect(!run.errors.contains("\n::error"), "\(run.errors)")
  }

  /// The libraries of a C program that needs no other.
  private static let budget = """
    {"allowedLibraries": ["libc.so.6", "ld-linux*"], "limits": [], "schema": "orderfile.budget/1"}
    """

  @Test func theExitStatusIsThatOfTheLimits() throws {
    let workshop = try Self.workshop()
    let run = try workshop.orderfile("audit", "app", "--limit", "audit.libraries<=2", "--json")
    #expect(run.status == 2 && run.errors.contains("audit.libraries of app: expected at most 2, "))
    let kept = try workshop.orderfile("audit", "app", "-q", "--limit", "audit.libraries<=9")
    #expect(kept.status == 0, "\(kept.errors)")
    // A budget says which libraries may be there.
    try workshop.write(run.output, "audit.json")
    try workshop.write(Self.budget.utf8, "budget.json")
    let named = try workshop.orderfile("check", "--budget", "budget.json", "audit.json")
    #expect(named.status == 2)
    #expect(named.text.contains("  not allowed: libseldom.so\n  not allowed: liboften.so\n"))
    let sarif = try workshop.orderfile(
      "audit", "app", "--limit", "audit.libraries<=2", "--export-sarif", "-", "-o", "text")
    #expect(sarif.status == 2 && sarif.json["version"] as? String == "2.1.0")
    #expect(try workshop.orderfile("audit", "app", "--json", "--export-sarif", "-").status == 64)
    #expect(try workshop.orderfile("audit", "app.c").status == 1)
    #expect(try workshop.orderfile("audit", "none").status == 1)
  }
}
