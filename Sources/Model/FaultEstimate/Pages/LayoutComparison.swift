import Addresses
import ImageModel

/// A function that a launch used, in terms of two layouts.
///
/// Addresses differ from build to build, and some names do, too: so the caller, who knows the names, says
/// which functions of each layout correspond to it.
package struct StartupFunction: Sendable {
  /// The name shown to people; `nil` for code without a symbol.
  package var name: SymbolName?
  /// The parts that the launch used, in the layout before. The array is empty if the layout lacks the function. It has several
  /// parts for aliases and for local functions of one name, because a linker that orders by name moves them together. If the
  /// launch used several blocks of a function at different times, each block is a startup function.
  package var before: [Part]
  /// The parts of the layout after that the launch used.
  package var after: [Part]
  /// The functions of `before` of which the launch used only some: as many as `bodies`, and no record says which ones. The set
  /// is empty if the launch used all functions of `before`. `alternativesAfter` is the same for `after`.
  package var alternativesBefore: Set<Int> = []
  package var alternativesAfter: Set<Int> = []
  /// Further alternatives, which count only for the most pages.
  package var othersBefore: [Part] = []
  package var othersAfter: [Part] = []
  /// The size of the function in the recorded build; `nil` if it is unknown.
  package var recordedBytes: UInt64?
  /// Whether only the recorded build can have the function: a merged body whose originals were recorded, or a
  /// constructor of the instrumentation. A layout that lacks it misses nothing.
  package var isOnlyRecorded = false
  /// How many functions of the recorded build are meant: local ones with the same name may be the same functions of a
  /// layout.
  package var bodies = 1

  package init(
    name: SymbolName?, before: [Part], after: [Part], recordedBytes: UInt64? = nil
  ) {
    self.name = name
    self.before = before
    self.after = after
    self.recordedBytes = recordedBytes
  }

  /// What tells a use from others. Of one function, several recorded builds may state several sizes.
  package struct Identity: Hashable, Sendable {
    let name: SymbolName?
    let before: PartList
    let after: PartList
  }

  package var identity: Identity {
    Identity(name: name, before: PartList(before), after: PartList(after))
  }

  /// What tells a function from others, whichever parts of it were used.
  package struct FunctionIdentity: Hashable, Sendable {
    let name: SymbolName?
    let before: FunctionList
    let after: FunctionList
  }

  package var functionIdentity: FunctionIdentity {
    FunctionIdentity(name: name, before: FunctionList(before), after: FunctionList(after))
  }
}

