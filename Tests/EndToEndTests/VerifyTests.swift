import Foundation
import TestSupport
import Testing

/// Tests `orderfile verify` as a user calls it.
@Suite(.needs("clang", "ld.lld")) struct VerifyTests {
  private func workshop() throws -> Workshop {
    let workshop = try Workshop()
    try workshop.write(
      """
      void load(void) __asm__("load.llvm.2");
      void load(void) {}
      int main(void) { load(); return 0; }

      """.utf8, "main.c")
    try workshop.must("clang", ["-ffunction-sections", "-fuse-ld=lld", "main.c", "-o", "app"])
    try workshop.write("# kept\r\nload.llvm.1\r\n\r\nmain\r\nq\r\nmain\r\n".utf8, "app.order")
    return workshop
  }

  @Test func theGateFailsWithStatus2AfterTheReport() throws {
    let workshop = try workshop()
    let run = try workshop.orderfile(
      "verify", "app.order", "--image", "app", "--limit", "verify.stale<=50%")
    #expect(run.status == 2)
    #expect(
      run.text.contains("3 of 4 entries are stale (75.0%): 1 renamed, 1 missing, 1 duplicate"))
    #expect(run.text.contains("   2  no such symbol: load.llvm.1, now load.llvm.2\n"))
    #expect(
      run.errors.contains(
        "error: app.order: verify.stale of app: expected at most 50%, found 75%\n"))
    #expect(run.errors.contains("with --update app.order"))
    let passed = try workshop.orderfile(
      "verify", "app.order", "--image", "app", "--limit", "verify.stale<=75%", "--json")
    #expect(passed.status == 0 && passed.json["stale"] as? Int == 3)
  }

  @Test func anUpdateIsWrittenInPlaceOrElsewhere() throws {
    let workshop = try workshop()
    let before = workshop.bytes("app.order")
    let after = String(decoding: before, as: UTF8.self).replacing("llvm.1", with: "llvm.2")
    let elsewhere = try workshop.orderfile(
      "verify", "app.order", "--image", "app", "--update", "new.order")
    #expect(
      elsewhere.errors.contains("wrote the present names of functions into 1 line: new.order"))
    #expect(workshop.bytes("app.order") == before && workshop.text("new.order") == after)
    let piped = try workshop.orderfile(
      "verify", "-", "--image", "app", "--update", "-", input: before)
    #expect(piped.text == after)

    let inPlace = try workshop.orderfile(
      "verify", "app.order", "--image", "app", "--update", "app.order", "--limit",
      "verify.stale<=50%")
    #expect(inPlace.status == 0, "\(inPlace.errors)")
    #expect(workshop.text("app.order") == after)
    #expect(workshop.fileNames == ["app", "app.order", "main.c", "new.order"])
    #expect(inPlace.text.contains("; after the update 2 of 4 (50.0%)\n"))
    let again = try workshop.orderfile(
      "verify", "app.order", "--image", "app", "--update", "app.order", "--json", "-o", "r.json")
    #expect(
      again.errors.contains("no entry is renamed: app.order: unchanged; 2 entries stay stale"))
    #expect(again.text.isEmpty && workshop.text("r.json").contains("\"staleAfterUpdate\": 2"))
  }

  @Test func anOrderFileWithoutEntriesFailsTheGate() throws {
    let workshop = try workshop()
    try workshop.write("# nothing\n".utf8, "empty.order")
    let gate = try workshop.orderfile(
      "verify", "empty.order", "--image", "app", "--limit", "verify.stale<=50%")
    #expect(gate.status == 2 && gate.errors.contains("expected at most 50%, found 100%\n"))
    let report = try workshop.orderfile("verify", "empty.order", "--image", "app")
    #expect(
      report.status == 0 && report.errors.contains("warning: empty.order: the order file has"))
  }

  @Test func whatDoesNotBelongTogetherIsRefused() throws {
    let workshop = try workshop()
    for arguments in [
      [], ["--image", "app", "--limit", "verify.stale<=101"],
      ["--image", "app", "--limit", "verify.stale<=1"],
      ["--image", "app", "--limit", "verify.stale<=1.0"],
      ["--image", "app", "--update", "x", "-o", "x"],
      ["--image", "app", "--image", "app", "--link-map", "m"],
      ["--image", "app", "--update", "-", "--json"],
    ] {
      let run = try workshop.orderfile(["verify", "app.order"] + arguments)
      #expect(run.status == 64, "\(arguments): \(run.errors)")
    }
    try workshop.write("int g(void) { return 0; }".utf8, "g.c")
    try workshop.must("clang", ["-shared", "-fuse-ld=lld", "g.c", "-o", "g.so"])
    let before = workshop.bytes("app.order")
    try workshop.write("q\nr\n".utf8, "other.order")
    let run = try workshop.orderfile(
      "verify", "other.order", "--image", "g.so", "--update", "other.order")
    #expect(run.status == 3 && run.text.isEmpty)
    #expect(workshop.text("other.order") == "q\nr\n" && workshop.bytes("app.order") == before)
  }
}
