import Addresses
import ByteReading
import CommandSupport
import Counting
import Demangling
import FaultEstimate
import ImageModel
import JSON
import PagesFormat
import Prediction
import Stages
import TraceSymbolication

/// Launches to export to other tools: `orderfile export`.
package struct LaunchExport {
  package struct Options {
    /// The paths of traces.
    package var traces: [String]
    /// The contents of the first trace; `nil` if the trace is not open yet.
    package var firstTrace: FileBytes?
    /// The paths of recorded images.
    package var recorded: [String] = []
    /// The path of the image or link map whose pages are predicted; `nil` predicts none.
    package var layout: String?
    /// The path of a document of `orderfile pages`; `nil` for none.
    package var pages: String?
    /// The paths of documents of `orderfile faults`.
    package var faults: [String] = []
    package var pageSize = PageSizeChoice.automatic
    /// The architecture of the slice to read in a universal file.
    package var architecture: Architecture?
    /// Whether owners of functions are looked up; the recorded images are then read.
    package var findsOwners = false

    package init(traces: [String]) { self.traces = traces }
  }

  package private(set) var launches: [ExportedLaunch] = []
  /// The page faults, in the order in which they were given.
  package private(set) var faults: [ExportedFaults] = []
  /// The format of the recorded images; `nil` if no trace states it.
  package private(set) var imageFormat: ImageFormat?
  /// The size of the pages of the prediction; without a prediction, the page size of the traces' platform.
  package private(set) var pageSize: PageSize
  package private(set) var warnings: [Diagnostic] = []

  /// - Throws: an error if a file can't be read; `mismatch` if the layout or the pages are of another program.
  package init(_ options: Options) throws(Diagnostic) {
    let pages = try options.pages.map { path throws(Diagnostic) in
      try Self.document(PagesDocument.self, path, of: "pages")
    }
    let documents = try options.faults.map { path throws(Diagnostic) in
      (path: path, faults: try Self.document(FaultsDocument.self, path, of: "faults"))
    }
    let files = try options.traces.map { path throws(Diagnostic) in
      if path == options.traces.first, let bytes = options.firstTrace {
        return LaunchFiles.File(path: path, bytes: bytes)
      }
      return LaunchFiles.File(path: path, bytes: try InputFile.bytes(path))
    }
    let traces = try files.map { file throws(Diagnostic) in
      Trace(try InputFile.traceFile(try file.bytes(), file.path), path: file.path)
    }
    imageFormat = traces.lazy.compactMap(\.imageFormat).first
    pageSize = options.pageSize.pageSize(
      for: options.architecture, format: imageFormat ?? .elf)
    warnings += Self.repeated(options.traces)
    let starts = Self.startNanoseconds(traces)
    let layouts = try options.layout.map { path throws(Diagnostic) in
      try PredictedLayouts(path, architecture: options.architecture)
    }
    var images = RecordedImages()
    let known = traces.flatMap(\.images)
    for path in options.recorded {
      try images.add(path: path, options.architecture, recordedAs: known)
    }
    for (file, (trace, start)) in zip(files, zip(traces, starts)) {
      var launch = Self.launch(trace, &images, findsOwners: options.findsOwners)
      launch.startNanoseconds = start
      let firstHits = FirstHits(of: launch)
      if let layouts {
        let (prediction, found) = try Self.prediction(
          for: launch, in: file, firstHits, in: layouts, options)
        launch.prediction = prediction
        pageSize = prediction.pageSize
        warnings += found
      }
      if let pages {
        launch.touches = Self.touches(pages, in: launch, firstHits)
      }
      launches.append(launch)
      warnings += images.mismatches(of: trace)
    }
    warnings += images.warnings
    let firstHits = launches.map { FirstHits(of: $0) }
    faults = documents.map { path, document in
      ExportedFaults(
        path: path, document,
        firstHitOfFault: Self.firstHitOfFault(of: document, in: launches, firstHits))
    }
    try check(traces)
    let recorded = Set(launches.flatMap(\.images).compactMap(\.id?.description))
    for (path, document) in documents
    where recorded.isDisjoint(with: document.files.compactMap(\.id)) {
      throw Diagnostic(
        "the page faults are of other images than the traces", context: [path],
        hint: "list the faults of this build with 'orderfile faults'", severity: .mismatch)
    }
    var distinct: Set<Diagnostic> = []
    warnings = warnings.filter { distinct.insert($0).inserted }
    if let path = options.pages, launches.allSatisfy({ $0.touches == nil }) {
      throw Diagnostic(
        "the pages are of other images than the traces", context: [path],
        hint: "count the pages of this build with 'orderfile pages'", severity: .mismatch)
    }
  }

  /// Adds warnings about what the traces lack.
  ///
  /// - Throws: if no trace has a first hit.
  private mutating func check(_ traces: [Trace]) throws(Diagnostic) {
    var set = TraceSet()
    for trace in traces { set.add(trace) }
    guard launches.contains(where: { !$0.hits.isEmpty }) else {
      throw Diagnostic(
        "nothing was recorded", context: traces.count == 1 ? traces.map(\.path) : [],
        hint: "see 'orderfile record --help'", severity: .nothingRecorded)
    }
    for member in set.members {
      warnings += [Diagnostic.incomplete(member)].compactMap { $0 }
      if member.isEmpty {
        warnings.append(Diagnostic("nothing was recorded", context: [member.path]))
      }
    }
  }

  /// Returns a warning for each trace that is given again; its hits then count twice.
  private static func repeated(_ paths: [String]) -> [Diagnostic] {
    var given: Set<String> = []
    return paths.filter { !given.insert($0).inserted }.map {
      Diagnostic(
        "this trace is given more than once, so its hits count several times", context: [$0])
    }
  }

  /// Returns when the process of each trace started, in nanoseconds since the first process of its launch.
  private static func startNanoseconds(_ traces: [Trace]) -> [UInt64] {
    var first: [UInt64: UInt64] = [:]
    for start in traces.compactMap(\.start) {
      first[start.session] = min(first[start.session] ?? .max, start.nanoseconds)
    }
    return traces.map { trace in
      trace.start.map { $0.nanoseconds - (first[$0.session] ?? $0.nanoseconds) } ?? 0
    }
  }

  /// Checks the launches for a format in which everything has a time.
  ///
  /// - Throws: if a launch has first hits, and none of them has a time.
  package func checkTimes() throws(Diagnostic) {
    for launch in launches where !launch.hits.isEmpty {
      guard launch.hits.contains(where: { $0.nanoseconds != nil }) else {
        throw Diagnostic(
          "the trace has no times", context: [launch.path],
          hint: "'orderfile export csv' writes the first hits of traces without times")
      }
    }
  }

  private static func document<Document: ReadableDocument>(
    _ type: Document.Type, _ path: String, of command: String
  ) throws(Diagnostic) -> Document {
    let bytes = try InputFile.bytes(path)
    do { return try Document(parsing: bytes) } catch {
      throw Diagnostic(
        "\(error)", context: [path], hint: "see 'orderfile \(command) --help'")
    }
  }
}

