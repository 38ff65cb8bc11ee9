import Foundation
import TestSupport
import Testing

/// `orderfile advise`, without a link or with one that is refused.
@Suite(.needs("ld.lld")) struct AdviseTests {
  @Test func withoutALinkOnlyWhatTheTablesTellIsPredicted() throws {
    let app = try AdvisedProgram()
    let document = try app.document(["--", "./app"])
    let options = try #require(document["changes"] as? [[String: Any]])
    #expect(options.map { $0["name"] as? String } == ["packed relocations", "fixed address"])
    #expect(options.map { $0["givesUp"] == nil } == [true, false])
    #expect(options.allSatisfy { $0["result"] as? String == "predicted" })
    #expect(document["together"] == nil && document["variation"] == nil)
    let saved = options.map { $0["saved"] as? Int ?? 0 }
    // 20,480 relocations of 24 bytes fill 120 pages. At a fixed address, the 40 pages of pointers are also not written.
    #expect((117...120).contains(saved[0]) && (157...161).contains(saved[1]), "\(saved)")
  }

  @Test func aLaunchThatWasCountedNeedNotBeCountedAgain() throws {
    let app = try AdvisedProgram()
    let counting = ["pages", "--json", "-o", "pages.json", "--", "./app"]
    #expect(try app.workshop.start(Built.orderfile, counting).end().status == 0)
    let document = try app.document(["--pages", "pages.json"])
    #expect(document["command"] as? [String] == ["./app"])

    try app.workshop.must("clang", ["-fuse-ld=lld", "-Wl,--build-id", "-s", "main.o", "-o", "app"])
    let other = try app.advise(["--pages", "pages.json"])
    #expect(other.status == 3 && other.errors.contains("image ID mismatch: expected"))
  }

  @Test func documentsWithoutLoadingAreRefused() throws {
    let app = try AdvisedProgram()
    let counting = ["pages", "--json", "-o", "pages.json", "--", "./app"]
    #expect(try app.workshop.start(Built.orderfile, counting).end().status == 0)
    let data = try Data(contentsOf: URL(fileURLWithPath: app.workshop.path("pages.json")))
    let text = String(decoding: data, as: UTF8.self).replacing("\"loading\":", with: "\"other\":")
    try app.workshop.write(text.utf8, "pages.json")
    let run = try app.advise(["--pages", "pages.json"])
    #expect(run.status == 1)
    #expect(
      run.errors.contains(
        "missing the pages that the loader touches: this document has only the pages of the program"
      ))
  }

  @Test(arguments: [
    ("echo no such object; exit 3", 1, "the command failed: exit status 3\n  no such object"),
    ("true", 1, "the command created no image: expected "),
    ("echo text > app", 1, "invalid file: expected an ELF file"),
    (
      "echo 'int other(void) { return 0; } int _start(void) { return other(); }' > o.c && "
        + "clang -nostdlib o.c -o app", 3,
      "the command made another program: most functions of the given image are not in it"
    ),
  ])
  func aCommandThatDoesNotLinkTheImageIsRefusedAndTheImageRestored(
    command: String, status: Int32, message: String
  ) throws {
    let app = try AdvisedProgram()
    let before = try app.image
    let run = try app.advise(["--relink", command, "--", "./app"])
    #expect(run.status == status && run.errors.contains(message), "\(run.errors)")
    #expect(try app.image == before)
  }

  @Test func whatCannotBeCountedIsRefused() throws {
    let workshop = try Workshop()
    try workshop.write("text".utf8, "app")
    let text = try workshop.start(Built.orderfile, ["advise", "app", "--", "true"]).end()
    #expect(text.status == 1 && text.errors.contains("app: invalid file"), "\(text.errors)")
    for (words, message) in [
      ("--memory", "--memory needs the command that links the image: give --relink"),
      ("--files f", "--files needs the command that links the image: give --relink"),
      ("--relink true --runs 3", "--runs is about measured launches: give --cold"),
      ("--relink true --warm --device slow", "--device affects cold launches only"),
      ("--relink true --warm --runs 0", "invalid --runs: expected 1 to 10000, found 0"),
    ] {
      let words =
        ["advise", "app"] + words.split(separator: " ").map(String.init) + ["--", "true"]
      let run = try workshop.start(Built.orderfile, words).end()
      #expect(run.status == 64 && run.errors.contains(message), "\(run.errors)")
    }
    let nothing = try workshop.start(Built.orderfile, ["advise", "app"]).end()
    #expect(nothing.status == 64 && nothing.errors.contains("missing the launch"))
  }
}
