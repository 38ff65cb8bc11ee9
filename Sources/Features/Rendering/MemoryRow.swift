import PagesFormat

/// A row of a table of resident memory: one figure of each program.
package struct MemoryRow {
  package var name: String
  /// The medians in bytes; `nil` for a program without this figure.
  package var values: [UInt64?]

  /// Returns the rows for the programs with these figures. A part of the image has a row if one of the programs has it.
  package static func rows(of figures: [MemoryFigures]) -> [MemoryRow] {
    func row(_ name: String, _ figure: (MemoryFigures.Launch) -> UInt64?) -> MemoryRow {
      MemoryRow(name: name, values: figures.map { $0.median(figure) })
    }
    let parts = figures.map(\.medianMappings)
    return [
      row("RSS of the process", \.rss), row("PSS of the process", \.pss),
      row("peak RSS of the process", \.peak), row("RSS of the image", \.imageRSS),
      row("PSS of the image", \.imagePSS),
    ].filter { $0.values.contains { $0 != nil } }
      + MemoryFigures.Kind.allCases.compactMap { kind in
        let values = parts.map { $0.first { $0.kind == kind }?.rss }
        guard values.contains(where: { $0 != nil }) else { return nil }
        return MemoryRow(name: "RSS of the image: \(kind.wording)", values: values)
      }
  }
}

extension MemoryFigures.Moment {
  /// The time of the measurement in words, such as `at the end`.
  package var wording: String { self == .end ? "at the end" : "when ready" }
}

extension MemoryFigures.Kind {
  package var wording: String {
    switch self {
    case .code: "code"
    case .readOnly: "read-only data"
    case .relocated: "relocated read-only data"
    case .data: "writable data"
    case .zeroFilled: "zero-filled data"
    }
  }
}
