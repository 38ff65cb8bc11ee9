import ImageModel
import JSON
import Rendering

/// A profile by which functions are split, and what it leaves out.
package struct SplitSummary: Hashable, Sendable {
  /// The path of the profile; `-` is stdout.
  package var outputPath = ""
  /// The name of the profile's format.
  package var format = ""
  /// How to use the profile: the options of the next build, with the profile's path.
  package var use = ""
  /// The whole command to type next; `nil` if the image is to be linked again.
  package var command: String?
  /// The number of functions that are split.
  package var functions = 0
  /// The size, in bytes, of the blocks of split functions that ran, and of their other blocks.
  package var hotBytes: UInt64 = 0
  package var coldBytes: UInt64 = 0
  /// Functions that stay whole although some of their blocks did not run.
  package var leftWhole: [NameWithReason] = []
  /// The functions that ran and have no map of basic blocks; `nil` if the splitting tool needs no map.
  package var unmapped: UnmappedCode?
  /// The functions that launches of other builds ran; `nil` if all launches are of the build that is split.
  package var otherBuilds: CarriedFunctions?

  package init() {}
}

extension SplitSummary: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("coldBytes", coldBytes)
    json.member("format", format)
    json.member("functions", functions)
    json.member("hotBytes", hotBytes)
    json.member("leftWhole", leftWhole)
    json.optional("otherBuilds", otherBuilds)
    json.member("outputPath", outputPath)
    json.optional("unmapped", unmapped)
  }
}
