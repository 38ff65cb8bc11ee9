// Functions of which only some ran
//
// A recorded function can lead to several functions of a layout. A linker that folds identical code (ICF) gave one body
// of the recorded build sixteen names, and in the layout these are sixteen functions; or three files have a local
// function `init`, and the recorded one is one of them. The launch used as many of them as ran in the recorded build.
//
// For *at least*, as many of them are chosen as ran: those that add the fewest pages to what the launch touches anyway.
// Choices that add no page are made first, the others in the order of first use. This is the minimum, unless choices
// that add pages could share them. For *at most*, all of them count.
//
// Only the first and the last page of a function can hold bytes of another one, so only these are remembered.

import Addresses
import ImageModel

extension [StartupFunction] {
  /// Returns the same functions with only as many alternatives as ran in `before` and `after`; the others are in
  /// `othersBefore` and `othersAfter`.
  ///
  /// - Complexity: O(*s* log *s*) for *s* parts.
  package func choosingAlternatives(
    before: Layout, after: Layout, pageSize: PageSize
  ) -> [StartupFunction] {
    guard contains(where: \.hasAlternatives) else { return self }
    var sides = (
      before: ChosenAlternatives(
        map { ($0, $0.before, $0.alternativesBefore) }, in: before, pageSize),
      after: ChosenAlternatives(map { ($0, $0.after, $0.alternativesAfter) }, in: after, pageSize)
    )
    return map { function in
      var function = function
      (function.before, function.othersBefore) = sides.before.divided(
        function.before, of: function, function.alternativesBefore)
      (function.after, function.othersAfter) = sides.after.divided(
        function.after, of: function, function.alternativesAfter)
      return function
    }
  }
}

extension StartupFunction {
  fileprivate var hasAlternatives: Bool {
    !alternativesBefore.isEmpty || !alternativesAfter.isEmpty
  }
}

/// The choice in one layout.
private struct ChosenAlternatives {
  /// Uses with the same name and the same functions of the layout are about the same choice.
  struct Key: Hashable {
    var name: SymbolName?
    var functions: FunctionList
  }
  /// What a use of certain parts is divided into.
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
  /// The first and last pages of what is used.
  private var touched: Set<StatedPage> = []

  init(
    _ uses: [(function: StartupFunction, parts: [Part], alternatives: Set<Int>)],
    in layout: Layout, _ pageSize: PageSize
  ) {
    self.layout = layout
    self.pageSize = pageSize
    var counted: Set<StartupFunction.FunctionIdentity> = []
    var seen: Set<PartList> = []
    for use in uses {
      if seen.insert(PartList(use.parts)).inserted {
        for part in use.parts where !use.alternatives.contains(part.function) {
          touch(layout.functions[part.function].address)
        }
      }
      guard !use.alternatives.isEmpty else { continue }
      let key = Key(use.function, use.parts)
      let choice = choiceOfKey[key] ?? choices.count
      if choice == choices.count {
        choiceOfKey[key] = choice
        let candidates = Set(use.alternatives.map { layout.functions[$0].address })
        choices.append(Choice(candidates: candidates.sorted()))
      }
      if counted.insert(use.function.functionIdentity).inserted {
        choices[choice].bodies += use.function.bodies
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

  /// Divides the parts of a use into those that count and the others.
  mutating func divided(
    _ parts: [Part], of function: StartupFunction, _ alternatives: Set<Int>
  ) -> (chosen: [Part], others: [Part]) {
    guard !alternatives.isEmpty, let index = choiceOfKey[Key(function, parts)],
      let chosen = choices[index].chosen
    else { return (parts, []) }
    func isChosen(_ part: Part) -> Bool {
      !alternatives.contains(part.function)
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
  fileprivate init(_ function: StartupFunction, _ parts: [Part]) {
    self.init(name: function.name, functions: FunctionList(parts))
  }
}
