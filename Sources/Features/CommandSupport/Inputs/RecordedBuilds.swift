import ImageModel
import Rendering

/// The groups of recorded images that are builds of one program or library, and the traces that used each group.
package struct RecordedBuilds {
  package let traces: TraceSet
  /// The groups of recorded images: each group has the builds of one program or library.
  package private(set) var groups: BuildGroups

  /// - Parameter libraryName: returns the name that a library states; `nil` for a program, or if the name is unknown.
  init(_ traces: TraceSet, libraryName: (TraceImage) -> String?) {
    self.traces = traces
    groups = BuildGroups(traces, libraryName: libraryName)
  }

  // MARK: Groups

  /// Returns the group that a command is about: the group of a build in `releases`, else the group of the executable,
  /// else the only group.
  package func group(for releases: [ReleaseLayout]) throws(Diagnostic) -> Int {
    for image in releases.compactMap(\.image) {
      let found = groups.group(image.id, libraryName: image.libraryName, path: image.path)
      if let found { return found }
    }
    let program = traces.program ?? ""
    if let found = groups.group(nil, libraryName: nil, path: program) { return found }
    if groups.groups.count == 1 { return 0 }
    throw Diagnostic(
      "the executable '\(fileName(ofPath: program))' was not recorded, and the traces have several images",
      context: traces.members.prefix(1).map(\.path),
      remedies: [
        Remedy(
          "name the image to order with --image: \(names.joined(separator: ", "))",
          option: "--image"),
        Remedy("order each with --all-images", option: "--all-images"),
      ],
      severity: .mismatch)
  }

  /// Moves the images in the group of the image at `index` to `group`.
  mutating func addGroup(ofImageAt index: Int, to group: Int) {
    groups.merge(groups.group(ofImageAt: index), into: group)
  }

  /// The names of the groups of images.
  package var names: [String] { groups.groups.filter { !$0.images.isEmpty }.map(\.name) }

  package func name(of group: Int) -> String { groups.groups[group].name }

  /// Returns the name that the library of `group` states; `nil` if no name is known.
  package func libraryName(of group: Int) -> String? { groups.groups[group].libraryName }

  /// The recorded images in `group`, in the order of the first load.
  package func images(of group: Int) -> [TraceImage] {
    groups.groups[group].images.map { traces.images[$0] }
  }

  package func group(of image: TraceImage) -> Int? {
    (traces.index(of: image) ?? traces.index(ofBuild: image.id)).map { groups.group(ofImageAt: $0) }
  }

  /// Warns of each image in `group` that has no ID of its own.
  package func weakIDs(of group: Int) -> [Diagnostic] {
    images(of: group).compactMap { .weakID($0) }
  }

  // MARK: Users

  /// The groups with hits, in the order of the first load.
  package var usedGroups: [Int] {
    let used = traces.members.reduce(into: Set<Int>()) { $0.formUnion(usedGroups(of: $1)) }
    return groups.groups.indices.filter(used.contains)
  }

  func usedGroups(of trace: TraceSet.Member) -> Set<Int> {
    Set(trace.uses.filter { !$0.isEmpty }.map { groups.group(ofImageAt: $0.image) })
  }

  /// Whether a trace has hits in the images of `group`.
  func uses(_ trace: TraceSet.Member, of group: Int) -> Bool {
    trace.uses.contains { !$0.isEmpty && groups.group(ofImageAt: $0.image) == group }
  }

  /// Returns the groups in which the trace has an image with touched data. Images of one build are a group; the
  /// number of a group is its index in `groups`.
  func groupsWithData(of trace: TraceSet.Member) -> Set<Int> {
    Set(trace.imagesWithData.map { groups.group(ofImageAt: $0) })
  }

  /// Whether every function of the images in `group` could be recorded, so that a function in no trace did not run.
  package func recordsEveryFunction(of group: Int) -> Bool {
    traces.members.allSatisfy { !uses($0, of: group) || $0.method.recordsEveryFunction }
  }
}
