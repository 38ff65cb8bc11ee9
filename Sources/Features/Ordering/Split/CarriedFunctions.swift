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
  /// The blocks of the `matched` functions, and how many of these blocks match a block of the recorded build.
  package var blocks = 0
  package var matchedBlocks = 0
  /// Functions that stay whole, because too few of their blocks match, or because another function of the same name was
  /// edited, too.
  package var whole = 0
  /// Functions that only this build has, and that are used by a block that was found or by another new function. Each
  /// new function is placed, whole, after the function that uses it.
  package var new = 0

  package init() {}

  package var text: String {
    let all = counted(same + matched + whole, "function")
    var text =
      "found the blocks of \(same + matched) of \(all) of other builds: \(same) with the same blocks"
    if matched > 0 {
      text += ", \(matched) edited, with \(matchedBlocks) of \(counted(blocks, "block")) in common"
    }
    if whole > 0 { text += ", \(whole) left whole" }
    if new > 0 { text += "; added \(counted(new, "new function")) that these use" }
    return text
  }
}

extension CarriedFunctions: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("blocks", blocks)
    json.member("matchedBlocks", matchedBlocks)
    json.member("matchedFunctions", matched)
    json.member("newFunctions", new)
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
    /// `blocks` of the function's blocks match blocks of the recorded build.
    case matched(blocks: Int, of: Int)
    /// Too few blocks match: the difference of the function between both builds.
    case drifted(BlockDifference)
  }

  private var findings: [StatedAddress: Finding] = [:]

  /// Adds a function. If launches of several builds ran it, the worst finding counts.
  mutating func add(_ entry: StatedAddress, _ finding: Finding) {
    switch (findings[entry], finding) {
    case (nil, _), (.same, _), (.matched, .drifted): findings[entry] = finding
    case (.matched(let known, _), .matched(let blocks, _)) where blocks < known:
      findings[entry] = finding
    default: break
    }
  }

  /// Why the function at `entry` can't be split by what was recorded; `nil` unless too few of its blocks match.
  func reasonToStayWhole(at entry: StatedAddress) -> String? {
    guard case .drifted(let difference) = findings[entry] else { return nil }
    return "basic blocks differ from the recorded build: \(difference)"
  }

  /// The number of functions for each finding; `nil` if launches of other builds ran no functions.
  var counts: CarriedFunctions? {
    guard !findings.isEmpty else { return nil }
    return findings.values.reduce(into: CarriedFunctions()) { counts, finding in
      switch finding {
      case .same: counts.same += 1
      case .matched(let matched, let blocks):
        counts.matched += 1
        counts.matchedBlocks += matched
        counts.blocks += blocks
      case .drifted: counts.whole += 1
      }
    }
  }
}
