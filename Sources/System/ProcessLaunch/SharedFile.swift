import CProcess

/// Files that running programs have mapped.
package enum SharedFile {
  /// Memory of `size` bytes, all 0, that other processes can open as `/proc/PID/fd/N` as long as this one has it open.
  ///
  /// - Returns: the descriptor.
  package static func createMemory(
    _ name: String, size: UInt64
  ) throws(ProgramLaunch.LaunchError) -> Int32 {
    let descriptor = cprocess_create_memory(name, size)
    guard descriptor >= 0 else { throw ProgramLaunch.LaunchError(errno: -descriptor) }
    return descriptor
  }

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
