import ByteReading
import ImageModel
import JSON

/// What values must have in common to be compared from commit to commit. Another machine, kernel or page size begins a
/// new series.
package struct HistorySeries: Hashable, Sendable {
  /// The command whose document has the figures: `pages`.
  package var source: Source
  /// The image's file name.
  package var image: String
  package var architecture: String
  /// The size of the pages that are counted, or in which the machine loads; `nil` if the figures do not depend on it.
  package var pageSize: PageSize?
  /// Which launch it was, in the words of who added it; `nil` if there is but one.
  package var launch: String?
  /// `nil` for figures that repeat exactly.
  package var machine: Machine?

  package enum Source: String, CaseIterable, Comparable, JSONReadable, Sendable {
    case audit, auto, diff, gen, measure, pages, verify

    package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
  }

  /// Where faults and times were measured.
  package struct Machine: Hashable, Sendable {
    /// Processor, their number, and settings that decide how fast a launch is.
    package var name: String
    /// Name and release.
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
  /// The properties by the names that exports use, in ascending order, without the source.
  var labels: [(name: String, value: String)] {
    [
      ("arch", architecture), ("image", image), ("kernel", machine?.kernel), ("launch", launch),
      ("machine", machine?.name), ("page_size", pageSize.map { "\($0.bytes)" }),
      ("state", machine?.state),
    ].compactMap { name, value in value.map { (name, $0) } }
  }

  /// `pages of app, x86_64, 4 KiB pages`
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
  /// By source, image, architecture, page size, launch and machine.
  package static func < (a: Self, b: Self) -> Bool { a.key.lexicographicallyPrecedes(b.key) }

  private var key: [String] {
    let size = String(pageSize?.bytes ?? 0)
    return [
      source.rawValue, image, architecture, String(repeating: "0", count: 20 - size.count) + size,
      launch ?? "", machine?.state ?? "", machine?.name ?? "", machine?.kernel ?? "",
    ]
  }
}
