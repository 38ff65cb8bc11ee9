import ByteReading
import CommandSupport
import Counting
import ImageModel
import ObjectFormat
import PagesFormat
import ProcessLaunch
import Rendering
import Symbolication

/// Builds an image with changes, counts the pages that its launches touch, and measures what the launches cost.
struct BuildTrials {
  private let linked: RelinkedImage
  private let launch: RelinkedLaunch
  private let orders: LaunchOrders
  private let settings: AdviceMeasurement
  /// Whether the command compiles with the options in `ORDERFILE_CFLAGS`.
  private let compiles: Bool
  /// The folder for the toolsets from which the command takes its options; `nil` if it takes none from a toolset.
  private let toolsetFolder: TemporaryFolder?
  private var toolsets: [SwiftToolset] = []
  private let identity: ProgramIdentity
  private let bytesBefore: FileBytes
  /// The order files so far, by the variant that is built with them.
  private var files: [BuildVariant: Result<OrderedBuildFiles, any Error>] = [:]
  private var folders = 0

  private struct Trial {
    var build: AdviceDocument.Build
    var end: ProgramLaunch.End
    var id: String?
    var bytes: [UInt8]
  }

  /// - Parameter before: the image before the first link.
  /// - Throws: if the image can't be read.
  init(
    _ linked: RelinkedImage, _ orders: LaunchOrders, _ settings: AdviceMeasurement, compiles: Bool,
    toolsetFolder: TemporaryFolder?, before: ELFFile
  ) throws(Diagnostic) {
    self.linked = linked
    self.orders = orders
    launch = orders.launch
    self.settings = settings
    self.compiles = compiles
    self.toolsetFolder = toolsetFolder
    // Each link replaces the image's file; this mapping keeps the file's present bytes.
    bytesBefore = before.bytes
    identity = try Self.identity(bytesBefore, linked.path)
  }

  /// Builds and launches with each change alone, and then with the best changes together.
  ///
  /// - Parameter output: the folder for the files with which the best changes are built; `nil` to write none.
  /// - Throws: if the command fails without changes, or makes another program.
  mutating func run(
    tries changes: [BuildChange], in document: inout AdviceDocument, output: String?,
    _ progress: (AdviceDocument.Change) -> Void
  ) throws {
    let present = try trial(BuildVariant(), end: nil)
    try notePresent(present, &document)
    let costs =
      settings.isEmpty
      ? nil
      : CostMeasurement(
        settings: settings, launch: launch, ignoresFailure: present.end != .exited(0))
    defer { costs?.removeFiles() }
    if let costs {
      try costs.keepPresent()
      let measured = try costs.run()
      document.present.costs = measured.present
      document.again = measured.changed
    }
    _ = orderFiles(BuildVariant([.functionOrder]), present.end)

    let shown = output ?? ""
    var tried: [AdviceDocument.Change] = []
    for change in changes {
      if Interruption.hasCome { throw Diagnostic("interrupted") }
      let variant = BuildVariant([change])
      let outcome = try outcome(variant, present, costs)
      let result = change.advised(outcome, words(of: variant, in: shown))
      tried.append(result)
      progress(result)
    }
    if !tried.isEmpty, tried.allSatisfy({ $0.outcome == .unchanged }) {
      document.warnings.append(
        Diagnostic(
          "the command makes the same image with each change", context: ["--relink"],
          hint:
            "let the command pass $ORDERFILE_LDFLAGS to the compiler or linker that links the image"
        ))
    }
    document.changes = document.bestFirst(tried)
    try document.together = together(document, changes, present, costs, output)
    document.correctForTheirNumber()
  }

