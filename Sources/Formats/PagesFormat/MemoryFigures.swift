import ByteReading
import JSON

/// The resident memory of an image, and of the process that has mapped it, in launches of one program. Documents of
/// several commands contain such figures.
///
/// RSS counts each resident page. PSS divides each page by the number of its users.
package struct MemoryFigures: Hashable, Sendable {
  package var moment: Moment
  /// The type of the file system that holds the image, such as `ext4`; `nil` if unknown.
  package var fileSystem: String?
  /// The launches, at least one.
  package var launches: [Launch]

  /// The moment of a launch at which its memory was read.
  package enum Moment: String, CaseIterable, Hashable, JSONReadable, Sendable {
    /// The memory was read at the end of the process, which still had its memory.
    case end
    /// The memory was read when the program was ready.
    case ready
  }

  /// The memory in one launch, in bytes. If several processes of the launch have mapped the image, the
  /// figures are of the process with the largest RSS.
  package struct Launch: Hashable, Sendable {
    package var rss: UInt64
    package var pss: UInt64
    /// The largest RSS since the process executed its program; `nil` if unknown.
    package var peak: UInt64?
    package var imageRSS: UInt64
    package var imagePSS: UInt64
    /// The parts of the image that have resident pages, as the kernel maps them.
    package var mappings: [Mapping]

    package init(
      rss: UInt64, pss: UInt64, peak: UInt64?, imageRSS: UInt64, imagePSS: UInt64,
      mappings: [Mapping]
    ) {
      self.rss = rss
      self.pss = pss
      self.peak = peak
      self.imageRSS = imageRSS
      self.imagePSS = imagePSS
      self.mappings = mappings
    }
  }

  /// The mappings of an image for one purpose.
  package struct Mapping: Hashable, Sendable {
    package var kind: Kind
    package var rss: UInt64
    package var pss: UInt64

    package init(kind: Kind, rss: UInt64, pss: UInt64) {
      self.kind = kind
      self.rss = rss
      self.pss = pss
    }
  }

  package enum Kind: String, CaseIterable, Hashable, JSONReadable, Sendable {
    /// The memory can be executed.
    case code
    /// The memory can only be read, and was never written.
    case readOnly
    /// The memory can only be read, and the loader wrote it before (RELRO).
    case relocated
    /// The memory can be written.
    case data
    /// The memory holds zero-filled data, which are not in the file.
    case zeroFilled
  }

  /// The usual number of launches. Address randomization moves the 64 KiB that one fault maps, so fewer launches do not
  /// show the median well.
  package static let usualLaunches = 20

  package init(moment: Moment, fileSystem: String?, launches: [Launch]) {
    self.moment = moment
    self.fileSystem = fileSystem
    self.launches = launches
  }
}

extension MemoryFigures {
  /// Returns the values of a figure that all launches have; empty if one lacks it.
  package func values(_ figure: (Launch) -> UInt64?) -> [UInt64] {
    let values = launches.compactMap(figure)
    return values.count == launches.count ? values : []
  }

  /// Returns the median of a figure, rounded down to a byte; `nil` if a launch lacks the figure.
  package func median(_ figure: (Launch) -> UInt64?) -> UInt64? {
    let sorted = values(figure).sorted()
    guard !sorted.isEmpty else { return nil }
    let (below, above) = (sorted[(sorted.count - 1) / 2], sorted[sorted.count / 2])
    return below + (above - below) / 2
  }

  /// The medians of each kind of mapping that one of the launches has, in the order of `Kind.allCases`.
  package var medianMappings: [Mapping] {
    Kind.allCases.compactMap { kind in
      func amount(_ value: (Mapping) -> UInt64) -> UInt64 {
        median { launch in
          launch.mappings.filter { $0.kind == kind }.map(value).reduce(0) { $0 &+ $1 }
        } ?? 0
      }
      guard launches.contains(where: { $0.mappings.contains { $0.kind == kind } }) else {
        return nil
      }
      return Mapping(kind: kind, rss: amount(\.rss), pss: amount(\.pss))
    }
  }
}

/// This extension writes and reads the members itself, because `mappings` repeats the launches, and the launches are
/// checked.
extension MemoryFigures: JSONReadableObject, JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.optional("fileSystem", fileSystem)
    json.member("launches", launches)
    json.member("mappings", medianMappings)
    json.member("moment", moment.rawValue)
  }

  package init(_ object: JSONObject) throws(ParseError) {
    self.init(
      moment: try object.value("moment"), fileSystem: try object.optional("fileSystem"),
      launches: try object.value("launches"))
    guard !launches.isEmpty else {
      throw object.invalid("launches", expected: "at least one", found: "none")
    }
  }
}

extension MemoryFigures.Launch: JSONListedObject {
  package static let members = JSONMembers(
    Self.init, member("rssBytes", \.rss), member("pssBytes", \.pss),
    optionalMember("peakBytes", \.peak), member("imageRSSBytes", \.imageRSS),
    member("imagePSSBytes", \.imagePSS), member("mappings", \.mappings))
}

extension MemoryFigures.Mapping: JSONListedObject {
  package static let members = JSONMembers(
    Self.init, member("kind", \.kind), member("rssBytes", \.rss), member("pssBytes", \.pss))
}

extension MemoryFigures.Kind: JSONValue {}
