import CProcess
import LibC

/// Reads files that the kernel generates, under `/proc` and `/sys`, and does what only the kernel can do with a file.
package enum SystemFile {
  /// - Returns: the first word of the file at `path`; `nil` if the file can't be read, or is empty.
  package static func word(_ path: String) -> String? {
    let text = text(of: path).prefix { $0 > UInt8(ascii: " ") }
    return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
  }

  /// Gives the open file `output` the contents of the file `input`, without copying them.
  ///
  /// - Returns: whether the file system can do that.
  package static func shareBlocks(of input: Int32, with output: Int32) -> Bool {
    cprocess_share_blocks(input, output)
  }

  package static func number(_ path: String) -> Int? {
    word(path).flatMap { Int($0) }.flatMap { $0 < 1 << 40 ? $0 : nil }
  }

  /// Opens `/dev/null` to read and to write. Returns the descriptor, which the caller closes; -1 if the file can't be
  /// opened.
  package static func openNull() -> Int32 { open("/dev/null", O_RDWR | O_CLOEXEC) }

  /// The contents of the file at `path`; empty if it can't be read.
  package static func text(of path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var text: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &part, part.count)
      guard count > 0 else { return text }
      text += part[..<count]
    }
  }
}
