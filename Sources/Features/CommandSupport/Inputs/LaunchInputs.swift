import ImageModel

/// The launches that a command line names, and the recorded images. The initializer has checked that they belong
/// together.
package struct LaunchInputs {
  package let launches: RecordedLaunches
  package private(set) var builds: RecordedBuilds
  package var images: RecordedImages
  /// Warnings about the files, images and builds that were checked so far.
  package private(set) var warnings: [Diagnostic]

  /// - Parameters:
  ///   - files: the traces and profiles.
  ///   - pages: documents whose launches are used if there are no traces.
  ///   - recorded: the paths of recorded images.
  ///   - keepsGoing: whether a file that can't be read is left out with a warning. It is an error if no file is left.
  /// - Throws: an error also if nothing was recorded, or if none of the traces has an image of `recorded`. An error about
  ///   files that can't be read names all of them.
  package init(
    _ files: LaunchFiles, pages: PagesInputs? = nil, recorded: [String] = [],
    architecture: Architecture? = nil, keepsGoing: Bool = false
  ) throws(Diagnostic) {
    launches = try RecordedLaunches(files, pages: pages, keepsGoing: keepsGoing)
    let traces = launches.traces
    var images = RecordedImages()
    for path in recorded { try images.add(path: path, architecture, recordedAs: traces.images) }
    images.add(traces.imagesToRead)
    images.identify(traces.images)
    self.images = images
    warnings = launches.warnings + images.warnings
    builds = RecordedBuilds(traces) { images.libraryName(of: $0) }
  }

  /// The launches and their images, without the hits.
  package var traces: TraceSet { launches.traces }

  /// The uses of the launches, with the builds and images that are known so far.
  package var folding: LaunchFolding {
    LaunchFolding(launches: launches, builds: builds, images: images)
  }

  /// Calls `RecordedBuilds.addPrograms`, and adds its warnings to `warnings`.
  package mutating func addPrograms(
    to group: Int, layout: (inout RecordedImages) throws(Diagnostic) -> Layout
  ) throws(Diagnostic) {
    warnings += try builds.addPrograms(to: group, of: launches, &images, layout: layout)
  }

  /// Calls `RecordedBuilds.checkNames`, and adds its warnings to `warnings`.
  package mutating func checkNames(
    of group: Int, besides known: [ImageID?], traits: [ProgramTraits],
    layout: (inout RecordedImages) throws(Diagnostic) -> Layout
  ) throws(Diagnostic) {
    warnings += try builds.checkNames(
      of: group, besides: known, traits: traits, of: launches, &images, layout: layout)
  }
}
