import JSON

/// The code that a prefetch source file asks the kernel to read.
package struct PrefetchSummary: Hashable, Sendable {
  /// The path of the source file.
  package var outputPath: String
  /// The size of the functions between the anchors, in bytes.
  package var codeBytes: UInt64

  package init(outputPath: String, codeBytes: UInt64) {
    self.outputPath = outputPath
    self.codeBytes = codeBytes
  }
}

extension PrefetchSummary: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("codeBytes", codeBytes)
    json.member("outputPath", outputPath)
  }
}
