import TestSupport
import Testing

/// Importing the recordings of other tools, from their lists to the layout.
@Suite(.needs(.recording)) struct ImportTests {
  /// A list of the functions that a recording found gives the same order as the recording.
  @Test(arguments: ["symbols", "addresses"]) func aListIsAsGoodAsATrace(source: String) throws {
    let workshop = try Workshop()
    try workshop.check(LaunchToLayoutTests.plain)
    let order = try workshop.mustOrderfile("gen", "app.oftrace", "--image", "app")
    // The addresses are those that nm finds in the build to order, after a comment, with carriage returns.
    let addresses = try workshop.must("nm", ["app"]).text.split(separator: "\n").map {
      $0.split(separator: " ")
    }
    let lines = try CPrograms.plainOrder.map { name in
      let symbol = try #require(addresses.first { $0.last == name[...] })
      return source == "symbols" ? name : "0x\(symbol[0])"
    }
    try workshop.write(
      Array("# \(source)\r\n\(lines.joined(separator: "\r\n"))\r\n".utf8), "list")
    let imported = try workshop.mustOrderfile(
      "import", source, "list", "--image", "app", "-o", "list.oftrace", "--json")
    #expect(imported.json["functions"] as? Int == CPrograms.plainOrder.count)
    #expect((imported.json["missing"] as? [Any])?.isEmpty == true)
    let again = try workshop.mustOrderfile("gen", "list.oftrace", "--image", "app")
    func names(_ run: Run) -> [Substring] {
      run.text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    }
    #expect(names(again) == names(order))

    let diff = try workshop.mustOrderfile(
      "diff", "app", "ordered", "--trace", "list.oftrace", "--order", "app.order", "--json")
    #expect(diff.json["startupFunctions"] as? Int == CPrograms.plainOrder.count)
    let show = try workshop.mustOrderfile("show", "list.oftrace")
    #expect(show.text.contains("imported, not recorded"))
    let json = try workshop.mustOrderfile("show", "--json", "list.oftrace").json
    let hits = json["hits"] as? [[String: Any]] ?? []
    #expect(hits.flatMap { $0["names"] as? [String] ?? [] } == CPrograms.plainOrder)
    #expect(json["method"] as? String == "imported" && json["sealed"] as? Bool == true)
  }

  @Test func unknownLinesAreListedWithTheirPlace() throws {
    let workshop = try Workshop()
    try workshop.check(LaunchToLayoutTests.plain)
    let unknown = (1...12).map { "unknown\($0)" }
    let list = Array(repeating: "main", count: 12) + unknown
    try workshop.write(Array(list.joined(separator: "\n").utf8), "list")
    let run = try workshop.mustOrderfile(
      "import", "symbols", "list", "--image", "app", "-o", "list.oftrace")
    #expect(run.errors.contains("warning: list:13: missing 'unknown1': no such symbol\n"))
    #expect(!run.errors.contains("unknown11"))
    #expect(
      run.errors.contains(
        "2 more lines match no function\n  hint: list all of them with --list-missing"))
    let all = try workshop.mustOrderfile(
      "import", "symbols", "list", "--image", "app", "-o", "list.oftrace", "--list-missing")
    #expect(all.errors.contains("list:24: missing 'unknown12'"))
    #expect(workshop.bytes("list.oftrace").count > 4096)
  }
}
