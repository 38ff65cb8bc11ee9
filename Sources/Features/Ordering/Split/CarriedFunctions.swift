import Addresses
import ImageModel
import JSON
import Rendering

/// The number of functions that launches of other builds ran, by how their blocks were found in this build.
package struct CarriedFunctions: Hashable, Sendable {
  /// Functions that have the same blocks in both builds.
  package var same = 0
  /// Functions that were edited, and whose blocks were matched.
  package var matched = 0
  /// The `matched` functions that have other names in the recorded build.
  package var renamed = 0
  /// The blocks of the `matched` functions, and how many of these blocks match a block of the recorded build.
  package var blocks = 0
  package var matchedBlocks = 0
  /// Functions that stay whole, because too few of their blocks match, or because another function of the same name was
  /// edited, too.
  package var whole = 0
  /// Functions that no recorded launch ran, and that code has begun to use that runs. Each of them is placed, whole,
  /// after the function that uses it, or, if it is large, after all functions that run.
  package var reached = 0
  /// The reached functions that only this build has.
  package var new = 0

  package init() {}

  package var text: String {
    let all = counted(same + matched + whole, "function")
    var text =
      "found the blocks of \(same + matched) of \(all) of other builds: \(same) with the same blocks"
    if matched > 0 {
      text +=
        ", \(matched) edited\(renamed > 0 ? " (\(renamed) renamed)" : ""), with \(matchedBlocks) of \(counted(blocks, "block")) in common"
    }
    if whole > 0 { text += ", \(whole) left whole" }
    if reached > 0 {
      text += "; added \(counted(reached, "function")) that these use, \(new) of them new"
    }
    return text
  }

  mutating func add(isNew: Bool) {
    reached += 1
    if isNew { new += 1 }
  }
}

extension CarriedFunctions: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("blocks", blocks)
    json.member("matchedBlocks", matchedBlocks)
    json.member("matchedFunctions", matched)
    json.member("newFunctions", new)
    json.member("reachedFunctions", reached)
    json.member("renamedFunctions", renamed)
    json.member("sameFunctions", same)
    json.member("wholeFunctions", whole)
  }
}

/// How the blocks of each function that launches of other builds ran were found. The key of a function is its first
/// address in this build.
struct BlockFindings {
  enum Finding {
    /// The function has the same blocks in both builds.
    case same
    /// `blocks` of the function's blocks match blocks of the recorded build, where it may have another name.
    case matched(blocks: Int, of: Int, isRenamed: Bool)
    /// Too few blocks match: the difference of the function between both builds.
    case drifted(BlockDifference, isRenamed: Bool)
  }

  private var findings: [StatedAddress: Finding] = [:]

  /// Adds a function. If launches of several builds ran it, the worst finding counts.
  mutating func add(_ entry: StatedAddress, _ finding: Finding) {
    switch (findings[entry], finding) {
    case (nil, _), (.same, _), (.matched, .drifted): findings[entry] = finding
    case (.matched(let known, _, _), .matched(let blocks, _, _)) where blocks < known:
      findings[entry] = finding
    default: break
    }
  }

  /// Why the function at `entry` can't be split by what was recorded; `nil` unless too few of its blocks match.
  func reasonToStayWhole(at entry: StatedAddress) -> String? {
    guard case .drifted(let difference, _) = findings[entry] else { return nil }
    return "basic blocks differ from the recorded build: \(difference)"
  }

  /// Whether a launch of another build ran the function at `entry`.
  func hasFunction(at entry: StatedAddress) -> Bool { findings[entry] != nil }

  /// The functions that have other names in the recorded build, by their first addresses, ascending.
  var renamed: [StatedAddress] {
    findings.filter { finding in
      switch finding.value {
      case .matched(_, _, let isRenamed), .drifted(_, let isRenamed): isRenamed
      case .same: false
      }
    }.keys.sorted()
  }

  /// The number of functions for each finding; `nil` if launches of other builds ran no functions.
  var counts: CarriedFunctions? {
    guard !findings.isEmpty else { return nil }
    return findings.values.reduce(into: CarriedFunctions()) { counts, finding in
      switch finding {
      case .same: counts.same += 1
      case .matched(let matched, let blocks, let isRenamed):
        counts.matched += 1
        if isRenamed { counts.renamed += 1 }
        counts.matchedBlocks += matched
        counts.blocks += blocks
      case .drifted: counts.whole += 1
      }
    }
  }
}
