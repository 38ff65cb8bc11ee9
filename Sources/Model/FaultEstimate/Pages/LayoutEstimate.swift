import Addresses
import ImageModel

/// The predicted touches of launches in one layout.
///
/// `faults` counts the functions that the layout has, so its pages are the least. `atMost` adds the pages of functions
/// that the layout lacks (`AbsentFunctions.swift`), and the pages of all alternatives (`AlternativeFunctions.swift`).
package struct LayoutEstimate: Sendable {
  /// The startup functions, earliest use first. The use of each function is a step of `faults`.
  package let startup: [StartupFunction]
  package let faults: PageFaultEstimate
  /// The kernel of the estimate's `linuxFaults`.
  package let kernel: LinuxKernel
  /// The number of startup functions, and how many of them the layout has.
  package let functions: Int
  package let present: Int
  /// The number of pages if the functions that the layout lacks lie on pages of their own.
  package let atMost: Int
  /// The number of startup functions that count only with the parts that ran.
  package let inParts: Int
  /// The number of names that belong to several bodies.
  package let ambiguousNames: Int
  /// Whether some bodies of ambiguous names were not chosen. These bodies count only for the largest number of pages.
  package let hasOthers: Bool

  /// - Parameters:
  ///   - startup: the startup functions, earliest use first. A repeated function touches nothing new.
  ///   - unplaced: the number of further startup functions, which have no name by which to find them in a layout.
  /// - Complexity: O(*s* log *s*) for *s* startup functions, and O(*n*) for *n* functions of the layout.
  package init(
    of layout: Layout, startup: [StartupFunction], pageSize: PageSize,
    facts: LaunchFacts = LaunchFacts(), kernel: LinuxKernel = LinuxKernel(), unplaced: Int = 0
  ) {
    self.startup = startup
    self.kernel = kernel
    faults = PageFaultEstimate(
      of: layout, steps: startup.map(\.parts), pageSize: pageSize, facts: facts, kernel: kernel)
    let absent = AbsentFunctions(startup, in: layout, unplaced: unplaced)
    functions = absent.all
    present = absent.present
    inParts = startup.countInParts(in: layout)
    var joined = JoinedParts()
    let all = startup.map { joined.join($0.parts, $0.others) }
    ambiguousNames = layout.countAmbiguous(all)
    hasOthers = startup.contains { !$0.others.isEmpty }
    let pagesOfAll =
      hasOthers ? Self.pages(of: layout, steps: all, pageSize: pageSize, facts: facts) : 0
    atMost = faults.pages(with: absent, above: max(faults.total.pages, pagesOfAll), in: layout)
  }

  /// Returns the number of pages that a launch is predicted to touch: the pages of `faults.total`.
  ///
  /// - Parameters:
  ///   - steps: the parts that the launch used, earliest use first.
  ///   - facts: the facts about launches that use at least these parts.
  /// - Complexity: O((*s* + *r*) log (*s* + *r*)) for *s* parts and *r* references.
  package static func pages(
    of layout: Layout, steps: [[Part]], pageSize: PageSize, facts: LaunchFacts
  ) -> Int {
    let launch = LaunchTouches(of: layout, steps: steps, facts: facts)
    let pages = launch.ranges.map { pageSize.pages(of: $0.bytes) }
    var unpainted = UnpaintedPages(of: pages)
    return pages.reduce(0) { $0 + unpainted.paint($1) }
  }
}

extension [StartupFunction] {
  /// Returns the number of bodies that are never used as a whole.
  fileprivate func countInParts(in layout: Layout) -> Int {
    var seen: Set<PartList> = []
    var isWhole: [StatedAddress: Bool] = [:]
    for function in self where seen.insert(PartList(function.parts)).inserted {
      for part in function.parts {
        let address = layout.functions[part.function].address
        isWhole[address] = isWhole[address] ?? false || part.isWhole
      }
    }
    return isWhole.values.count { !$0 }
  }
}

extension Layout {
  /// Returns the number of different lists that have functions at several addresses.
  fileprivate func countAmbiguous(_ lists: [[Part]]) -> Int {
    var seen: Set<FunctionList> = []
    return lists.count { parts in
      guard seen.insert(FunctionList(parts)).inserted, let first = parts.first else { return false }
      let address = functions[first.function].address
      return parts.contains { functions[$0.function].address != address }
    }
  }
}
