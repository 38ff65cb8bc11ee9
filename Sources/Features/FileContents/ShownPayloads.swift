import ByteReading
import CommandSupport
import ImageModel
import Ordering
import TraceFormat
import TraceSymbolication

/// Payloads as `orderfile show` prints them, with names from the recorded images.
package struct ShownPayloads {
  package private(set) var document: PayloadDocument
  package let warnings: [Diagnostic]

  /// - Parameter recorded: the paths of recorded images.
  /// - Throws: an error if the only payload can't be read, if an image can't be read, or if it is in no payload.
  package init(
    _ bytes: FileBytes, _ path: String, recorded: [String], _ architecture: Architecture?
  ) throws(Diagnostic) {
    let known = try PayloadImages(recorded, architecture)
    document = PayloadDocument(path: path)
    var isUsed = known.images.map { _ in false }
    var only: FieldPayload?
    var failure: ParseError?
    for element in FieldPayloads(bytes) {
      switch element {
      case .failure(let error):
        failure = failure ?? error
        document.count(error.refusal)
      case .success(let payload):
        only = payload
        document.add(payload, in: known, &isUsed)
      }
    }
    guard let only else {
      throw Diagnostic(
        failure.map { "\($0)" } ?? "missing a payload", context: [path],
        hint: "the file is truncated or damaged: copy it again")
    }
    if let unused = isUsed.firstIndex(of: false) { throw .noLaunch(of: known.paths[unused]) }
    if document.payloads == 1 { document.launch = document.launch(of: only, in: known) }
    warnings = known.warnings
  }
}

extension PayloadDocument {
  /// The greatest number of images that are listed. Only forged payloads can have more images.
  private static let mostImages = 1000

  fileprivate mutating func count(_ refusal: PayloadFolding.Refusal) {
    switch refusal {
    case .truncated: truncated += 1
    case .laterVersion: laterVersions += 1
    default: damaged += 1
    }
  }

  fileprivate mutating func add(
    _ payload: FieldPayload, in known: PayloadImages, _ isUsed: inout [Bool]
  ) {
    payloads += 1
    for table in payload.tables {
      let image = known.index(of: table, machine: payload.machine)
      if let image { isUsed[image] = true }
      guard let index = index(of: table, path: image.map { known.images[$0].image.path }) else {
        continue
      }
      images[index].payloads += 1
      if table.isProgram { images[index].programs += 1 }
    }
  }

  /// Returns the index of the image of `table`, which is added if it is new.
  private mutating func index(of table: FieldPayload.Table, path: String?) -> Int? {
    let id = table.imageID?.description
    let index = images.firstIndex {
      $0.id == id && $0.hash == table.hash && $0.guardCount == table.guardCount
    }
    guard index == nil, images.count < Self.mostImages else { return index }
    images.append(Image(id: id, guardCount: table.guardCount, hash: table.hash, path: path))
    return images.count - 1
  }

  fileprivate mutating func launch(of payload: FieldPayload, in known: PayloadImages) -> Launch {
    var functions: [Function] = []
    for table in payload.tables {
      guard let image = index(of: table, path: nil) else { continue }
      let guarded = known.index(of: table, machine: payload.machine).map { known.images[$0] }
      functions += table.functions.map { function in
        let found = guarded?.functions[function.guardIndex]
        return Function(
          image: image, guardIndex: function.guardIndex, quarter: Int(function.quarter),
          address: found?.address, names: found?.body?.names ?? [])
      }
    }
    return Launch(
      end: Trace.LaunchEnd(payload.end).rawValue, memoryClass: payload.memoryClass.map { Int($0) },
      hasToken: payload.token != nil, omittedImages: payload.omittedTables,
      functions: functions.sorted {
        ($0.quarter, $0.image, $0.guardIndex) < ($1.quarter, $1.image, $1.guardIndex)
      })
  }
}
