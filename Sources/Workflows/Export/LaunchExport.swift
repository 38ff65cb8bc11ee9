import Addresses
import Demangling
import FaultEstimate
import ImageModel
import PagesFormat
import Reporting
import Symbolication

/// Launches for other tools: `orderfile export`.
package struct LaunchExport {
  package struct Options {
    /// The paths of traces.
    package var traces: [String]
    /// The paths of recorded images.
    package var recorded: [String] = []
    /// The path of the image or link map whose pages are predicted; `nil` predicts none.
    package var layout: String?
    /// The path of a document of `orderfile pages`; `nil` for none.
    package var pages: String?
    package var pageSize = PageSizeChoice.automatic
    /// The slice of a universal file.
    package var architecture: Architecture?
    /// Whether owners of functions are looked up, for which the recorded images are read.
    package var findsOwners = false

    package init(traces: [String]) { self.traces = traces }
  }

  package private(set) var launches: [ExportedLaunch] = []
  /// The format of the recorded images; `nil` if no trace tells.
  package private(set) var imageFormat: ImageFormat?
  /// The size of the pages of the prediction; without one, that of the traces' platform.
  package private(set) var pageSize: PageSize
  package private(set) var warnings: [Diagnostic] = []

  /// - Throws: an error if a file can't be read; `mismatch` if the layout or the pages are of another program.
  package init(_ options: Options) throws(Diagnostic) {
    let pages = try options.pages.map { path throws(Diagnostic) in try Self.pages(path) }
    let traces = try options.traces.map { path throws(Diagnostic) in
      Trace(try InputFile.trace(path), path: path)
    }
    imageFormat = traces.lazy.compactMap(\.imageFormat).first
    pageSize = options.pageSize.pageSize(
      for: options.architecture, format: imageFormat ?? .elf)
    var images = RecordedImages()
    let known = traces.flatMap(\.images)
    for path in options.recorded {
      try images.add(path: path, options.architecture, recordedAs: known)
    }
    for trace in traces {
      var launch = Self.launch(trace, &images, findsOwners: options.findsOwners)
      if let layout = options.layout {
        let (prediction, found) = try Self.prediction(for: launch, in: layout, options)
        launch.prediction = prediction
        pageSize = prediction.pageSize
        warnings += found
      }
      if let pages {
        launch.touches = Self.touches(pages, in: trace, launch)
      }
      launches.append(launch)
      warnings += images.mismatches(of: trace)
    }
    warnings += images.warnings
    try check(traces)
    if let path = options.pages, launches.allSatisfy({ $0.touches?.isEmpty ?? true }) {
      throw Diagnostic(
        "the pages are of other images than the traces", context: [path],
        hint: "count this build with 'orderfile pages'", severity: .mismatch)
    }
  }

  /// Adds warnings about what the traces lack.
  ///
  /// - Throws: if they have nothing.
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

  /// For a form in which everything has a time.
  ///
  /// - Throws: if a launch has first hits, and none of them has a time.
  package func checkTimes() throws(Diagnostic) {
    for launch in launches where !launch.hits.isEmpty {
      guard launch.hits.contains(where: { $0.nanoseconds != nil }) else {
        throw Diagnostic(
          "the trace has no times", context: [launch.path],
          hint: "'orderfile export csv' writes its first hits in order")
      }
    }
  }

  private static func pages(_ path: String) throws(Diagnostic) -> PagesDocument {
    let bytes = try InputFile.bytes(path)
    do { return try PagesDocument(parsing: bytes) } catch {
      throw Diagnostic("\(error)", context: [path], hint: "see 'orderfile pages --help'")
    }
  }
}

// MARK: Hits

extension LaunchExport {
  private static func launch(
    _ trace: Trace, _ images: inout RecordedImages, findsOwners: Bool
  ) -> ExportedLaunch {
    let functions = images.functions(of: trace)
    let names = ShownFile.hitNames(of: trace, in: functions)
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
      images: trace.images.map(\.path), hits: hits, marks: trace.marks)
    launch.stages = StagedLaunch(trace).stages
    return launch
  }
}

/// The owners of the functions of a build.
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
  /// What `diff` predicts for the layout, after each hit. A page counts from the hit of the function that touches it; what
  /// no hit of that name tells counts from the hit before.
  private static func prediction(
    for launch: ExportedLaunch, in path: String, _ options: Options
  ) throws(Diagnostic) -> (prediction: ExportedLaunch.Prediction, warnings: [Diagnostic]) {
    var diffOptions = LayoutDiff.Options(before: path, after: path)
    diffOptions.traces = [launch.path]
    diffOptions.recorded = options.recorded
    diffOptions.architecture = options.architecture
    diffOptions.pageSize = options.pageSize
    let diff = try LayoutDiff(diffOptions)
    if let refusal = diff.document.refusal {
      throw Diagnostic(refusal, context: [path])
    }
    let hitOfName = Self.hitOfName(launch)
    let (layout, estimate) = (diff.after.layout, diff.comparison.after)
    var pages = launch.hits.map { _ in 0 }
    var hit = 0
    for touch in estimate.touches {
      let found = touch.function.map { layout.aliases(of: $0) }?.lazy.compactMap {
        hitOfName[layout.name(of: layout.functions[$0])]
      }.min()
      hit = max(hit, found ?? hit)
      guard pages.indices.contains(hit) else { continue }
      pages[hit] = max(pages[hit], estimate.curve.pagesAfterStep[touch.step])
    }
    for index in pages.indices.dropFirst() { pages[index] = max(pages[index], pages[index - 1]) }
    return (
      ExportedLaunch.Prediction(pageSize: diff.document.pageSize, pages: pages),
      diff.document.warnings
    )
  }

  /// The first hit of each name.
  private static func hitOfName(_ launch: ExportedLaunch) -> [SymbolName: Int] {
    var places: [SymbolName: Int] = [:]
    for (index, hit) in launch.hits.enumerated() {
      for name in hit.names { places[name] = places[name] ?? index }
    }
    return places
  }

  /// The touches of the images of `trace`, each at the first hit of its function, but never before the touch before it.
  private static func touches(
    _ document: PagesDocument, in trace: Trace, _ launch: ExportedLaunch
  ) -> [ExportedLaunch.Touch] {
    guard !launch.hits.isEmpty else { return [] }
    let hitOfName = Self.hitOfName(launch)
    var touches: [(image: Int, page: PagesDocument.Page)] = []
    for image in document.images {
      guard let id = image.id,
        let index = trace.images.firstIndex(where: { $0.id?.description == id })
      else { continue }
      touches += image.pages.map { (index, $0) }
    }
    var hit = 0
    return touches.sorted { $0.page.step < $1.page.step }.map { touch in
      hit = max(hit, touch.page.function.flatMap { hitOfName[$0] } ?? hit)
      return ExportedLaunch.Touch(image: touch.image, page: touch.page, hit: hit)
    }
  }
}
