import ByteReading
import CommandSupport
import Counting
import ImageModel
import LaunchMeasurement
import OrderFileFormat
import ProcessLaunch
import Rendering

/// Measures two builds in random layouts of both: `orderfile measure --layouts`.
package struct LayoutMeasurement {
  /// The settings with which each layout is measured. Both builds are images.
  package var measurement: BuildMeasurement
  /// The number of layouts, at least one.
  package var layouts: Int
  /// The commands that link the builds, for `sh -c`. Both read `ORDERFILE_ORDER`.
  package var relinkBefore: String
  package var relinkAfter: String
  /// The path of the order file that names the functions that launches use.
  package var order: String

  /// The usual number of launches of each build in each layout.
  package static let usualRuns = 10

  package init(
    _ measurement: BuildMeasurement, layouts: Int, order: String, relinkBefore: String,
    relinkAfter: String
  ) {
    self.measurement = measurement
    self.layouts = layouts
    self.order = order
    self.relinkBefore = relinkBefore
    self.relinkAfter = relinkAfter
  }

  /// A build that is linked again for each layout.
  private struct Build {
    var image: RelinkedImage
    var orders: ShuffledOrders
    var option: String
    /// 0 for the build before, 1 for the build after.
    var number: Int

    func link(seed: UInt64, layout: Int) throws(Diagnostic) {
      let bytes = orders.bytes(seed: seed, layout: layout, build: number)
      try image.link(bytes)
      try orders.check(bytes, of: image.path, option: option)
    }
  }

  /// Links and launches both builds in each layout. The images are restored at the end, also after an error. After this
  /// call, an interrupt ends the launched programs and not this process; the result then covers the layouts that were
  /// measured to their end before it, if there are at least `LayoutComparison.leastLayouts`.
  ///
  /// - Parameter progress: called before each round of launches, with the number of the layout from 0.
  /// - Throws: if an image can't be linked, if a linked image does not follow its order file, or if a launch fails.
  package func run(
    _ progress: (_ layout: Int, MeasurementPlan.Progress) -> Void
  ) throws(Diagnostic) -> BuildMeasurement.Result {
    let environment = measurement.environment
    let input = try measurement.conditions.keptInput(in: environment)
    defer { withExtendedLifetime(input) {} }
    let folders = [try TemporaryFolder(in: environment), try TemporaryFolder(in: environment)]
    let builds = [
      try build(measurement.before, 0, relinkBefore, "--relink-before", folders[0]),
      try build(measurement.after, 1, relinkAfter, "--relink-after", folders[1]),
    ]
    guard builds[0].image.path != builds[1].image.path else {
      throw Diagnostic(
        "both builds are one file: expected two images, so that both can be linked",
        context: [builds[0].image.path], hint: "copy the image, and let its command link the copy")
    }
    Interruption.catchSignals()
    defer { for build in builds { build.image.restore() } }
    var documents: [MeasureDocument] = []
    var warnings: [Diagnostic] = []
    var links = LaunchSchedule(programs: builds.count, seed: measurement.seed)
    while documents.count < layouts {
      let linked = links.nextRound().map { builds[$0] }
      guard
        let result = try measured(
          linked, documents.count, input, { progress(documents.count, $0) }),
        let document = result.document, result.interruption == nil
      else {
        let hasResult = documents.count >= LayoutComparison.leastLayouts
        return BuildMeasurement.Result(
          document: hasResult ? self.document(of: documents) : nil, warnings: warnings,
          interruption: Diagnostic(
            hasResult ? "interrupted: the result covers the layouts so far" : "interrupted"))
      }
      documents.append(document)
      for warning in result.warnings where !warnings.contains(warning) { warnings.append(warning) }
    }
    return BuildMeasurement.Result(
      document: document(of: documents), warnings: warnings, interruption: nil)
  }

  /// Links both builds, in the given order, in one layout and launches them. Returns `nil` if an interrupt came before
  /// the launches.
  private func measured(
    _ builds: [Build], _ layout: Int, _ input: KeptInput,
    _ progress: (MeasurementPlan.Progress) -> Void
  ) throws(Diagnostic) -> BuildMeasurement.Result? {
    if MeasuredProgram.wasInterrupted { return nil }
    Interruption.catchSignals()
    for build in builds {
      do { try build.link(seed: measurement.seed, layout: layout) } catch {
        guard Interruption.hasCome else { throw error }
      }
      if Interruption.hasCome { return nil }
    }
    var pair = measurement
    pair.conditions.inputPath = input.path
    pair.runs = measurement.runs ?? Self.usualRuns
    pair.seed = measurement.seed &+ UInt64(layout)
    pair.countsTextFaults = false
    return try pair.run(progress)
  }

  private func build(
    _ text: String, _ number: Int, _ relink: String, _ option: String, _ folder: TemporaryFolder
  ) throws(Diagnostic) -> Build {
    let side = number == 0 ? "--before" : "--after"
    let command = try MeasuredCommand(
      text, measurement.arguments, option: side, in: measurement.environment)
    guard command.isImage else {
      throw Diagnostic(
        "expected an image that \(option) links, found a script", context: [side, text])
    }
    let release = try ReleaseLayout(path: command.image)
    let file = try InputFile.namedOrderFile(
      try InputFile.bytes(order), order, of: release.layout.imageFormat)
    let orders = ShuffledOrders(
      release, using: file.orders(of: [release.orderedBuild(release.architecture)]).order)
    guard orders.unusedCount > 1 else {
      throw Diagnostic(
        "nothing to shuffle: expected functions that \(printable(order)) does not name, found \(orders.unusedCount)",
        context: [command.image])
    }
    return Build(
      image: try RelinkedImage(
        path: command.image, command: relink, option: option, in: folder),
      orders: orders, option: option, number: number)
  }

  /// - Parameter documents: the results of measuring each layout, at least one.
  private func document(of documents: [MeasureDocument]) -> MeasureDocument {
    var document = documents[0]
    document.states = []
    document.seed = measurement.seed
    func launches(_ state: Int, _ side: Int) -> [[MeasuredLaunch]] {
      documents.map { $0.states[state].sides[side].launches }
    }
    document.layouts = MeasuredLayouts(
      launches: documents[0].states.first?.launches ?? 0,
      documents[0].states.indices.map { state in
        (documents[0].states[state].cache, launches(state, 0), launches(state, 1))
      })
    return document
  }
}
