// What to do next
//
// Each step has a figure that the layouts and the launches show:
//
// - `relink`: startup functions that the order file lists and the linker did not place in order. The gain is the number
//   of pages that only these functions touch, less the pages that they fill when they are together.
// - `order`, `record`: startup functions that the order file does not list, with a gain that is computed in the same
//   way. If a measured launch executed functions that were not recorded, the launch has to be recorded again; otherwise
//   the traces are enough.
// - `split`: the bytes of the startup functions, less the bytes of their blocks that ran, in pages. Only recorded blocks
//   show this: without them, the step is to record them, and has no gain.
// - `refine`: the pages above what placement can reach, less the gains of the steps before, if these are many.
// - `prefetch`: the major faults that a cold launch is predicted to wait for. It saves no page.
//
// A step whose gain is 0 is left out, and so is a step that was measured and did not pay. `refine` and `prefetch` need an
// order that the linker follows, so `relink` comes first, alone. A launch that prefetches is not told to prefetch; an
// order that lists all recorded functions is not told to be made again, and an order that `refine` has written is not
// refined again. Images of OCaml are not split, because ocamlopt can't split functions.
//
// What it leaves out: steps are not simulated together, so the gains need not add up.

import Addresses
import CommandSupport
import ImageModel
import PagesFormat
import Rendering

