import Addresses
import ByteReading
import CommandSupport
import FunctionOrder
import ImageModel
import OrderFileFormat
import OrderFileMatching
import ProfileFormat
import Rendering
import Symbolication
import TraceSymbolication

/// The order of one image, made from launches.
struct ImageOrder {
  /// The build to order.
  private let release: ReleaseLayout
  /// The functions of `release` by name.
  private let map: SymbolMap
  /// The recorded image, as stated by the first trace that has the image.
  private let recordedImage: TraceImage
  private let used: UsedFunctions
  private let resolved: ResolvedFunctions
  /// The warning that `release` has fewer than half of the recorded functions; `nil` if it has more.
  let renamed: Diagnostic?

  /// - Parameter recordedTraits: the traits of the recorded builds.
  /// - Throws: `mismatch` if `release` has fewer than half of the recorded functions and no other traits of the program, which
  ///   shows that it is another program.
  init(
    _ used: UsedFunctions, of image: TraceImage, release: ReleaseLayout,
    recordedTraits: [ProgramTraits]
  ) throws(Diagnostic) {
    self.used = used
    recordedImage = image
    self.release = release
    var map = SymbolMap(release.layout)
    resolved = ResolvedFunctions(used, in: &map)
    self.map = map
    let found = FoundFunctions(found: resolved.resolvedCount, all: resolved.recordedCount)
    guard !found.proveProgram else {
      renamed = nil
      return
    }
    let telling = zip(used.functions, resolved.functions).filter {
      $0.0.names.allSatisfy(\.tellsProgram)
    }
    let traits = ProgramTraits(release)
    guard
      FoundFunctions(found: telling.count { !$0.1.isEmpty }, all: telling.count).supportTraits,
      recordedTraits.contains(where: { $0.areShared(with: traits) })
    else {
      throw Diagnostic(
        "only \(found.found) of \(counted(found.all, "recorded function")) are in this image: "
          + "it is another program, or its symbols were stripped", context: [release.path],
        remedies: [
          Remedy("give the unstripped build with --image", option: "--image"),
          Remedy("its link map with --link-map", option: "--link-map"),
          Remedy(
            "compile both builds of Rust with -Ccodegen-units=1, so that they inline alike"),
        ], severity: .mismatch)
    }
    renamed = .renamedFunctions(release.path, found)
  }

  /// Counts the functions that launches of one build used, and how many of them are in the build to order.
  func build(_ image: Profile.Image, _ used: UsedFunctions) -> OrderedImage.Build {
    var names = map
    let resolved = ResolvedFunctions(used, in: &names)
    return OrderedImage.Build(
      path: image.path, imageID: image.id?.description, launches: image.launches,
      recordedFunctions: resolved.recordedCount, resolvedFunctions: resolved.resolvedCount)
  }

