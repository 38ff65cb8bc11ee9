import Addresses
import ByteReading

extension ELFFile {
  /// The places from which instrumented code calls the callback, in the order of the table that
  /// `-fsanitize-coverage=...,pc-table` adds. The table pairs each place with flags of a few bits. The result includes
  /// the flags; they are not addresses of code.
  ///
  /// - Returns: `nil` if the image has no such table.
  /// - Throws: the error in the section or in a relocation table.
  /// - Complexity: O(*n* + *r*) for *n* places and *r* dynamic relocations of the image.
  package func callbackPlaces() throws(ParseError) -> [StatedAddress]? {
    guard let table = section(named: "__sancov_pcs") else { return nil }
    return try pointers(in: table).compactMap { $0 }
  }
}
