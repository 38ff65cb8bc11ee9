import Addresses
import ImageModel
import JSON
import LaunchMeasurement
import PagesFormat
import Rendering

/// The figures of the launches of a file, and their sums: `--launches` of `pages`, `measure` and `faults`. All figures
/// are measured.
package struct LaunchSummary: Hashable, Sendable {
  package var command: Command
  /// The path of the file of launches.
  package var path: String
  /// A group for each image (`pages`), or for each state of the page cache (`faults`, `measure`).
  package private(set) var groups: [Group] = []

  package enum Command: String, CaseIterable, Hashable, Sendable { case faults, measure, pages }

  /// What the figures of a group are about.
  package enum Subject: Hashable, Sendable {
    case image(ImageReference)
    case cache(CacheState)
  }

  package struct Group: Hashable, Sendable {
    package var subject: Subject
    /// The launches that have the figures, in the order of the file.
    package var launches: [Launch]
    /// The figures of all required launches together, if each page counts once; `nil` if they are not counts of pages,
    /// or if there is no required launch.
    package var union: [UInt64?]?
  }

  package struct Launch: Hashable, Sendable {
    package var name: String
    package var isRequired: Bool
    /// A value for each figure of the command; `nil` if the launch lacks this figure.
    package var values: [UInt64?]
  }

  /// - Parameter launches: the launches of a file, at least one.
  package init(_ command: Command, of launches: [DescribedLaunch]) {
    self.command = command
    path = launches.first?.path ?? ""
  }

  /// Adds the figures of a launch.
  ///
  /// - Parameter values: a value for each figure of the command; `nil` if the launch lacks this figure.
  /// - Returns: the index of the group.
  @discardableResult
  package mutating func add(
    _ launch: DescribedLaunch, _ subject: Subject, _ values: [UInt64?]
  ) -> Int {
    let row = Launch(name: launch.name, isRequired: launch.isRequired, values: values)
    if let index = groups.firstIndex(where: { $0.subject == subject }) {
      groups[index].launches.append(row)
      return index
    }
    groups.append(Group(subject: subject, launches: [row]))
    return groups.count - 1
  }

  package mutating func setUnion(_ values: [UInt64?], ofGroup index: Int) {
    groups[index].union = values
  }
}

extension LaunchSummary.Group {
  /// The sums over the required launches; `nil` for a figure that one of these launches lacks. No values if there is no
  /// required launch.
  package var sum: [UInt64?]? {
    let required = launches.filter(\.isRequired)
    guard let first = required.first else { return nil }
    return first.values.indices.map { index in
      let values = required.compactMap { $0.values[index] }
      return values.count == required.count ? values.saturatingSum() : nil
    }
  }
}

extension LaunchSummary.Command {
  /// A figure of a launch.
  struct Figure {
    var key: StaticString
    var title: String
    var wording: (UInt64) -> String
    /// Whether the figure is about the changed build. The preceding figure of the list is then about the build before
    /// the change.
    var isAfter: Bool

    init(
      _ key: StaticString, _ title: String, isAfter: Bool = false,
      _ wording: @escaping (UInt64) -> String = { "\($0)" }
    ) {
      self.key = key
      self.title = title
      self.isAfter = isAfter
      self.wording = wording
    }
  }

  /// The figures of a launch, in the order of their values.
  var figures: [Figure] {
    func milliseconds(_ nanoseconds: UInt64) -> String {
      Decimal.milliseconds(nanoseconds: Double(nanoseconds))
    }
    func bytes(_ count: UInt64) -> String { "\(ByteCount(count))" }
    return switch self {
    case .pages:
      [
        Figure("textPages", "TEXT"), Figure("textPages16k", "16 KiB"),
        Figure("textPages64k", "64 KiB"), Figure("readOnlyPages", "READ-ONLY"),
        Figure("dataPages", "DATA"),
      ]
    case .faults:
      [
        Figure("majorFaults", "MAJOR"), Figure("minorFaults", "MINOR"),
        Figure("wallNanoseconds", "WALL MS", milliseconds), Figure("requests", "REQUESTS"),
        Figure("readBytes", "READ", bytes),
      ]
    case .measure:
      [
        Figure("wallNanosecondsBefore", "WALL MS", milliseconds),
        Figure("wallNanosecondsAfter", "AFTER", isAfter: true, milliseconds),
        Figure("cpuNanosecondsBefore", "CPU MS", milliseconds),
        Figure("cpuNanosecondsAfter", "AFTER", isAfter: true, milliseconds),
        Figure("requestsBefore", "REQUESTS"), Figure("requestsAfter", "AFTER", isAfter: true),
      ]
    }
  }
}

// MARK: JSON

extension LaunchSummary: JSONDocument {
  package static let schema = "orderfile.summary/1"

  package func writeMembers(to json: inout JSONWriter) {
    let figures = command.figures
    json.member("command", command.rawValue)
    json.array("groups") { json in
      for group in groups {
        json.object(isInline: false) { json in
          switch group.subject {
          case .cache(let state): json.member("cache", state.rawValue)
          case .image(let image): json.member("image", image)
          }
          json.array("launches") { json in
            for launch in group.launches {
              json.object { json in
                json.object("figures") { Self.write(launch.values, of: figures, to: &$0) }
                json.member("isRequired", launch.isRequired)
                json.member("name", launch.name)
              }
            }
          }
          if let sum = group.sum { json.object("sum") { Self.write(sum, of: figures, to: &$0) } }
          if let union = group.union {
            json.object("union") { Self.write(union, of: figures, to: &$0) }
          }
        }
      }
    }
    json.member("launchesPath", path)
    json.member("schema", Self.schema)
  }

  private static func write(
    _ values: [UInt64?], of figures: [Command.Figure], to json: inout JSONWriter
  ) {
    for (figure, value) in zip(figures, values) { json.optional(figure.key, value) }
  }
}
