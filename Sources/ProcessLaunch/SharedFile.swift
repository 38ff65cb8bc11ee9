import CProcess

/// Files that running programs have mapped.
package enum SharedFile {
  /// Stores `desired` as the little-endian number at `offset`, a multiple of 4, if it is `expected`: in one step, also
  /// for the programs.
  ///
  /// - Returns: whether it did; it does not if the file can't be written, or is too short.
  @discardableResult
  package static func exchange(
    _ expected: UInt32, for desired: UInt32, at offset: Int, of path: String
  ) -> Bool {
    guard let offset = UInt32(exactly: offset) else { return false }
    return cprocess_exchange_in_file(
      path, offset, UInt32(littleEndian: expected), UInt32(littleEndian: desired))
  }
}
