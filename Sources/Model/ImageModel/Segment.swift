/// The kind of a segment, by how the loader maps it. Raw values appear in reports.
package enum Segment: String, CaseIterable, Sendable {
  /// The segment is executable; it includes the constants that linkers place among the code.
  case text
  case readOnly = "read-only"
  /// The segment is writable, at least for the loader: pages that it makes read-only after relocation are data, too.
  case data
}
