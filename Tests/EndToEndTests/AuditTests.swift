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
      "record", "--breakpoints", "--image", "libseldom.so", "--image", "liboften.so", "-o",
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

  @Test func theExitStatusIsThatOfTheList() throws {
    let workshop = try Self.workshop()
    try workshop.write("libc.so.6\nld-linux*\nlibgone.so\n".utf8, "list")
    let run = try workshop.orderfile("audit", "app", "--allow", "list", "--json")
    #expect(run.status == 2)
    #expect(run.json["notAllowed"] as? [String] == ["libseldom.so", "liboften.so"])
    #expect(run.errors.contains("2 libraries not on the list: libseldom.so, liboften.so"))
    #expect(run.errors.contains("list: line 3: no library is called 'libgone.so'"))
    let sarif = try workshop.orderfile("audit", "app", "--allow", "list", "--sarif")
    #expect(sarif.status == 2 && sarif.json["version"] as? String == "2.1.0")
    #expect(try workshop.orderfile("audit", "app", "--json", "--sarif").status == 64)
    #expect(try workshop.orderfile("audit", "app.c").status == 1)
    #expect(try workshop.orderfile("audit", "none").status == 1)
  }
}
