import ByteReading
import CommandSupport
import ImageModel
import OrderFileFormat
import OrderFileMatching
import Symbolication

/// An order file of an earlier build, whose entries stay if hardly anything is gained by moving them: `gen --previous`.
struct PreviousOrder {
  /// The parts of the layout that the previous order file places, in its order.
  private(set) var parts: [Part] = []
  /// The command lines and inputs of the launches from which the file was made, if the file's header states them.
  let workloads: [WorkloadSummary]
  let path: String
  let order: OrderFile

  /// - Parameters:
  ///   - release: the build to order. Functions that it has under another name are found as `verify` finds them.
  ///   - dialect: the dialect of the new order file.
  ///   - architecture: the architecture of the build, as for `OrderFile.parts`.
  /// - Throws: an error if the file can't be read; `mismatch` if none of its entries is in `release`.
  init(
    _ path: String, of release: ReleaseLayout, for dialect: OrderFileDialect,
    _ architecture: Architecture?
  ) throws(Diagnostic) {
    self.path = path
    let layout = release.layout
    order = try InputFile.namedOrderFile(
      try InputFile.bytes(path), path, of: layout.imageFormat, linker: dialect.name
    ).orders(of: [release.orderedBuild(release.architecture ?? architecture)]).order
    workloads = order.comments.flatMap { comment in
      String(decoding: comment.text, as: UTF8.self).split(whereSeparator: \.isNewline).compactMap {
        WorkloadSummary(text: String($0.drop(while: \.isWhitespace)))
      }
    }
    var names: SymbolMap?
    var renamed: RenamedSymbols?
    let found = order.parts(in: layout, architecture: release.architecture ?? architecture)
    for (entry, found) in zip(order.entries, found) {
      parts += found
      guard found.isEmpty, !entry.symbol.isEmpty else { continue }
      if renamed == nil {
        renamed = RenamedSymbols(
          in: [layout], listed: order.entries.lazy.map { SymbolName(bytes: $0.symbol) })
        names = SymbolMap(layout)
      }
      let present = renamed?.presentNames(
        of: SymbolName(bytes: entry.symbol),
        from: entry.objectFile.map { SymbolName(bytes: $0) })
      guard let present, present.count == 1 else { continue }
      if case .exact(let functions)? = names?.resolve(present[0]) {
        parts += functions.map { Part($0) }
      }
    }
    guard !parts.isEmpty || order.entries.isEmpty else {
      throw .foreignOrderFile(path, entries: order.entries.count, release.path)
    }
  }

  /// Compares the entries of this file with the entries of the order file `bytes`, which has the same dialect; `nil` if
  /// `bytes` is too large to be read.
  ///
  /// - Complexity: O(*n* log *n*) for *n* entries of both files, on average.
  func comparison(with bytes: [UInt8]) -> OrderedImage.Previous? {
    guard let new = try? order.dialect.read(FileBytes(bytes)) else { return nil }
    // Only entries of the new file's architectures are compared: the previous file may be several order files, one for
    // each architecture, put together.
    let architectures = Set(new.entries.map(\.architecture))
    var places: [OrderFileEntry: UInt64] = [:]
    for (place, entry) in order.entries.enumerated()
    where architectures.contains(entry.architecture) {
      if places[entry] == nil { places[entry] = UInt64(place) }
    }
    let common = new.entries.compactMap { places[$0] }
    let kept = longestIncreasingSubsequence(of: common).count
    return OrderedImage.Previous(
      path: path, kept: kept, moved: common.count - kept, new: new.entries.count - common.count,
      leftOut: places.count - common.count)
  }
}