/// The steps that would save pages of a layout, from its facts.
package struct NextSteps {
  private let facts: StepFacts
  private let commands: OrderCommands

  package init(_ facts: StepFacts) {
    self.facts = facts
    commands = OrderCommands(image: facts.image, traces: facts.traces, launch: facts.launch)
  }

  /// The number of pages above the reachable pages that is worth refining: this share of the reachable pages, or `least`
  /// pages if that is more.
  private static let acceptedGap = (share: 0.25, least: 8)
  /// The least number of pages that startup functions have to fill so that recording their blocks is worth it.
  private static let leastPagesToSplit = 16
  /// The least number of major faults that is worth prefetching.
  package static let leastFaults = 4

  /// Sorted by `NextStep.inSequence`; never empty.
  package var steps: [NextStep] {
    var steps = [relinking, ordering].compactMap { $0 }
    if !steps.contains(where: { $0.kind == .relink }) {
      let gained = steps.compactMap(\.gainPages).reduce(0, +)
      steps += [splitting, refining(besides: gained), prefetching].compactMap { $0 }
      steps.removeAll { facts.rejected.contains($0.kind) }
    }
    return NextStep.inSequence([steps + [nothing]])
  }

  private var nothing: NextStep {
    let above = facts.pages - facts.reachablePages
    return NextStep(
      .nothing,
      "a launch is predicted to touch \(counted(facts.pages, "page")) of code in \(facts.image), "
        + "\(counted(above, "page")) above what placement can reach")
  }

  // MARK: Steps

  private var relinking: NextStep? {
    guard let order = facts.order else { return nil }
    let gain = facts.gain(ofMoving: [.strayed])
    guard gain > 0 else { return nil }
    let strayed = facts.functions.count { $0.state == .strayed }
    var reason =
      "the linker did not place \(counted(strayed, "startup function")) as \(order.path) asks for"
    if let obstacle = order.obstacle {
      reason += ": \(counted(obstacle.entries, "entry", "entries")): \(obstacle.reason)"
    } else if let deviation = order.firstDeviation {
      reason += ": \(deviation)"
    }
    var needs: [String] = []
    if let option = order.linkOption {
      needs.append(
        "link \(facts.image) again with \(option)\(shellWord(order.path)); verify then checks the link"
      )
    }
    if order.obstacle == nil, !order.isFollowed, !facts.isMachO {
      needs.append(
        "if it was linked with this file, compile it with \(facts.sectionsOption)"
      )
    }
    return NextStep(
      .relink, reason, gainPages: gain,
      commands: [
        "orderfile verify \(shellWord(order.path)) --image \(shellWord(facts.image))"
      ], needs: needs)
  }

  /// The step `record` if a measured launch ran functions that were not recorded, otherwise the step `order`.
  private var ordering: NextStep? {
    let unrecorded = unrecordedFunctions
    guard let order = facts.order else { return firstOrder }
    let unlisted = facts.functions.filter { $0.state == .unlisted }
    let known = facts.gain(ofMoving: [.unlisted])
    let gain = known + unrecordedGain(unrecorded)
    guard gain > 0 else { return nil }
    let functions = counted(unlisted.count + unrecorded, "startup function")
    let are = unlisted.count + unrecorded == 1 ? "is" : "are"
    var reason = "\(functions) \(are) not in \(order.path)"
    guard unrecorded > 0 || facts.traces.isEmpty else {
      return NextStep(
        .order, reason, gainPages: gain, commands: [commands.gen(facts.traces, to: order.path)],
        needs: linkNeeds(order.path))
    }
    reason += ", of which \(unrecorded) \(unrecorded == 1 ? "was" : "were") not recorded"
    return NextStep(
      .record, reason, gainPages: gain,
      commands: [commands.record(), commands.gen([commands.newTrace], to: order.path)],
      needs: launchNeeds + linkNeeds(order.path))
  }

  /// The order file of a layout that was linked without one.
  private var firstOrder: NextStep? {
    let gain = facts.pages - facts.reachablePages
    guard gain > 0, !facts.traces.isEmpty else { return nil }
    let path = commands.usualOrder
    return NextStep(
      .order,
      "no order file was given, and \(facts.functions.count) startup functions are on \(counted(facts.pages, "page"))",
      gainPages: gain, commands: [commands.gen(facts.traces, to: path)], needs: linkNeeds(path))
  }

  private var splitting: NextStep? {
    guard !facts.isMachO, !facts.isUnsplittable, !facts.traces.isEmpty else { return nil }
    let whole = facts.functions.map(\.bytes).reduce(UInt64(0)) {
      $0.addingReportingOverflow($1).partialValue
    }
    return facts.hasBlocks ? splitting(whole) : recordingOfBlocks(whole)
  }

  /// - Parameter whole: the bytes of the startup functions, with the blocks that did not run.
  private func splitting(_ whole: UInt64) -> NextStep? {
    guard whole > facts.startupBytes else { return nil }
    let idle = whole - facts.startupBytes
    let gain = min(Int(clamping: idle / facts.pageSize.bytes), facts.pages)
    guard gain > 0 else { return nil }
    return NextStep(
      .split,
      "\(ByteCount(idle).wording) of the \(ByteCount(whole).wording) of the startup functions did not run",
      gainPages: gain, commands: [splitGeneration(facts.traces)],
      needs: ["compile again as gen says"] + linkNeeds(orderPath))
  }

  /// Where the order is followed, only splitting functions saves more pages, and only recorded blocks show how many.
  private func recordingOfBlocks(_ whole: UInt64) -> NextStep? {
    guard let order = facts.order, order.isFollowed,
      whole >= UInt64(Self.leastPagesToSplit) * facts.pageSize.bytes
    else { return nil }
    return NextStep(
      .split,
      "the startup functions have \(ByteCount(whole).wording); a recording of their basic blocks shows how many of these bytes run, and splitting the functions places the others apart",
      commands: [
        commands.record(blocks: true),
        splitGeneration([commands.newTrace]),
      ],
      needs: ["before the recording, compile with clang's -fbasic-block-address-map"] + launchNeeds
        + ["then compile again as gen says"] + linkNeeds(orderPath))
  }

  private var orderPath: String { facts.order?.path ?? commands.usualOrder }

  private func splitGeneration(_ traces: [String]) -> String {
    commands.gen(traces, to: orderPath)
      + " --split-profile \(shellWord(fileName(ofPath: facts.image))).clusters"
  }

  private func refining(besides gained: Int) -> NextStep? {
    guard !facts.isMachO, let order = facts.order, order.isFollowed, !order.isRefined else {
      return nil
    }
    let gap = facts.pages - facts.reachablePages - gained
    guard gap >= Self.acceptedGap.least,
      Double(gap) > Double(facts.reachablePages) * Self.acceptedGap.share
    else { return nil }
    return NextStep(
      .refine,
      "the \(facts.pages) predicted pages are \(facts.pages - facts.reachablePages) above what placement can reach",
      gainPages: gap,
      commands: [
        "orderfile refine --order \(shellWord(order.path)) --image \(shellWord(facts.image)) "
          + "--relink \"$RELINK\" -- \(commands.launch)"
      ],
      needs: [
        "RELINK is the command that links \(facts.image) with the order file in $ORDERFILE_ORDER"
      ] + launchNeeds)
  }

  private var prefetching: NextStep? {
    guard !facts.isMachO, let order = facts.order, order.isFollowed, !order.prefetches,
      !facts.traces.isEmpty, let faults = facts.coldMajorFaults, faults >= Self.leastFaults
    else { return nil }
    let source = fileName(ofPath: facts.image) + "-prefetch.c"
    return NextStep(
      .prefetch,
      "a cold launch is predicted to wait for \(faults) page faults of its code, one after the other",
      commands: [commands.gen(facts.traces, to: order.path) + " --prefetch \(shellWord(source))"],
      needs: ["compile and link \(source), too"] + linkNeeds(order.path))
  }

  // MARK: Measured launches

  /// The number of functions that the measured launch was first to run on a page, and that were not recorded.
  private var unrecordedFunctions: Int {
    guard let measured = facts.measured else { return 0 }
    let recorded = Set(facts.functions.map(\.name))
    return Set(
      measured.differences.lazy.filter(\.isExecuted).compactMap(\.function)
        .filter { !recorded.contains($0) }
    ).count
  }

  /// Returns the number of pages that a launch no longer touches if functions that were not recorded move to the other
  /// startup functions. Their sizes are unknown, so each counts with the mean size of the startup functions.
  private func unrecordedGain(_ functions: Int) -> Int {
    guard functions > 0, !facts.functions.isEmpty else { return 0 }
    // A function of a damaged image may claim any size.
    let (bytes, overflows) = (facts.startupBytes / UInt64(facts.functions.count))
      .multipliedReportingOverflow(by: UInt64(functions))
    if overflows { return 0 }
    return max(0, functions - Int(clamping: bytes / facts.pageSize.bytes) - 1)
  }

  // MARK: What the user has to add

  private var launchNeeds: [String] {
    facts.launch == nil ? ["add the arguments of the launch after '--'"] : []
  }

  private func linkNeeds(_ order: String) -> [String] {
    guard let option = facts.order?.linkOption ?? facts.usualLinkOption else {
      return ["link \(facts.image) again with \(order)"]
    }
    return ["link \(facts.image) again with \(option)\(shellWord(order))"]
  }
}
