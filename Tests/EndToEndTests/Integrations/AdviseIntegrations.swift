import Foundation
import TestSupport
import Testing

/// `orderfile advise` with a command that links: each option is measured.
@Suite(.needs("ld.lld")) struct AdviseIntegrations {
  private static func saved(_ document: [String: Any], _ name: String) throws -> Int {
    let options = try #require(document["options"] as? [[String: Any]])
    let option = try #require(options.first { $0["name"] as? String == name })
    return try #require(option["saved"] as? Int)
  }

  @Test func eachOptionIsLinkedAndItsPagesAreCounted() throws {
    let app = try AdvisedProgram()
    let before = try app.image
    let document = try app.document(["--relink", AdvisedProgram.link, "--", "./app"])
    #expect((document["warnings"] as? [String]) == [])
    #expect(document["variation"] as? Int == 0)
    let options = try #require(document["options"] as? [[String: Any]])
    #expect(options.count > 10)
    #expect(options.allSatisfy { ($0["cFlags"] as? [String])?.isEmpty ?? false })
    #expect(options.first?["name"] as? String == "packed relocations")
    let packed = try Self.saved(document, "packed relocations")
    #expect((115...120).contains(packed))
    #expect(try Self.saved(document, "fixed address") > packed)
    let together = try #require(document["together"] as? [String: Any])
    let names = try #require(together["names"] as? [String])
    #expect(names.contains("packed relocations") && !names.contains("fixed address"))
    #expect((together["saved"] as? Int ?? 0) >= packed)
    #expect(try app.image == before, "the image is as it was")
  }

  @Test func optionsOfTheCompilerAreTriedIfTheCommandCompiles() throws {
    let app = try AdvisedProgram()
    let command = "clang -O1 -fPIE $ORDERFILE_CFLAGS -c main.c && " + AdvisedProgram.link
    let document = try app.document(["--relink", command, "--", "./app"])
    #expect(try Self.saved(document, "no unwind tables") >= 0)
  }

  @Test func aCommandThatIgnoresTheOptionsIsWarnedOf() throws {
    let app = try AdvisedProgram()
    let command = "clang -fuse-ld=lld -Wl,--build-id main.o -o app"
    let run = try app.advise(["--relink", command, "--", "./app"])
    #expect(run.status == 0 && run.text.contains("\nno effect: packed relocations"))
    #expect(run.errors.contains("the command makes the same image with each option"))
  }
}
