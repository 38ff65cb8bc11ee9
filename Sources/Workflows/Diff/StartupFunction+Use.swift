// Which functions of two layouts does one that a launch used stand for?
//
// By its names; several functions may carry them. Where the recorded image is one of those compared, which
// their IDs tell, its address says which one it was. Then the other layout is most likely of the same object
// files, in another order, and of namesakes there those count that have its size: merged and outlined functions
// of Swift come in dozens of one name.

import FaultEstimate
import ImageModel
import Symbolication

extension StartupFunction {
  /// - Parameters:
  ///   - image: that the use was recorded in.
  ///   - maps: of the layouts.
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
  /// What two layouts know of code without a name that was used in one of them.
  ///
  /// - Returns: `nil` if it was recorded in another image, or is no function of its own there.
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
  /// The image in the trace is this one. A weak ID is no proof of that.
  fileprivate func isImage(_ recorded: TraceImage) -> Bool {
    guard let id = recorded.id, id.kind != .weak else { return false }
    return id == image?.id
  }
}
