import ImageModel

/// The uses of several launches in one sequence: all uses of the first launch, then the uses that the second launch
/// adds, and so on.
///
/// Launches are added one at a time; memory grows with the number of distinct parts, not with the number of launches.
/// Adding is associative: (a + b) + c is a + (b + c). It is not commutative, because an earlier launch decides the
/// position of a part.
package struct MergedLaunches: Equatable, Sendable {
  /// Earliest first, without duplicates; a function with aliases is listed by its first alias.
  package private(set) var parts: [Part] = []
  private var isMember: Set<Part> = []

  package init() {}

  /// Adds a launch after the others.
  ///
  /// - Parameter launch: in any order. If a part has several uses, the earliest counts; if two parts were used at the
  ///   same step, the part at the lower address comes first.
  /// - Precondition: all functions are indexes of `layout`, which is the same in each call.
  /// - Complexity: O(*u* (log *u* + log *n*)) for *u* uses and *n* functions.
  package mutating func append(_ launch: [FirstUse], in layout: Layout) {
    // A total key: uses may come out of a hash table, and the same trace must give the same bytes.
    let uses = launch.map { (step: $0.step, part: layout.canonical($0.part)) }
      .sorted { ($0.step, $0.part) < ($1.step, $1.part) }
    for use in uses { append(use.part) }
  }

  /// Adds the launches of `other`, of the same layout, after these.
  ///
  /// - Complexity: O(*p*) for *p* parts of `other`, on average.
  package mutating func append(_ other: MergedLaunches) { for part in other.parts { append(part) } }

  /// Whether a launch used `part`, which must be its function's first alias.
  package func contains(_ part: Part) -> Bool { isMember.contains(part) }

  private mutating func append(_ part: Part) {
    if isMember.insert(part).inserted { parts.append(part) }
  }
}
