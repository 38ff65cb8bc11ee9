import CommandSupport
import ImageModel
import LibC
import OrderFileFormat
import Ordering
import PagesFormat
import Prediction
import Rendering
import Symbolication

/// The pages that launches execute, in the default order and in the new one.
typealias ProjectCounts = BeforeAfter<ProjectLaunches.Counts>

extension BeforeAfter where Value == ProjectLaunches.Counts {
  /// By how much the counts of launches that did not settle differ; `nil` if all launches settled.
  var unsettled: AutoDocument.Unsettled? {
    guard before.range != nil || after.range != nil else { return nil }
    func range(_ counts: Value) -> ClosedRange<Int> {
      let pages = counts.images.map(\.pages).reduce(0, +)
      return counts.range ?? pages...pages
    }
    return AutoDocument.Unsettled(
      counts: ProjectLaunches.unsettledCounts, before: range(before), after: range(after))
  }

  var warnings: [Diagnostic] {
    let unsettled = unsettled.map { unsettled in
      Diagnostic(
        "a launch was still busy when it was ended, seconds after it was ready: \(unsettled.wording)",
        context: ["--until-ready"],
        hint:
          "end the launch when the program waits for requests: --until-ready line=TEXT, with a line that it prints then"
      )
    }
    return before.warnings + after.warnings + (unsettled.map { [$0] } ?? [])
  }
}

/// Orders the images that launches use, and checks the result.
struct ProjectImages {
  private let recorded: ProjectLaunches.Recorded
  private let folder: AutoFolder
  private let plan: BuildPlan
  /// Whether functions are to be split.
  var splits = false

  init(_ recorded: ProjectLaunches.Recorded, of plan: BuildPlan, in folder: AutoFolder) {
    self.recorded = recorded
    self.folder = folder
    self.plan = plan
  }

  private var images: [ProjectImage] { recorded.images }

  /// Keeps a copy of each image before it is ordered.
  func keepDefault() throws(Diagnostic) {
    for image in images { try copy(image.path, to: defaultPath(of: image)) }
  }

  private func defaultPath(of image: ProjectImage) -> String {
    "\(folder.defaultImages)/\(image.name)"
  }

  /// Writes an order file for each image whose linker can order it.
  ///
  /// - Parameter prefetching: the pages that the launches touch in the default order, if source files with which the
  ///   images prefetch are to be written, too.
  /// - Throws: if no image can be ordered.
  func writeOrders(
    prefetching: [PagesDocument]? = nil
  ) throws(Diagnostic) -> (byPath: [String: OrderedImage], warnings: [Diagnostic]) {
    var orders: [String: OrderedImage] = [:]
    var profiles: [[UInt8]] = []
    var warnings: [Diagnostic] = []
    for image in images {
      let dialect: OrderFileDialect
      do { dialect = try image.linker.orderingDialect(of: image.name) } catch {
        warnings.append(error)
        continue
      }
      guard !image.isMadeByGo else {
        warnings.append(
          Diagnostic("not ordered: \(UnsupportedLanguage.go.wording)", context: [image.name]))
        continue
      }
      var options = OrderGeneration.Options(traces: recorded.traces[image] ?? [])
      options.builds = .one(image: defaultPath(of: image))
      options.linker = dialect
      options.ordersData = plan.goal == .data
      if let prefetching {
        options.prefetchPath = "\(folder.orders)/\(image.prefetchSourceName)"
        // Traces of this goal have all touched data.
        if plan.goal != .data { options.traces += try pages(of: image, prefetching) }
      }
      let file = try OutputFile("\(folder.orders)/\(image.orderName)")
      let isStripped = image.isStripped
      var order: GeneratedOrder
      var found: [Diagnostic]
      do {
        (order, found) = try generate(options, outputPath: file.path, split: nil)
      } catch {
        guard isStripped else { throw error }
        warnings.append(
          .strippedByBuild(
            image,
            "not ordered: the project's build strips this image, so its functions have no names"))
        continue
      }
      if isStripped {
        warnings.append(
          .strippedByBuild(
            image, "the project's build strips this image: only exported functions are ordered"))
      }
      if splits {
        do { (order, found) = try generate(options, outputPath: file.path, split: .clang) } catch {
          warnings.append(
            Diagnostic("not split: \(error.message)", context: [image.name], hint: error.hint))
        }
      }
      try file.finish(order.bytes)
      if let path = options.prefetchPath, let source = order.prefetchSource {
        try OutputFile(path).finish(source)
      }
      orders[image.path] = order.image
      if let profile = order.splitProfile { profiles.append(profile) }
      warnings += found.filter { $0.kind != .unusedHits }
    }
    if !profiles.isEmpty {
      try OutputFile(folder.splitProfile).finish(try ProjectClusters(profiles).bytes)
    }
    guard !orders.isEmpty else {
      throw warnings.first ?? Diagnostic("no image can be ordered", context: [folder.tree])
    }
    if plan.system.usesToolset {
      // The order file of a package has the lines of all its images, because the linker ignores lines for functions of
      // another image.
      var all: [UInt8] = []
      for image in images where orders[image.path] != nil {
        let bytes = try InputFile.bytes("\(folder.orders)/\(image.orderName)")
        all += bytes.copy(0..<bytes.count)
      }
      try OutputFile(folder.packageOrder).finish(all)
    }
    return (orders, warnings)
  }

