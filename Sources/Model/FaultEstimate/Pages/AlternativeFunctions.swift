// Alternatives: matching functions of which only some ran
//
// A recorded function can lead to several functions of a layout. A linker that folds identical code (ICF) gave one body
// of the recorded build sixteen names, and in the layout these are sixteen functions. Or three files have a local
// function `init`, and the recorded function is one of the three. The launch used as many of them as ran in the
// recorded build.
//
// For *at least*, as many of the alternatives are chosen as ran: the ones that add the fewest pages to the pages that
// the launch touches anyway. Choices that add no page are made first, the others in the order of first use. This is the
// minimum, unless choices that add pages could share them. For *at most*, all alternatives count.
//
// Each layout has its own choices. But how many functions ran is a question of all layouts together: two recorded
// functions may match the same functions of one layout, and different functions of the other. So the choices are made
// once, before the estimates of the single layouts.
//
// Only the first and the last page of a function can hold bytes of another one, so only these are remembered.

import Addresses
import ImageModel

extension [MatchedFunction] {
  /// Returns the startup functions of each layout, in the order of these functions. If a function has alternatives,
  /// `parts` has only as many alternatives as ran, and `others` has the rest.
  ///
  /// - Parameter layouts: the layouts of the matches.
  /// - Complexity: O(*s* log *s*) for *s* parts.
  package func startupFunctions(of layouts: [Layout], pageSize: PageSize) -> [[StartupFunction]] {
    var startup = chosen(in: layouts, pageSize)
    var sizes = layouts.map { SizesOfParts(of: $0) }
    var numberOfIdentity: [MatchedFunction.FunctionIdentity: Int] = [:]
    for (index, function) in enumerated() {
      let identity = MatchedFunction.FunctionIdentity(
        name: function.name, functions: startup.map { FunctionList($0[index].parts) })
      let number = numberOfIdentity[identity] ?? numberOfIdentity.count
      numberOfIdentity[identity] = number
      for place in layouts.indices {
        startup[place][index].number = number
        startup[place][index].bytesElsewhere =
          function.recordedBytes
          ?? layouts.indices.filter { $0 != place }.compactMap {
            sizes[$0].largest(of: function.matches[$0].parts)
          }.max()
      }
    }
    return startup
  }

  private func chosen(in layouts: [Layout], _ pageSize: PageSize) -> [[StartupFunction]] {
    guard contains(where: { $0.matches.contains { !$0.alternatives.isEmpty } }) else {
      return layouts.indices.map { place in
        map { StartupFunction($0, parts: $0.matches[place].parts, others: []) }
      }
    }
    return layouts.enumerated().map { place, layout in
      var choices = ChosenAlternatives(self, place, in: layout, pageSize)
      return map { function in
        let (parts, others) = choices.divided(function.matches[place], of: function)
        return StartupFunction(function, parts: parts, others: others)
      }
    }
  }
}

extension StartupFunction {
  fileprivate init(_ function: MatchedFunction, parts: [Part], others: [Part]) {
    self.init(
      name: function.name, parts: parts, others: others, number: 0,
      isOnlyRecorded: function.isOnlyRecorded, bodies: function.bodies)
  }
}

/// The size of the largest function in each list of parts. Each list is examined once.
private struct SizesOfParts {
  private let layout: Layout
  private var known: [PartList: UInt64?] = [:]

  init(of layout: Layout) { self.layout = layout }

  /// Returns the size of the largest function in `parts`; `nil` if no size is known.
  mutating func largest(of parts: [Part]) -> UInt64? {
    if let size = known[PartList(parts)] { return size }
    let size = parts.compactMap { layout.functions[$0.function].size }.max()
    known.updateValue(size, forKey: PartList(parts))
    return size
  }
}

