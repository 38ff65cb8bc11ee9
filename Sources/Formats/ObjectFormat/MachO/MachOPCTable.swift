import Addresses
import ByteReading

extension MachOFile {
  /// The places from which instrumented code calls the callback: see `ELFFile.callbackPlaces()`.
  ///
  /// - Throws: the error in the section, or in the data that gives the encoding of pointers.
  /// - Complexity: O(*n* log *s*) for *n* places and *s* segments.
  package func callbackPlaces() throws(ParseError) -> [StatedAddress]? {
    guard let table = sections.first(where: { $0.sectionName.elementsEqual("__sancov_pcs".utf8) })
    else { return nil }
    let memory = try MachOMemory(self)
    var budget = ByteBudget(limit: UInt64(range.byteCount))
    return try elements(of: table, size: 16, &budget).compactMap { place in
      guard case .address(let address)? = memory.pointer(at: place) else { return nil }
      return address
    }
  }
}
