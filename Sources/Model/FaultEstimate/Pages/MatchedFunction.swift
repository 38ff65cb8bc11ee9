import ImageModel

/// A function that launches used, and the functions of some layouts that match it.
///
/// Addresses differ from build to build, and some names do, too: so the caller, who knows the names, says
/// which functions of each layout correspond to it.
package struct MatchedFunction: Sendable {
  /// The name shown to people; `nil` for code without a symbol.
  package var name: SymbolName?
  /// One match for each of the layouts, in the same order.
  package var matches: [Match]
  /// The size of the function in the recorded build; `nil` if it is unknown.
  package var recordedBytes: UInt64?
  /// Whether only the recorded build can have the function: a merged body whose originals were recorded, or a
  /// constructor of the instrumentation. A layout that lacks it misses nothing.
  package var isOnlyRecorded = false
  /// How many functions of the recorded build are meant: local ones with the same name may be the same functions of a
  /// layout.
  package var bodies = 1

  /// What of one layout matches a function.
  package struct Match: Sendable {
    /// The parts that the launches used. The array is empty if the layout lacks the function. It has several parts for aliases
    /// and for local functions of one name, because a linker that orders by name moves them together. If the launches used
    /// several blocks of a function at different times, each block is a matched function.
    package var parts: [Part]
    /// The functions of `parts` of which the launches used only some: as many as `bodies`, and no record says which ones. The
    /// set is empty if the launches used all functions of `parts`.
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

  /// What tells a use from others. Of one function, several recorded builds may state several sizes.
  package struct Identity: Hashable, Sendable {
    let name: SymbolName?
    let parts: [PartList]
  }

  package var identity: Identity {
    Identity(name: name, parts: matches.map { PartList($0.parts) })
  }

  /// What tells a function from others, whichever parts of it were used.
  package struct FunctionIdentity: Hashable, Sendable {
    let name: SymbolName?
    let functions: [FunctionList]
  }

  package var functionIdentity: FunctionIdentity {
    FunctionIdentity(name: name, functions: matches.map { FunctionList($0.parts) })
  }
}