// MARK: Hits

extension LaunchExport {
  private static func launch(
    _ trace: Trace, _ images: inout RecordedImages, findsOwners: Bool
  ) -> ExportedLaunch {
    let functions = images.functions(of: trace)
    let names = RecordedImages.hitNames(of: trace, in: functions)
    let owners = trace.images.map { image in
      findsOwners ? images.build(of: image).map(OwnersByAddress.init) : nil
    }
    let hits = zip(trace.hits, names).map { hit, names in
      let body = hit.entry.flatMap { functions[hit.image].body(holding: $0) }
      let address = body?.address ?? hit.entry
      let owner =
        address.flatMap { owners[hit.image]?.owner(at: $0) }
        ?? (findsOwners
          ? names.first.flatMap { moduleName(ofMangled: $0) }.map { SymbolName($0) } : nil)
      return ExportedLaunch.Hit(
        step: hit.step, thread: hit.thread, nanoseconds: hit.nanoseconds, image: hit.image,
        address: address, sizeBytes: body?.size, names: names, owner: owner)
    }
    var launch = ExportedLaunch(
      path: trace.path, program: trace.program, process: trace.processNumber.map { Int($0) },

      images: trace.images.map { ExportedLaunch.Image(path: $0.path, id: $0.id) }, hits: hits,
      marks: trace.marks)
    launch.stages = StagedLaunch(trace).stages
    return launch
  }
}

/// The owners (modules, object files or source files) of a build's functions, by address.
private struct OwnersByAddress {
  private let layout: Layout
  private let owners: [SymbolName?]

  init(_ release: ReleaseLayout) {
    layout = release.layout
    owners = release.owners(before: nil, isOrdered: false).map(\.name)
  }

  func owner(at address: StatedAddress) -> SymbolName? {
    layout.functions(at: address).lazy.compactMap { owners[$0] }.first
  }
}

// MARK: Pages