/// The alternatives that are chosen in one layout.
private struct ChosenAlternatives {
  /// Uses with the same name and the same functions of the layout share one choice.
  struct Key: Hashable {
    var name: SymbolName?
    var functions: FunctionList
  }
  /// A use of certain parts, which are divided into chosen and other parts.
  private struct Divided: Hashable {
    var name: SymbolName?
    var parts: PartList
  }
  private struct Choice {
    var candidates: [StatedAddress]
    var bodies = 0
    var chosen: Set<StatedAddress>?
  }

  private let layout: Layout
  private let pageSize: PageSize
  private var choices: [Choice] = []
  private var choiceOfKey: [Key: Int] = [:]
  private var known: [Divided: (chosen: [Part], others: [Part])] = [:]
  /// The first and last pages of the functions that are used.
  private var touched: Set<StatedPage> = []

  /// - Parameter place: the index of `layout` among the layouts of the matches.
  init(_ functions: [MatchedFunction], _ place: Int, in layout: Layout, _ pageSize: PageSize) {
    self.layout = layout
    self.pageSize = pageSize
    var counted: Set<MatchedFunction.FunctionIdentity> = []
    var seen: Set<PartList> = []
    for function in functions {
      let match = function.matches[place]
      if seen.insert(PartList(match.parts)).inserted {
        for part in match.parts where !match.alternatives.contains(part.function) {
          touch(layout.functions[part.function].address)
        }
      }
      guard !match.alternatives.isEmpty else { continue }
      let key = Key(function, match.parts)
      let choice = choiceOfKey[key] ?? choices.count
      if choice == choices.count {
        choiceOfKey[key] = choice
        let candidates = Set(match.alternatives.map { layout.functions[$0].address })
        choices.append(Choice(candidates: candidates.sorted()))
      }
      if counted.insert(function.functionIdentity).inserted {
        choices[choice].bodies += function.bodies
      }
    }
    for isLast in [false, true] {
      for index in choices.indices where choices[index].chosen == nil {
        let best = choices[index].candidates.map { (cost: cost($0), address: $0) }
          .sorted { $0 < $1 }.prefix(choices[index].bodies)
        guard isLast || best.allSatisfy({ $0.cost == 0 }) else { continue }
        choices[index].chosen = Set(best.map(\.address))
        for candidate in best { touch(candidate.address) }
      }
    }
  }

  /// Divides the parts of a match into the parts that count and the other parts.
  mutating func divided(
    _ match: MatchedFunction.Match, of function: MatchedFunction
  ) -> (chosen: [Part], others: [Part]) {
    let parts = match.parts
    guard !match.alternatives.isEmpty, let index = choiceOfKey[Key(function, parts)],
      let chosen = choices[index].chosen
    else { return (parts, []) }
    func isChosen(_ part: Part) -> Bool {
      !match.alternatives.contains(part.function)
        || chosen.contains(layout.functions[part.function].address)
    }
    let use = Divided(name: function.name, parts: PartList(parts))
    if let divided = known[use] { return divided }
    let divided = (parts.filter(isChosen), parts.filter { !isChosen($0) })
    known[use] = divided
    return divided
  }

  private func pages(_ address: StatedAddress) -> ClosedRange<StatedPage> {
    let size = layout.functions(at: address).last.map { layout.functions[$0].knownBytes } ?? 1
    let (_, overflow) = address.rawValue.addingReportingOverflow(size)
    return pageSize.pages(of: AddressRange(start: address, size: overflow ? 1 : size))
  }

  private mutating func touch(_ address: StatedAddress) {
    let pages = pages(address)
    touched.insert(pages.lowerBound)
    touched.insert(pages.upperBound)
  }

  /// The number of pages that the function adds.
  private func cost(_ address: StatedAddress) -> Int {
    let pages = pages(address)
    let ends = Set([pages.lowerBound, pages.upperBound])
    return pages.count - ends.count + ends.count { !touched.contains($0) }
  }
}

extension ChosenAlternatives.Key {
  fileprivate init(_ function: MatchedFunction, _ parts: [Part]) {
    self.init(name: function.name, functions: FunctionList(parts))
  }
}