  /// - Parameters:
  ///   - workloads: the command lines and inputs of the launches, where traces state them.
  ///   - leavesOutRare: whether to leave out functions that few launches used.
  /// - Throws: `mismatch` if the requested linker writes images of another format, or if the previous order file is of
  ///   another program.
  func orderFile(
    _ options: OrderGeneration.Options, outputPath: String, traces: TraceSet,
    workloads: [WorkloadSummary], leavesOutRare: Bool, executed: ExecutedCode? = nil,
    data launches: [LaunchData] = []
  ) throws(Diagnostic) -> GeneratedOrder {
    let layout = release.layout
    let (dialect, linkerSource) = try dialect(options)
    let strategy = options.strategy ?? .usual(launchCount: Int(clamping: used.launchCount))
    let previous = try options.previous.map { path throws(Diagnostic) in
      try PreviousOrder(path, of: release, for: dialect, options.architecture)
    }
    let placed = units(executed, dialect).ordered(
      by: strategy, previous: previous, leavesOutRare: leavesOutRare, lostPages: options.lostPages)
    let order = OrderedParts(
      parts: placed.parts, layout: layout,
      initializers: release.initializers, largeFunctionBytes: options.largeFunctionBytes)
    let header = header(strategy, workloads)
    let split = try split(order.parts, executed, options, header)
    let parts = split?.parts ?? order.parts
    var placing = PlacingEntries(
      of: parts + (split?.splitOff ?? []), in: map, for: dialect,
      architecture: options.architecture ?? slice)
    let copies = try options.renaming.map { request throws(Diagnostic) in
      let ordered = Set(placing.entries.map { NameKey($0.symbol) })
      let objects = try request.objects.map { path throws(Diagnostic) in
        try LinkedObject(path) { ordered.contains($0) }
      }
      return try RenamedCopies(
        try SectionRenaming(placing.entries, for: request.linker, objects: objects),
        in: request.folder, options.environment)
    }
    if let copies { placing.replace(by: copies.renaming.entries) }
    let (data, dataWarnings) = try dataOrder(launches, options, strategy, previous, dialect)
    let prefetch = try options.prefetchPath.map { path throws(Diagnostic) in
      placing.addAnchors(around: PlacingEntries(of: parts, in: map, for: dialect).entries.count)
      return try PrefetchSource(
        for: release, codeBytes: layout.byteCount(of: parts),
        data: try release.prefetchedData(of: launches, data), header: header, outputPath: path)
    }
    let written = dialect.write(
      placing.entries + (data?.entries ?? []), strings: data?.strings ?? [], header: header)
    let unwritten = unwritten(placing, written, copies?.renaming.leftOut ?? [])
    var image = OrderedImage(
      OrderedImage.File(
        path: outputPath, linker: dialect.name, linkerSource: linkerSource,
        strategy: strategy.rawValue,
        entries: placing.entries.count
          - written.unwritable.count { $0.index < placing.entries.count }),
      recording: OrderedImage.Recording(
        image: recordedImage.path, traces: traces.members.map(\.path),
        launches: Int(clamping: used.launchCount), functions: resolved.recordedCount,
        unnamedHits: used.unnamedHits,
        lostRecords: traces.members.map(\.lostRecords).saturatingSum()),
      layout: release.reference,
      functions: OrderedImage.Functions(
        resolved: resolved.resolvedCount
          - layout.bodyCount(of: placing.unmoved + unwritten.functions, in: resolved.functions),
        untracedInitializers: order.untracedInitializerCount,
        startupBytes: layout.byteCount(of: parts),
        textBytes: layout.sections.filter(\.isExecutable).map(\.range.size).saturatingSum(),
        missing: missing(placing, unwritten.names)))
    image.functions.uses = zip(used.functions, resolved.functions).compactMap {
      function, found in
      guard let name = function.names.first, !found.isEmpty else { return nil }
      return OrderedImage.Use(
        name: name, launches: function.launches,
        medianPosition: Int(function.positions.median ?? 0),
        firstNanoseconds: function.firstNanoseconds)
    }
    if let order = split?.orderFile {
      image.file.linker = options.split?.name ?? dialect.name
      image.file.linkerSource = .option
      image.file.entries = order.entries
    } else {
      image.file.linkOption = dialect.linkOption
    }
    if let copies {
      image.file.linker = copies.renaming.linker.name
      image.file.linkerSource = .option
      image.file.linkOption = nil
      image.renaming = copies.summary
    }
    image.data = data?.summary
    image.prefetch = prefetch?.summary
    image.file.previous = previous?.comparison(with: written.bytes)
    image.file.previous?.prediction = placed.prediction
    image.file.previous?.lostPages = options.lostPages
    image.split = split?.summary
    image.split?.outputPath = options.splitPath
    image.split?.format = options.split?.name ?? ""
    image.split?.use = options.split?.use(shellWord(options.splitPath)) ?? ""
    image.split?.command = split?.orderFile?.command(outputPath, options.splitPath)
    let unmoved: [Diagnostic] = copies?.renaming.sharedSections.map { [$0] } ?? []
    return GeneratedOrder(
      bytes: split?.orderFile?.bytes ?? written.bytes, splitProfile: split?.profile,
      prefetchSource: prefetch?.bytes, copies: copies, image: image,
      imageFormat: layout.imageFormat,
      warnings: release.warnings + warnings(order, placing) + dataWarnings + (split?.warnings ?? [])
        + unmoved
        + Diagnostic.changedWorkloads(workloads, since: previous))
  }

