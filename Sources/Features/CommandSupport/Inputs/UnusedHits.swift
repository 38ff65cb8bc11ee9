import ImageModel
import JSON

/// The hits of a trace in an image that is not ordered or compared.
package struct UnusedHits: Hashable, Sendable {
  /// The path of the trace.
  package var trace: String
  /// The path of the image as the trace states it; `nil` for hits in no image of the trace.
  package var image: String?
  /// The ID of the image; `nil` if the trace does not state it, and for hits in no image.
  package var imageID: String?
  /// The number of first uses of functions and basic blocks.
  package var hits: Int
  /// The number of distinct functions among the hits.
  package var functions: Int
  /// The number of hits in the whole trace.
  package var hitsInTrace: Int
  package var reason: Reason

  /// Why hits are unused. Warnings contain these words, too.
  package enum Reason: String, CaseIterable, Sendable {
    case anotherImage = "another image"
    /// No image of the trace is a build of an image that is ordered or compared.
    case anotherProgram = "no build of it in the trace"
    case noImage = "in no image of the trace"
  }

  package init(
    trace: String, image: String?, imageID: String?, hits: Int, functions: Int, hitsInTrace: Int,
    reason: Reason
  ) {
    self.trace = trace
    self.image = image
    self.imageID = imageID
    self.hits = hits
    self.functions = functions
    self.hitsInTrace = hitsInTrace
    self.reason = reason
  }
}

extension RecordedBuilds {
  /// Returns, for each trace, the hits outside of the images of the groups `given`. Images with the most hits come
  /// first.
  package func unused(besides given: [Int]) -> [[UnusedHits]] {
    let isGiven = Set(given)
    return traces.members.map { member in
      let hits = member.uses.map(\.hits).reduce(member.unattributedHits, +)
      let uses = member.uses.filter { !$0.isEmpty }
      let others = uses.filter { !isGiven.contains(groups.group(ofImageAt: $0.image)) }
      let isUsed = others.count < uses.count
      var unused = others.map { use in
        let image = traces.images[use.image]
        return UnusedHits(
          trace: member.path, image: image.path, imageID: image.id?.description, hits: use.hits,
          functions: use.functions, hitsInTrace: hits,
          reason: isUsed ? .anotherImage : .anotherProgram)
      }
      unused.sort {
        ($1.hits, $0.image ?? "", $0.imageID ?? "") < ($0.hits, $1.image ?? "", $1.imageID ?? "")
      }
      if member.unattributedHits > 0 {
        unused.append(
          UnusedHits(
            trace: member.path, image: nil, imageID: nil, hits: member.unattributedHits,
            functions: 0, hitsInTrace: hits, reason: .noImage))
      }
      return unused
    }
  }
}

extension UnusedHits: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("functions", functions)
    json.member("hits", hits)
    json.optional("image", image)
    json.optional("imageID", imageID)
    json.member("reason", reason.rawValue)
    json.member("trace", trace)
  }
}
