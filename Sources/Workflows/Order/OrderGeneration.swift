import ImageModel
import OrderFileFormat
import Reporting
import Symbolication

/// An order file, and what is to be said about it.
package struct GeneratedOrder {
  package let bytes: [UInt8]
  package let image: OrderedImage
  /// Of the build that is ordered.
  package let imageFormat: ImageFormat
  let warnings: [Diagnostic]
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
  /// By the file name of the recorded image.
  private var releases: [String: ReleaseLayout] = [:]
  /// Of the recorded images that are ordered.
  package let fileNames: [String]
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
      let fileName = try inputs.fileName(forImagesNamed: [image].compactMap { $0 })
      fileNames = [fileName]
      releases[fileName] = try ReleaseLayout(
        image: image, linkMap: linkMap, debugFile: debugFile,
        slice: SliceChoice(options.architecture))
    case .each(let images):
      fileNames = inputs.traces.usedFileNames
      for path in images { try add(path) }
    }
  }

  private mutating func add(_ path: String) throws(Diagnostic) {
    let name = fileName(ofPath: path)
    guard inputs.traces.fileNames.contains(name) else {
      throw Diagnostic(
        "missing image '\(name)' in the traces", context: [path],
        hint: "the traces have \(inputs.traces.fileNames.joined(separator: ", "))",
        severity: .mismatch)
    }
    releases[name] = try ReleaseLayout(path: path, slice: SliceChoice(options.architecture))
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
    let profile = try inputs.profile(ofImageNamed: fileName)
    guard let image = inputs.traces.images.first(where: { $0.fileName == fileName }) else {
      throw Diagnostic("missing image '\(fileName)' in the traces")
    }
    // A layout can be large: it is let go when its order is made.
    let release: ReleaseLayout
    if let given = releases.removeValue(forKey: fileName) {
      release = given
    } else {
      release = ReleaseLayout(try inputs.recordedImage(of: image))
    }
    let order = try ImageOrder(profile, of: image, release: release)
      .orderFile(options, outputPath: outputPath, traces: inputs.traces)
    orderWarnings += order.warnings
    if case .one = options.builds { orderWarnings += inputs.warnings(forImageNamed: fileName) }
    return order
  }

  /// What is to be said about the traces, and about the orders made so far.
  package var warnings: [Diagnostic] {
    let unused = inputs.traces.fileNames.filter { !fileNames.contains($0) }
    guard case .each = options.builds else { return inputs.warnings + orderWarnings }
    return inputs.warnings + orderWarnings
      + unused.map {
        Diagnostic("nothing was recorded in '\($0)': no order file is written")
      }
  }
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
