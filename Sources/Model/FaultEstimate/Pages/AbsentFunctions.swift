// The pages of startup functions that a layout lacks
//
// A trace of an older build names functions that have since been renamed, inlined or merged. Most of them still
// run, somewhere in the layout. If they did not count, a layout would look better the more functions it lacks. So
// a layout's pages are a range: at least the pages of the functions that it has, and at most
//
//     least + n + ceil((b - n) / page size)
//
// where *n* is the number of functions that the layout lacks, and *b* their bytes: the page on which each function
// begins, and the pages that the remaining bytes fill. For one function this is an upper bound. For several functions
// it is the expected number if no two functions share a page and each function lies anywhere on its page. The true
// number is larger if unusually many small functions cross a page boundary, and smaller if functions share pages with
// each other or with functions that the layout has.
//
// The upper end is never more than all pages of the layout's code.

import Addresses
import ImageModel

/// The startup functions that a layout lacks.
struct AbsentFunctions {
  /// The number of startup functions, and how many of them the layout has.
  private(set) var all: Int
  private(set) var present = 0
  /// The number of functions that the layout lacks.
  private(set) var count = 0
  /// The size of all functions that the layout lacks; each counts as at least one byte.
  private(set) var bytes: UInt64 = 0

  /// - Parameter unplaced: the number of functions without a name, which every layout lacks.
  init(_ startup: [StartupFunction], in layout: Layout, unplaced: Int) {
    var known: Set<Int> = []
    var joined = JoinedParts()
    var namesakes = Namesakes()
    all = unplaced
    for function in startup
    where !function.isOnlyRecorded && known.insert(function.number).inserted {
      all += function.bodies
      namesakes.add(function, joined.join(function.parts, function.others), of: layout)
    }
    for _ in 0..<unplaced { add(nil) }
    present = namesakes.addLacking(to: &self)
  }

  fileprivate mutating func add(_ size: UInt64?) {
    count += 1
    let (sum, overflow) = bytes.addingReportingOverflow(max(size ?? 1, 1))
    bytes = overflow ? .max : sum
  }
}

/// The startup functions of one layout, grouped by their name and the functions that they match. If the layout has
/// fewer functions of a group than launches used, it lacks the others.
private struct Namesakes {
  private struct Key: Hashable {
    var name: SymbolName?
    var functions: FunctionList
  }
  private struct Group {
    /// The number of addresses at which the layout has the functions.
    var places: Int
    var bodies = 0
    var bytes: UInt64?
  }
  private var groups: [Group] = []
  private var groupOfKey: [Key: Int] = [:]

  mutating func add(_ function: StartupFunction, _ parts: [Part], of layout: Layout) {
    let key = Key(name: function.name, functions: FunctionList(parts))
    let group = groupOfKey[key] ?? groups.count
    if group == groups.count {
      groupOfKey[key] = group
      let places = Set(parts.map { layout.functions[$0.function].address }).count
      groups.append(Group(places: places))
    }
    groups[group].bodies += function.bodies
    groups[group].bytes = [groups[group].bytes, function.bytesElsewhere].compactMap { $0 }.max()
  }

  /// Adds the functions that the layout lacks to `absent`. Returns how many functions the layout has.
  func addLacking(to absent: inout AbsentFunctions) -> Int {
    var present = 0
    for group in groups {
      let found = min(group.bodies, group.places)
      present += found
      for _ in found..<group.bodies { absent.add(group.bytes) }
    }
    return present
  }
}

extension PageFaultEstimate {
  /// Returns the number of pages if the functions that `layout` lacks lie on pages of their own, in addition to `least`
  /// pages. `layout` is the layout that was estimated.
  ///
  /// - Complexity: O(*s* log *s*) for *s* touches.
  func pages(with absent: AbsentFunctions, above least: Int, in layout: Layout) -> Int {
    guard absent.count > 0 else { return least }
    let behind = absent.bytes - UInt64(absent.count)
    let filled = behind / pageSize.bytes + (behind % pageSize.bytes == 0 ? 0 : 1)
    let (pages, overflow) = absent.count.addingReportingOverflow(Int(clamping: filled))
    let free = max(untouchedPages(of: layout) - (least - total.pages), 0)
    return least + min(overflow ? .max : pages, free)
  }

  /// The number of pages of code that are not touched.
  private func untouchedPages(of layout: Layout) -> Int {
    let touched = launch.ranges.map { pageSize.pages(of: $0.bytes) }
    let code = layout.sections.filter { $0.isExecutable && $0.range.size > 0 }
      .map { pageSize.pages(of: $0.range) }
    var unpainted = UnpaintedPages(of: touched + code)
    for pages in touched { unpainted.paint(pages) }
    return code.reduce(0) { $0 + unpainted.paint($1) }
  }
}
