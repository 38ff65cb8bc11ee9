import ImageModel
import OrderFileFormat
import Reporting
import Symbolication

/// An order file, and what is to be said about it.
package struct GeneratedOrder {
  package let bytes: [UInt8]
  package var image: OrderedImage
  /// Of the build that is ordered.
  package let imageFormat: ImageFormat
  var warnings: [Diagnostic]
}

/// From traces to an order file for each image that is to be ordered.
package struct OrderGeneration {
  /// What to order, by what, and for whom.
  package struct Options {
    package var traces: [String]
    /// Images that were recorded.
    package var recorded: [String] = []
    package var builds = Builds.one()
    /// Which image of a universal file; the only one that the order files are to be for, in a dialect that
    /// can say so.
    package var architecture: Architecture?
    /// The linker's; `nil` takes the usual one for the image.
    package var dialect: OrderFileDialect?
    /// Functions of at least so many bytes go behind the smaller ones.
    package var largeFunctionBytes: UInt64?

    package init(traces: [String]) { self.traces = traces }
  }

  /// The builds to be ordered, by their paths; the recorded one where there is none.
  package enum Builds {
    case one(image: String? = nil, linkMap: String? = nil, debugFile: String? = nil)
    /// One for each recorded image, which has its file name.
    case each(images: [String])
  }

  private let options: Options
  private var inputs: LaunchInputs
  /// Of the recorded images that are ordered.
  private let groups: [Int]
  /// By the group of the recorded images.
  private var releases: [Int: ReleaseLayout] = [:]
  private var orderWarnings: [Diagnostic] = []

  /// Reads the traces and the builds.
  ///
  /// - Throws: also if nothing was recorded, and `mismatch` if what was given does not belong together.
  package init(_ options: Options) throws(Diagnostic) {
    self.options = options
    inputs = try LaunchInputs(
      traces: options.traces, recorded: options.recorded, architecture: options.architecture)
    switch options.builds {
    case .one(let image, let linkMap, let debugFile):
      let release = try ReleaseLayout(
        image: image, linkMap: linkMap, debugFile: debugFile,
        slice: SliceChoice(options.architecture))
      let group = try inputs.group(for: [release].compactMap { $0 })
      groups = [group]
      releases[group] = release
    case .each(let images):
      groups = inputs.usedGroups
      for path in images { try add(path) }
    }
  }

  /// What the recorded images that are ordered are called.
  package var fileNames: [String] { groups.map { inputs.groups.groups[$0].name } }

  private mutating func add(_ path: String) throws(Diagnostic) {
    let release = try ReleaseLayout(path: path, slice: SliceChoice(options.architecture))
    let group = inputs.groups.group(
      release.image?.id, libraryName: release.image?.libraryName, path: path)
    guard let group else {
      throw Diagnostic(
        "missing image '\(fileName(ofPath: path))' in the traces", context: [path],
        hint: "the traces have \(inputs.names.joined(separator: ", "))",
        severity: .mismatch)
    }
    guard releases[group] == nil else {
      throw Diagnostic(
        "another build of '\(inputs.groups.groups[group].name)' was given before", context: [path],
        severity: .mismatch)
    }
    releases[group] = release
  }

  /// The order of one image.
  ///
  /// - Parameters:
  ///   - fileName: one of `fileNames`.
  ///   - outputPath: where the order file goes, for the report.
  /// - Throws: `mismatch` if the build is of another program, or of another format than the dialect's.
  package mutating func order(
    ofImageNamed fileName: String, outputPath: String
  ) throws(Diagnostic) -> GeneratedOrder {
    guard let group = groups.first(where: { inputs.groups.groups[$0].name == fileName }),
      let place = inputs.groups.groups[group].images.first
    else { throw Diagnostic("missing image '\(fileName)' in the traces") }
    let image = inputs.traces.images[place]
    // A layout can be large: it is let go when its order is made.
    let given = releases.removeValue(forKey: group)
    if case .one = options.builds {
      try inputs.addPrograms(to: group) { (inputs) throws(Diagnostic) in
        if let given { return given.layout }
        return try inputs.recordedImage(of: image).layout
      }
    }
    let profile = try inputs.profile(of: group)
    let release: ReleaseLayout
    if let given {
      release = given
    } else {
      release = ReleaseLayout(try inputs.recordedImage(of: image))
    }
    let recordable = inputs.recordableCode(of: group, countedIn: release.layout)
    var order = try ImageOrder(profile, of: image, release: release)
      .orderFile(
        options, outputPath: outputPath, traces: inputs.traces,
        usedCount: inputs.traceCount(of: group))
    order.image.recordable = recordable
    order.warnings += [.partlyRecordable(recordable, path: image.path)].compactMap { $0 }
    orderWarnings += order.warnings
    return order
  }

  /// What is to be said about the traces, and about the orders made so far.
  package var warnings: [Diagnostic] {
    var warnings = inputs.warnings + orderWarnings
    if case .each = options.builds {
      let ordered = fileNames
      warnings += inputs.names.filter { !ordered.contains($0) }.map {
        Diagnostic("nothing was recorded in '\($0)': no order file is written")
      }
    }
    return warnings
      + Diagnostic.unused(
        inputs.unused(besides: groups),
        hint: "order each image with --all-images, or one of them with --image")
  }

  /// What the traces hold of which no order is made, trace by trace.
  package var unused: [UnusedHits] { inputs.unused(besides: groups).flatMap { $0 } }
}

extension ReleaseLayout {
  /// Reads what is given; `nil` if nothing is.
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
