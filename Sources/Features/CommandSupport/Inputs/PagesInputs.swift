import Addresses
import ImageModel
import PagesFormat
import TraceFormat

/// The documents of `orderfile pages` that a command line names.
package struct PagesInputs {
  package private(set) var documents: [(path: String, weight: UInt64, document: PagesDocument)] = []

  /// - Throws: an error if a file can't be read, or is damaged.
  package init(_ files: [LaunchFiles.File]) throws(Diagnostic) {
    for file in files {
      let bytes = try file.bytes()
      do {
        documents.append((file.path, file.weight, try PagesDocument(parsing: bytes)))
      } catch { throw Diagnostic("\(error)", context: [file.path]) }
    }
  }

  package var isEmpty: Bool { documents.isEmpty }

  /// The launches as traces of the functions that have a name and that were the first to run on a page. The start of a
  /// function is unknown: its lowest address that ran in a launch of the build is used instead.
  package var traces: [(trace: Trace, weight: UInt64)] {
    struct FunctionKey: Hashable {
      var image: ImageKey
      var name: SymbolName
    }
    struct ImageKey: Hashable {
      var path: String
      var id: String?
    }
    func uses(_ image: PagesDocument.Image) -> [(function: FunctionKey, address: StatedAddress)] {
      let key = ImageKey(path: image.path, id: image.id)
      return image.pages.filter { $0.access == .execute }.compactMap { row in
        guard let name = row.function, let address = row.instruction else { return nil }
        return (FunctionKey(image: key, name: name), address)
      }
    }
    var starts: [FunctionKey: StatedAddress] = [:]
    for (function, address) in documents.flatMap({ $0.document.images.flatMap(uses) }) {
      starts[function] = min(starts[function] ?? address, address)
    }
    return documents.map { path, weight, document in
      var trace = Trace(
        path: path, program: document.images.first?.path ?? "", processNumber: nil)
      trace.method = .imported
      trace.isSealed = true
      var isUsed: Set<FunctionKey> = []
      for (number, image) in document.images.enumerated() {
        trace.images.append(
          TraceImage(
            number: UInt64(number + 1), path: image.path, id: image.id.flatMap { ImageID($0) },
            slide: Slide(rawValue: 0),
            text: AddressRange(start: StatedAddress(rawValue: 0), size: 0), guardCount: 0))
        for (function, _) in uses(image) where isUsed.insert(function).inserted {
          guard let start = starts[function] else { continue }
          trace.hits.append(
            Hit(step: trace.hits.count, image: number, entry: start, thread: nil))
          trace.names.append(
            RecordedName(image: number, address: start, size: nil, name: function.name))
        }
      }
      trace.names.sort { ($0.image, $0.address, $0.name) < ($1.image, $1.address, $1.name) }
      return (trace, weight)
    }
  }
}
