/// The part of a function that a symbol covers, according to the suffix of its name: `f.cold`, `f.part.0`, Swift's
/// `fTm`.
package enum NamedPart: Sendable {
  case whole
  /// A body that several functions share; each of them jumps to it or is replaced by it.
  case mergedBody
  /// A part split off by partial inlining.
  case partial
  /// Blocks split off because they seldom execute.
  case cold
}
