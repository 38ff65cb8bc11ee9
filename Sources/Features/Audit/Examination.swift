import Addresses
import ByteReading
import CommandSupport
import ImageModel
import ObjectFormat
import Stages
import Symbolication
import TraceSymbolication

/// An audit while the images of the closure are added to its document, one after the other.
struct Examination {
  private(set) var image: Image
  var document: AuditDocument
  /// The image that was given.
  private var given: MappedImage?
  /// The contents of the link map; `nil` without a link map.
  private let contributions: LinkMapContributions?
  private var objectiveC = ObjectiveCImages()
  /// The audited images, as launches name them.
  private var launched = LaunchedImages()
  /// For each library of the document, the number of its image; `nil` if the library's file was not read.
  private var imageOfLibrary: [Int?] = []
  /// The places of the libraries in the document, by the numbers of their images.
  private var libraryOfImage: [Int: Int] = [:]
  /// The places of the libraries that only launches loaded, by their paths.
  private var loadedLibraries: [String: Int] = [:]
  /// For each initializer of the document, the number of its image.
  private var imageOfInitializer: [Int] = []

  init(_ document: AuditDocument, _ image: Image, _ contributions: LinkMapContributions?) {
    self.document = document
    self.image = image
    self.contributions = contributions
  }

  mutating func add(_ node: LibraryClosure.Node, isGiven: Bool) {
    if !isGiven {
      if node.image != nil { libraryOfImage[document.images.count] = document.libraries.count }
      imageOfLibrary.append(node.image == nil ? nil : document.images.count)
      document.libraries.append(node.library)
    }
    guard let examined = node.image else { return }
    if isGiven { given = examined.file }
    var audited = AuditedImage(
      name: examined.name, path: examined.path, fileBytes: examined.fileBytes)
    let work: LoaderWork
    switch examined.file {
    case .elf(let file):
      work = LoaderWork(of: file, path: examined.path, pageSize: document.pageSize)
    case .machO(let file):
      work = LoaderWork(
        of: file, path: examined.path, libraries: examined.loads.map(\.name),
        pageSize: document.pageSize)
      audited.objectiveC = objectiveC.add(file, name: examined.name, path: examined.path)
    }
    audited.relocations = work.relocations
    document.warnings += work.problems
    addInitializers(of: examined, work, isGiven: isGiven)
    let real = (try? Folder.absolutePath(examined.path)) ?? examined.path
    launched.add(
      ImageReference(
        path: real, architecture: document.architecture, id: examined.file.id?.description))
    document.images.append(audited)
  }

  private mutating func addInitializers(
    of examined: ExaminedImage, _ work: LoaderWork, isGiven: Bool
  ) {
    guard isGiven || !work.initializers.isEmpty || !work.tasks.isEmpty else { return }
    var found: [AuditedInitializer]
    do throws(Diagnostic) {
      let read = isGiven ? image : try self.read(examined)
      let origins = FunctionOrigins(
        read.layout, examined.bytes, readsDebugInformation: isGiven)
      let describing = NamedInitializers(
        read.layout, origins, isGiven ? contributions : nil, ranges: examined.file.functionRanges,
        document.pageSize)
      found = describing.auditedInitializers(of: work, in: examined.name)
      document.tasks += describing.auditedTasks(of: work, in: examined.name)
    } catch {
      document.warnings.append(error)
      found = work.initializers.map {
        AuditedInitializer(image: examined.name, kind: $0.kind, address: $0.address)
      }
      document.tasks += work.tasks.map { AuditedTask($0, of: examined.name) }
    }
    imageOfInitializer += found.map { _ in document.images.count }
    document.initializers += found
  }

  private func read(_ examined: ExaminedImage) throws(Diagnostic) -> Image {
    try Image.reading(
      examined.bytes, path: examined.path, slice: SliceChoice(document.architecture)
    ).image
  }

  /// Adds the tasks that the linker did not take, and puts all tasks in order.
  ///
  /// - Parameter path: the path of the link map; `nil` without one.
  mutating func findUnlinkedTasks(linkMap path: String?) {
    if let contributions, let path, let name = document.images.first?.name {
      let unlinked = UnlinkedTasks(of: name, contributions, linkMapAt: path)
      document.tasks += unlinked.tasks
      document.warnings += unlinked.problems
    }
    document.tasks = document.tasks.inOrder()
  }

  mutating func findUnused(includingPossible: Bool) {
    document.unused = objectiveC.unused(includingPossible: includingPossible)
    document.warnings += objectiveC.problems
  }

  // MARK: Traces

  /// A library or archive is listed as a candidate for removal if at most one in this many of its functions ran.
  private static let functionsPerUsed = 50

