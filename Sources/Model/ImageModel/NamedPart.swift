/// The part of a function that a symbol covers, according to the suffix of its name: `f.cold`, `f.part.0`, Swift's
/// `fTm`.
package enum NamedPart: Sendable {
  case whole
  /// The symbol covers a body that several functions share; each of them jumps to the body or is replaced by it.
  case mergedBody
  /// The symbol covers a part that was split off by partial inlining.
  case partial
  /// The symbol covers blocks that were split off because they seldom execute.
  case cold
}
