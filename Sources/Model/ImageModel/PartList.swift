/// A list of parts as a key.
///
/// Thousands of recorded functions may have the same name. They then share one list of the functions with this name.
/// Lists that share their storage are compared in constant time; every list is hashed in constant time, by its count
/// and ends.
package struct PartList: Hashable, Sendable {
  private let parts: [Part]

  package init(_ parts: [Part]) { self.parts = parts }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(parts.count)
    hasher.combine(parts.first)
    hasher.combine(parts.last)
  }
}

/// The functions of a list of parts as a key; the blocks of the parts do not count. The key costs the same as
/// `PartList`.
package struct FunctionList: Hashable, Sendable {
  private let parts: [Part]

  package init(_ parts: [Part]) { self.parts = parts }

  package static func == (a: Self, b: Self) -> Bool {
    // Arrays that share their storage are equal without a comparison of their elements.
    a.parts == b.parts || a.parts.elementsEqual(b.parts) { $0.function == $1.function }
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(parts.count)
    hasher.combine(parts.first?.function)
    hasher.combine(parts.last?.function)
  }
}

/// Concatenates lists of parts. The same two lists are concatenated once, so that the results share their storage.
package struct JoinedParts {
  private struct Pair: Hashable {
    var first: PartList
    var second: PartList
  }
  private var known: [Pair: [Part]] = [:]

  package init() {}

  package mutating func join(_ first: [Part], _ second: [Part]) -> [Part] {
    if second.isEmpty { return first }
    let pair = Pair(first: PartList(first), second: PartList(second))
    if let joined = known[pair] { return joined }
    let joined = first + second
    known[pair] = joined
    return joined
  }
}
