/// What the loader maps a part of an image's file for. Raw values are the words of reports.
package enum Segment: String, CaseIterable, Sendable {
  /// Executable, with the constants that linkers put among code.
  case text
  case readOnly = "read-only"
  /// Writable for the loader at least: what it makes read-only after relocation is data, too.
  case data
}
