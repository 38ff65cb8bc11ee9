// Which images of traces are builds of the same program or library?
//
// The launched build and the release build have different IDs, and a library has several names: the loader knows it as
// `libjq.so.1`, its DT_SONAME, and the kernel as `libjq.so.1.0.4`, the file to which that name is a symbolic link. So
// two images are builds of the same program or library if one of these is true; the first has precedence:
//
//   1. They have the same ID, and it is not a weak ID.
//   2. They are libraries that state the same name.
//   3. They have the same path or the same file name. The end of a library's version does not count: `libjq.so.1`
//      and `libjq.so.1.0.4` are equal.
//
// 2 and 3 do not apply to two images of one process, unless their paths are equal: such images were loaded at the same
// time, like two plugins with the same file name. 3 does not apply to libraries that state different names.
//
// A program that was built under another name is not matched. Only its functions show which program it is
// (`RecordedBuilds`).

/// The images of traces, grouped into builds of the same program or library.
package struct BuildGroups: Sendable {
  package struct Group: Sendable {
    /// The name of the group: the file name of its first image, with a number appended if an earlier group has that
    /// name.
    package var name: String
    /// The name that a build of the library states; `nil` if none is known.
    package var libraryName: String?
    /// The images of the group, as indexes into the images of the traces, in the order of the first load.
    package var images: [Int]
    /// The index of the last process that had one of the group's images.
    fileprivate var lastProcess: Int
  }

  /// The groups, in the order of the first load of their images.
  package private(set) var groups: [Group] = []
  /// The group of each image of the traces.
  private var groupOfImage: [Int]
  private var byID: [ImageID: Int] = [:]
  private var byPath: [String: Int] = [:]
  private var byLibraryName: [String: [Int]] = [:]
  private var byName: [String: [Int]] = [:]
  /// The groups of libraries, by the names without the end of the version: `libx.so.1` for `libx.so.1.2`.
  private var byShorterName: [String: [Int]] = [:]

  /// The number of groups with the same name that are examined for one image.
  private static let limit = 64

  /// - Parameter libraryName: returns the name that a library states; `nil` for a program, and if the name is unknown.
  /// - Complexity: O(*t*) for *t* images in all traces together, on average.
  package init(_ traces: TraceSet, libraryName: (TraceImage) -> String?) {
    groupOfImage = []
    var placed = [Int?](repeating: nil, count: traces.images.count)
    var isTaken: Set<String> = []
    var count: [String: Int] = [:]
    for (number, process) in traces.members.lazy.flatMap(\.processes).enumerated() {
      for group in process.compactMap({ placed[$0] }) { groups[group].lastProcess = number }
      for index in process where placed[index] == nil {
        let image = traces.images[index]
        let library = libraryName(image)
        let known = group(image.id, libraryName: library, path: image.path, notIn: number)
        let group = known ?? groups.count
        if known == nil {
          var name = image.fileName
          while !isTaken.insert(name).inserted {
            count[image.fileName, default: 1] += 1
            name = "\(image.fileName).\(count[image.fileName] ?? 1)"
          }
          groups.append(Group(name: name, images: [], lastProcess: number))
        }
        groups[group].images.append(index)
        groups[group].libraryName = groups[group].libraryName ?? library
        groups[group].lastProcess = number
        placed[index] = group
        note(image, library, in: group)
      }
    }
    groupOfImage = placed.compactMap { $0 }
    precondition(groupOfImage.count == placed.count, "each image is of a trace")
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

  /// The group that a build belongs to; `nil` if the traces have no build of the same program or library.
  ///
  /// - Parameter path: the build's path.
  package func group(_ id: ImageID?, libraryName: String?, path: String) -> Int? {
    group(id, libraryName: libraryName, path: path, notIn: nil)
  }

  private func group(
    _ id: ImageID?, libraryName: String?, path: String, notIn process: Int?
  ) -> Int? {
    if let id, id.kind != .weak, let known = byID[id] { return known }
    func fits(_ group: Int) -> Bool {
      guard let libraryName, let other = groups[group].libraryName else { return true }
      return libraryName == other
    }
    func first(_ candidates: [Int]?) -> Int? {
      candidates?.prefix(Self.limit).first {
        fits($0) && (process == nil || groups[$0].lastProcess != process)
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

  /// Moves the images of `group` to `other`.
  ///
  /// - Complexity: O(*n*) for *n* images of `group`.
  package mutating func merge(_ group: Int, into other: Int) {
    guard group != other else { return }
    for image in groups[group].images { groupOfImage[image] = other }
    groups[other].images += groups[group].images
    groups[group].images = []
  }

  /// The names that `name` has without the end of its version, at most eight: for `libjq.so.1.0.4` they are
  /// `libjq.so.1.0`, `libjq.so.1` and `libjq.so`.
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
