// Which startup functions brought the pages that a build has more than its base?
//
// The functions of both builds are matched by name, without the parts of names that compilers change from build to
// build. Several of one name, which are local to their files, are matched in ascending address order.
//
// A page belongs to the function that lies alone on it: without this function, a launch would not touch the page. So
// each function has a number of pages of its own, and what it has more than in the base is what it brought. Pages that
// several functions share are nobody's. Therefore the pages of the list need not add up to the regression: twenty new
// functions on a page that they share are listed by their bytes.
//
//     cause              the function
//     new                is no startup function of the base
//     no longer ordered  was placed by the base's order file, and is no more
//     grown              has more bytes
//     moved              is as large as before, but has more pages of its own
//
// A function has the first of these causes that applies.

import Addresses
import Demangling
import ImageModel
import Reporting

struct FunctionChanges {
  /// Those that add pages or bytes, the largest first.
  let causes: [RegressionCause]

  /// - Complexity: O(*n* log *n*) for *n* functions in both builds.
  init(from base: [PlacedFunction], to now: [PlacedFunction], pageSize: PageSize) {
    let (basePages, pages) = (OwnPages(base, pageSize), OwnPages(now, pageSize))
    let matches = Self.matches(now, in: base)
    causes = now.indices.compactMap { index -> RegressionCause? in
      let function = now[index]
      let isUnordered = function.isOrdered == false
      guard let match = matches[index] else {
        return RegressionCause(
          .new, function.name, bytes: function.bytes, pages: pages.counts[index],
          isUnordered: isUnordered)
      }
      let old = base[match]
      let added = max(0, pages.counts[index] - basePages.counts[match])
      let growth = function.bytes > old.bytes ? function.bytes - old.bytes : 0
      let kind: RegressionCause.Kind
      if old.isOrdered == true, isUnordered {
        kind = .noLongerOrdered
      } else if growth > 0 {
        kind = .grown
      } else if added > 0 {
        kind = .moved
      } else {
        return nil
      }
      return RegressionCause(
        kind, function.name, bytes: growth, pages: added, isUnordered: isUnordered)
    }.sorted(by: RegressionCause.precedes)
  }

  private struct Key: Hashable {
    var base: [UInt8]
    var part: NamedPart

    init(_ name: SymbolName) {
      let name = CanonicalName(name)
      (base, part) = (name.base, name.part)
    }
  }

  /// For each function the index of the same one in `base`; `nil` if it has none.
  private static func matches(_ now: [PlacedFunction], in base: [PlacedFunction]) -> [Int?] {
    func ascending(_ functions: [PlacedFunction]) -> [Int] {
      functions.indices.sorted { (functions[$0].address, $0) < (functions[$1].address, $1) }
    }
    var unmatched: [Key: [Int]] = [:]
    for index in ascending(base).reversed() {
      unmatched[Key(base[index].name), default: []].append(index)
    }
    var matches = [Int?](repeating: nil, count: now.count)
    for index in ascending(now) { matches[index] = unmatched[Key(now[index].name)]?.popLast() }
    return matches
  }
}

/// The pages on which only one of some functions lies.
struct OwnPages {
  /// For each function.
  private(set) var counts: [Int]

  /// - Complexity: O(*n* log *n*) for *n* functions, whatever their sizes.
  init(_ functions: [PlacedFunction], _ pageSize: PageSize) {
    counts = [Int](repeating: 0, count: functions.count)
    // Where functions begin and end, page by page. Between two places the same functions lie on each page; if it is one,
    // the exclusive or of all that began or ended so far is its index.
    struct Place {
      var page: UInt64
      var function: Int
      var isStart: Bool
    }
    var places: [Place] = []
    for (index, function) in functions.enumerated() {
      let first = function.address.rawValue / pageSize.bytes
      let (end, overflows) = function.address.rawValue.addingReportingOverflow(
        max(function.bytes, 1) - 1)
      let last = (overflows ? .max : end) / pageSize.bytes
      places.append(Place(page: first, function: index, isStart: true))
      places.append(Place(page: last + 1, function: index, isStart: false))
    }
    places.sort { ($0.page, $0.function) < ($1.page, $1.function) }
    var (open, mixed, page) = (0, 0, UInt64(0))
    for place in places {
      if open == 1 {
        counts[mixed] =
          counts[mixed].addingReportingOverflow(Int(clamping: place.page - page))
          .partialValue
      }
      page = place.page
      open += place.isStart ? 1 : -1
      mixed ^= place.function
    }
  }
}