  /// The order of the data that `launches` touched; `nil` if there are no launches. It is also `nil`, with a warning,
  /// if the linker or the format of the order can't place data.
  ///
  /// - Throws: an error instead of the warning if documents of pages were given.
  private func dataOrder(
    _ launches: [LaunchData], _ options: OrderGeneration.Options, _ strategy: OrderStrategy,
    _ previous: PreviousOrder?, _ dialect: OrderFileDialect
  ) throws(Diagnostic) -> (DataOrder?, [Diagnostic]) {
    guard !launches.isEmpty, options.ordersData else { return (nil, []) }
    let data: DataLayout
    do throws(Diagnostic) { data = try dataLayout(options, dialect) } catch {
      // Data that no order places can be prefetched where they are.
      if options.prefetchPath != nil, release.bytes != nil { return (nil, []) }
      guard let pages = launches.first(where: { $0.source == .pages }) else {
        return (
          nil,
          [Diagnostic("data are left out of the order: \(error.message)", context: error.context)]
        )
      }
      throw Diagnostic(
        error.message, context: [pages.path], hint: error.hint ?? "leave out this document of pages"
      )
    }
    let order = try DataOrder(
      launches, data: data, of: release, strategy: strategy, previous: previous?.order,
      for: dialect, architecture: options.architecture ?? slice)
    return (order, order.warnings)
  }

  private func dataLayout(
    _ options: OrderGeneration.Options, _ dialect: OrderFileDialect
  ) throws(Diagnostic) -> DataLayout {
    let other = options.renaming?.linker.name ?? (options.split?.isForLinker ?? true ? nil : "BOLT")
    guard dialect.ordersData, other == nil else {
      throw Diagnostic(
        "unable to order data with \(other ?? dialect.name): only lld and Apple's "
          + "linkers order data by name", context: [release.path])
    }
    let data: DataLayout?
    do { data = try release.dataLayout() } catch {
      throw Diagnostic("\(error)", context: [release.path])
    }
    if let data { return data }
    throw Diagnostic(
      "unable to order data: expected a linked image, found a link map alone",
      context: [release.path], remedies: [Remedy("give the image with --image", option: "--image")])
  }

  /// The architecture that lines name, so that the order files of all slices of a universal file can be put into one
  /// file.
  private var slice: Architecture? {
    release.image.flatMap { $0.isSlice ? $0.architecture : nil }
  }

  /// The used functions. If functions are to be split, only their executed bytes count.
  private func units(_ executed: ExecutedCode?, _ dialect: OrderFileDialect) -> UsedUnits {
    guard let executed else {
      return UsedUnits(resolved.used, in: release, movedBy: dialect, names: map)
    }
    return UsedUnits(resolved.used, in: release, bytes: executedSize(executed.ranges))
  }

  /// Returns a function that returns how many bytes of a part are in `ran`, which ascends.
  private func executedSize(_ ran: [AddressRange]) -> (Part) -> UInt64 {
    { part in
      let body = release.layout.functions[part.function].knownBody
      let first = ran.partitioningIndex { $0.start >= body.start }
      return ran[first...].prefix { $0.start < body.end }.map(\.size).saturatingSum()
    }
  }

  /// Returns the order of the hot and cold parts of `functions`; `nil` if the functions are not to be split.
  private func split(
    _ functions: [Part], _ executed: ExecutedCode?, _ options: OrderGeneration.Options,
    _ header: [String]
  ) throws(Diagnostic) -> SplitOrder? {
    guard let executed, let format = options.split else { return nil }
    return try format.write(
      SplitRequest(
        release: release, names: map, order: functions, executed: executed,
        environment: options.environment, header: header))
  }

  /// The dialect of the linker that the user names, or that linked the build to order; otherwise the usual dialect.
  private func dialect(
    _ options: OrderGeneration.Options
  ) throws(Diagnostic) -> (OrderFileDialect, OrderedImage.LinkerSource) {
    let imageFormat = release.layout.imageFormat
    // The order file for renamed sections is a list of symbols, which no linker reads but `diff` and `verify` do.
    guard let wanted = options.renaming == nil ? options.linker : .lld else {
      if let linker = release.image?.linker.flatMap(OrderFileDialect.init(name:)) {
        return (linker, .image)
      }
      return (.usual(for: imageFormat), .assumed)
    }
    guard let dialect = wanted.writing(imageFormat) else {
      throw Diagnostic(
        "linker mismatch: expected a linker for \(imageFormat.rawValue), found '\(wanted)' for "
          + wanted.imageFormat.rawValue, context: [release.path],
        remedies: [
          Remedy("leave out '--linker'", option: "--linker"),
          Remedy(
            "use one of: "
              + OrderFileDialect.all.filter { $0.imageFormat == imageFormat }.map(\.name)
              .joined(separator: ", ")),
        ],
        severity: .mismatch)
    }
    return (dialect, .option)
  }