extension LaunchExport {
  /// Returns the pages that `diff` predicts for the layout after each hit. A page counts from the hit of the function
  /// that touches it, in the image of the layout. A page whose function has no hit counts from the hit before.
  private static func prediction(
    for launch: ExportedLaunch, in file: LaunchFiles.File, _ firstHits: FirstHits,
    in layouts: PredictedLayouts, _ options: Options
  ) throws(Diagnostic) -> (prediction: ExportedLaunch.Prediction, warnings: [Diagnostic]) {
    let path = layouts.last.path
    var launches = LayoutEstimates.Options()
    launches.openedLaunches = LaunchFiles(opened: [file])
    launches.recorded = options.recorded
    launches.architecture = options.architecture
    launches.pageSize = options.pageSize
    let estimates = try LayoutEstimates(launches, of: layouts)
    if let refusal = estimates.refusal { throw Diagnostic(refusal, context: [path]) }
    let (layout, faults) = (layouts.last.layout, estimates.last.faults)
    let images = Self.images(of: launch, predictedBy: estimates)
    var pages = launch.hits.map { _ in 0 }
    var hit = 0
    for touch in faults.touches {
      let functions = touch.function.map { layout.aliases(of: $0).map { layout.functions[$0] } }
      let found = images.compactMap { image, isSameBuild in
        isSameBuild
          ? functions?.first.flatMap { firstHits.hit(at: $0.address, in: image) }
          : functions?.compactMap { firstHits.hit(of: layout.name(of: $0), in: image) }.min()
      }.min()
      hit = max(hit, found ?? hit)
      guard pages.indices.contains(hit) else { continue }
      pages[hit] = max(pages[hit], faults.curve.pagesAfterStep[touch.step])
    }
    for index in pages.indices.dropFirst() { pages[index] = max(pages[index], pages[index - 1]) }
    return (
      ExportedLaunch.Prediction(of: path, pageSize: estimates.pageSize, pages: pages),
      estimates.warnings()
    )
  }

  /// Returns the images of `launch` that the layout may describe, and whether each is the same build.
  private static func images(
    of launch: ExportedLaunch, predictedBy estimates: LayoutEstimates
  ) -> [(index: Int, isSameBuild: Bool)] {
    let id = estimates.layouts.last.image?.id.flatMap { $0.kind == .weak ? nil : $0 }
    let same = launch.images.indices.filter { id != nil && launch.images[$0].id == id }
    guard same.isEmpty else { return same.map { ($0, true) } }
    let named = launch.images.indices.filter {
      fileName(ofPath: launch.images[$0].path) == estimates.recordedImage
    }
    return (named.isEmpty ? Array(launch.images.indices) : named).map { ($0, false) }
  }

  /// Returns the touches of the images of `launch`, each at the first hit of its function, but never before the touch
  /// before it. Returns `nil` if the touches are of other images.
  private static func touches(
    _ document: PagesDocument, in launch: ExportedLaunch, _ firstHits: FirstHits
  ) -> [ExportedLaunch.Touch]? {
    var isFound = false
    var touches: [(image: Int, page: PagesDocument.Page)] = []
    for image in document.images {
      guard let id = image.id,
        let index = launch.images.firstIndex(where: { $0.id?.description == id })
      else { continue }
      isFound = true
      touches += image.pages.map { (index, $0) }
    }
    guard isFound else { return nil }
    guard !launch.hits.isEmpty else { return [] }
    var hit = 0
    return touches.sorted { $0.page.step < $1.page.step }.map { touch in
      let found = touch.page.function.flatMap {
        firstHits.hit(of: $0, in: touch.image, onPageAt: touch.page.address)
      }
      hit = max(hit, found ?? hit)
      return ExportedLaunch.Touch(image: touch.image, page: touch.page, hit: hit)
    }
  }
}

// MARK: Faults

extension LaunchExport {
  /// Returns the first hits of the functions whose own execution faulted, by the index of the fault. Each hit is in the
  /// first launch that has the image and the hit.
  private static func firstHitOfFault(
    of document: FaultsDocument, in launches: [ExportedLaunch], _ firstHits: [FirstHits]
  ) -> [Int: ExportedFaults.Hit] {
    // For each file with faults, the images of the launches that are builds with the same ID.
    let images = document.files.map { file in
      launches.indices.flatMap { launch in
        launches[launch].images.indices.filter { image in
          file.id != nil && launches[launch].images[image].id?.description == file.id
        }.map { (launch: launch, image: $0) }
      }
    }
    var hitOfFault: [Int: ExportedFaults.Hit] = [:]
    for (index, fault) in document.faults.enumerated() {
      guard case .image(let file, let byte) = fault.place, let symbol = byte.symbol,
        fault.instruction?.file == file, fault.instruction?.address == byte.address
      else { continue }
      let page = StatedAddress(rawValue: byte.address.rawValue & ~0xfff)
      hitOfFault[index] =
        images[file].lazy.compactMap { launch, image in
          firstHits[launch].hit(of: symbol, in: image, onPageAt: page).map {
            ExportedFaults.Hit(launch: launch, hit: $0)
          }
        }.first
    }
    return hitOfFault
  }
}
