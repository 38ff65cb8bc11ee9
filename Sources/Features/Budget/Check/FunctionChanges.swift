// Which startup functions added the pages that a build has more than its base?
//
// The functions of both builds are matched by name, without the parts of names that compilers change from build to
// build. Several functions with one name, which are local to their files, are matched in ascending address order.
//
// Functions that lie on the same page share the page: if k startup functions lie on a page, each has 1/k of it. So the
// shares of all functions add up to the pages on which startup functions lie. The pages that a function added are the
// growth of its share since the base. A function that was moved away from the others has a page of its own. If the
// order is lost, each of many functions has a slightly larger share.
//
//     cause              the function
//     new                is no startup function of the base
//     no longer ordered  was placed by the base's order file, and is no longer
//     grown              has more bytes
//     moved              is as large as before, but has a larger share of pages
//
// A function has the first of these causes that applies.

import Addresses
import Demangling
import ImageModel
import Prediction

struct FunctionChanges {
  /// The functions that add pages or bytes, the largest first.
  let causes: [RegressionCause]

  /// - Complexity: O(*n* log *n*) for *n* functions in both builds.
  init(from base: [PlacedFunction], to now: [PlacedFunction], pageSize: PageSize) {
    let (baseShares, shares) = (PageShares(base, pageSize), PageShares(now, pageSize))
    let matches = Self.matches(now, in: base)
    causes = now.indices.compactMap { index -> RegressionCause? in
      let function = now[index]
      let isUnordered = function.isOrdered == false
      guard let match = matches[index] else {
        return RegressionCause(
          .new, function.name, bytes: function.bytes,
          pages: RegressionCause.rounded(shares.pages[index]),
          isUnordered: isUnordered)
      }
      let old = base[match]
      let added = RegressionCause.rounded(max(0, shares.pages[index] - baseShares.pages[match]))
      let growth = function.bytes > old.bytes ? function.bytes - old.bytes : 0
      let kind: RegressionCause.Kind
      if old.isOrdered == true, isUnordered {
        kind = .noLongerOrdered
      } else if growth > 0 {
        kind = .grown
      } else if added >= Self.leastMove {
        kind = .moved
      } else {
        return nil
      }
      return RegressionCause(
        kind, function.name, bytes: growth, pages: added, isUnordered: isUnordered)
    }.sorted(by: RegressionCause.precedes)
  }

  /// The smallest change of a share, in pages, that counts as a move. A neighbor on the page that ends elsewhere causes
  /// smaller changes.
  private static let leastMove = 0.05

  /// Returns, for each function, the index of the matching function in `base`; `nil` if there is none.
  private static func matches(_ now: [PlacedFunction], in base: [PlacedFunction]) -> [Int?] {
    func ascending(_ functions: [PlacedFunction]) -> [Int] {
      functions.indices.sorted { (functions[$0].address, $0) < (functions[$1].address, $1) }
    }
    var unmatched: [MatchedName: [Int]] = [:]
    for index in ascending(base).reversed() {
      unmatched[MatchedName(base[index].name), default: []].append(index)
    }
    var matches = [Int?](repeating: nil, count: now.count)
    for index in ascending(now) {
      matches[index] = unmatched[MatchedName(now[index].name)]?.popLast()
    }
    return matches
  }
}

/// A function's name without the parts that compilers change from build to build.
struct MatchedName: Hashable {
  private let base: [UInt8]
  private let part: NamedPart

  init(_ name: SymbolName) {
    let name = CanonicalName(name)
    (base, part) = (name.base, name.part)
  }
}

/// The shares of functions in the pages that they lie on. Functions on the same page have equal shares of it.
struct PageShares {
  /// The sum of the shares of each function.
  private(set) var pages: [Double]

  /// - Complexity: O(*n* log *n*) for *n* functions, whatever their sizes.
  init(_ functions: [PlacedFunction], _ pageSize: PageSize) {
    pages = [Double](repeating: 0, count: functions.count)
    // The pages at which functions begin and end. Between two such places, the same functions lie on each page, so all
    // of them have equal shares there. `total` is the sum of the shares of a function that would lie on all
    // pages up to this place.
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
    var (open, total, page) = (0, 0.0, UInt64(0))
    for place in places {
      if open > 0 { total += Double(place.page - page) / Double(open) }
      page = place.page
      open += place.isStart ? 1 : -1
      pages[place.function] += place.isStart ? -total : total
    }
  }
}
