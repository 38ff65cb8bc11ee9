import Foundation
import TestSupport
import Testing

/// Tests `orderfile pages` with a large program.
@Suite(.needs("ld.lld")) struct PagesIntegrations {
  @Test(.needs("valgrind")) func bothMethodsAndCallgrindAgreeOnTheSqliteShell() throws {
    let workshop = try Workshop()
    let folder = try workshop.sqliteSources()
    // The program is compiled without optimization, which is faster.
    let compiled = try workshop.start(
      "clang",
      [
        "-O0", "-no-pie", "-fuse-ld=lld", "\(folder)/sqlite3.c", "\(folder)/shell.c", "-lm",
        "-lpthread", "-ldl", "-o", "app",
      ]
    ).end()
    try #require(compiled.status == 0, "\(compiled.errors)")
    let launch = [
      "./app", "-batch", ":memory:",
      ".read \(Built.sqliteBenchmark.appendingPathComponent("launch.sql").path)",
    ]
    var executed: [Set<UInt64>] = []
    for method in PagesTests.methods {
      try workshop.must(
        Built.orderfile,
        ["pages", "--json", "-o", "pages.json", "--method", method, "--"] + launch)
      let data = try Data(contentsOf: URL(fileURLWithPath: workshop.path("pages.json")))
      let report = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
      let image = PagesWorkshop.image("app", in: report)
      let pages = (image["pages"] as? [[String: Any]] ?? [])
        .filter { $0["access"] as? String == "execute" }
        .compactMap { PagesWorkshop.address($0["address"]) }
      #expect(image["textPages"] as? Int == pages.count)
      executed.append(Set(pages))
    }
    #expect(executed.first == executed.last && executed[0].count > 50)
    try workshop.must(
      "valgrind",
      ["-q", "--tool=callgrind", "--dump-instr=yes", "--callgrind-out-file=callgrind"] + launch)
    let seen = try CallgrindOutput(contentsOfFile: workshop.path("callgrind"))
      .executedAddresses(of: "app")
    let difference = executed[0].symmetricDifference(seen.map { $0 & ~4095 })
    #expect(difference.count <= 4, "\(difference.sorted().map { String($0, radix: 16) })")
  }
}
