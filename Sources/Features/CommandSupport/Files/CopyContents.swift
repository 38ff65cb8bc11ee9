import ByteReading
import LibC
import ProcessLaunch

/// Copies the rest of the file open as `input` to `output`. If a whole file is copied, file systems that can (Btrfs,
/// XFS, bcachefs) share its blocks until one of the two files is written to.
package func copyContents(of input: Int32, to output: Int32) throws(SystemError) {
  if !SystemFile.shareBlocks(of: input, with: output) { try copyBytes(of: input, to: output) }
}

/// Copies like `copyContents`, but without shared blocks.
func copyBytes(of input: Int32, to output: Int32) throws(SystemError) {
  var part = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = read(input, &part, part.count)
    if count == 0 { return }
    if count > 0 {
      try writeAll(Array(part[..<count]), to: output)
    } else if errno != EINTR {
      throw SystemError("read")
    }
  }
}
