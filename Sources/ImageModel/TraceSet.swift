/// The traces of one command: what they are of and what they lack, without their hits.
///
/// Traces are added one at a time and need not be kept: memory grows with their number and with the
/// distinct images, not with what was recorded.
package struct TraceSet: Sendable {
  /// What is kept of one trace.
  package struct Member: Sendable {
    package var path: String
    package var isEmpty: Bool
    package var method: Trace.Method
    /// Hits that found no room.
    package var lostRecords: UInt64
    /// Hits in the middle of which the process ended.
    package var inFlightRecords: Int
    /// Indexes into the set's `fileNames`.
    fileprivate var hasName: Set<Int>
  }

  private struct ImageKey: Hashable {
    var path: String
    var id: ImageID?
  }

  /// In the order in which they were added.
  package private(set) var members: [Member] = []
  /// The executable of the first trace.
  package private(set) var program: String?
  /// Each image once, by path and ID, in the order of the first load.
  package private(set) var images: [TraceImage] = []
  /// Those of traces that don't carry all names they need.
  package private(set) var imagesToRead: [TraceImage] = []
  /// The file names of `images`, each once. Images of one file name are taken for builds of the same image.
  package private(set) var fileNames: [String] = []
  private var isUsed: Set<Int> = []
  private var isKnown: Set<ImageKey> = []
  private var isToBeRead: Set<ImageKey> = []
  private var placeOfName: [String: Int] = [:]

  package init() {}

  /// - Complexity: O(*h* + *i*) for *h* hits and *i* images.
  package mutating func add(_ trace: Trace) {
    program = program ?? trace.program
    let used = Set(trace.hits.map(\.image)).union(trace.blockHits.map(\.image))
    var hasName: Set<Int> = []
    for (index, image) in trace.images.enumerated() {
      let key = ImageKey(path: image.path, id: image.id)
      if isKnown.insert(key).inserted { images.append(image) }
      if !trace.isSealed, isToBeRead.insert(key).inserted { imagesToRead.append(image) }
      let name = placeOfName[image.fileName] ?? fileNames.count
      if name == fileNames.count {
        fileNames.append(image.fileName)
        placeOfName[image.fileName] = name
      }
      hasName.insert(name)
      if used.contains(index) { isUsed.insert(name) }
    }
    members.append(
      Member(
        path: trace.path, isEmpty: trace.isEmpty, method: trace.method,
        lostRecords: trace.lostRecords, inFlightRecords: trace.inFlightRecords, hasName: hasName))
  }

  /// Nothing was recorded in any of them.
  package var isEmpty: Bool { members.allSatisfy(\.isEmpty) }

  /// The file names of images in which something was recorded.
  package var usedFileNames: [String] {
    fileNames.indices.filter(isUsed.contains).map { fileNames[$0] }
  }

  /// The traces that have no image of that file name.
  package func members(withoutImageNamed fileName: String) -> [Member] {
    let index = placeOfName[fileName]
    return members.filter { member in index.map { !member.hasName.contains($0) } ?? true }
  }

  /// Every function of an image could be recorded: what is in no trace did not run.
  package var recordsEveryFunction: Bool { members.allSatisfy { $0.method == .breakpoints } }
}

extension TraceImage {
  /// The last component of the path.
  package var fileName: String { path.split(separator: "/").last.map(String.init) ?? path }
}
