// Which functions of two layouts are the one that a launch used?
//
// Those that have its names; several functions may have the same name. If the IDs show that the recorded
// image is one of the two compared images, the address selects the function there. The other layout was then
// most likely linked from the same object files in another order, so of several functions of that name only
// those of the same size count: Swift makes dozens of merged and outlined functions with one name.

import FaultEstimate
import ImageModel
import Symbolication

extension StartupFunction {
  /// - Parameters:
  ///   - image: the image that the use was recorded in.
  ///   - maps: the functions of the two layouts by name.
  init(
    _ use: RecordedFunctions.Use, of image: TraceImage, in layouts: ComparedLayouts,
    _ maps: inout SymbolMaps
  ) {
    let (before, after) = (layouts.before, layouts.after)
    let (isBefore, isAfter) = (before.isImage(image), after.isImage(image))
    var reasons: [MissingReason] = []
    func functions(_ resolution: Resolution) -> [Int] {
      if case .missing(let reason) = resolution { reasons.append(reason) }
      return resolution.functions
    }
    let named = (
      before: use.names.flatMap { functions(maps.before.resolve($0, from: use.objectFile)) },
      after: use.names.flatMap { functions(maps.after.resolve($0, from: use.objectFile)) }
    )
    func choose(_ named: [Int], in layout: Layout, isImage: Bool) -> [Int] {
      let exact = isImage ? Array(layout.functions(at: use.address)) : []
      if !exact.isEmpty { return exact }
      guard isBefore || isAfter, let size = use.size else { return named }
      let alike = named.filter { layout.functions[$0].size == size }
      return alike.isEmpty ? named : alike
    }
    self.init(
      name: use.names.first,
      before: choose(named.before, in: before.layout, isImage: isBefore).map { Part($0) },
      after: choose(named.after, in: after.layout, isImage: isAfter).map { Part($0) },
      recordedBytes: use.size)
    isOnlyRecorded =
      self.before.isEmpty && self.after.isEmpty && reasons.allSatisfy(\.isOfRecordedBuild)
  }
}

extension StartupFunction {
  /// Finds code without a name, which was used in one of the two layouts, in both.
  ///
  /// - Returns: `nil` if it was recorded in another image, or if it is not a function of its own there.
  init?(
    _ use: RecordedFunctions.UnnamedUse, of image: TraceImage, before: ReleaseLayout,
    after: ReleaseLayout, _ pairs: UnnamedFunctionPairs
  ) {
    guard let address = use.address else { return nil }
    let pair: (before: Int, after: Int)?
    if before.isImage(image) {
      pair = before.layout.functions(at: address).first.flatMap(pairs.pair(before:))
    } else if after.isImage(image) {
      pair = after.layout.functions(at: address).first.flatMap(pairs.pair(after:))
    } else {
      pair = nil
    }
    guard let pair else { return nil }
    self.init(name: nil, before: [Part(pair.before)], after: [Part(pair.after)])
  }
}

extension ReleaseLayout {
  /// Returns whether `recorded` is this image. A weak ID does not prove it.
  fileprivate func isImage(_ recorded: TraceImage) -> Bool {
    guard let id = recorded.id, id.kind != .weak else { return false }
    return id == image?.id
  }
}
