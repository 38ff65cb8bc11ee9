// Which functions of two layouts are the one that a launch used?
//
// Those that have its names; several functions may have the same name, and a body may have several names. Then it is
// unknown which of them ran, and they are alternatives, except for Swift's merged bodies, which run in addition. If the IDs show that the recorded
// image is one of the two compared images, the address selects the function there. The other layout was then
// most likely linked from the same object files in another order, so of several functions of that name only
// those of the same size count: Swift makes dozens of merged and outlined functions with one name.

import Demangling
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
    alternativesBefore = before.layout.alternatives(self.before)
    alternativesAfter = after.layout.alternatives(self.after)
    isOnlyRecorded =
      self.before.isEmpty && self.after.isEmpty && reasons.allSatisfy(\.isOfRecordedBuild)
  }
}

extension StartupFunction {
  /// Finds code without a name: in the layout of the image that it was recorded in, by its address, and by its place
  /// among the unnamed functions in the other.
  ///
  /// - Parameter pairs: `nil` if the layouts do not tell which of their unnamed functions match.
  /// - Returns: `nil` if it was recorded in a third image, or if it is in no function there.
  init?(
    _ code: RecordedFunctions.UnnamedUse.Code, of image: TraceImage, in layouts: ComparedLayouts,
    _ pairs: UnnamedFunctionPairs?
  ) {
    let found: (before: Int?, after: Int?)
    let size: UInt64?
    if layouts.before.isImage(image) {
      guard let index = layouts.before.layout.function(of: code) else { return nil }
      found = (index, pairs?.pair(before: index)?.after)
      size = layouts.before.layout.functions[index].size
    } else if layouts.after.isImage(image) {
      guard let index = layouts.after.layout.function(of: code) else { return nil }
      found = (pairs?.pair(after: index)?.before, index)
      size = layouts.after.layout.functions[index].size
    } else {
      return nil
    }
    self.init(
      name: nil, before: found.before.map { [Part($0)] } ?? [],
      after: found.after.map { [Part($0)] } ?? [], recordedBytes: size)
  }
}

extension Layout {
  /// The functions of `parts` of which it is unknown which ran; empty if there is only one.
  fileprivate func alternatives(_ parts: [Part]) -> Set<Int> {
    guard parts.count > 1 else { return [] }
    let found = parts.map(\.function).filter {
      CanonicalName(name(of: functions[$0])).part != .mergedBody
    }
    return Set(found.map { functions[$0].address }).count > 1 ? Set(found) : []
  }

  /// The function that `code` is, or is in.
  fileprivate func function(of code: RecordedFunctions.UnnamedUse.Code) -> Int? {
    switch code {
    case .entry(let address): functions(at: address).first
    case .inside(let address): functions(containing: address).last
    case .unknown: nil
    }
  }
}

extension ComparedLayouts {
  /// Returns whether `recorded` is one of the two images.
  func include(_ recorded: TraceImage) -> Bool {
    before.isImage(recorded) || after.isImage(recorded)
  }
}