  private func notePresent(_ present: Trial, _ document: inout AdviceDocument) throws {
    let again = AdviceDocument.Build(try launch.count(present.end).image, fileBytes: 0)
    if !present.bytes.elementsEqual(bytesBefore.copy(0..<bytesBefore.count)) {
      document.warnings.append(
        Diagnostic(
          "the command of --relink made another build than the given image: changes are compared with the build of the command",
          context: [linked.path]))
    }
    document.image.id = present.id
    document.present = present.build
    let variation = abs(again.pages - present.build.pages)
    document.variation = variation
    if variation > 0 {
      document.warnings.append(
        Diagnostic(
          "two launches of one image differ by \(counted(variation, "page")): "
            + "smaller savings are noise", context: [launch.program.command[0]]))
    }
  }

  // MARK: Together

  /// Adds one change after the other to the build, and keeps each change with which the number of pages falls. Then
  /// adds prefetching, and keeps it if cold launches cost less with it.
  private mutating func together(
    _ document: AdviceDocument, _ changes: [BuildChange], _ present: Trial,
    _ costs: CostMeasurement?, _ output: String?
  ) throws -> AdviceDocument.Together? {
    var best = BuildVariant()
    var pages = present.build.pages
    let helpful = document.changes.filter {
      $0.givesUp == nil && document.saved(by: $0) ?? 0 > 0
    }
    for name in helpful.map(\.name) {
      guard let change = changes.first(where: { $0.name == name }), change != .prefetch else {
        continue
      }
      if Interruption.hasCome { throw Diagnostic("interrupted") }
      let variant = best.adding(change)
      guard variant != best, case .measured(let build) = try outcome(variant, present, nil) else {
        continue
      }
      if build.pages < pages {
        best = variant
        pages = build.pages
      }
    }
    var build = try self.build(best, present, costs, document)
    if settings.device != nil, changes.contains(.prefetch) {
      let prefetching = best.adding(.prefetch)
      if let other = try self.build(prefetching, present, costs, document),
        let cold = other.costs?.cold, let without = build?.costs?.cold,
        cold.costsLess(than: without)
      {
        best = prefetching
        build = other
      }
    }
    guard best != BuildVariant(), let build else { return nil }
    if let output, case .success(let files)? = files[best.fileKey] { try files.copy(to: output) }
    if let output, toolsetFolder != nil {
      let words = words(of: best, in: try Folder.absolutePath(output))
      try OutputFile("\(output)/\(AdviceDocument.toolsetName)").finish(words.toolset.json())
    }
    let words = words(of: best, in: output ?? "")
    return AdviceDocument.Together(
      names: best.changes.map(\.name), linking: words.linking, compiling: words.compiling,
      build: build)
  }

  /// Builds and measures the image with several changes. Returns the build without changes if there are none, and
  /// `nil` if the image can't be built with the changes.
  private mutating func build(
    _ variant: BuildVariant, _ present: Trial, _ costs: CostMeasurement?, _ document: AdviceDocument
  ) throws -> AdviceDocument.Build? {
    if variant == BuildVariant() { return document.present }
    guard case .measured(let build) = try outcome(variant, present, costs) else { return nil }
    return build
  }

  // MARK: One build

  /// - Parameter costs: measures the build; `nil` to count only its pages.
  /// - Throws: only an error that makes further trials pointless, such as that the command made another program.
  private mutating func outcome(
    _ variant: BuildVariant, _ present: Trial, _ costs: CostMeasurement?
  ) throws -> AdviceDocument.Outcome {
    var build: AdviceDocument.Build
    if variant.order != nil, case .failure(let error) = orderFiles(variant, present.end) {
      if Interruption.hasCome { throw Diagnostic("interrupted") }
      return .failed((error as? Diagnostic)?.message ?? "\(error)")
    }
    do {
      let trial = try trial(variant, end: present.end)
      if trial.bytes == present.bytes { return .unchanged }
      build = trial.build
    } catch let error as Diagnostic where error.severity != .mismatch {
      if Interruption.hasCome { throw Diagnostic("interrupted") }
      return .failed(error.message)
    }
    build.costs = try costs?.run().changed
    return .measured(build)
  }

