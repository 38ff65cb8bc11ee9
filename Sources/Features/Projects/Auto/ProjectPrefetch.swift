// `auto --prefetch`: whether images should prefetch what launches use
//
// Prefetching saves time only where a launch waits for a device. So the images are linked twice: in the new order, and
// in the same order with the source files of `gen --prefetch`. Both are launched from the device `slow`. The images
// prefetch if their launches have fewer major faults or make fewer requests, and not more of either; otherwise they are
// linked without the source files again.
//
// Faults and requests are counted, and times are not measured, because on a busy machine no launch takes as long as the
// launch before it. A launch with fewer of both does not wait longer.

import ByteReading
import CommandSupport
import ImageModel
import LaunchMeasurement
import LibC
import OrderFileFormat
import Ordering
import PagesFormat
import ProcessLaunch

/// The images of a project that are to prefetch, and what their launches read.
struct ProjectPrefetch {
  let recorded: ProjectLaunches.Recorded
  let launches: [AutoLaunch]
  /// All images of the build. Launches find programs in the folders of these images.
  let programs: [ProjectImage]
  let shell: AutoShell

  private var folder: AutoFolder { shell.folder }

  /// The number of cold launches from the device.
  private static let rounds = 5

  static let device = DeviceSettings.presets[0]

  // MARK: Counts

  /// What cold launches cost, all launches added up: medians of several launches each.
  struct Costs: Hashable {
    var majorFaults = 0
    var requests = 0

    /// Whether these costs are lower than `other`, and none of them is higher.
    func areLower(than other: Costs) -> Bool {
      majorFaults <= other.majorFaults && requests <= other.requests && self != other
    }
  }

  /// Counts what a cold launch of each command line costs.
  ///
  /// - Throws: if there is no such device, or if a launch fails.
  func costs() throws(Diagnostic) -> Costs {
    MeasuredProgram.catchInterrupts()
    defer { Interruption.catchSignals() }
    var costs = Costs()
    for (index, launch) in launches.enumerated() {
      let measured = try self.measured(launch, recorded.imagesOfLaunches[index])
      costs.majorFaults += Self.median(measured.map(\.majorFaults))
      costs.requests += Self.median(measured.compactMap(\.requests))
    }
    return costs
  }

  private static func median(_ counts: [UInt64]) -> Int {
    counts.isEmpty ? 0 : Int(clamping: counts.sorted()[counts.count / 2])
  }

  private func measured(
    _ launch: AutoLaunch, _ used: Set<ProjectImage>
  ) throws(Diagnostic) -> [MeasuredLaunch] {
    let images = recorded.images.filter(used.contains).map(\.path)
    let program = shell.measuredProgram(of: launch, images: programs)
    let device = try LaunchDevice(Self.device, files: images)
    defer { device.remove() }
    var plan = MeasurementPlan(
      sides: [MeasuredSide(name: "after", program: program, images: images)], states: [.cold],
      mostRounds: Self.rounds)
    plan.countsTextFaults = false
    let measured = try plan.run(.cold, on: device) { _ in }
    guard !MeasuredProgram.wasInterrupted else { throw Diagnostic("interrupted") }
    return measured.sides[0].launches
  }

  // MARK: Images

  /// - Throws: if one of `images` prefetches nothing, because its link did not take the source file or did not
  /// follow the order.
  func check(_ images: [ProjectImage]) throws(Diagnostic) {
    for image in images {
      let options = OrderFileVerification.Options(
        order: "\(folder.orders)/\(image.orderName)", images: [image.path])
      guard let region = try OrderFileVerification(options).document.prefetch else { continue }
      guard region.state == .prefetched else {
        throw Diagnostic(region.text, context: [image.name])
      }
    }
  }
}