  /// Writes the documents with pages of `image` to files.
  private func pages(
    of image: ProjectImage, _ documents: [PagesDocument]
  ) throws(Diagnostic) -> [String] {
    let own = documents.filter { $0.images.contains { $0.path == image.path } }
    return try own.enumerated().map { number, document throws(Diagnostic) in
      let path = "\(folder.temporary)/\(image.name)-\(number + 1).pages"
      try OutputFile(path).finish(document.json())
      return path
    }
  }

  private func generate(
    _ options: OrderGeneration.Options, outputPath: String, split: SplitFormat?
  ) throws(Diagnostic) -> (GeneratedOrder, [Diagnostic]) {
    var options = options
    options.split = split
    options.splitPath = folder.splitProfile
    var generation = try OrderGeneration(options)
    guard let name = generation.fileNames.first else {
      throw Diagnostic("missing image in the traces", context: options.traces)
    }
    let order = try generation.order(ofImageNamed: name, outputPath: outputPath)
    return (order, generation.warnings)
  }

  /// Keeps copies of the images that were linked in the new order.
  func keepOrdered() throws(Diagnostic) {
    for image in images {
      guard access(image.path, R_OK) == 0 else {
        throw Diagnostic(
          "the build did not link this image again", context: [image.path],
          hint:
            "change the rule of the image so that it links again if the file is missing; the output: \(folder.logs)/\(splits ? "split" : "relink").log"
        )
      }
      try copy(image.path, to: "\(folder.images)/\(image.name)")
    }
  }

  /// Compares the images in the new order with the images in the default order.
  ///
  /// - Parameters:
  ///   - counts: the counts, whose images are in the order of `images`; `nil` if pages were not counted.
  ///   - launch: the words of a launch, for the commands of next steps.
  ///   - rejected: the steps that were measured and did not pay.
  func check(
    _ orders: [String: OrderedImage], _ counts: ProjectCounts?, _ launch: [String]?,
    _ method: AutoDocument.RecordingMethod, rejected: Set<NextStep.Kind>
  ) throws(Diagnostic) -> (
    images: [AutoDocument.Image], nextSteps: [NextStep], warnings: [Diagnostic]
  ) {
    var checked: [AutoDocument.Image] = []
    var nextSteps: [NextStep] = []
    var warnings: [Diagnostic] = []
    let profile = Folder.hasFile(folder.splitProfile) ? folder.splitProfile : nil
    for (index, image) in images.enumerated() {
      guard let order = orders[image.path],
        let dialect = OrderFileDialect(name: order.file.linker)
      else { continue }
      var options = LayoutDiff.Options(
        before: defaultPath(of: image), after: "\(folder.images)/\(image.name)")
      options.launches.traces = recorded.traces[image] ?? []
      options.launches.order = "\(folder.orders)/\(image.orderName)"
      options.launches.launch = launch
      options.launches.rejectedSteps = rejected
      if !method.needsInstrumentedBuild { options.launches.recorded = [options.before] }
      let compared = try LayoutDiff(options)
      let diff = compared.document
      guard let compliance = diff.compliance.order else { continue }
      let pages = counts.map {
        BeforeAfter(before: $0.before.images[index].pages, after: $0.after.images[index].pages)
      }
      var checkedImage = AutoDocument.Image(
        name: image.name, isLibrary: image.isLibrary, orderName: image.orderName,
        linker: dialect.name, functions: order.recording.functions, compliance: compliance,
        predicted: diff.prediction.pages)
      checkedImage.pages = pages
      checkedImage.pages16k = counts.map {
        BeforeAfter(
          before: $0.before.images[index].pages16k, after: $0.after.images[index].pages16k)
      }
      checkedImage.compileOptions = plan.compileOptions(
        splitBy: profile, isOCaml: compared.estimates.layouts.last.layout.hasOCamlCode)
      checkedImage.linkOptions = plan.linkOptions(
        dialect, orderFile: options.launches.order ?? "", splitBy: profile)
      checkedImage.architecture = diff.after.image.architecture
      checkedImage.id = diff.after.image.id
      checkedImage.startupFunctions = diff.compliance.functions
      checked.append(checkedImage)
      nextSteps += diff.nextSteps
      warnings += diff.warnings.filter { $0.kind != .unusedHits }
      if let pages, pages.after > pages.before {
        warnings.append(
          Diagnostic(
            "in the new order, the launches execute \(counted(pages.after - pages.before, "page")) more than in the default order",
            context: [image.name],
            hint: "keep the default order for this image"))
      }
    }
    let others = nextSteps.filter { $0.kind != .nothing }
    return (checked, others.isEmpty ? Array(nextSteps.prefix(1)) : others, warnings)
  }

  private func copy(_ path: String, to other: String) throws(Diagnostic) {
    try OutputFile(other).finish(copyOf: path)
    chmod(other, 0o755)
  }
}

extension Diagnostic {
  /// Returns the warning about an image that the build strips. The linker wrapper leaves out each `-s` that it sees.
  fileprivate static func strippedByBuild(_ image: ProjectImage, _ message: String) -> Diagnostic {
    Diagnostic(
      message, context: [image.name],
      hint:
        "leave out 'strip' after the link, and -s in files of options (@FILE); strip a copy of the ordered image"
    )
  }
}
