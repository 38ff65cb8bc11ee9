import CProcess

/// Files that running programs have mapped.
package enum SharedFile {
  /// Creates `size` bytes of memory, all 0, that other processes can open as `/proc/PID/fd/N` as long as this process
  /// has it open.
  ///
  /// - Returns: the descriptor.
  package static func createMemory(
    _ name: String, size: UInt64
  ) throws(ProgramLaunch.LaunchError) -> Int32 {
    let descriptor = cprocess_create_memory(name, size)
    guard descriptor >= 0 else { throw ProgramLaunch.LaunchError(errno: -descriptor) }
    return descriptor
  }

  /// Replaces the little-endian number at `offset`, a multiple of 4, by `desired` if the number is `expected`. This is
  /// one step, also for programs that have mapped the file.
  ///
  /// - Returns: whether the number was replaced: `false` also if the file can't be written, or is too short.
  @discardableResult
  package static func exchange(
    _ expected: UInt32, for desired: UInt32, at offset: Int, of path: String
  ) -> Bool {
    guard let offset = UInt32(exactly: offset) else { return false }
    return cprocess_exchange_in_file(
      path, offset, UInt32(littleEndian: expected), UInt32(littleEndian: desired))
  }
}
