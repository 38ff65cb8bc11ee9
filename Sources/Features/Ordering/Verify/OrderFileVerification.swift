import ByteReading
import CommandSupport
import ImageModel
import OrderFileFormat
import OrderFileMatching
import PagesFormat
import Rendering
import Symbolication

/// Compares an order file with builds: which entries their linker could follow, and the present names of the other
/// entries.
package struct OrderFileVerification {
  package struct Options {
    /// The path of the order file.
    package var order: String
    /// The paths of linked images or link maps; an entry counts as present if it is in any of them.
    package var images: [String]
    /// The link map of the only image.
    package var linkMap: String?
    /// The debug file of the only image, if the image is stripped.
    package var debugFile: String?
    /// The path of a document of `orderfile pages`, for a launch of the only image; `nil` without a launch.
    package var pages: String?
    /// The architecture of the slices to read from universal files.
    package var architecture: Architecture?
    /// The dialect of the order file; `nil` takes the dialect of the linker that wrote an image, or else the dialect
    /// that the file looks like.
    package var linker: OrderFileDialect?
    /// Where the order file with present names is to be written; `nil` writes none.
    package var outputPath: String?

    package init(order: String, images: [String]) {
      self.order = order
      self.images = images
    }
  }

  package let document: VerifyDocument
  package let imageFormat: ImageFormat
  package let warnings: [Diagnostic]
  /// The order file with present names; `nil` if it is not requested, or if no entry is renamed.
  package let updated: [UInt8]?
  /// The bytes of the order file, unchanged.
  package let bytes: FileBytes

  /// Reads the files that `options` name.
  ///
  /// - Throws: `mismatch` if no entry is in a build, or if the builds are of different formats.
  package init(_ options: Options) throws(Diagnostic) {
    let builds = try Self.builds(options)
    let format = builds[0].layout.imageFormat
    if let other = builds.first(where: { $0.layout.imageFormat != format }) {
      throw Diagnostic(
        "image format mismatch: expected \(format.rawValue), found \(other.layout.imageFormat.rawValue)",
        context: [other.path], severity: .mismatch)
    }
    imageFormat = format
    bytes = try InputFile.bytes(options.order)
    let linker = options.linker?.writing(format) ?? options.linker
    let file = try InputFile.namedOrderFile(
      bytes, options.order, of: format,
      linker: linker?.name ?? builds.lazy.compactMap(\.image?.linker).first)
    let (order, otherImages) = file.orders(
      of: builds.map { $0.orderedBuild($0.architecture ?? options.architecture) })
    let states = EntryStates(
      of: order, in: builds.map { ($0.layout, $0.architecture ?? options.architecture) })
    let data = builds.map { build in ((try? build.dataLayout()) ?? nil).map { (build, $0) } }
    let strings = StringStates(of: order, in: data)
    let problems =
      (Self.problems(
        of: states, order, builds.map(\.layout) + data.compactMap { $0?.1.layout })
      + strings.problems.map { ($0, []) }).sorted { $0.problem.line < $1.problem.line }
    let checked = Set(states.entries.flatMap(\.entries))
    var document = VerifyDocument(
      path: options.order, dialect: order.dialect.name, images: builds.map(\.reference),
      entries: states.entries.count { $0.state != .untold } + strings.verified,
      dataEntries: states.entries.count { $0.state == .data },
      otherArchitectures: order.entries.indices.count { !checked.contains($0) },
      patterns: order.patterns.count,
      problems: problems.map(\.problem))
    document.otherImages = otherImages
    let regions = builds.compactMap {
      PrefetchedRegion(
        of: order, in: $0.layout, $0.bytes, architecture: $0.architecture ?? options.architecture)
    }
    document.prefetch = regions.first { $0.state != .noAnchors } ?? regions.first
    if let path = options.pages {
      guard let state = document.prefetch?.state else {
        throw Diagnostic(
          "--pages compares a launch with what the image prefetches, but the order file has no anchors",
          context: [options.order], hint: "'orderfile gen --prefetch' writes anchors")
      }
      var launch = try Self.launch(path, of: builds[0])
      if state != .prefetched { launch?.prefetchNothing() }
      document.prefetch?.launch = launch
    }
    document.strings = order.strings.count
    document.unverifiedStrings = order.strings.count - strings.verified
    if document.stale == document.entries, document.entries > 0, document.count(.renamed) == 0 {
      throw .foreignOrderFile(
        options.order, entries: document.entries,
        builds.map(\.path).joined(separator: ", "))
    }
    if let path = options.outputPath {
      updated = try Self.updated(file, order, bytes, options.order, problems)
      let renamed = problems.filter { $0.problem.kind == .renamed }
      document.update = .init(outputPath: path, lines: renamed.map(\.entries.count).reduce(0, +))
    } else {
      updated = nil
    }
    document.unverifiedSections = states.entries.count { $0.state == .untold }
    self.document = document
    var warnings = builds.flatMap(\.warnings)
    for build in builds {
      warnings += Diagnostic.sectionsApart(
        order, options.order, in: build.layout, build.path,
        architecture: build.architecture ?? options.architecture)
    }
    let untold = Diagnostic.untoldSections(
      document.unverifiedSections, path: options.order,
      hint: "give the link map, with --link-map for one image, or as --image for several images")
    warnings += [untold].compactMap { $0 }
    if document.namesNothing, untold == nil {
      warnings.append(
        Diagnostic(
          "the order file has no entry for this build, so nothing was verified",
          context: [options.order]))
    }
    self.warnings = warnings
  }

  /// Reads the pages that a launch of `build` touched.
  ///
  /// - Returns: `nil` if the build prefetches nothing.
  /// - Throws: `mismatch` if the launch is of another build.
  private static func launch(
    _ path: String, of build: ReleaseLayout
  ) throws(Diagnostic) -> TouchedPagePrefetch? {
    let image = try PagesDocument.counted(path, of: build, option: "--pages").image
    return build.bytes.flatMap { TouchedPagePrefetch(of: image, in: $0) }
  }

  private static func builds(_ options: Options) throws(Diagnostic) -> [ReleaseLayout] {
    let slice = SliceChoice(options.architecture)
    guard options.images.count == 1 else {
      return try options.images.map { path throws(Diagnostic) in
        try ReleaseLayout(path: path, slice: slice)
      }
    }
    let image = options.images[0]
    guard let linkMap = options.linkMap else {
      return [try ReleaseLayout(path: image, debugFile: options.debugFile, slice: slice)]
    }
    return [
      try ReleaseLayout(
        image: image, linkMap: linkMap, debugFile: options.debugFile, slice: slice)
    ]
  }

  /// A problem, and the entries of the order file that have the problem.
  private typealias FoundProblem = (problem: VerifyDocument.Problem, entries: [Int])

  private static func problems(
    of states: EntryStates, _ order: OrderFile, _ layouts: [Layout]
  ) -> [FoundProblem] {
    var renamed: RenamedSymbols?
    var problems: [FoundProblem] = []
    for entry in states.entries {
      var problem = VerifyDocument.Problem(
        line: order.lines[entry.entries[0]], name: entry.name, kind: .unorderable, reason: "")
      switch entry.state {
      case .data, .untold, .present(bodies: ...1): continue
      case .present(let bodies):
        problem.kind = .ambiguous
        problem.reason = "\(bodies) functions have this name"
      case .stale(.duplicate):
        problem.kind = .duplicate
        problem.reason = OrderFileCheck.Reason.duplicate.description
      case .stale(let reason) where reason == .noSuchSymbol || reason == .noSuchSection:
        problem.kind = .missing
        problem.reason = reason.description
        guard entry.namesSymbol else { break }
        if renamed == nil {
          renamed = RenamedSymbols(
            in: layouts, listed: order.entries.lazy.map { SymbolName(bytes: $0.symbol) })
        }
        let file = order.entries[entry.entries[0]].objectFile
        problem.presentNames =
          renamed?.presentNames(of: entry.name, from: file.map { SymbolName(bytes: $0) }) ?? []
        if problem.presentNames.count == 1 { problem.kind = .renamed }
      case .stale(let reason): problem.reason = reason.description
      }
      problems.append((problem, entry.entries))
    }
    return problems
  }

  /// - Parameters:
  ///   - file: the order file.
  ///   - order: the part of `file` in which `problems` were found.
  private static func updated(
    _ file: OrderFile, _ order: OrderFile, _ bytes: FileBytes, _ path: String,
    _ problems: [FoundProblem]
  ) throws(Diagnostic) -> [UInt8]? {
    var names: [Range<Int>: [UInt8]] = [:]
    for (problem, entries) in problems where problem.kind == .renamed {
      for entry in entries { names[order.nameRanges[entry]] = problem.presentNames[0].bytes }
    }
    guard !names.isEmpty else { return nil }
    var symbols: [Int: [UInt8]] = [:]
    for (entry, range) in file.nameRanges.enumerated() { symbols[entry] = names[range] }
    do { return try file.renaming(symbols, in: bytes) } catch {
      throw Diagnostic("\(error)", context: [path])
    }
  }
}

