import ByteReading
import CommandSupport
import ImageModel
import OrderFileFormat

/// The order file that is used if a trace is missing: `gen --fallback`.
package struct FallbackOrder {
  package let path: String
  /// The bytes of the whole file.
  package let bytes: [UInt8]
  private let entries: Int

  /// - Parameter linker: the dialect of the file; `nil` takes the dialect that the file looks like.
  /// - Throws: an error if the file can't be read, or if it is no order file. The file is read even if no trace is
  ///   missing, so that nobody finds such an error only when a trace is missing.
  package init(_ path: String, linker: OrderFileDialect? = nil) throws(Diagnostic) {
    self.path = path
    let file = try InputFile.bytes(path)
    let order = try InputFile.orderFile(file, path, linker: linker?.name)
    if let reason = order.reasonAgainst(path: path, isNamed: true) {
      throw Diagnostic("invalid order file: expected names, found \(reason)", context: [path])
    }
    guard !order.entries.isEmpty else {
      throw Diagnostic("invalid order file: expected names, found none", context: [path])
    }
    entries = order.entries.count
    bytes = file.copy(0..<file.count)
  }

  /// Returns the document about the fallback that `gen` used instead of generating an order.
  ///
  /// - Parameter error: why there is no new order. The result is `nil` if the reason is not a missing trace.
  package func document(after error: Diagnostic, outputPath: String) -> GenDocument? {
    guard error.kind == .missingTraces else { return nil }
    var document = GenDocument(images: [])
    document.fallback = GenDocument.Fallback(
      path: path, outputPath: outputPath, entries: entries,
      reason: (error.context + [error.message]).joined(separator: ": "))
    return document
  }
}
