/// What a symbol holds of the function that it is named for, as the end of its name tells: `f.cold`, `f.part.0`,
/// Swift's `fTm`.
package enum NamedPart: Sendable {
  case whole
  /// One body that several functions share; each of them jumps into it, or is replaced by it.
  case mergedBody
  /// A piece split off by partial inlining.
  case partial
  /// Blocks split off because they are seldom executed.
  case cold
}
