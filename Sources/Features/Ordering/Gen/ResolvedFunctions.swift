import Addresses
import FunctionOrder
import ImageModel
import Rendering
import Symbolication

/// What launches used, as functions of a layout: the functions that have the names of recorded functions.
struct ResolvedFunctions {
  /// A whole launch.
  struct Launch {
    /// The number of launches that used exactly these functions.
    var weight: UInt64
    var uses: [FirstUse]
  }

  /// The heaviest first.
  private(set) var launches: [Launch] = []
  /// The functions that no whole launch used, the most used first.
  private(set) var others: [FirstUse] = []
  /// Recorded bodies that the layout has under none of their names, each once.
  private(set) var missing: [NameWithReason] = []
  /// The number of distinct bodies that the launches used.
  private(set) var recordedCount = 0
  /// The number of these bodies that are in the layout.
  private(set) var resolvedCount = 0
  /// For each function of the profile, the functions of the layout.
  private(set) var functions: [[Int]] = []

  /// The launches, each repeated as often as its weight says. If there are more than 200 launches, the repetitions are
  /// reduced in proportion, to one or two hundred in all.
  var weightedLaunches: [[FirstUse]] {
    let sum = launches.map(\.weight).saturatingSum()
    return launches.flatMap { launch in
      let count = sum <= 200 ? launch.weight : max(1, launch.weight / (sum / 100))
      return [[FirstUse]](repeating: launch.uses, count: Int(count))
    }
  }

  /// Returns this profile with each part replaced by the result of `other`. Parts for which `other` returns `nil` are
  /// left out.
  func mapParts(_ other: (Part) -> Part?) -> Self {
    func mapped(_ uses: [FirstUse]) -> [FirstUse] {
      uses.compactMap { use in other(use.part).map { FirstUse(step: use.step, part: $0) } }
    }
    var profile = self
    profile.launches = launches.map { Launch(weight: $0.weight, uses: mapped($0.uses)) }
    profile.others = mapped(others)
    return profile
  }

  init(_ profile: UsedFunctions, in map: inout SymbolMap) {
    let layout = map.layout
    /// The bodies that launches of the build itself used.
    let known = Set(profile.functions.compactMap(\.address))
    var isListed: Set<NameWithReason> = []
    for recorded in profile.functions {
      var functions = recorded.address.map { Array(layout.functions(at: $0)) } ?? []
      var reason: MissingReason?
      for name in functions.isEmpty ? recorded.names : [] {
        switch map.resolve(name, from: recorded.objectFile) {
        case .exact(let found), .canonical(let found, _): functions += found.indexes
        case .missing(let why): reason = reason ?? why
        }
      }
      self.functions.append(functions)
      var bodyCount = recorded.bodyCount
      // All functions at an address have one body.
      var placeCount = functions.isEmpty ? 0 : 1
      if recorded.address == nil {
        // Bodies that launches of the build itself used are counted there.
        let places = Set(functions.map { layout.functions[$0].address })
        let same = known.intersection(places)
        bodyCount -= min(bodyCount, same.count)
        placeCount = places.count - same.count
      }
      recordedCount += bodyCount
      // The build may have fewer bodies with the name than the recorded build.
      let found = min(bodyCount, placeCount)
      resolvedCount += found
      if found < bodyCount, let name = recorded.names.first {
        let usual = functions.isEmpty ? MissingReason.noSuchSymbol : .inlinedOrRemoved
        let missed = NameWithReason(name: name, reason: (reason ?? usual).description)
        if isListed.insert(missed).inserted { missing.append(missed) }
      }
    }
    launches = profile.launches.map { Launch(weight: $0.weight, uses: firstUses($0.functions)) }
    let isWhole = Set(profile.launches.lazy.flatMap(\.functions))
    others = firstUses(profile.functions.indices.filter { !isWhole.contains($0) })
  }

  private func firstUses(_ indexes: [Int]) -> [FirstUse] {
    indexes.enumerated().flatMap { step, index in
      functions[index].map { FirstUse(step: UInt64(step), function: $0) }
    }
  }
}
