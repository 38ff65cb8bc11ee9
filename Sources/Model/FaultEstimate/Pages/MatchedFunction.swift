import ImageModel

/// A function that launches used, and the functions of some layouts that match it.
///
/// Addresses differ from build to build, and so do some names. So the caller, who knows the names, states which
/// functions of each layout match.
package struct MatchedFunction: Sendable {
  /// The name shown to people; `nil` for code without a symbol.
  package var name: SymbolName?
  /// The functions of each layout that match, in the order of the layouts.
  package var matches: [Match]
  /// The size of the function in the recorded build; `nil` if it is unknown.
  package var recordedBytes: UInt64?
  /// Whether only the recorded build can have the function: a merged body whose originals were recorded, or a
  /// constructor of the instrumentation. A layout that lacks it misses nothing.
  package var isOnlyRecorded = false
  /// The number of functions of the recorded build that match: several local functions with one name may match the same
  /// functions of a layout.
  package var bodies = 1

  /// The functions of one layout that match a function.
  package struct Match: Sendable {
    /// The parts that the launches used. The array is empty if the layout lacks the function. It has several parts for aliases
    /// and for local functions of one name, because a linker that orders by name moves them together. If the launches used
    /// several blocks of a function at different times, each block is a matched function.
    package var parts: [Part]
    /// The functions of `parts` that are alternatives: the launches used only as many of them as `bodies`, and no
    /// record shows which ones. The set is empty if the launches used all functions of `parts`.
    package var alternatives: Set<Int>

    package init(_ parts: [Part], alternatives: Set<Int> = []) {
      self.parts = parts
      self.alternatives = alternatives
    }
  }

  package init(name: SymbolName?, matches: [Match], recordedBytes: UInt64? = nil) {
    self.name = name
    self.matches = matches
    self.recordedBytes = recordedBytes
  }

  /// Whether no layout has the function.
  package var isMissing: Bool { matches.allSatisfy(\.parts.isEmpty) }

  /// The identity of a use. The size is not part of it, because several recorded builds may state several sizes of one
  /// function.
  package struct Identity: Hashable, Sendable {
    let name: SymbolName?
    let parts: [PartList]
  }

  package var identity: Identity {
    Identity(name: name, parts: matches.map { PartList($0.parts) })
  }

  /// The identity of a function, whichever parts of the function were used.
  package struct FunctionIdentity: Hashable, Sendable {
    let name: SymbolName?
    let functions: [FunctionList]
  }

  package var functionIdentity: FunctionIdentity {
    FunctionIdentity(name: name, functions: matches.map { FunctionList($0.parts) })
  }
}