  /// Returns warnings about what may keep the linker from following the order.
  private func warnings(_ order: OrderedParts, _ placing: PlacingEntries) -> [Diagnostic] {
    [
      .sharedInputSections(order.parts, in: release.layout, path: release.path),
      .ambiguous(
        placing, path: release.path,
        hasObjectFiles: release.layout.functions.contains { $0.objectFile != nil }),
      .weakID(recordedImage, release.layout.imageFormat),
    ].compactMap { $0 }
  }

  /// The header of the file: the program that made it, and the builds and launches from which it was made. The header
  /// has no time and no path, so that the same inputs give the same bytes.
  private func header(_ strategy: OrderStrategy, _ workloads: [WorkloadSummary]) -> [String] {
    let recorded = recordedImage.id?.description ?? "without ID"
    let ordered = release.image?.id.map { ", ordered image \($0)" } ?? ""
    return [
      OrderFileTitle.text(
        version: toolVersion, strategy == .firstHit ? .firstUses : .balanced,
        ofImage: recordedImage.fileName,
        in: counted(Int(clamping: used.launchCount), "launch", "launches")),
      "recorded image \(recorded)\(ordered)",
    ] + workloads.map(\.text)
  }

  /// Returns the functions whose lines can't be written, as indexes into the layout's functions, and one
  /// name of each with the reason. Leaves out functions that have a line by another name.
  private func unwritten(
    _ placing: PlacingEntries, _ written: WrittenOrderFile,
    _ unrenamed: [(entry: OrderFileEntry, reason: SectionRenaming.Reason)]
  ) -> (functions: [Int], names: [NameWithReason]) {
    let layout = release.layout
    let lost = written.unwritable.filter { $0.reason != .duplicate }
    let lostIndexes = Set(lost.map(\.index))
    let listed = Set(
      placing.entries.indices.filter { !lostIndexes.contains($0) }
        .map { NameKey(placing.entries[$0].symbol) })
    var functions: [Int] = []
    var names: [NameWithReason] = []
    var seen: Set<StatedAddress> = []
    func add(_ name: SymbolName, _ reason: String) {
      let found = map.resolveAsLinker(name).functions
      let others = found.filter { index in
        let aliases = layout.functions(at: layout.functions[index].address)
        return !aliases.contains {
          listed.contains(NameKey(layout.names[layout.functions[$0].name]))
        }
      }
      let new = others.filter { seen.insert(layout.functions[$0].address).inserted }
      functions += new
      guard found.isEmpty || !new.isEmpty else { return }
      names.append(NameWithReason(name: name, reason: reason))
    }
    for name in placing.unnamable {
      let reason =
        isOutlined(name.bytes[...])
        ? MissingReason.outlined.description : "the name is a label, or the linker made it"
      add(name, "unable to write: \(reason)")
    }
    for entry in lost {
      add(SymbolName(bytes: entry.entry.symbol), "unable to write: \(entry.reason)")
    }
    for entry in unrenamed { add(SymbolName(bytes: entry.entry.symbol), entry.reason.rawValue) }
    return (functions, names)
  }

  /// Returns the recorded functions that no line of the order file names, each once, with the reason.
  private func missing(
    _ placing: PlacingEntries, _ unwritten: [NameWithReason]
  ) -> [NameWithReason] {
    let unwritable =
      unwritten
      + placing.unmoved.map { index in
        let function = release.layout.functions[index]
        let place = function.objectFile.map { " in '\(release.layout.names.name($0))'" } ?? ""
        return NameWithReason(
          name: release.layout.name(of: function),
          reason: "unable to order: ld64 moves the first function of that name\(place)")
      }
    var listed: Set<NameWithReason> = []
    return (resolved.missing + unwritable).filter { listed.insert($0).inserted }
  }
}