/// The states of entries that name strings. An entry is missing if no build has its string.
private struct StringStates {
  /// The number of entries that were looked up: all, or 0 if one of the builds is a link map.
  let verified: Int
  let problems: [VerifyDocument.Problem]

  /// - Parameter data: each build with its data symbols; an element is `nil` if the build is given as a link map.
  /// - Complexity: O(*n* + *b*) for *n* entries and *b* bytes of strings, on average.
  init(of order: OrderFile, in data: [(build: ReleaseLayout, data: DataLayout)?]) {
    guard !order.strings.isEmpty, data.allSatisfy({ $0 != nil }) else {
      verified = 0
      problems = []
      return
    }
    var known: Set<UInt32> = []
    for case (let build, let data)? in data {
      guard let bytes = build.bytes else { continue }
      for string in data.strings { known.insert(bytes.copy(string.contents).stringHash) }
    }
    var listed: Set<UInt32> = []
    verified = order.strings.count
    problems = order.strings.compactMap { string in
      let isFirst = listed.insert(string.hash).inserted
      guard !isFirst || !known.contains(string.hash) else { return nil }
      return VerifyDocument.Problem(
        line: string.line, name: SymbolName("CSTR;\(string.hash)"),
        kind: isFirst ? .missing : .duplicate,
        reason: isFirst ? "no such string" : "duplicate ordered string")
    }
  }
}

extension VerifyDocument {
  /// The remedy for stale entries, in words.
  package var remedy: String {
    update == nil && count(.renamed) > 0
      ? "write the present names of renamed functions with --update \(printable(path)), or record the launch again"
      : "record the launch again, and run 'orderfile gen'"
  }
}
