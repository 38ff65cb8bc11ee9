import Addresses
import ByteReading
import Foundation
import ImageModel
import PagesFormat
import Prediction
import Rendering
import TestSupport
import Testing

/// Builds of 16 functions of 1 KiB, of which a launch uses four.
@Suite struct NextStepsTests {
  private let builds: SampleBuilds
  init() throws {
    builds = try SampleBuilds.ofOneProgram()
    try builds.write(SampleBuilds.used.joined(separator: "\n"), "app.order")
    try builds.writeImage(SampleBuilds.functions, "other-build", id: [0x0b])
  }

  private func steps(
    _ after: String, order: String? = nil, pages: PagesDocument? = nil,
    rejected: Set<NextStep.Kind> = []
  ) throws -> [NextStep] {
    var options = LayoutDiff.Options(before: builds.path("before"), after: builds.path(after))
    options.launches.rejectedSteps = rejected
    options.launches.traces = [builds.path("app.oftrace")]
    options.launches.order = order.map(builds.path)
    options.launches.pageSize = .fourKibibytes
    if let pages {
      try builds.write(String(decoding: pages.json(), as: UTF8.self), "pages.json")
      options.measuredAfter = builds.path("pages.json")
    }
    let document = try LayoutDiff(options).document
    let read = try DiffDocument(parsing: FileBytes(document.json()))
    #expect(read.nextSteps == document.nextSteps && read.inputs == document.inputs)
    #expect(DiffText(document).text.hasSuffix(NextStepsText(document.nextSteps).text))
    return document.nextSteps
  }

  @Test func nothingIsLeftWhereTheOrderIsFollowedAndComplete() throws {
    let steps = try steps("after", order: "app.order")
    #expect(steps.map(\.kind) == [.nothing])
    #expect(steps[0].reason.hasSuffix("0 pages above what placement can reach"))
    #expect(steps[0].commands.isEmpty && steps[0].gainPages == nil)
  }

