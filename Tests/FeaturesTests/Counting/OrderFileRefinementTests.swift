import CommandSupport
import Counting
import ImageModel
import TestSupport
import Testing

/// Requests that a refinement refuses before it links anything. After that, a refinement redirects the streams of its
/// process to files, so tests of links and launches run the command in a process of its own.
@Suite struct OrderFileRefinementTests {
  private let builds: SampleBuilds
  init() throws {
    builds = try SampleBuilds.ofOneProgram()
    try builds.write("f0\nf4\n", "app.order")
  }

  private func refinement(
    order: String = "app.order", image: String = "after", output: String = "best.order"
  ) -> OrderFileRefinement {
    OrderFileRefinement(
      order: builds.path(order), image: builds.path(image),
      relink: "touch '\(builds.path("linked"))'", output: builds.path(output),
      launches: [.init([builds.path(image)], LaunchConditions())],
      in: LaunchEnvironment(
        searchPath: nil, temporaryFolder: builds.workshop.folder.path))
  }

  @Test(arguments: [
    ("nowhere.order", "after", "best.order", "nowhere.order"),
    ("app.order", "nowhere", "best.order", "nowhere"),
    ("app.order", "after", "missing/best.order", "missing/best.order"),
    ("app.order", "app.order", "best.order", "app.order"),
  ])
  func whatIsMissingIsFoundBeforeTheFirstLink(
    order: String, image: String, output: String, culprit: String
  ) {
    let refinement = refinement(order: order, image: image, output: output)
    let error = diagnostic { _ = try refinement.run { _ in Issue.record("launched") } }
    #expect(error?.context == [builds.path(culprit)])
    #expect(builds.bytes("linked") == nil)
    #expect(builds.bytes("best.order") == nil)
    #expect(builds.text("app.order") == "f0\nf4\n")
  }
}
