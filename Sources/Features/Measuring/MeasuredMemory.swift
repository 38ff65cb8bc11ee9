import ByteReading
import ImageModel
import JSON
import LaunchMeasurement
import PagesFormat
import Rendering

/// The resident memory of the compared programs, in warm launches in which nothing else was measured.
package struct MeasuredMemory: Hashable, Sendable {
  /// The memory of the measured programs, at least one. All programs have the same number of launches.
  package var sides: [Side]
  /// The comparisons of the other programs with the first program.
  package var comparisons: [MeasureDocument.Comparison]

  package struct Side: Hashable, Sendable {
    /// The name of the program in the report: `before`, `after` or `control`.
    package var name: String
    /// The file of the program.
    package var program: ImageReference
    package var figures: MemoryFigures

    package init(name: String, program: ImageReference, figures: MemoryFigures) {
      self.name = name
      self.program = program
      self.figures = figures
    }
  }

  /// - Precondition: there is at least one program, and all programs have the same number of launches.
  package init(_ sides: [Side]) {
    self.sides = sides
    comparisons = sides.dropFirst().map { side in
      MeasureDocument.Comparison(
        before: sides[0].name, after: side.name,
        metrics: Self.figures.map { metric, figure in
          ProgramComparison(
            metric, sides[0].figures.launches.map(figure), side.figures.launches.map(figure))
        })
    }
  }

  private static let figures: [(LaunchMetric, @Sendable (MemoryFigures.Launch) -> UInt64)] = [
    (.rss, { $0.rss }), (.pss, { $0.pss }), (.imageRSS, { $0.imageRSS }),
    (.imagePSS, { $0.imagePSS }),
  ]

  package var launches: Int { sides[0].figures.launches.count }

  /// The program that the figures of a history are about.
  package var after: Side { sides.first { $0.name == "after" } ?? sides[0] }

  /// The comparisons as sentences.
  var findings: [String] {
    let wording = ComparisonWording(subject: "memory", first: sides[0].name, launches: launches)
    return comparisons.flatMap { comparison in
      comparison.metrics.map { wording.verdict(on: comparison.after, $0) }
    }
  }

  /// The file systems whose page cache has folios of several pages. Since Linux 6.18, a fault maps the whole folio.
  /// <mm/filemap.c, filemap_map_pages>
  private static let withLargeFolios: Set = ["bcachefs", "btrfs", "ext4", "xfs"]

  /// The reasons why a difference between layouts may not show in the memory.
  var limits: [String] {
    var systems: [String] = []
    for side in sides {
      if let system = side.figures.fileSystem, Self.withLargeFolios.contains(system),
        !systems.contains(system)
      {
        systems.append(system)
      }
    }
    return systems.map {
      "memory: on \($0), one fault can map a large folio with pages that nothing touches: images on tmpfs show the layout better"
    }
  }
}

/// This extension writes and reads the members itself, to check that all programs have the same number of launches.
extension MeasuredMemory: JSONReadableObject, JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("comparisons", comparisons)
    json.member("sides", sides)
  }

  package init(_ object: JSONObject) throws(ParseError) {
    sides = try object.value("sides")
    comparisons = try object.value("comparisons")
    guard let first = sides.first, comparisons.count == sides.count - 1 else {
      throw object.invalid(
        "sides", expected: "one, and another for each comparison",
        found: "\(sides.count) for \(comparisons.count)")
    }
    let count = first.figures.launches.count
    guard let other = sides.first(where: { $0.figures.launches.count != count }) else { return }
    throw object.invalid(
      "launches", expected: "\(count), as of \(first.name)",
      found: "\(other.figures.launches.count)")
  }
}

/// This extension writes and reads the members itself, because the members of the program's file are among the members
/// of the program's memory.
extension MeasuredMemory.Side: JSONReadableObject, JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.optional("architecture", program.architecture)
    figures.writeMembers(to: &json)
    json.optional("id", program.id)
    json.member("name", name)
    json.member("path", program.path)
  }

  package init(_ object: JSONObject) throws(ParseError) {
    self.init(
      name: try object.value("name"), program: try ImageReference(object),
      figures: try MemoryFigures(object))
  }
}
