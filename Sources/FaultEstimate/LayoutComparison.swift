import ImageModel

/// The same launch in two layouts: which pages it touches before and after.
///
/// Addresses do not carry over from one build to another, names do: the launch is a list of names, and
/// each layout is asked for them. A name that a layout lacks touches nothing there, so each layout
/// counts its own functions only; `missing` says what that leaves out. A name that several local
/// functions of a layout carry counts with all of them, as a linker that orders by name moves all.
package struct LayoutComparison: Sendable {
  /// One section, found in the two layouts by its name; or the total.
  package struct Row: Hashable, Sendable {
    package var name: SymbolName
    /// All zero if the layout has no startup function in this section.
    package var before: TouchedPages
    package var after: TouchedPages

    package init(name: SymbolName, before: TouchedPages, after: TouchedPages) {
      self.name = name
      self.before = before
      self.after = after
    }

    /// Negative if the layout after is the worse one.
    package var savedPages: Int { before.pages - after.pages }
    package var savedWindows64k: Int { before.windows64k - after.windows64k }
  }

  /// Where a startup function is not.
  package enum Absence: Hashable, Sendable, CustomStringConvertible {
    case before, after, both

    package var description: String {
      switch self {
      case .before: "not in before layout"
      case .after: "not in after layout"
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
  /// Sections of the layout before by address, then those that only the layout after has; they sum up
  /// to `total`. Sections of one name in one layout share a row.
  package let sections: [Row]
  package let total: Row
  /// Startup functions that a layout lacks, earliest use first, each once.
  package let missing: [MissingFunction]
  /// Names that more than one body carries, in the layout before and after.
  package let ambiguousNames: (before: Int, after: Int)

  package var pageSize: PageSize { before.pageSize }

  /// Startup functions that exactly one of the layouts has: they make the two sides differ.
  package var differing: Int { missing.count { $0.absence != .both } }

  /// Looks up the functions named `startup` in both layouts.
  ///
  /// - Parameter startup: earliest use first. A repeated name touches nothing new.
  /// - Complexity: O(*n* + *b* + *s* log *s*) for *n* functions with *b* bytes of names in both layouts
  ///   and *s* startup functions.
  package init(before: Layout, after: Layout, startup: [SymbolName], pageSize: PageSize) {
    let index = NameIndex(startup)
    let startupBefore = FoundFunctions(index, stepCount: startup.count, in: before)
    let startupAfter = FoundFunctions(index, stepCount: startup.count, in: after)
    self.before = startupBefore.estimate(pageSize)
    self.after = startupAfter.estimate(pageSize)
    ambiguousNames = (startupBefore.ambiguousNames, startupAfter.ambiguousNames)

    var missing: [MissingFunction] = []
    for step in startup.indices where index.place(of: startup[step].bytes[...]) == step {
      let absence: Absence? =
        switch (startupBefore.isPresent[step], startupAfter.isPresent[step]) {
        case (true, true): nil
        case (false, true): .before
        case (true, false): .after
        case (false, false): .both
        }
      if let absence { missing.append(MissingFunction(name: startup[step], absence: absence)) }
    }
    self.missing = missing
    sections = Self.rows(self.before.sections, self.after.sections)
    total = Row(name: "TOTAL", before: self.before.total, after: self.after.total)
  }

  private static func rows(
    _ before: [PageFaultEstimate.SectionRow], _ after: [PageFaultEstimate.SectionRow]
  ) -> [Row] {
    var rows: [Row] = []
    var rowOfName: [SymbolName: Int] = [:]
    func row(_ name: SymbolName) -> Int {
      if let row = rowOfName[name] { return row }
      rowOfName[name] = rows.count
      rows.append(Row(name: name, before: TouchedPages(), after: TouchedPages()))
      return rows.count - 1
    }
    for section in before {
      let row = row(section.name)
      rows[row].before = rows[row].before + section.touched
    }
    for section in after {
      let row = row(section.name)
      rows[row].after = rows[row].after + section.touched
    }
    return rows
  }
}

extension LayoutComparison {
  /// What a reader of the figures should know besides.
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
          "\(count) \(names) to several functions of the \(layout) layout; all of them are counted")
      )
    }
    return found
  }
}

/// The functions of one layout that carry the names in an index.
private struct FoundFunctions {
  let layout: Layout
  let isPresent: [Bool]
  let touches: [StartupTouch]
  let ambiguousNames: Int

  init(_ index: NameIndex, stepCount: Int, in layout: Layout) {
    self.layout = layout
    var touches: [StartupTouch] = []
    for (number, function) in layout.functions.enumerated() {
      guard let step = index.place(of: layout.names[function.name]) else { continue }
      touches.append(StartupTouch(step: step, function: number))
    }
    touches.sort { ($0.step, $0.function) < ($1.step, $1.function) }
    var isPresent = [Bool](repeating: false, count: stepCount)
    var isAmbiguous = [Bool](repeating: false, count: stepCount)
    var previous: StartupTouch?
    for touch in touches {
      if let previous, previous.step == touch.step,
        layout.functions[previous.function].address != layout.functions[touch.function].address
      {
        isAmbiguous[touch.step] = true
      }
      isPresent[touch.step] = true
      previous = touch
    }
    self.touches = touches
    self.isPresent = isPresent
    ambiguousNames = isAmbiguous.count { $0 }
  }

  func estimate(_ pageSize: PageSize) -> PageFaultEstimate {
    PageFaultEstimate(of: layout, touches: touches, stepCount: isPresent.count, pageSize: pageSize)
  }
}
