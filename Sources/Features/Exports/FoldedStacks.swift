// The functions that launches used, as folded stacks for tools that draw flame graphs. Each line has one function and
// its weight: `image;module or file;function bytes`.
//
// A first hit has no stack, because its caller is not recorded. The picture shows where the bytes are. So the weight is
// the size of the function, and each function counts once, however many launches used it. Launches may be of several
// builds:
//
//     build 9f3a at bin/app   main 18, alpha 12       app;alpha 12
//     build 77c0 at bin/app   main 20, omega 50       app;main  20     the larger of both
//                                                     app;omega 50
//
// If local functions of one build have the same name, their sizes are added up. If two images have the same file name,
// each is shown with the shortest end of its path that differs.

import Addresses
import ImageModel
import Rendering

package struct FoldedStacks {
  /// The number of functions whose size is unknown; they have no line.
  package private(set) var unknownSizes = 0
  /// The bytes of each function, by the path of its image.
  private var sizes: [String: [FunctionKey: UInt64]] = [:]

  /// The properties that two functions of an image must share to be one function in the flame graph.
  private struct FunctionKey: Hashable {
    var owner: SymbolName?
    var name: SymbolName?
    /// The address of a function without a name.
    var address: StatedAddress?
  }

  /// The code of a first hit: by its name or address in a build.
  private struct Place: Hashable {
    var function: FunctionKey
    var address: StatedAddress?
    /// The index of the hit in its launch, if neither the function's name nor its address is known.
    var number: Int?
  }

  private let wording: NameWording

  package init(_ launches: [ExportedLaunch], wording: @escaping NameWording) {
    self.wording = wording
    // The path of each build: the path of its image in the first launch that used the build.
    var pathOfBuild: [ImageID: String] = [:]
    var builds: [ExportedLaunch.Image] = []
    var places: [ExportedLaunch.Image: [Place: UInt64?]] = [:]
    for launch in launches {
      let images = launch.images.map { image in
        guard let id = image.id, id.kind != .weak else { return image }
        let path = pathOfBuild[id] ?? image.path
        pathOfBuild[id] = path
        return ExportedLaunch.Image(path: path, id: id)
      }
      for (number, hit) in launch.hits.enumerated() {
        let name = hit.names.first
        let place = Place(
          function: FunctionKey(
            owner: hit.owner, name: name, address: name == nil ? hit.address : nil),
          address: hit.address, number: hit.address == nil && name == nil ? number : nil)
        let build = images[hit.image]
        if places[build] == nil { builds.append(build) }
        if places[build, default: [:]][place] == nil {
          places[build, default: [:]][place] = .some(hit.address == nil ? nil : hit.sizeBytes)
        }
      }
    }
    for build in builds {
      var ofBuild: [FunctionKey: UInt64] = [:]
      for (place, size) in places[build] ?? [:] {
        if let size {
          ofBuild[place.function] = Self.sum(ofBuild[place.function] ?? 0, size)
        } else {
          unknownSizes += 1
        }
      }
      sizes[build.path, default: [:]].merge(ofBuild) { max($0, $1) }
    }
  }

  /// The lines of the folded stacks, in ascending order.
  package var text: String {
    let files = Self.shortestEnds(of: sizes.keys.sorted())
    var sizeOfStack: [String: UInt64] = [:]
    for path in sizes.keys.sorted() {
      for (function, size) in sizes[path] ?? [:] {
        let name = function.name.map(wording) ?? function.address?.description ?? "?"
        let frames = [files[path] ?? path, function.owner?.description, name].compactMap { $0 }
        let stack = frames.map(Self.frame).joined(separator: ";")
        sizeOfStack[stack] = Self.sum(sizeOfStack[stack] ?? 0, size)
      }
    }
    return sizeOfStack.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      .map { "\($0.key) \($0.value)\n" }.joined()
  }

  private static func sum(_ a: UInt64, _ b: UInt64) -> UInt64 { [a, b].saturatingSum() }

  /// Returns the shortest end of each path, in whole components, with which no other path ends.
  private static func shortestEnds(of paths: [String]) -> [String: String] {
    var ends: [String: String] = [:]
    var rest = paths
    var count = 1
    while !rest.isEmpty {
      let groups = Dictionary(grouping: rest) { end(of: $0, count) }
      rest = []
      for end in groups.keys.sorted() {
        let members = groups[end] ?? []
        // A path that is the end of another path is kept whole.
        let whole = members.filter { $0.split(separator: "/").count <= count }
        for path in members.count == 1 ? members : whole { ends[path] = end }
        if members.count > 1 { rest += members.filter { !whole.contains($0) } }
      }
      count += 1
    }
    return ends
  }

  private static func end(of path: String, _ count: Int) -> String {
    path.split(separator: "/").suffix(count).joined(separator: "/")
  }

  /// Returns a frame without semicolons, which separate frames. The last blank of a line separates the weight.
  private static func frame(_ name: String) -> String {
    let text = printable(name).escapingScalars { $0 == ";" ? ":" : nil }
    return text.isEmpty ? "?" : text
  }
}
