import CommandSupport
import ImageModel
import LaunchMeasurement
import Ordering
import PagesFormat
import Prediction
import ProcessLaunch

extension ProjectOrdering {
  /// Returns why images of this build system can't prefetch; `nil` if they can.
  static func refusalToPrefetch(_ system: BuildSystem) -> Diagnostic? {
    guard system.usesToolset else { return nil }
    return Diagnostic(
      "unable to prefetch: expected a build that calls linkers by their names, found \(system.name)",
      context: ["--prefetch"],
      hint:
        "leave out --prefetch, or compile the source file of 'orderfile gen --prefetch' by hand: "
        + "docs/how-to/PREFETCH.md", severity: .usage)
  }

  /// Links the ordered images again, so that they prefetch, and counts what cold launches cost before and after. Unless
  /// the launches cost less then, links the images without prefetching once more.
  ///
  /// - Parameters:
  ///   - orders: the orders of the images, which are linked by them.
  ///   - pages: the pages that the launches touch in the default order.
  /// - Returns: the result, and the orders by which the images are linked now.
  func prefetch(
    _ images: ProjectImages, _ orders: [String: OrderedImage], _ launches: ProjectLaunches,
    _ recorded: ProjectLaunches.Recorded, _ pages: [PagesDocument], _ build: inout ProjectBuild
  ) throws(Diagnostic) -> (result: AutoDocument.Prefetch, orders: [String: OrderedImage]) {
    let prefetch = ProjectPrefetch(
      recorded: recorded, launches: launches.launches, programs: build.images, shell: build.shell)
    let folder = build.shell.folder
    let ordered = recorded.images.filter { orders[$0.path] != nil }
    func costs() throws(Diagnostic) -> ProjectPrefetch.Costs {
      try steps.timed("count", "faults and requests of cold launches") { () throws(Diagnostic) in
        try prefetch.costs()
      }
    }
    let before: ProjectPrefetch.Costs
    do { before = try costs() } catch {
      guard !Self.wasInterrupted else { throw error }
      return (AutoDocument.Prefetch(refusal: Self.wording(of: error)), orders)
    }
    let files = try ordered.map { image throws(Diagnostic) in
      let path = "\(folder.orders)/\(image.orderName)"
      let bytes = try InputFile.bytes(path)
      return (path: path, bytes: bytes.copy(0..<bytes.count))
    }
    var result = AutoDocument.Prefetch()
    do {
      let changed = try images.writeOrders(prefetching: pages).byPath
      build.relink(recorded.images)
      try build.build("prefetch", .ordered)
      try prefetch.check(ordered)
      let after = try costs()
      result.requests = BeforeAfter(before: before.requests, after: after.requests)
      result.majorFaults = BeforeAfter(before: before.majorFaults, after: after.majorFaults)
      if after.areLower(than: before) { return (result, changed) }
      result.refusal = "cold launches do not cost less"
    } catch {
      guard !Self.wasInterrupted else { throw error }
      result.refusal = Self.wording(of: error)
    }
    for (path, bytes) in files { try OutputFile(path).finish(bytes) }
    for image in ordered {
      for name in [image.prefetchSourceName, image.prefetchObjectName] {
        Folder.remove(Array("\(folder.orders)/\(name)".utf8))
      }
    }
    build.relink(recorded.images)
    try build.build("relink", .ordered)
    return (result, orders)
  }

  /// Whether an interrupt has come. While cold launches are counted, another handler notes it.
  private static var wasInterrupted: Bool {
    Interruption.hasCome || MeasuredProgram.wasInterrupted
  }

  private static func wording(of error: Diagnostic) -> String {
    (error.context + [error.message]).joined(separator: ": ")
  }
}
