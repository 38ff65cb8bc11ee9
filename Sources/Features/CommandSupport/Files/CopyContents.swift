import ProcessLaunch

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Copies what is left of the file open as `input` to `output`. File systems that can (Btrfs, XFS, bcachefs) share the
/// blocks of a whole file until one of both is written to.
///
/// - Returns: 0, or the `errno` of the call that failed.
package func copyContents(of input: Int32, to output: Int32) -> Int32 {
  SystemFile.shareBlocks(of: input, with: output) ? 0 : copyBytes(of: input, to: output)
}

/// Copies like `copyContents`, but never lets the files share blocks.
func copyBytes(of input: Int32, to output: Int32) -> Int32 {
  var part = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = read(input, &part, part.count)
    guard count != 0 else { return 0 }
    if count < 0, errno == EINTR { continue }
    guard count > 0 else { return errno }
    do { try writeAll(Array(part[..<count]), to: output) } catch { return error.errno }
  }
}