/// The same launch in two layouts: the pages that it touches before and after.
///
/// `before`, `after` and `total` count the functions that each layout has, so they are the least. `atMost` adds the
/// pages that functions may touch that a layout lacks, which `missing` names, and those of all alternatives.
package struct LayoutComparison: Sendable {
  /// A section, or the part of it that counts for one cause, matched by name between the two layouts; or the
  /// total.
  package struct Row: Hashable, Sendable {
    package var name: SymbolName
    /// The cause for which it counts; `nil` for the sum of several.
    package var cause: TouchCause?
    /// All zero if the layout has no startup function in this section.
    package var before: TouchedPages
    package var after: TouchedPages

    package init(
      name: SymbolName, cause: TouchCause? = nil, before: TouchedPages, after: TouchedPages
    ) {
      self.name = name
      self.cause = cause
      self.before = before
      self.after = after
    }
  }

  /// The layouts that lack a startup function.
  package enum Absence: Hashable, Sendable, CustomStringConvertible {
    case before, after, both

    package var description: String {
      switch self {
      case .before: "not in the layout before"
      case .after: "not in the layout after"
      case .both: "in neither layout"
      }
    }
  }

  package struct MissingFunction: Hashable, Sendable {
    package var name: SymbolName
    package var absence: Absence
  }

  package let before: PageFaultEstimate
  package let after: PageFaultEstimate
  /// The sections of the layout before by address, then those that only the layout after has; they add up to
  /// `total`. Sections with the same name in one layout share a row; each further cause has its own row.
  package let sections: [Row]
  package let total: Row
  /// Startup functions that a layout lacks, earliest use first, each once.
  package let missing: [MissingFunction]
  /// The number of startup functions, and how many of them each layout has.
  package let presence: Presence
  /// The pages of each layout if the functions that it lacks lie on pages of their own.
  package let atMost: (before: Int, after: Int)
  /// The number of startup functions of which only the parts that ran count, in the layout before and after.
  package let inParts: (before: Int, after: Int)
  /// The number of names that belong to several bodies, in the layouts before and after.
  package let ambiguousNames: (before: Int, after: Int)
  /// Whether only as many of these bodies are counted as ran.
  package let hasOthers: Bool
  /// The kernel of both estimates' `linuxFaults`.
  package let kernel: LinuxKernel

  package var pageSize: PageSize { before.pageSize }

  package var isMachO: Bool { before.isMachO || after.isMachO }

  /// The predicted reads of each kernel; empty unless both layouts are of Mach-O images.
  package var xnuReads: [(before: XNUReads, after: XNUReads)] {
    zip(before.xnuReads, after.xnuReads).map { (before: $0, after: $1) }
  }

  /// The predicted faults on Linux; `nil` unless both layouts are of ELF images.
  package var linuxFaults: (before: LinuxFaults, after: LinuxFaults)? {
    guard let before = before.linuxFaults, let after = after.linuxFaults else { return nil }
    return (before, after)
  }

  /// The number of startup functions that exactly one of the layouts has, so that the two sides differ.
  package var differing: Int { missing.count { $0.absence != .both } }

  /// Compares what `startup` touches in both layouts.
  ///
  /// - Parameters:
  ///   - startup: earliest use first. A repeated function touches nothing new, and is reported as missing
  ///     once.
  ///   - unplaced: the number of further startup functions, which have no name by which to find them in a layout.
  /// - Complexity: O(*s* log *s*) for *s* startup functions, and O(*n*) for *n* functions in both layouts.
  package init(
    before: Layout, after: Layout, startup: [StartupFunction], pageSize: PageSize,
    facts: (before: LaunchFacts, after: LaunchFacts) = (LaunchFacts(), LaunchFacts()),
    kernel: LinuxKernel = LinuxKernel(), unplaced: Int = 0
  ) {
    self.kernel = kernel
    let touchedBefore = TouchedFunctions(
      startup.map { ($0.before, $0.othersBefore) }, in: before, facts.before)
    let touchedAfter = TouchedFunctions(
      startup.map { ($0.after, $0.othersAfter) }, in: after, facts.after)
    self.before = touchedBefore.estimate(pageSize, kernel)
    self.after = touchedAfter.estimate(pageSize, kernel)
    inParts = (touchedBefore.inParts, touchedAfter.inParts)
    ambiguousNames = (touchedBefore.ambiguousNames, touchedAfter.ambiguousNames)

    var missing: [MissingFunction] = []
    var reported: Set<SymbolName> = []
    for function in startup {
      let absence: Absence? =
        switch (function.before.isEmpty, function.after.isEmpty) {
        case (false, false): nil
        case (true, false): .before
        case (false, true): .after
        case (true, true): .both
        }
      if let absence, let name = function.name, reported.insert(name).inserted {
        missing.append(MissingFunction(name: name, absence: absence))
      }
    }
    self.missing = missing
    let absent = AbsentFunctions(startup, before: before, after: after, unplaced: unplaced)
    presence = absent.presence
    hasOthers = startup.contains { !$0.othersBefore.isEmpty || !$0.othersAfter.isEmpty }
    var most = (before: self.before.total.pages, after: self.after.total.pages)
    if hasOthers {
      var joined = JoinedParts()
      let all = Self.pages(
        before: before, after: after,
        startup: startup.map { function in
          var function = function
          function.before = joined.join(function.before, function.othersBefore)
          function.after = joined.join(function.after, function.othersAfter)
          return function
        }, pageSize: pageSize, facts: facts)
      most = (max(most.before, all.before), max(most.after, all.after))
    }
    atMost = (
      self.before.pages(with: absent.before, above: most.before, in: before),
      self.after.pages(with: absent.after, above: most.after, in: after)
    )
    sections = Self.rows(self.before.sections, self.after.sections)
    total = Row(name: "TOTAL", before: self.before.total, after: self.after.total)
  }

  private static func rows(
    _ before: [PageFaultEstimate.SectionRow], _ after: [PageFaultEstimate.SectionRow]
  ) -> [Row] {
    struct Key: Hashable {
      var name: SymbolName
      var cause: TouchCause
    }
    var rows: [Row] = []
    var rowOfKey: [Key: Int] = [:]
    func row(_ section: PageFaultEstimate.SectionRow) -> Int {
      let key = Key(name: section.name, cause: section.cause)
      if let row = rowOfKey[key] { return row }
      rowOfKey[key] = rows.count
      rows.append(
        Row(
          name: section.name, cause: section.cause, before: TouchedPages(),
          after: TouchedPages()))
      return rows.count - 1
    }
    for section in before {
      let row = row(section)
      rows[row].before = rows[row].before + section.touched
    }
    for section in after {
      let row = row(section)
      rows[row].after = rows[row].after + section.touched
    }
    return rows
  }
}

