import ImageModel
import Rendering

extension Diagnostic.Kind {
  /// Some hits of a trace are in images that are not ordered or compared.
  package static let unusedHits = Self("unusedHits")
  /// All hits of a trace are in images that are not ordered or compared.
  package static let unusedTrace = Self("unusedTrace")
}

extension Diagnostic {
  /// Returns the warnings about `unused`: one for each trace, or one for several traces with the same unused images.
  ///
  /// - Parameters:
  ///   - unused: the unused hits of each trace.
  ///   - remedies: how to use the hits in other images.
  package static func unused(
    _ unused: [[UnusedHits]], remedies: [Remedy] = []
  ) -> [Diagnostic] {
    struct Key: Hashable {
      var images: Set<Image>
      var reason: UnusedHits.Reason
    }
    var keys: [Key] = []
    var tracesOfKey: [Key: [[UnusedHits]]] = [:]
    for trace in unused {
      guard let first = trace.first else { continue }
      let key = Key(images: Set(trace.map(Image.init)), reason: first.reason)
      if tracesOfKey[key] == nil { keys.append(key) }
      tracesOfKey[key, default: []].append(trace)
    }
    let hinted = keys.first { $0.images.contains { $0.path != nil } }
    return keys.map { key in
      let traces = tracesOfKey[key] ?? []
      return Diagnostic(
        text(traces, key.reason), context: [traces[0][0].trace],
        remedies: key == hinted ? remedies : [],
        kind: key.reason == .anotherProgram ? .unusedTrace : .unusedHits)
    }
  }

  private struct Image: Hashable {
    let path: String?
    let id: String?

    init(_ unused: UnusedHits) {
      path = unused.image
      id = unused.imageID
    }
  }

  private static func text(
    _ traces: [[UnusedHits]], _ reason: UnusedHits.Reason
  ) -> String {
    let all = traces.flatMap { $0 }
    let unused = all.map(\.hits).saturatingSum()
    let total = traces.map { $0[0].hitsInTrace }.saturatingSum()
    let others = traces.count > 1 ? "this and \(counted(traces.count - 1, "more trace")): " : ""
    let what =
      reason == .anotherProgram
      ? "none of \(counted(total, "hit")) is used, because the trace has no build of the given image:"
      : "\(unused) of \(counted(total, "hit")) \(total == 1 ? "is" : "are") not used:"
    let hits = Dictionary(grouping: all, by: Image.init).mapValues {
      $0.map(\.hits).saturatingSum()
    }
    let places = traces[0].prefix(3).map {
      place($0, hits: hits[Image($0)] ?? 0, isOne: traces.count == 1)
    }
    let more = traces[0].count - places.count
    return others + what + " " + places.joined(separator: ", ")
      + (more > 0 ? ", and \(counted(more, "more image"))" : "")
  }

  private static func place(_ unused: UnusedHits, hits: Int, isOne: Bool) -> String {
    guard let image = unused.image else { return "\(hits) in no image of the trace" }
    let functions = isOne ? " (\(counted(unused.functions, "function")))" : ""
    return "\(hits) in '\(fileName(ofPath: image))'\(functions)"
  }
}
