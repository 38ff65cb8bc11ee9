// Which functions of each layout match the function that a launch used?
//
// The functions with its names match. Several functions may have the same name, and a body may have several names. Then
// it is unknown which of them ran, and they are alternatives. Swift's merged bodies are no alternatives: they run in
// addition. If the IDs show that the recorded image is one of the layouts' images, the address selects the function
// there. Another layout was then most likely linked from the same object files in another order. So of several
// functions with one name, only the functions with the same size count: Swift makes dozens of merged and outlined
// functions with one name.

import Demangling
import FaultEstimate
import ImageModel
import OrderFileFormat
import Symbolication
import TraceSymbolication

extension MatchedFunction {
  /// - Parameters:
  ///   - image: the image that the use was recorded in.
  ///   - maps: the functions of the layouts by name.
  init(
    _ use: RecordedFunctions.Use, of image: TraceImage, in layouts: PredictedLayouts,
    _ maps: inout SymbolMaps
  ) {
    let areImages = layouts.all.map { $0.isImage(image) }
    let named = maps.functions(namedAs: use, sized: areImages.contains(true) ? use.size : nil)
    var matches = named.matches
    for (place, release) in layouts.all.enumerated() where areImages[place] {
      let exact = release.layout.functions(at: use.address)
      if !exact.isEmpty { matches[place] = Match(exact.map { Part($0) }) }
    }
    self.init(name: use.names.first, matches: matches, recordedBytes: use.size)
    isOnlyRecorded = isMissing && named.isOnlyRecorded
  }
}

/// The functions of the layouts by name.
///
/// The matches of a name are computed once: thousands of recorded functions may share a name, and then share the
/// result.
struct SymbolMaps {
  private var maps: [SymbolMap]
  private var known: [Key: Namesakes] = [:]
  /// For each layout, the matches of lists of its functions, whichever recorded names lead to them.
  private var matchesOfFunctions: [[Indexes: MatchesOfSizes]]

  private struct Key: Hashable {
    var names: [SymbolName]
    var objectFile: SymbolName?
  }

  /// A list of indexes of functions, which is hashed in constant time.
  private struct Indexes: Hashable {
    var functions: [Int]

    func hash(into hasher: inout Hasher) {
      hasher.combine(functions.count)
      hasher.combine(functions.first)
      hasher.combine(functions.last)
    }
  }

  private struct Namesakes {
    /// The matches in each layout.
    var matches: [MatchesOfSizes]
    var isOnlyRecorded: Bool
  }

  /// The matches of recorded functions by name. The key `nil` has all functions. If there are several functions, each
  /// size is a key for the functions of this size.
  private typealias MatchesOfSizes = [UInt64?: MatchedFunction.Match]

  init(_ layouts: PredictedLayouts) {
    maps = layouts.all.map { SymbolMap($0.layout) }
    matchesOfFunctions = maps.map { _ in [:] }
  }

  /// Returns the matches of a line of an order file.
  func matches(_ symbol: OrderFile.Symbol) -> [MatchedFunction.Match] {
    maps.map { MatchedFunction.Match($0.resolveAsLinker(symbol.name, in: symbol.objectFile).parts) }
  }

  /// Returns why the last layout has no function with that name; `nil` if it has such a function.
  mutating func absence(of name: SymbolName) -> MissingReason? {
    guard case .missing(let reason) = maps[maps.count - 1].resolve(name) else { return nil }
    return reason
  }

  /// Returns the functions with the names of a recorded function, and whether only the recorded build can have them.
  ///
  /// - Parameter size: the size of the functions that count, if there are such functions; `nil` counts all functions.
  mutating func functions(
    namedAs use: RecordedFunctions.Use, sized size: UInt64?
  ) -> (matches: [MatchedFunction.Match], isOnlyRecorded: Bool) {
    let namesakes = namesakes(of: use)
    let matches = namesakes.matches.map { $0[size] ?? $0[nil] ?? MatchedFunction.Match([]) }
    return (matches, namesakes.isOnlyRecorded)
  }

  private mutating func namesakes(of use: RecordedFunctions.Use) -> Namesakes {
    let key = Key(names: use.names, objectFile: use.objectFile)
    if let namesakes = known[key] { return namesakes }
    var reasons: [MissingReason] = []
    var found: [MatchesOfSizes] = []
    for place in maps.indices { found.append(matches(of: use, in: place, &reasons)) }
    let namesakes = Namesakes(
      matches: found, isOnlyRecorded: reasons.allSatisfy(\.isOfRecordedBuild))
    known[key] = namesakes
    return namesakes
  }

  /// - Parameter place: the index of the layout.
  private mutating func matches(
    of use: RecordedFunctions.Use, in place: Int, _ reasons: inout [MissingReason]
  ) -> MatchesOfSizes {
    var functions: [Int] = []
    for name in use.names {
      let resolution = maps[place].resolve(name, from: use.objectFile)
      if case .missing(let reason) = resolution { reasons.append(reason) }
      functions = functions.isEmpty ? resolution.functions : functions + resolution.functions
    }
    let layout = maps[place].layout
    guard functions.count > 1 else { return [nil: layout.match(functions)] }
    let indexes = Indexes(functions: functions)
    if let known = matchesOfFunctions[place][indexes] { return known }
    let sized = functions.filter { layout.functions[$0].size != nil }
    var matches = Dictionary(grouping: sized) { layout.functions[$0].size }
      .mapValues { layout.match($0) }
    matches[nil] = layout.match(functions)
    matchesOfFunctions[place][indexes] = matches
    return matches
  }
}

extension MatchedFunction {
  /// Finds code without a name. In the layout of the image that the code was recorded in, its address identifies it. In
  /// the other layout, its place among the unnamed functions does.
  ///
  /// - Parameter pairs: the pairs of matching unnamed functions; `nil` if the layouts do not show them.
  /// - Returns: `nil` if the code was recorded in another image, or if it is in no function of its image.
  init?(
    _ code: RecordedFunctions.UnnamedUse.Code, of image: TraceImage, in layouts: PredictedLayouts,
    _ pairs: UnnamedFunctionPairs?
  ) {
    guard let own = layouts.all.firstIndex(where: { $0.isImage(image) }),
      case let layout = layouts.all[own].layout, let index = layout.function(of: code)
    else { return nil }
    let other = own == 0 ? pairs?.pair(before: index)?.after : pairs?.pair(after: index)?.before
    self.init(
      name: nil,
      matches: layouts.all.indices.map { place in
        Match([place == own ? index : other].compactMap { $0 }.map { Part($0) })
      }, recordedBytes: layout.functions[index].size)
  }
}

extension Layout {
  /// Returns the match of a recorded function that has the names of the functions at `indexes`. If these functions are
  /// at several addresses, it is unknown which of them ran, except for merged bodies.
  fileprivate func match(_ indexes: [Int]) -> MatchedFunction.Match {
    let parts = indexes.map { Part($0) }
    guard indexes.count > 1 else { return MatchedFunction.Match(parts) }
    let found = indexes.filter { CanonicalName(name(of: functions[$0])).part != .mergedBody }
    let areApart = Set(found.map { functions[$0].address }).count > 1
    return MatchedFunction.Match(parts, alternatives: areApart ? Set(found) : [])
  }

  /// Returns the function that `code` begins, or that contains it.
  fileprivate func function(of code: RecordedFunctions.UnnamedUse.Code) -> Int? {
    switch code {
    case .entry(let address): functions(at: address).first
    case .inside(let address): functions(containing: address).last
    case .unknown: nil
    }
  }
}
