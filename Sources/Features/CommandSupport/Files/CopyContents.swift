import ByteReading
import LibC
import ProcessLaunch

/// Copies what is left of the file open as `input` to `output`. File systems that can (Btrfs, XFS, bcachefs) share the
/// blocks of a whole file until one of both is written to.
package func copyContents(of input: Int32, to output: Int32) throws(SystemError) {
  if !SystemFile.shareBlocks(of: input, with: output) { try copyBytes(of: input, to: output) }
}

/// Copies like `copyContents`, but never lets the files share blocks.
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
