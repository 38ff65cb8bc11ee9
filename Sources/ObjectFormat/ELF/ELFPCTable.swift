import Addresses
import ByteReading

extension ELFFile {
  /// Where instrumented code calls back, in the table's order: the places that
  /// `-fsanitize-coverage=...,pc-table` lists in pairs, each with flags of a few bits. The flags are among the
  /// result, which no section of code holds.
  ///
  /// - Returns: `nil` if the image has no such table.
  /// - Throws: what is wrong with the section or with a relocation table.
  /// - Complexity: O(*n* + *r*) for *n* places and *r* dynamic relocations of the image.
  package func callbackPlaces() throws(ParseError) -> [StatedAddress]? {
    guard let table = section(named: "__sancov_pcs") else { return nil }
    return try pointers(in: table).compactMap { $0 }
  }
}
