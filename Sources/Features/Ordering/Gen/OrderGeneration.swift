import CommandSupport
import FunctionOrder
import ImageModel
import OrderFileFormat
import ProfileFormat
import Symbolication
import TraceSymbolication

/// An order file, and what to report about it.
package struct GeneratedOrder {
  package let bytes: [UInt8]
  /// The profile by which functions are split; `nil` if they stay whole.
  package let splitProfile: [UInt8]?
  /// The source file that makes the image prefetch the ordered functions; `nil` if no prefetching is requested.
  package let prefetchSource: [UInt8]?
  /// The copies of objects that place the functions when they are linked; `nil` if an order file places the functions.
  package let copies: RenamedCopies?
  package var image: OrderedImage
  /// The format of the build that is ordered.
  package let imageFormat: ImageFormat
  package var warnings: [Diagnostic]
}

/// Makes an order file from traces for each image that is to be ordered.
package struct OrderGeneration {
  /// Which traces and builds to read, and how to order them.
  package struct Options {
    /// The traces and profiles, as the parameters of `LaunchFiles.init`.
    package var traces: [String]
    package var weighted: [String] = []
    /// Whether files that can't be read are left out with a warning.
    package var keepsGoing = false
    /// How many of the launches must have used a function that is ordered.
    package var minSupport = MinSupport.launches(1)
    /// The paths of recorded images.
    package var recorded: [String] = []
    package var builds = Builds.one()
    /// The architecture of the slice to read from a universal file. Order files in a dialect that can name
    /// architectures are for this architecture only.
    package var architecture: Architecture?
    /// The dialect of the linker; `nil` takes the dialect of the linker that wrote the build, or else the usual
    /// dialect.
    package var linker: OrderFileDialect?
    /// How to place the functions of several launches; `nil` takes the usual way for their number.
    package var strategy: OrderStrategy?
    /// Functions of at least this size are placed after the smaller functions.
    package var largeFunctionBytes: UInt64?
    /// The path of an order file in which entries stay where they are if hardly anything is gained by moving them.
    package var previous: String?
    /// How many pages of 4 KiB more than with a new order a launch may touch, on average, so that more entries stay where
    /// they are in the previous order file; `nil` for the usual tolerance.
    package var lostPages: Int?
    /// How to split functions into the code that runs and the other code; `nil` leaves functions whole. If functions
    /// are split, `builds` is `one`.
    package var split: SplitFormat?
    /// The path of the profile for splitting functions, for the report.
    package var splitPath = ""
    /// The path of the source file that prefetches the ordered functions, for the report; `nil` makes no such file.
    /// With a path, `builds` is `one`.
    package var prefetchPath: String?
    /// Whether data that launches touched are listed after the functions. Otherwise they are only prefetched.
    package var ordersData = true
    /// How to rename sections, for a linker that places functions by the names of sections; `nil` renames none. With
    /// it, `builds` is `one`, and functions are neither split nor prefetched.
    package var renaming: RenamingRequest?
    /// Where the tools that split and rename are looked up.
    package var environment = LaunchEnvironment(searchPath: nil)

    package init(traces: [String]) { self.traces = traces }
  }

  /// For which linker and in which objects sections are renamed.
  package struct RenamingRequest {
    package var linker: RenamingLinker
    /// The folder for the copies of the objects.
    package var folder: String
    /// The paths of objects and archives, in the order in which they are linked.
    package var objects: [String]

    package init(_ linker: RenamingLinker, folder: String, objects: [String]) {
      self.linker = linker
      self.folder = folder
      self.objects = objects
    }
  }

  /// The paths of the builds to order; if none is given, the recorded build.
  package enum Builds {
    case one(image: String? = nil, linkMap: String? = nil, debugFile: String? = nil)
    /// One build for each recorded image. `BuildGroups` matches builds to recorded images.
    case each(images: [String])
  }

  private let options: Options
  private var inputs: LaunchInputs
  private let pages: PagesInputs
  /// The groups of recorded images that are ordered.
  private let groups: [Int]
  /// The builds to order, by the group of the recorded image.
  private var releases: [Int: ReleaseLayout] = [:]
  /// The profile of what launches used in `groups`; `nil` until the first order is made.
  private var folded: Profile?
  private var orderWarnings: [Diagnostic] = []

  /// Reads the traces and the builds.
  ///
  /// - Throws: an error also if nothing was recorded; `mismatch` if the inputs do not belong together.
  package init(_ options: Options) throws(Diagnostic) {
    self.options = options
    let files = try LaunchFiles(
      options.traces, weighted: options.weighted, takesPages: true, keepsOpen: true)
    pages = try PagesInputs(files.pages)
    inputs = try LaunchInputs(
      files, pages: pages, recorded: options.recorded, architecture: options.architecture,
      keepsGoing: options.keepsGoing)
    switch options.builds {
    case .one(let image, let linkMap, let debugFile):
      let release = try ReleaseLayout(
        image: image, linkMap: linkMap, debugFile: debugFile,
        slice: SliceChoice(options.architecture))
      let group = try inputs.builds.group(for: [release].compactMap { $0 })
      groups = [group]
      releases[group] = release
    case .each(let images):
      groups = inputs.builds.usedGroups
      for path in images { try add(path) }
    }
  }

  /// The names of the recorded images that are ordered.
  package var fileNames: [String] { groups.map { inputs.builds.name(of: $0) } }

  private mutating func add(_ path: String) throws(Diagnostic) {
    let release = try ReleaseLayout(path: path, slice: SliceChoice(options.architecture))
    let group = inputs.builds.groups.group(
      release.image?.id, libraryName: release.image?.libraryName, path: path)
    guard let group else {
      throw Diagnostic(
        "missing image '\(fileName(ofPath: path))' in the traces", context: [path],
        hint: "the traces have \(inputs.builds.names.joined(separator: ", "))",
        severity: .mismatch)
    }
    guard releases[group] == nil else {
      throw Diagnostic(
        "another build of '\(inputs.builds.name(of: group))' was already given", context: [path],
        severity: .mismatch)
    }
    releases[group] = release
  }

  /// Makes the order of one image.
  ///
  /// - Parameters:
  ///   - fileName: one of `fileNames`.
  ///   - outputPath: the path of the order file, for the report.
  /// - Throws: `mismatch` if the build is of another program, or of another format than the dialect's.
  package mutating func order(
    ofImageNamed fileName: String, outputPath: String
  ) throws(Diagnostic) -> GeneratedOrder {
    guard let group = groups.first(where: { inputs.builds.name(of: $0) == fileName }),
      let image = inputs.builds.images(of: group).first
    else { throw Diagnostic("missing image '\(fileName)' in the traces") }
    // The layout, which can be large, is released when the image's order is made.
    let given = releases[group]
    let known = inputs.traces.images
    func layout(_ images: inout RecordedImages) throws(Diagnostic) -> Layout {
      if let given { return given.layout }
      return try images.recordedImage(of: image, among: known).layout
    }
    try inputs.checkNames(
      of: group, besides: [given == nil ? image.id : given?.image?.id],
      traits: [given.map { ProgramTraits($0) } ?? ProgramTraits(image)], layout: layout)
    if case .one = options.builds { try inputs.addPrograms(to: group, layout: layout) }
    let folded = try profile()
    let members = inputs.folding.images(of: folded, in: group)
    var used = UsedFunctions(folded, images: members, build: buildID(of: group))
    let least = options.minSupport.launches(of: used.launchCount)
    let rare = used.removeFunctions(usedBelow: least)
    releases[group] = nil
    let dataLaunches = members.map { folded.images[$0].dataLaunches }.saturatingSum()
    let touched = LaunchData.all(
      in: folded, images: members,
      touchedByAtLeast: options.minSupport.launches(of: dataLaunches)
    ) { [images = inputs.images] in images.build(of: $0).flatMap { ImageStrings(of: $0) } }
    let needsBytes = options.split != nil || !pages.isEmpty || !touched.isEmpty
    let release: ReleaseLayout
    if let given {
      release = given
    } else if needsBytes, let build = inputs.images.build(of: image) {
      release = build
    } else {
      release = ReleaseLayout(try inputs.images.recordedImage(of: image, among: known))
    }
    let recordable = inputs.recordableShare(of: group, countedIn: release.layout).code
    let recorded = members.map { folded.images[$0] }
    let data = touched + (try pagesData(of: release, recorded: recorded))
    let libraryName = inputs.builds.libraryName(of: group)
    let imageOrder = try ImageOrder(
      used, of: image, release: release,
      recordedTraits: recorded.map { ProgramTraits(TraceImage($0), libraryName: libraryName) })
    var order =
      try imageOrder
      .orderFile(
        options, outputPath: outputPath, traces: inputs.traces, workloads: folded.workloads,
        leavesOutRare: least > 1,
        executed: options.split == nil
          ? nil : try executedCode(of: release, folded, members, least: least),
        data: data)
    order.image.recording.recordable = recordable
    order.image.functions.rare = rare.count
    if members.count > 1 {
      order.image.recording.builds = members.map { place in
        let used = UsedFunctions(folded, images: [place], build: release.image?.id)
        return imageOrder.build(folded.images[place], used)
      }
    }
    let partly = Diagnostic.partlyRecordable(
      recordable, path: image.path, format: release.layout.imageFormat)
    order.warnings += [imageOrder.renamed, partly].compactMap { $0 }
    orderWarnings += order.warnings
    return order
  }

  /// The data of `release` that launches touched, from documents of pages.
  ///
  /// - Parameter recorded: the recorded builds of the same image.
  private func pagesData(
    of release: ReleaseLayout, recorded: [Profile.Image]
  ) throws(Diagnostic) -> [LaunchData] {
    try pages.launches(
      ofImages: [release.reference.id].compactMap { $0 }
        + recorded.compactMap { $0.id?.description },
      named: [release.path] + recorded.map(\.path), isOptional: groups.count > 1)
  }

  /// Returns what launches executed, as code of `release`.
  ///
  /// - Parameters:
  ///   - members: the images of `profile` that are builds of the same image.
  ///   - least: the number of launches that must have run a block.
  private func executedCode(
    of release: ReleaseLayout, _ profile: Profile, _ members: [Int], least: UInt64
  ) throws(Diagnostic) -> ExecutedCode {
    var executed = try ExecutedCode(release, names: SymbolMap(release.layout))
    let isMember = Set(members)
    for launch in profile.withBlocks(ofAtLeast: least).unitedLaunch
    where isMember.contains(Int(launch.image.number) - 1) {
      try executed.append(launch) { inputs.images.build(of: $0) }
    }
    return executed
  }

  /// The ID of the build to order: the given build's, or else the recorded build's.
  private func buildID(of group: Int) -> ImageID? {
    if let release = releases[group] { return release.image?.id }
    return inputs.builds.images(of: group).first.flatMap(\.id)
  }

  /// Returns what launches used in the images of all groups. The traces are read when the first order is made.
  private mutating func profile() throws(Diagnostic) -> Profile {
    if let folded { return folded }
    let profile = try inputs.folding.profile(of: groups)
    folded = profile
    return profile
  }

  /// Warnings about the traces and about the orders made so far.
  package var warnings: [Diagnostic] {
    var warnings = inputs.warnings + orderWarnings
    if case .each = options.builds {
      let ordered = fileNames
      warnings += inputs.builds.names.filter { !ordered.contains($0) }.map {
        Diagnostic("nothing was recorded in '\($0)', so no order file is written for it")
      }
    }
    return warnings
      + Diagnostic.unused(
        inputs.builds.unused(besides: groups),
        remedies: [
          Remedy("order each image with --all-images", option: "--all-images"),
          Remedy("order one of them with --image", option: "--image"),
        ])
  }

  /// The hits in images that are not ordered, trace by trace.
  package var unused: [UnusedHits] { inputs.builds.unused(besides: groups).flatMap { $0 } }
}

extension ReleaseLayout {
  /// Reads the builds that are given; `nil` if there are none.
  fileprivate init?(
    image: String?, linkMap: String?, debugFile: String?, slice: SliceChoice
  ) throws(Diagnostic) {
    switch (image, linkMap) {
    case (let image?, let map?):
      try self.init(image: image, linkMap: map, debugFile: debugFile, slice: slice)
    case (let path?, nil), (nil, let path?):
      try self.init(path: path, debugFile: debugFile, slice: slice)
    case (nil, nil): return nil
    }
  }
}
