import Addresses
import FaultEstimate
import ImageModel
import LaunchMeasurement

/// The page-ins of launches of the two layouts, as the user recorded them with Instruments.
package struct PageInMeasurement: Hashable, Sendable {
  /// The recording of the layout before; `nil` for a layout that was not recorded.
  package var before: Source?
  package var after: Source?
  /// The sections, with the most pages first.
  package var sections: [Row]

  /// The recording from which one layout's figures come.
  package struct Source: Hashable, Sendable {
    /// The exports of one recording.
    package var paths: [String]
    /// The process as the recording names it: `App (581)`.
    package var process: String
  }

  /// One section in the two recordings, or a sum of sections; `nil` for a layout without a recording.
  package struct Row: Hashable, Sendable {
    package var name: SymbolName
    package var before: Count?
    package var after: Count?
  }

  package struct Count: Hashable, Sendable {
    package var pages = 0
    /// The time of all faults for which the recording has a duration; `nil` if it has no duration.
    package var milliseconds: Milliseconds?
  }
}

// MARK: Figures

extension PageInMeasurement {
  package var total: Row { sum(sections, name: "TOTAL measured") }

  /// Returns the sum of several rows.
  func sum(_ rows: some Collection<Row>, name: SymbolName) -> Row {
    Row(
      name: name, before: before.map { _ in Count.sum(rows.compactMap(\.before)) },
      after: after.map { _ in Count.sum(rows.compactMap(\.after)) })
  }

  /// Warnings about these figures.
  package var warnings: [Diagnostic] {
    let total = total
    return [(before, total.before), (after, total.after)].compactMap { source, count in
      guard let source, count?.pages == 0 else { return nil }
      return Diagnostic(
        "no page of the image was paged in: it was already in memory", context: source.paths,
        hint: "record a cold launch: restart the device first")
    }
  }
}

extension PageInMeasurement.Row {
  var isOfText: Bool { name == "__TEXT" || name.bytes.starts(with: Array("__TEXT,".utf8)) }

  /// The pages of both layouts; `nil` unless both were recorded.
  var pages: BeforeAfter<Int>? {
    guard let before, let after else { return nil }
    return BeforeAfter(before: before.pages, after: after.pages)
  }

  /// The larger of the two counts, for sorting: a measurement of only one layout is sorted, too.
  fileprivate var mostPages: Int { max(before?.pages ?? 0, after?.pages ?? 0) }
}

extension PageInMeasurement.Count {
  /// Returns the sum of `counts`. A sum that would overflow stays at the maximum.
  fileprivate static func sum(_ counts: [Self]) -> Self {
    Self(
      pages: counts.map(\.pages).saturatingSum(),
      milliseconds: counts.compactMap(\.milliseconds).reduce(nil) { ($0 ?? .zero) + $1 })
  }
}

extension Milliseconds {
  fileprivate static let zero = Milliseconds(nanoseconds: 0)
}

// MARK: Of recordings

extension PageInMeasurement {
  /// One recording of Instruments, from one or several exports.
  package struct Recording: Sendable {
    package var source: Source
    package var pageIns: MeasuredPageIns

    package init(paths: [String], process: String, pageIns: MeasuredPageIns) {
      source = Source(paths: paths, process: process)
      self.pageIns = pageIns
    }
  }

  package init(before: Recording?, after: Recording?) {
    var names: [SymbolName] = []
    for row in (before?.pageIns.rows ?? []) + (after?.pageIns.rows ?? [])
    where !names.contains(row.name) {
      names.append(row.name)
    }
    let rows = names.map { name in
      Row(
        name: name, before: before.map { Count($0.pageIns, of: name) },
        after: after.map { Count($0.pageIns, of: name) })
    }
    self.before = before?.source
    self.after = after?.source
    sections = rows.sorted { a, b in
      let (aPages, bPages) = (a.mostPages, b.mostPages)
      return aPages == bPages ? a.name < b.name : aPages > bPages
    }
  }
}

extension PageInMeasurement.Count {
  /// The page-ins in the section called `name`; 0 if no page of the section was paged in.
  fileprivate init(_ pageIns: MeasuredPageIns, of name: SymbolName) {
    guard let count = pageIns.rows.first(where: { $0.name == name })?.count else { return }
    pages = count.pages
    milliseconds = count.nanoseconds.map { Milliseconds(nanoseconds: Int(clamping: $0)) }
  }
}
