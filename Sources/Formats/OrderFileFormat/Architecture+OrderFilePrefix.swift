import ImageModel

extension Architecture {
  /// The notation of ld64 order files: `arm64` includes arm64e, and `x86_64` includes x86_64h.
  package var orderFilePrefix: [UInt8] {
    switch description {
    case "arm64e": Array("arm64".utf8)
    case "x86_64h": Array("x86_64".utf8)
    default: Array(description.utf8)
    }
  }
}
