// Compilers and linkers rename functions from build to build. A function recorded as `f` in the instrumented
// build may be called `f.llvm.123` in the release build: ThinLTO gave a local function a global name, and the
// number is a hash of the module, which instrumentation changed. Therefore names are compared in two steps:
// first byte by byte; if that finds nothing, by the canonical name, which is what remains after removing
// everything that may differ between builds.
//
// What is removed, and which tool adds it:
//
//     f.llvm.123            LLVM ThinLTO, a local function promoted to a global one
//     f.__uniq.123          clang -funique-internal-linkage-names
//     f.content.123         LLVM, merging by content across modules
//     f.lto_priv.0          GCC LTO, a local function promoted
//     f.<32 hex>            LLVM ThinLTO with control-flow integrity, a local function promoted
//     f.1                   LLVM full LTO, a clash of two local names
//     f.cfi                 LLVM control-flow integrity: the code of `f`, if `f` is an entry of a jump table
//     f.cfi_jt              LLVM control-flow integrity: an entry of a jump table, if `f` is the code
//     f.isra.0 .constprop.0 .specialized.1 .clone.2 .memprof.1 .argprom
//                           clones with changed parameters or for one call site
//     f.localalias .localalias.1
//                           GCC, a local name for a global function
//     f@V1 f@@V1            symbol versions
//     f.part.0              GCC, the rest of a function whose first lines were inlined
//     f.cold .cold.1        GCC, LLVM: blocks that are seldom executed
//     $s…Tm _Z…Tm f.Tgm     Swift, LLVM: one body for several functions that differ in constants
//     _ZN…17h<16 hex>E      Rust, a hash of the crate, its version and its flags
//     _RNv…Cs<base 62>_…    Rust v0, the same hash per crate; back references shift with its length
//
// Suffixes come in any number and order: `f.constprop.0.isra.0.cold`. They are removed from the end until
// none is left. So for a name without suffixes only its last bytes are examined.
//
// Names with the same canonical name may still be different code. `f.cold` is not `f`: its code is elsewhere, and runs
// when `f` does something rare. In a build that has not split `f`, this code is in `f`. So a canonical name also
// records which part of the function it names and which kinds of suffix were removed; `match(inRelease:)` ranks which
// names may correspond.
//
// Names that differ because the code differs are left alone: Swift's async parts (`TQ1_`, `TY0_`) and
// specializations (`Tf4nd_n`, `Tg5`), C++20 coroutine parts (`.resume`, `.destroy`), GCC's `._omp_fn.0`,
// basic-block sections (`.__part.1`), resolvers and target clones (`.resolver`, `.avx2`).
//
// The limits: if the release build merged `g` into `fTm` and dropped the name `g`, nothing in the names
// connects the two. And full LTO numbers clashing local names in the order in which it sees them, so `init.7`
// in one build may be another file's `init` in the next, although the bytes are equal.

import ImageModel

/// A mangled name without the parts that differ from build to build. It is for matching only: no linker knows
/// it.
package struct CanonicalName: Hashable, Sendable {
  /// The kinds of suffix that were removed.
  package struct Cuts: OptionSet, Hashable, Sendable {
    package var rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }
    package static let version = Self(rawValue: 1 << 0)
    package static let number = Self(rawValue: 1 << 1)
    /// `.llvm.N`, `.__uniq.N`, `.content.N`, `.lto_priv.N`: a local name made unique.
    package static let promotion = Self(rawValue: 1 << 2)
    package static let localAlias = Self(rawValue: 1 << 3)
    package static let isra = Self(rawValue: 1 << 4)
    package static let constantPropagation = Self(rawValue: 1 << 5)
    /// The suffix of a copy of a function: `.specialized.N`, `.clone.N`, `.memprof.N`, `.argprom`.
    package static let clone = Self(rawValue: 1 << 6)
    package static let partial = Self(rawValue: 1 << 7)
    package static let cold = Self(rawValue: 1 << 8)
    package static let merged = Self(rawValue: 1 << 9)
    package static let rustHash = Self(rawValue: 1 << 10)
    /// `.cfi`, `.cfi_jt`: control-flow integrity gives two symbols to a function that pointers may
    /// call.
    package static let controlFlowIntegrity = Self(rawValue: 1 << 11)
  }

  /// The part of the name that remains. For Rust v0 the demangled path without hashes; otherwise the beginning of the
  /// name.
  package let base: [UInt8]
  package let part: NamedPart
  package let cuts: Cuts

  package init(_ name: SymbolName) {
    let ending = NameEnding(of: name.bytes, in: 0..<name.bytes.count)
    part = ending.part
    cuts = ending.cuts
    base = Array(
      ending.rustV0Path(in: name.bytes, from: 0) ?? Array(name.bytes[..<ending.baseEnd]))
  }
}

extension CanonicalName {
  /// How well a symbol of the release build corresponds to a recorded symbol with the same base; the best case first.
  package enum Match: UInt8, Comparable, Sendable {
    /// The same kinds of suffix with other numbers or hashes: `f.llvm.1` and `f.llvm.2`. The
    /// suffixes of control-flow integrity do not count: `f` and `f.cfi`.
    case renumbered
    /// The release build has the plain function: `f.isra.0` and `f`.
    case base
    /// The release build has another clone: `f` and `f.constprop.0`.
    case variant
    /// The release build has merged the function with others: `f` and `fTm`.
    case mergedBody
    /// Only the recorded build has merged the function: `fTm` and `f`.
    case original
    /// One symbol is a part of the other: `f.part.0` and `f`.
    case partial
    /// Only the recorded build has split the function: `f.cold` and `f`.
    case unsplit

    package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
  }

  /// Returns how `release`, a name with the same base, corresponds to this name of the recorded build.
  ///
  /// - Returns: `nil` if it does not correspond: a function does not correspond to the cold part of a function.
  package func match(inRelease release: NameEnding) -> Match? {
    switch (part, release.part) {
    case (let a, let b) where a == b:
      if cuts.subtracting(.controlFlowIntegrity)
        == release.cuts.subtracting(.controlFlowIntegrity)
      {
        return .renumbered
      }
      return release.cuts.isSubset(of: [.rustHash, .controlFlowIntegrity]) ? .base : .variant
    case (_, .cold): return nil
    case (.cold, _): return .unsplit
    case (.partial, _), (_, .partial): return .partial
    case (.mergedBody, _): return .original
    default: return .mergedBody
    }
  }
}
