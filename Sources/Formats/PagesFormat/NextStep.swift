import ByteReading
import JSON

/// A step that would make a launch touch fewer pages, or wait less for them.
///
/// A step has a figure: the predicted gain, or the number in the reason. A list of steps is sorted by `inSequence`, and
/// has each kind once.
package struct NextStep: Hashable, Sendable {
  /// The first case comes first: a later step makes sense only if the earlier ones are done, or have nothing to gain.
  package enum Kind: String, CaseIterable, Sendable {
    /// Link again: the linker did not follow the order file.
    case relink
    /// Record a launch again: the launch runs functions that were not recorded.
    case record
    /// Make the order file again: it does not list functions that were recorded.
    case order
    /// Place only the basic blocks that ran.
    case split
    /// Improve the order by trying.
    case refine
    /// Read all ordered functions at once.
    case prefetch
    /// Try options of linkers and compilers.
    case advise
    /// No step is left. It is the only step of its list.
    case nothing
  }

  package var kind: Kind
  /// Why to take the step, as a sentence without a full stop. It names the figure.
  package var reason: String
  /// The predicted number of pages that the step saves, of the page size of the document; `nil` if the step saves no
  /// pages of code, or an unknown number.
  package var gainPages: Int?
  /// The command lines of the step, for a shell, in sequence. Empty for `nothing`.
  package var commands: [String]
  /// What the user has to add to `commands` because no document states it, each as a sentence without a full stop.
  package var needs: [String]

  package init(
    _ kind: Kind, _ reason: String, gainPages: Int? = nil, commands: [String] = [],
    needs: [String] = []
  ) {
    self.kind = kind
    self.reason = reason
    self.gainPages = gainPages
    self.commands = commands
    self.needs = needs
  }
}

extension NextStep {
  /// Joins the steps that several documents state: each kind once, from the first list that has it, sorted.
  ///
  /// - Returns: `nothing` only if no list has another step.
  package static func inSequence(_ lists: [[NextStep]]) -> [NextStep] {
    var steps: [NextStep] = []
    for kind in Kind.allCases {
      if kind == .nothing, !steps.isEmpty { continue }
      let first = lists.lazy.compactMap { list in list.first { $0.kind == kind } }.first
      if let first { steps.append(first) }
    }
    return steps
  }
}

extension NextStep: JSONListedObject {
  package static let members = JSONMembers(
    { NextStep($0, $1, gainPages: $2, commands: $3, needs: $4) },
    member("kind", \.kind), member("reason", \.reason), optionalMember("gainPages", \.gainPages),
    member("commands", \.commands), member("needs", \.needs))
}

extension NextStep.Kind: JSONReadable, JSONValue {}