  /// Adds the times of libraries and initializers that `orderfile stages` has measured, and libraries that only the
  /// measured launches loaded.
  ///
  /// - Throws: if the document can't be read.
  mutating func addTimes(ofStages path: String) throws(Diagnostic) {
    let bytes = try InputFile.bytes(path)
    let measured: MeasuredImages
    do throws(ParseError) { measured = try MeasuredImages(parsing: bytes) } catch {
      throw Diagnostic(
        "\(error)", context: [path],
        hint: "write this document with: orderfile stages --json -- COMMAND")
    }
    let matches = measured.images.map { launched.match($0.image) }
    let isOfGiven = matches.contains(.image(0))
    guard isOfGiven || matches.contains(.anotherBuild(0)) else {
      document.warnings.append(
        Diagnostic(
          "this document is of launches without \(image.path), so it is not used", context: [path]))
      return
    }
    var numbers: [String: Int] = [:]
    for (measured, match) in zip(measured.images, matches) {
      let image = measured.image
      switch match {
      case .image(let number) where image.id != nil:
        numbers[image.path] = number
        addTime(of: measured, to: libraryOfImage[number])
      case .image:
        document.warnings.append(
          Diagnostic(
            "the build of \(image.path) that was measured is unknown: its times are left out",
            context: [path]))
      case .anotherBuild:
        document.warnings.append(
          Diagnostic(
            "another build of \(image.path) was measured: its times are left out", context: [path]))
      case .unknown where isOfGiven: addTime(of: measured, to: nil)
      case .unknown: continue  // The library was loaded by another program than the audited one.
      }
    }
    addTimes(of: measured.initializers, numbers)
  }

  /// - Parameter place: the place of the library in the document; `nil` if the image is not in the document, or is not
  ///   a library.
  private mutating func addTime(of measured: StagedImage, to place: Int?) {
    // The kernel maps the program and the loader, so they have no load time.
    guard let load = measured.loadNanoseconds else { return }
    let place = place ?? addLoaded(measured.image.path)
    document.libraries[place].wasLoaded = true
    document.libraries[place].mappedNanoseconds = UInt64(measured.mappedNanoseconds.rounded())
    document.libraries[place].loadNanoseconds = UInt64(load.rounded())
  }

  /// Returns the place of a library that a launch loaded and that no image asks for. Adds the library if it is new.
  private mutating func addLoaded(_ path: String) -> Int {
    if let place = loadedLibraries[path] { return place }
    loadedLibraries[path] = document.libraries.count
    var library = AuditedLibrary(
      name: SymbolName(ImageReference(path: path).name), path: path, isDirect: false)
    library.unrequested = .runTime
    library.wasLoaded = true
    document.libraries.append(library)
    return document.libraries.count - 1
  }

  /// - Parameter numbers: the numbers of the measured images, by their paths.
  private mutating func addTimes(of measured: [TimedInitializer], _ numbers: [String: Int]) {
    struct Place: Hashable {
      var image: Int
      var address: StatedAddress
    }
    var times: [Place: TimedInitializer] = [:]
    for initializer in measured {
      guard let image = numbers[initializer.image] else { continue }
      let place = Place(image: image, address: initializer.address)
      times[place] = times[place] ?? initializer
    }
    for (index, image) in imageOfInitializer.enumerated() {
      guard let address = document.initializers[index].address,
        let time = times[Place(image: image, address: address)]
      else { continue }
      document.initializers[index].startNanoseconds = UInt64(time.startNanoseconds.rounded())
      document.initializers[index].nanoseconds = UInt64(time.nanoseconds.rounded())
    }
  }

  mutating func observe(_ traces: [String]) throws(Diagnostic) {
    let launches = try ObservedLaunches(traces, of: launched, given: image.path)
    document.warnings += launches.warnings
    let mains = image.layout.functions.filter {
      ["main", "_main"].contains(image.layout.name(of: $0))
    }.map(\.address)
    launches.addTimes(to: &document.initializers, images: imageOfInitializer, mains: mains)

    var units: [ObservedUse.Unit] = []
    var notObserved: [SymbolName] = []
    for place in document.libraries.indices {
      let number = place < imageOfLibrary.count ? imageOfLibrary[place] : nil
      if let number, launches.hasLoaded(number) {
        document.libraries[place].wasLoaded = true
        document.libraries[place].firstUseNanoseconds = launches.firstUse(of: number)
      }
      guard let number, let (functions, used) = launches.use(of: number) else {
        notObserved.append(document.libraries[place].name)
        continue
      }
      let image = document.images[number]
      units.append(
        ObservedUse.Unit(
          kind: .library, name: image.name, functions: functions, usedFunctions: used,
          bytes: image.fileBytes, relocations: image.relocations.words))
    }
    for (path, firstUse) in launches.others where path.hasPrefix("/") {
      document.libraries[addLoaded(path)].firstUseNanoseconds = firstUse
    }
    if let started = launches.startedFunctions(of: 0) { units += archives(used: started) }
    let few = units.filter { $0.usedFunctions * Self.functionsPerUsed <= $0.functions }
    document.use = ObservedUse(
      candidates: few.sorted { ($1.bytes, $0.name) < ($0.bytes, $1.name) },
      notObserved: notObserved, traceCount: launches.count)
  }

  /// The archives of the link map, with the numbers of functions, bytes and relocations of the given image that come
  /// from each.
  private mutating func archives(used: Set<StatedAddress>) -> [ObservedUse.Unit] {
    guard let contributions, let given else { return [] }
    var archives = ArchiveUse(contributions, of: given)
    archives.addFunctions(of: image.layout, started: used)
    // The warning about unread relocations of the image is there already.
    try? archives.addRelocations(of: given)
    // Archives without functions are left out: a trace shows nothing about archives that have only data.
    return archives.units.filter { $0.functions > 0 }
  }
}
