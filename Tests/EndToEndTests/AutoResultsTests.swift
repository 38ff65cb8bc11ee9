import Foundation
import TestSupport
import Testing

/// The results of `orderfile auto` after another run.
@Suite(.needs(.recording)) struct AutoResultsTests {
  /// The files that a user's own build may read.
  private static func results(_ project: AutoProject) throws -> [String: Data?] {
    let names = try FileManager.default.subpathsOfDirectory(atPath: project.output).filter {
      !$0.hasPrefix("work") && !$0.hasPrefix("logs")
    }
    return Dictionary(
      uniqueKeysWithValues: names.map {
        ($0, FileManager.default.contents(atPath: "\(project.output)/\($0)"))
      })
  }

  @Test func aRunThatFailsKeepsTheLastResults() throws {
    let project = try AutoProject()
    try project.expectOrdered(["--launch", "./app"])
    let good = try Self.results(project)
    #expect(good["orders/app.order"] != nil && good["summary.json"] != nil)
    for launch in ["./app /nonexistent && ./app fail", "true"] {
      let failed = try project.auto("--launch", launch)
      #expect(failed.status != 0, "\(failed.errors)")
      #expect(
        failed.errors.contains("out put: the results of the last successful run are kept"),
        "\(failed.errors)")
      #expect(try Self.results(project) == good)
    }
    // The next run succeeds whatever the failed runs have linked.
    try project.expectOrdered(["--launch", "./app"])
  }

  /// The second run fails after it has linked with its own order file, which is then removed.
  @Test func whatAFailedRunHasOrderedIsLinkedAgain() throws {
    let project = try AutoProject()
    try project.expectOrdered(["--launch", "./app"])
    let good = try Self.results(project)
    let once =
      "test -e ../ran-3 && exit 3; for n in 1 2 3; do test -e ../ran-$n || { touch ../ran-$n; break; }; done; ./app more"
    let failed = try project.auto("--launch", once)
    #expect(failed.status == 1 && failed.errors.contains("count: pages"), "\(failed.errors)")
    #expect(try Self.results(project) == good)
    try project.expectOrdered(["--launch", "./app"])
    #expect(try Self.results(project)["images/default/app"] == good["images/default/app"])
  }

  @Test func aFileOutsideOfTheProjectIsHeededOnDemand() throws {
    let project = try AutoProject()
    let outside = project.workshop.path("outside")
    try project.workshop.write("x".utf8, "outside")
    let launch = ["--launch", "test $(cat '\(outside)') = x && ./app || ./app more"]
    try project.expectOrdered(launch)
    try project.workshop.write("y".utf8, "outside")
    let same = try project.start(launch).end()
    let note =
      "nothing has changed since the last run: its result is printed again; if a launch reads a changed file outside the project, add --again\n"
    #expect(same.status == 0 && same.errors.contains(note), "\(same.errors)")
    let again = try project.start(launch + ["--again"]).end()
    #expect(
      again.status == 0 && again.errors.contains("orderfile: record: each launch"),
      "\(again.errors)")
  }
}
