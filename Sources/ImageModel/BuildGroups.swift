// Which images of traces are builds of the same program or library?
//
// The launched build and the one that ships have different IDs, and one library has several names: the loader calls
// it `libjq.so.1`, which is its DT_SONAME, and the kernel `libjq.so.1.0.4`, which is the file that this leads to. So
// images belong together, in this order of evidence,
//
//   1. if their IDs are equal, and no weak ones,
//   2. if libraries state the same name,
//   3. if they lie at the same path, or have the same file name; of libraries, but for the end of a version:
//      `libjq.so.1` and `libjq.so.1.0.4`.
//
// Two images of one trace were in one process. By 2 and 3 they are two images then, as two plugins of one file name
// are. And 3 does not hold for libraries that state different names.
//
// What it leaves out: a program that was built under another name. Only its functions tell.

/// The images of traces, with the builds of one program or library together.
package struct BuildGroups: Sendable {
  package struct Group: Sendable {
    /// The file name of its first image; where another group has that already, with a number behind it.
    package var name: String
    /// What a build of it states.
    package var libraryName: String?
    /// Indexes into the images of the traces, in the order of the first load.
    package var images: [Int]
    /// The last trace that had one of the images.
    fileprivate var lastTrace: Int
  }

  /// In the order of the first load of their images.
  package private(set) var groups: [Group] = []
  /// For each image of the traces the group that it is in.
  private var groupOfImage: [Int]
  private var byID: [ImageID: Int] = [:]
  private var byPath: [String: Int] = [:]
  private var byLibraryName: [String: [Int]] = [:]
  private var byName: [String: [Int]] = [:]
  /// By names without the end of their version.
  private var byShorterName: [String: [Int]] = [:]

  /// Namesakes that are looked at for one image.
  private static let limit = 64

  /// - Parameter libraryName: what a library states; `nil` if it is none, or if that is not known.
  /// - Complexity: O(*t*) for *t* images in all traces together, on average.
  package init(_ traces: TraceSet, libraryName: (TraceImage) -> String?) {
    groupOfImage = Array(repeating: -1, count: traces.images.count)
    var isTaken: Set<String> = []
    var count: [String: Int] = [:]
    for (number, trace) in traces.members.enumerated() {
      for use in trace.uses where groupOfImage[use.image] >= 0 {
        groups[groupOfImage[use.image]].lastTrace = number
      }
      for use in trace.uses where groupOfImage[use.image] < 0 {
        let image = traces.images[use.image]
        let library = libraryName(image)
        let known = group(image.id, libraryName: library, path: image.path, notIn: number)
        let group = known ?? groups.count
        if known == nil {
          var name = image.fileName
          while !isTaken.insert(name).inserted {
            count[image.fileName, default: 1] += 1
            name = "\(image.fileName).\(count[image.fileName] ?? 1)"
          }
          groups.append(Group(name: name, images: [], lastTrace: number))
        }
        groups[group].images.append(use.image)
        groups[group].libraryName = groups[group].libraryName ?? library
        groups[group].lastTrace = number
        groupOfImage[use.image] = group
        note(image, library, in: group)
      }
    }
  }

  private mutating func note(_ image: TraceImage, _ libraryName: String?, in group: Int) {
    if let id = image.id, id.kind != .weak, byID[id] == nil { byID[id] = group }
    if byPath[image.path] == nil { byPath[image.path] = group }
    func add(_ name: String, to groups: inout [String: [Int]]) {
      if groups[name]?.last != group { groups[name, default: []].append(group) }
    }
    if let libraryName { add(libraryName, to: &byLibraryName) }
    let isCalledOtherwise = libraryName.map { $0 != image.fileName } ?? false
    for name in [image.fileName] + (isCalledOtherwise ? [libraryName ?? ""] : []) {
      add(name, to: &byName)
      for shorter in Self.shorterNames(of: name) { add(shorter, to: &byShorterName) }
    }
  }

  /// The group that a build belongs to; `nil` if no trace has one.
  ///
  /// - Parameter path: where the build is, whose last component counts.
  package func group(_ id: ImageID?, libraryName: String?, path: String) -> Int? {
    group(id, libraryName: libraryName, path: path, notIn: nil)
  }

  private func group(
    _ id: ImageID?, libraryName: String?, path: String, notIn trace: Int?
  ) -> Int? {
    if let id, id.kind != .weak, let known = byID[id] { return known }
    func fits(_ group: Int) -> Bool {
      guard let libraryName, let other = groups[group].libraryName else { return true }
      return libraryName == other
    }
    func first(_ candidates: [Int]?) -> Int? {
      candidates?.prefix(Self.limit).first {
        fits($0) && (trace == nil || groups[$0].lastTrace != trace)
      }
    }
    if let found = libraryName.flatMap({ first(byLibraryName[$0]) }) { return found }
    if let found = byPath[path], fits(found) { return found }
    let fileName = path.split(separator: "/").last.map(String.init) ?? path
    for name in [libraryName, fileName].compactMap({ $0 }) {
      if let found = first(byName[name]) ?? first(byShorterName[name]) { return found }
      for shorter in Self.shorterNames(of: name) {
        if let found = first(byName[shorter]) { return found }
      }
    }
    return nil
  }

  /// The group of the image at `index` of the traces' images.
  package func group(ofImageAt index: Int) -> Int { groupOfImage[index] }

  /// Puts the images of a group into another one.
  ///
  /// - Complexity: O(*n*) for *n* images of `group`.
  package mutating func merge(_ group: Int, into other: Int) {
    guard group != other else { return }
    for image in groups[group].images { groupOfImage[image] = other }
    groups[other].images += groups[group].images
    groups[group].images = []
  }

  /// `libjq.so.1.0.4` without the end of its version: `libjq.so.1.0`, `libjq.so.1`, `libjq.so`. At most eight.
  private static func shorterNames(of name: String) -> [String] {
    guard name.contains(".so.") else { return [] }
    var names: [String] = []
    var rest = name[...]
    while names.count < 8, let dot = rest.lastIndex(of: "."),
      rest[rest.index(after: dot)...].allSatisfy({ $0.isASCII && $0.isNumber }),
      dot < rest.index(before: rest.endIndex)
    {
      rest = rest[..<dot]
      names.append(String(rest))
    }
    return names
  }
}