extension LayoutComparison {
  /// The pages that a launch is predicted to touch in each layout: what `total` has, and nothing else.
  ///
  /// - Parameters:
  ///   - startup: what the launch used, earliest use first.
  ///   - facts: of launches that use at least this.
  /// - Complexity: O((*s* + *r*) log (*s* + *r*)) for *s* startup functions and *r* references.
  package static func pages(
    before: Layout, after: Layout, startup: [StartupFunction], pageSize: PageSize,
    facts: (before: LaunchFacts, after: LaunchFacts)
  ) -> (before: Int, after: Int) {
    func count(_ steps: [[Part]], _ layout: Layout, _ facts: LaunchFacts) -> Int {
      var seen: Set<PartList> = []
      let touches = steps.enumerated().flatMap { step, parts in
        seen.insert(PartList(parts)).inserted
          ? parts.map { StartupTouch(step: step, part: $0) } : []
      }
      let launch = LaunchTouches(
        of: layout, touches: touches, stepCount: steps.count, facts: facts)
      let pages = launch.ranges.map { pageSize.pages(of: $0.bytes) }
      var unpainted = UnpaintedPages(of: pages)
      return pages.reduce(0) { $0 + unpainted.paint($1) }
    }
    return (
      count(startup.map(\.before), before, facts.before),
      count(startup.map(\.after), after, facts.after)
    )
  }

  /// Warnings about the figures.
  package var diagnostics: [Diagnostic] {
    var found: [Diagnostic] = []
    if differing > 0 {
      let verb = differing == 1 ? "startup function is" : "startup functions are"
      found.append(
        Diagnostic(
          "\(differing) \(verb) in only one of the two layouts; each layout counts its own"))
    }
    for (layout, count) in [("before", ambiguousNames.before), ("after", ambiguousNames.after)]
    where count > 0 {
      let names = count == 1 ? "name belongs" : "names belong"
      found.append(
        Diagnostic(
          "\(count) \(names) to several functions of the layout \(layout); "
            + (hasOthers
              ? "at least as many are counted as ran, and at most all" : "all of them are counted"))
      )
    }
    return found
  }
}

/// What a launch touches in one layout.
private struct TouchedFunctions {
  let layout: Layout
  let stepCount: Int
  let touches: [StartupTouch]
  /// The number of bodies that are never touched as a whole.
  let inParts: Int
  let ambiguousNames: Int
  let facts: LaunchFacts

  /// - Parameter steps: the parts that each step used, and others that have the same name.
  init(_ steps: [(used: [Part], others: [Part])], in layout: Layout, _ facts: LaunchFacts) {
    self.layout = layout
    self.facts = facts
    stepCount = steps.count
    var touches: [StartupTouch] = []
    var ambiguousNames = 0
    var isWhole: [StatedAddress: Bool] = [:]
    var joined = JoinedParts()
    var (seen, named): (Set<PartList>, Set<FunctionList>) = ([], [])
    for (step, (used, others)) in steps.enumerated() {
      // What is used again touches nothing new.
      for part in seen.insert(PartList(used)).inserted ? used : [] {
        touches.append(StartupTouch(step: step, part: part))
        let address = layout.functions[part.function].address
        isWhole[address] = isWhole[address] ?? false || part.isWhole
      }
      let all = joined.join(used, others)
      guard named.insert(FunctionList(all)).inserted else { continue }
      if let first = all.first.map({ layout.functions[$0.function].address }),
        all.contains(where: { layout.functions[$0.function].address != first })
      {
        ambiguousNames += 1
      }
    }
    self.touches = touches
    inParts = isWhole.values.count { !$0 }
    self.ambiguousNames = ambiguousNames
  }

  func estimate(_ pageSize: PageSize, _ kernel: LinuxKernel) -> PageFaultEstimate {
    PageFaultEstimate(
      of: layout, touches: touches, stepCount: stepCount, pageSize: pageSize, facts: facts,
      kernel: kernel)
  }
}