  private mutating func trial(_ variant: BuildVariant, end: ProgramLaunch.End?) throws -> Trial {
    try link(words(of: variant, in: nil))
    let bytes = try InputFile.bytes(linked.path)
    guard try Self.identity(bytes, linked.path).isLike(identity) else {
      throw Diagnostic(
        "the command made another program: most functions of the given image are not in it",
        context: ["--relink"],
        severity: .mismatch)
    }
    let (image, counted) = try launch.count(end)
    return Trial(
      build: AdviceDocument.Build(image, fileBytes: UInt64(bytes.count)), end: counted.end,
      id: image.id, bytes: bytes.copy(0..<bytes.count))
  }

  private mutating func link(_ words: BuildWords) throws(Diagnostic) {
    var variables = [
      (name: "ORDERFILE_LDFLAGS", value: words.linking.joined(separator: " ")),
      (name: "ORDERFILE_CFLAGS", value: words.compiling.joined(separator: " ")),
    ]
    if let toolsetFolder {
      let path = try write(words.toolset, to: toolsetFolder)
      variables.append((name: SwiftToolset.variable, value: path))
    }
    try linked.link(with: variables)
  }

  /// Writes a toolset, and returns its path. SwiftPM plans a build again if an environment variable has changed, but not
  /// if the contents of the toolset have. So toolsets with different options have different paths.
  private mutating func write(_ toolset: SwiftToolset, to folder: TemporaryFolder)
    throws(Diagnostic) -> String
  {
    let index = toolsets.firstIndex(of: toolset) ?? toolsets.count
    if index == toolsets.count { toolsets.append(toolset) }
    let path = folder.path("toolset-\(index + 1).json")
    try OutputFile(path).finish(toolset.json())
    return path
  }

  /// Returns the options that build a variant.
  ///
  /// - Parameter folder: the folder with the files that the options name; `nil` for the folder where they are.
  private func words(of variant: BuildVariant, in folder: String?) -> BuildWords {
    var words = BuildWords()
    if case .success(let files)? = files[variant.fileKey] {
      let own = files.words(in: folder ?? files.folder)
      words.add(compiling: compiles ? own.compiling : [], linking: own.linking)
    }
    for option in variant.options {
      words.add(compiling: option.compiling, linking: option.linking)
    }
    return words
  }

  /// Returns the order file of a variant, and what belongs to it. Makes it from a launch of the image that is linked
  /// without an order, and without splitting.
  private mutating func orderFiles(
    _ variant: BuildVariant, _ end: ProgramLaunch.End
  ) -> Result<OrderedBuildFiles, any Error> {
    if let known = files[variant.fileKey] { return known }
    folders += 1
    let made = Result { try makeFiles(variant.fileKey, "order-\(folders)", end) }
    files[variant.fileKey] = made
    return made
  }

  private mutating func makeFiles(
    _ variant: BuildVariant, _ folder: String, _ end: ProgramLaunch.End
  ) throws -> OrderedBuildFiles {
    let isSplit = variant.order == .splitFunctions
    var words = words(of: variant.unordered, in: nil)
    if compiles { words.add(compiling: [OrderedBuildFiles.sectionsOption], linking: []) }
    if isSplit {
      words.add(
        compiling: [OrderedBuildFiles.mapOption], linking: [OrderedBuildFiles.idOption])
    }
    try link(words)
    return try orders.files(
      folder, isSplit: isSplit, prefetches: variant.prefetches, end: end)
  }

  private static func identity(
    _ bytes: FileBytes, _ path: String
  ) throws(Diagnostic) -> ProgramIdentity {
    ProgramIdentity(try Image.reading(bytes, path: path).image)
  }
}

extension BuildVariant {
  /// The variant whose files this variant takes. An order file names functions, so it fits with all link options.
  /// The table of the data to prefetch has places in segments, so it is made for each variant.
  fileprivate var fileKey: BuildVariant {
    var variant = self
    if !prefetches { variant.options = [] }
    return variant
  }
}