  @Test func aLayoutWithoutAnOrderIsToBeOrdered() throws {
    let steps = try steps("other-build")
    #expect(steps.map(\.kind) == [.order] && steps[0].gainPages == 3)
    #expect(
      steps[0].commands == [
        "orderfile gen \(builds.path("app.oftrace")) --image \(builds.path("other-build")) -o other-build.order"
      ])
  }

  /// Only the function that lies on a page of its own costs a page.
  @Test func aFunctionOutsideTheOrderIsToBeOrderedIfItCostsAPage() throws {
    let some = Array(SampleBuilds.used.dropLast())
    try builds.write(some.joined(separator: "\n"), "some.order")
    #expect(try steps("after", order: "some.order").map(\.kind) == [.nothing])
    let rest = SampleBuilds.functions.filter { !SampleBuilds.used.contains($0) }
    try builds.writeImage(some + rest + ["f4"], "apart", id: [0xab])
    let steps = try steps("apart", order: "some.order")
    #expect(steps.map(\.kind) == [.order] && steps[0].gainPages == 1)
    #expect(steps[0].reason == "1 startup function is not in \(builds.path("some.order"))")
  }

  @Test func anOrderThatTheLinkerIgnoredComesFirstAndAlone() throws {
    let steps = try steps("other-build", order: "app.order")
    #expect(steps.map(\.kind) == [.relink])
    let reason = try #require(steps.first?.reason)
    #expect(reason.contains("did not place") && reason.contains("expected"))
    #expect(
      steps[0].commands == [
        "orderfile verify \(builds.path("app.order")) --image \(builds.path("other-build"))"
      ])
    #expect(steps[0].needs.first?.contains(builds.path("app.order")) == true)
  }

  /// A launch that executes other functions than the recorded launch has to be recorded again.
  @Test func functionsThatWereNotRecordedAreToBeRecorded() throws {
    var image = PagesDocument.Image(
      ImageReference(path: builds.path("after"), id: "af7e"), pages: [], filePages: [])
    for (step, function) in ["f12", "f5", "f9", "f14"].enumerated() {
      image.pages.append(
        PagesDocument.Page(
          access: .execute, address: StatedAddress(rawValue: 0x1000 * UInt64(step + 1)),
          segment: .text, function: SymbolName(function), instruction: nil, instructionImage: nil,
          step: step))
    }
    let command = ["./app", "a b"]
    let steps = try steps(
      "after", order: "app.order",
      pages: PagesDocument(command: command, end: .exited(0), method: "ptrace", images: [image]))
    #expect(steps.map(\.kind) == [.record])
    #expect(steps[0].reason.contains("of which 3 were not recorded"))
    let trace = builds.path("app.oftrace")
    #expect(
      steps[0].commands == [
        "orderfile record --breakpoints -o \(trace) -- ./app 'a b'",
        "orderfile gen \(trace) --image \(builds.path("after")) -o \(builds.path("app.order"))",
      ])
  }

  /// The gain of splitting is unknown as long as no block is recorded.
  @Test func blocksOfLargeFunctionsInOrderAreToBeRecorded() throws {
    let rest = SampleBuilds.functions.filter { !SampleBuilds.used.contains($0) }
    try builds.workshop.write(
      sampleImage(SampleBuilds.used + rest, size: 16 << 10, id: [0x1a]), "large")
    let steps = try steps("large", order: "app.order")
    let split = try #require(steps.first { $0.kind == .split })
    #expect(split.gainPages == nil)
    #expect(split.reason.hasPrefix("the startup functions have 64 KiB; "))
    let trace = builds.path("app.oftrace")
    #expect(
      split.commands == [
        "orderfile record --breakpoints --blocks -o \(trace) -- \(builds.path("large"))",
        "orderfile gen \(trace) --image \(builds.path("large")) -o \(builds.path("app.order")) --split-profile large.clusters",
      ])
    #expect(try !self.steps("after", order: "app.order").contains { $0.kind == .split })
  }

  @Test func aStepThatWasMeasuredAndDidNotPayIsLeftOut() throws {
    let rest = SampleBuilds.functions.filter { !SampleBuilds.used.contains($0) }
    try builds.workshop.write(
      sampleImage(SampleBuilds.used + rest, size: 16 << 10, id: [0x1a]), "large")
    #expect(try steps("large", order: "app.order").map(\.kind) == [.split])
    #expect(
      try steps("large", order: "app.order", rejected: [.split]).map(\.kind) == [.nothing])
  }

  /// ocamlopt splits no functions, and has an option of its own for their sections.
  @Test func anImageOfOCamlIsNotSplitAndIsCompiledByOCamlopt() throws {
    let rest = SampleBuilds.functions.filter { !SampleBuilds.used.contains($0) }
    let ocaml = ["caml_startup__code_begin"]
    try builds.workshop.write(
      sampleImage(SampleBuilds.used + rest + ocaml, size: 16 << 10, id: [0x1a]), "large")
    #expect(try !steps("large", order: "app.order").contains { $0.kind == .split })
    try builds.writeImage(SampleBuilds.functions + ocaml, "default", id: [0x1b])
    try builds.write("f12\nf8\nf4\nf0", "reversed.order")
    for (name, option) in [
      ("default", "ocamlopt -function-sections"),
      ("other-build", "-ffunction-sections (Swift: -Xfrontend -function-sections)"),
    ] {
      let relink = try #require(try steps(name, order: "reversed.order").first)
      #expect(relink.kind == .relink)
      #expect(
        relink.needs.last == "if it was linked with this file, compile it with \(option)",
        "\(relink.needs)")
    }
  }

  /// The order lists unused functions between the used ones. `refine` comments the order file that it writes.
  @Test(arguments: ["", "# refined by orderfile refine\n"])
  func anOrderFarFromWhatPlacementReachesIsToBeRefinedOnce(comment: String) throws {
    let functions = (0..<100).map { "g\($0)" }
    let used = stride(from: 0, to: 100, by: 8).map { functions[$0] }
    try builds.writeImage(functions, "app.rec", id: [0x9f, 0x3a])
    try builds.writeImage(functions, "before", id: [0xbe, 0xf0])
    try builds.writeImage(functions, "sparse", id: [0x5a])
    try builds.writeTrace("app.oftrace", of: "app.rec", functions: functions, used: used)
    try builds.write(comment + functions.joined(separator: "\n"), "sparse.order")
    let steps = try steps("sparse", order: "sparse.order")
    #expect(steps.contains { $0.kind == .refine } == comment.isEmpty, "\(steps)")
  }

  @Test func stepsOfSeveralDocumentsAreJoined() {
    let nothing = NextStep(.nothing, "0 pages above")
    let advise = NextStep(.advise, "9 pages")
    let order = NextStep(.order, "1", gainPages: 1)
    let other = NextStep(.order, "2", gainPages: 2)
    #expect(NextStep.inSequence([[nothing], [advise]]) == [advise])
    #expect(NextStep.inSequence([[advise, order], [other, nothing]]) == [order, advise])
    #expect(NextStep.inSequence([[nothing], []]) == [nothing])
  }

  @Test func theTextHasGainsCommandsAndNeeds() {
    let steps = [
      NextStep(
        .order, "4 functions", gainPages: 1, commands: ["gen a"], needs: ["link a again"]),
      NextStep(.prefetch, "9 faults", commands: ["gen --prefetch"]),
    ]
    #expect(
      NextStepsText(steps).text == """
        next:
          1. order: saves about 1 page (predicted): 4 functions
               gen a
               (link a again)
          2. prefetch: 9 faults
               gen --prefetch

        """)
    #expect(
      NextStepsText(steps).markdown { $0.replacingOccurrences(of: ":", with: "&#58;") } == """
        Next:

        1. order&#58; saves about 1 page (predicted)&#58; 4 functions: <code>gen a</code> (link a again)
        2. prefetch&#58; 9 faults: <code>gen --prefetch</code>

        """)
    #expect(
      NextStepsText([NextStep(.nothing, "0 pages above")]).text == "next: nothing: 0 pages above\n")
    #expect(NextStepsText([]).text.isEmpty && NextStepsText([]).markdown { $0 }.isEmpty)
  }
}
