// Which functions of two layouts are the one that a launch used?
//
// Those that have its names; several functions may have the same name, and a body may have several names. Then it is
// unknown which of them ran, and they are alternatives, except for Swift's merged bodies, which run in addition. If the
// IDs show that the recorded image is one of the two compared images, the address selects the function there. The other
// layout was then most likely linked from the same object files in another order, so of several functions of that name
// only those of the same size count: Swift makes dozens of merged and outlined functions with one name.

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
    let named = maps.functions(
      namedAs: use, sized: isBefore || isAfter ? use.size : nil)
    func exact(_ layout: Layout, isImage: Bool) -> [Part]? {
      let found = isImage ? layout.functions(at: use.address).map { Part($0) } : []
      return found.isEmpty ? nil : found
    }
    let found = (
      before: exact(before.layout, isImage: isBefore), after: exact(after.layout, isImage: isAfter)
    )
    self.init(
      name: use.names.first, before: found.before ?? named.before.parts,
      after: found.after ?? named.after.parts, recordedBytes: use.size)
    if found.before == nil { alternativesBefore = named.before.alternatives }
    if found.after == nil { alternativesAfter = named.after.alternatives }
    isOnlyRecorded = self.before.isEmpty && self.after.isEmpty && named.isOnlyRecorded
  }
}

/// The functions of two layouts by name.
///
/// What belongs to a name is found once: thousands of recorded functions may share it, and then share the result.
struct SymbolMaps {
  var before: SymbolMap
  var after: SymbolMap
  private var known: [Key: Namesakes] = [:]
  /// What belongs to functions of the layouts, whichever recorded names lead to them.
  private var sides: (before: [Indexes: Sides], after: [Indexes: Sides]) = ([:], [:])

  private struct Key: Hashable {
    var names: [SymbolName]
    var objectFile: SymbolName?
  }

  /// Hashed in constant time.
  private struct Indexes: Hashable {
    var functions: [Int]

    func hash(into hasher: inout Hasher) {
      hasher.combine(functions.count)
      hasher.combine(functions.first)
      hasher.combine(functions.last)
    }
  }

  private struct Namesakes {
    var before: Sides
    var after: Sides
    var isOnlyRecorded: Bool
  }

  /// The functions of one layout with a name.
  private struct Sides {
    var all: Named.Side
    /// Empty unless there are several.
    var ofSize: [UInt64: Named.Side] = [:]

    init(_ functions: [Int], in layout: Layout) {
      func side(_ functions: [Int]) -> Named.Side {
        let parts = functions.map { Part($0) }
        return Named.Side(parts: parts, alternatives: layout.alternatives(parts))
      }
      all = side(functions)
      guard functions.count > 1 else { return }
      ofSize = Dictionary(grouping: functions.filter { layout.functions[$0].size != nil }) {
        layout.functions[$0].knownBytes
      }.mapValues(side)
    }

    subscript(size: UInt64?) -> Named.Side { size.flatMap { ofSize[$0] } ?? all }
  }

  /// The functions with the names of a recorded one.
  struct Named {
    var before: Side
    var after: Side
    /// Whether no layout has them because only the recorded build can.
    var isOnlyRecorded: Bool

    struct Side {
      var parts: [Part]
      /// Those of which it is unknown which ran.
      var alternatives: Set<Int>
    }
  }

  init(_ layouts: ComparedLayouts) {
    before = SymbolMap(layouts.before.layout)
    after = SymbolMap(layouts.after.layout)
  }

  /// - Parameter size: of the functions that count, if there are any; `nil` counts all.
  mutating func functions(namedAs use: RecordedFunctions.Use, sized size: UInt64?) -> Named {
    let namesakes = namesakes(of: use)
    return Named(
      before: namesakes.before[size], after: namesakes.after[size],
      isOnlyRecorded: namesakes.isOnlyRecorded)
  }

  private mutating func namesakes(of use: RecordedFunctions.Use) -> Namesakes {
    let key = Key(names: use.names, objectFile: use.objectFile)
    if let namesakes = known[key] { return namesakes }
    var reasons: [MissingReason] = []
    func sides(_ map: inout SymbolMap, _ known: inout [Indexes: Sides]) -> Sides {
      var functions: [Int] = []
      for name in use.names {
        let resolution = map.resolve(name, from: use.objectFile)
        if case .missing(let reason) = resolution { reasons.append(reason) }
        functions = functions.isEmpty ? resolution.functions : functions + resolution.functions
      }
      guard functions.count > 1 else { return Sides(functions, in: map.layout) }
      let indexes = Indexes(functions: functions)
      let sides = known[indexes] ?? Sides(functions, in: map.layout)
      known[indexes] = sides
      return sides
    }
    let (inBefore, inAfter) = (sides(&before, &self.sides.before), sides(&after, &self.sides.after))
    let namesakes = Namesakes(
      before: inBefore, after: inAfter, isOnlyRecorded: reasons.allSatisfy(\.isOfRecordedBuild))
    known[key] = namesakes
    return namesakes
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
