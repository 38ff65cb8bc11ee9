import Addresses
import ByteReading

extension ELFFile {
  /// The places from which instrumented code calls the callback, in the order of the table that
  /// `-fsanitize-coverage=...,pc-table` adds, which is the order of the guards. The table pairs each place with flags.
  ///
  /// - Returns: `nil` if the image has no such table. Places in other images, and places that an unknown kind of relocation
  ///   fills in, are left out.
  /// - Throws: the error in the section or in a relocation table.
  /// - Complexity: O(*n* + *r*) for *n* places and *r* dynamic relocations of the image.
  package func callbackPlaces() throws(ParseError) -> [StatedAddress]? {
    guard let table = section(named: "__sancov_pcs") else { return nil }
    let words = try words(at: table.range, in: try contents(of: table))
    return stride(from: 0, to: words.count - words.count % 2, by: 2).compactMap {
      words[$0].map(StatedAddress.init(rawValue:))
    }
  }
}
