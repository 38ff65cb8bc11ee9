import Addresses

/// The traces of a command, without their hits: what they recorded and what they lack.
///
/// Traces are added one at a time and need not be kept: memory grows with their number and with the number of
/// distinct images, not with the number of hits.
package struct TraceSet: Sendable {
  /// The information that is kept about a trace.
  package struct Member: Sendable {
    package var path: String
    /// The number of launches that a trace counts as, its weight; for a profile, the number of launches in it.
    package var launches: UInt64
    package var method: Trace.RecordingMethod
    /// The number of hits for which there was no free slot.
    package var lostRecords: UInt64
    /// The number of hits that were being written when the process ended.
    package var inFlightRecords: Int
    /// The number of hits of guards that belong to no image in the trace.
    package var unattributedHits: Int
    /// How much of each image was used, in the order of the first load.
    package var uses: [ImageUse]
    /// The images that were in one process, as indexes into the set's `images`. A trace has one list; a profile has one
    /// list for each combination of images that it knows.
    package var processes: [[Int]]
    /// The index of the executable in the set's `images`; `nil` if it is not among the trace's images.
    package var program: Int?
    /// The images for which the trace has first touches of data, as indexes into the set's `images`, ascending.
    package var imagesWithData: [Int] = []
    /// The number of functions whose touches of data may be missing.
    package var earlyFunctions: UInt64 = 0

    /// Whether the trace has no use of a function.
    package var isEmpty: Bool { uses.allSatisfy { $0.isEmpty } }
  }

  /// How much of one image a trace used.
  package struct ImageUse: Hashable, Sendable {
    /// The image, as an index into the set's `images`.
    package var image: Int
    /// The number of first uses of functions and of basic blocks.
    package var hits = 0
    /// The number of distinct functions among the uses.
    package var functions = 0

    package init(image: Int, hits: Int = 0, functions: Int = 0) {
      self.image = image
      self.hits = hits
      self.functions = functions
    }

    package var isEmpty: Bool { hits == 0 }
  }

  private struct ImageKey: Hashable {
    var path: String
    var id: ImageID?
  }

  /// The traces, in the order in which they were added.
  package private(set) var members: [Member] = []
  /// The executable of the first trace.
  package private(set) var program: String?
  /// The images of all traces, each path and ID once, in the order of the first load.
  package private(set) var images: [TraceImage] = []
  /// The methods by which each of `images` was recorded, parallel to `images`.
  package private(set) var recordingMethods: [Set<Trace.RecordingMethod>] = []
  /// The images that have to be read, because a trace lacks names of their functions.
  package private(set) var imagesToRead: [TraceImage] = []
  private var isToBeRead: Set<Int> = []
  private var placeOfImage: [ImageKey: Int] = [:]
  private var placeOfBuild: [ImageID: Int] = [:]

  package init() {}

  /// The index in `images` of the image with the path and ID of `image`; `nil` if no trace has it.
  package func index(of image: TraceImage) -> Int? {
    placeOfImage[ImageKey(path: image.path, id: image.id)]
  }

  /// The index in `images` of an image with the ID `id`, unless that is weak; `nil` if no trace has it.
  package func index(ofBuild id: ImageID?) -> Int? { id.flatMap { placeOfBuild[$0] } }

  /// - Parameters:
  ///   - launches: how many launches the trace counts as.
  ///   - processes: the images of `trace`, by index, that were in one process; `nil` if all were.
  /// - Complexity: O(*h* + *i*) for *h* hits and *i* images.
  package mutating func add(
    _ trace: Trace, launches: UInt64 = 1, processes: [[Int]]? = nil
  ) {
    program = program ?? trace.program
    var uses: [ImageUse] = []
    var useOfImage: [Int: Int] = [:]
    var placeOfUse: [Int] = []
    var program: Int?
    for image in trace.images {
      let key = ImageKey(path: image.path, id: image.id)
      let place = placeOfImage[key] ?? images.count
      if place == images.count {
        placeOfImage[key] = place
        if let id = image.id, id.kind != .weak, placeOfBuild[id] == nil { placeOfBuild[id] = place }
        images.append(image)
        recordingMethods.append([])
      }
      recordingMethods[place].insert(trace.method)
      images[place].keepSmallerShare(image.recordable)
      if !trace.isSealed, isToBeRead.insert(place).inserted { imagesToRead.append(image) }
      if image.path == trace.program { program = program ?? place }
      let use = useOfImage[place] ?? uses.count
      if use == uses.count {
        useOfImage[place] = use
        uses.append(ImageUse(image: place))
      }
      placeOfUse.append(use)
    }
    struct FunctionKey: Hashable {
      var use: Int
      var entry: StatedAddress?
      var guardIndex: Int?
    }
    var functions: Set<FunctionKey> = []
    for hit in trace.hits {
      let use = placeOfUse[hit.image]
      uses[use].hits += 1
      let function = FunctionKey(use: use, entry: hit.entry, guardIndex: hit.guardIndex)
      if functions.insert(function).inserted { uses[use].functions += 1 }
    }
    for hit in trace.blockHits { uses[placeOfUse[hit.image]].hits += 1 }
    members.append(
      Member(
        path: trace.path, launches: launches, method: trace.method, lostRecords: trace.lostRecords,
        inFlightRecords: trace.inFlightRecords, unattributedHits: trace.unattributedHits,
        uses: uses,
        processes: processes.map { $0.map { $0.map { uses[placeOfUse[$0]].image } } }
          ?? [uses.map(\.image)], program: program,
        imagesWithData: Set(trace.dataHits.lazy.map { uses[placeOfUse[$0.image]].image }).sorted(),
        earlyFunctions: trace.earlyFunctions))
  }

  /// Whether no trace recorded anything.
  package var isEmpty: Bool { members.allSatisfy(\.isEmpty) }
}

extension TraceImage {
  /// Keeps the smaller recordable share: traces of one image may differ, because an image may be recorded by several
  /// means.
  fileprivate mutating func keepSmallerShare(_ other: RecordableCode?) {
    guard let other else { return }
    if recordable?.portion.isLess(than: other.portion) ?? false { return }
    recordable = other
  }

  /// The last component of the path.
  package var fileName: String { path.split(separator: "/").last.map(String.init) ?? path }
}
