import JSON
import Rendering

/// What a prefetch source file asks the kernel to read.
package struct PrefetchSummary: Hashable, Sendable {
  /// The path of the source file.
  package var outputPath: String
  /// The size of the functions between the anchors, in bytes.
  package var codeBytes: UInt64

  /// The size of the ranges of constants and variables, in bytes, and their number.
  package var dataBytes: UInt64 = 0
  package var dataRanges = 0

  package init(outputPath: String, codeBytes: UInt64) {
    self.outputPath = outputPath
    self.codeBytes = codeBytes
  }
}

extension PrefetchSummary: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("codeBytes", codeBytes)
    json.member("dataBytes", dataBytes)
    json.member("dataRanges", dataRanges)
    json.member("outputPath", outputPath)
  }
}

extension PrefetchSummary {
  /// `prefetches 571.2 KiB of code, and 116 KiB of constants and variables in 2 ranges: app-prefetch.c`
  var text: String {
    var text = "prefetches \(ByteCount(codeBytes).wording) of code"
    if dataRanges > 0 {
      text +=
        ", and \(ByteCount(dataBytes).wording) of constants and variables in \(counted(dataRanges, "range"))"
    }
    return text + ": \(printable(outputPath))"
  }
}
