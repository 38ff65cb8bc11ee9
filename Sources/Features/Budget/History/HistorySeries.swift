import ByteReading
import ImageModel
import JSON

/// The properties that figures of several commits must share to be compared. Another machine, kernel or page size
/// begins a new series.
package struct HistorySeries: Hashable, Sendable {
  /// The command whose document has the figures, such as `pages`; for start-up tasks `tasks`.
  package var source: Source
  /// The image's file name.
  package var image: String
  package var architecture: String
  /// The size of the pages that are counted, or of the pages that the machine loads; `nil` if the figures do not depend
  /// on it.
  package var pageSize: PageSize?
  /// The name that the user gave the launch; `nil` if there is only one launch.
  package var launch: String?
  /// The machine of the measurement; `nil` for figures that repeat exactly.
  package var machine: Machine?

  package enum Source: String, CaseIterable, Comparable, JSONReadable, Sendable {
    case audit, auto, diff, faults, gen, measure, pages, stages, tasks, verify

    /// The commands whose documents have figures, ascending.
    static let commands = allCases.filter { $0 != .tasks }

    package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
  }

  /// The machine and the state in which faults and times were measured.
  package struct Machine: Hashable, Sendable {
    /// The processor, the number of processors, and settings that decide how fast a launch is.
    package var name: String
    /// The name and release of the kernel.
    package var kernel: String
    /// The state of the page cache: `cold`, `warm`.
    package var state: String

    package init(name: String, kernel: String, state: String) {
      self.name = name
      self.kernel = kernel
      self.state = state
    }
  }

  package init(
    _ source: Source, image: String, architecture: String, pageSize: PageSize? = nil,
    launch: String? = nil, machine: Machine? = nil
  ) {
    self.source = source
    self.image = image
    self.architecture = architecture
    self.pageSize = pageSize
    self.launch = launch
    self.machine = machine
  }
}

extension HistorySeries {
  /// The properties of the series except its source, with the names that exports use, in ascending order of these
  /// names.
  var labels: [(name: String, value: String)] {
    [
      ("arch", architecture), ("image", image), ("kernel", machine?.kernel), ("launch", launch),
      ("machine", machine?.name), ("page_size", pageSize.map { "\($0.bytes)" }),
      ("state", machine?.state),
    ].compactMap { name, value in value.map { (name, $0) } }
  }

  /// The name of the series in reports, such as `pages of app, x86_64, 4 KiB pages`.
  package var wording: String {
    var parts = ["\(source.rawValue) of \(image)"]
    if let launch { parts.append("launch \(launch)") }
    parts.append(architecture)
    if let pageSize { parts.append("\(pageSize.wording) pages") }
    if let machine { parts += [machine.state, machine.name, machine.kernel] }
    return parts.joined(separator: ", ")
  }
}

extension HistorySeries: Comparable {
  /// Compares two series by source, image, architecture, page size, launch and machine.
  package static func < (a: Self, b: Self) -> Bool { a.key.lexicographicallyPrecedes(b.key) }

  private var key: [String] {
    let size = String(pageSize?.bytes ?? 0)
    return [
      source.rawValue, image, architecture, String(repeating: "0", count: 20 - size.count) + size,
      launch ?? "", machine?.state ?? "", machine?.name ?? "", machine?.kernel ?? "",
    ]
  }
}
