import Demangling
import ImageModel

/// The result of looking up a recorded name in the release build. Functions are indexes into the layout's `functions`,
/// ascending: by address, then by size, then by name.
package enum Resolution: Hashable, Sendable {
  /// The functions with the name, at least one, and the functions that belong to it.
  case exact([Int])
  /// The functions whose names have the same canonical form as the recorded name: all functions that match best, at least
  /// one.
  case canonical([Int], CanonicalName.Match)
  case missing(MissingReason)

  /// All functions to order for the name; empty if it is missing.
  package var functions: [Int] {
    switch self {
    case .exact(let found), .canonical(let found, _): found
    case .missing: []
    }
  }

  /// The functions to order for the name, each as a whole part.
  package var parts: [Part] { functions.map { Part($0) } }
}

/// The reason why a recorded name matches no function of the release build.
package enum MissingReason: Hashable, Sendable, CaseIterable, CustomStringConvertible {
  case noSuchSymbol
  case inlinedOrRemoved
  case unreferenced
  case mergedBody
  case coldPart
  case outlined
  case sanitizerConstructor

  /// Whether no release build has the symbol, so that nothing is missing without it.
  package var isOfRecordedBuild: Bool {
    switch self {
    case .mergedBody, .sanitizerConstructor: true
    case .noSuchSymbol, .inlinedOrRemoved, .unreferenced, .coldPart, .outlined: false
    }
  }

  /// The reason as one sentence in lower case, without a full stop.
  package var description: String {
    switch self {
    case .noSuchSymbol: "no such symbol"  // lld's words
    case .inlinedOrRemoved: "renamed, inlined, merged or removed in the release build"
    case .unreferenced: "inlined into all callers: only an unreferenced copy is left"
    case .mergedBody:
      "only in the recorded build: a merged function, whose original functions have entries of their own"
    case .coldPart: "only in the recorded build: the cold part of a function"
    case .outlined:
      "outlined by the compiler, under a number that is new in each build and object file: -mno-outline "
        + "(Swift: -Xllvm -enable-machine-outliner=never) leaves the code in its functions"
    case .sanitizerConstructor:
      "a constructor of -fsanitize-coverage, only in instrumented builds"
    }
  }
}
