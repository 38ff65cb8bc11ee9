import ByteReading
import ImageModel
import Reporting
import Symbolication

/// The traces that a command line names, and the images that they were recorded in: checked that they belong
/// together. Traces are read one at a time.
package struct LaunchInputs {
  package private(set) var traces = TraceSet()
  private var files: [(path: String, bytes: FileBytes)] = []
  private var images = RecordedImages()
  package private(set) var warnings: [Diagnostic] = []

  /// - Throws: also if nothing was recorded, and if an image in `recorded` is in none of the traces.
  package init(
    traces paths: [String], recorded: [String], architecture: Architecture?
  ) throws(Diagnostic) {
    for path in paths {
      let bytes = try InputFile.bytes(path)
      files.append((path, bytes))
      traces.add(Trace(try InputFile.traceFile(bytes, path), path: path))
    }
    warnings += traces.members.filter(\.isEmpty).map {
      Diagnostic("nothing was recorded", context: [$0.path])
    }
    warnings += traces.members.compactMap(Diagnostic.incomplete)
    guard !traces.isEmpty else {
      throw Diagnostic(
        "nothing was recorded", context: paths.count == 1 ? paths : [],
        hint: "see 'orderfile record --help'", severity: .nothingRecorded)
    }
    for path in recorded {
      try images.add(path: path, architecture, recordedAs: traces.images)
    }
    images.add(traces.imagesToRead)
    warnings += images.warnings
  }

  /// What a user should know when only the images of that file name count: which traces have none.
  package func warnings(forImageNamed fileName: String) -> [Diagnostic] {
    traces.members(withoutImageNamed: fileName).map {
      Diagnostic("no image of it is called '\(fileName)': not used", context: [$0.path])
    }
  }

  /// The recorded image that a command is about: the one called like a build in `paths`, else the
  /// executable, else the only one.
  package func fileName(forImagesNamed paths: [String]) throws(Diagnostic) -> String {
    let fileNames = traces.fileNames
    let program = Workflows.fileName(ofPath: traces.program ?? "")
    for name in paths.map(Workflows.fileName(ofPath:)) + [program]
    where fileNames.contains(name) {
      return name
    }
    if fileNames.count == 1 { return fileNames[0] }
    throw Diagnostic(
      "the executable '\(program)' is not instrumented, and the traces have several images",
      context: [files[0].path],
      hint: "name one by --image, or use --all-images: \(fileNames.joined(separator: ", "))",
      severity: .mismatch)
  }

  /// The functions that launches used in the images of that file name.
  ///
  /// - Throws: as `forEachLaunch` does.
  package func profile(ofImageNamed fileName: String) throws(Diagnostic) -> LaunchProfile {
    var profile = LaunchProfile()
    try forEachLaunch(inImageNamed: fileName) { profile.append($0) }
    return profile
  }

  /// Tells what each launch used in the images of that file name, one trace after the other.
  ///
  /// - Throws: where neither the trace nor an image tells the names: `mismatch`, with both IDs if there
  ///   is another image at the path; where nothing was recorded; where nothing that was has a name.
  package func forEachLaunch(
    inImageNamed fileName: String, _ body: (RecordedFunctions) -> Void
  ) throws(Diagnostic) {
    var hasNames = false
    var unnamed = 0
    for (path, bytes) in files {
      let trace = Trace(try InputFile.traceFile(bytes, path), path: path)
      for group in trace.imageGroups where trace.images[group[0]].fileName == fileName {
        let launch = RecordedFunctions(
          trace, group: group, in: try recordedImage(trace, group))
        hasNames = hasNames || !launch.uses.isEmpty
        unnamed += launch.unnamedUses.count
        body(launch)
      }
    }
    guard !hasNames else { return }
    if unnamed == 0 {
      throw Diagnostic(
        "nothing was recorded in '\(fileName)'",
        context: files.count == 1 ? [files[0].path] : [],
        hint: "the traces have \(traces.fileNames.joined(separator: ", "))",
        severity: .nothingRecorded)
    }
    throw Diagnostic(
      "missing names: none of \(counted(unnamed, "recorded function")) has one",
      context: traces.images.first { $0.fileName == fileName }.map { [$0.path] } ?? [],
      hint: "the recorded image is stripped; give it unstripped by --recorded")
  }

  private func recordedImage(_ trace: Trace, _ group: [Int]) throws(Diagnostic) -> RecordedImage {
    let image = trace.images[group[0]]
    if let read = images.image(for: image) { return RecordedImage(read) }
    if trace.isSealed || trace.names.contains(where: { group.contains($0.image) }) {
      return RecordedImage(namesOf: trace, group: group)
    }
    if let other = images.imageAtPath(of: image) {
      throw .imageMismatch(image.path, found: other.id, expected: image)
    }
    throw Diagnostic(
      "missing the image that was recorded", context: [trace.path, image.path],
      hint: "give it by --recorded, or record with 'orderfile record', which seals the trace",
      severity: .mismatch)
  }

  /// The recorded image itself, for a command that was given no other build.
  package mutating func recordedImage(of image: TraceImage) throws(Diagnostic) -> Image {
    images.add(traces.images)
    if let read = images.image(for: image) { return read }
    if let other = images.imageAtPath(of: image) {
      throw .imageMismatch(image.path, found: other.id, expected: image)
    }
    throw Diagnostic(
      "missing the build to be ordered", context: [image.path],
      hint: "give it by --image or --link-map", severity: .mismatch)
  }
}

extension Diagnostic {
  /// What a trace lacks: hits that found no room, and those in the middle of which the process ended;
  /// `nil` if it has all.
  fileprivate static func incomplete(_ trace: TraceSet.Member) -> Diagnostic? {
    var parts: [String] = []
    if trace.lostRecords > 0 {
      parts.append("\(counted(Int(clamping: trace.lostRecords), "hit")) lost")
    }
    if trace.inFlightRecords > 0 {
      parts.append("\(counted(trace.inFlightRecords, "hit")) in flight when the process ended")
    }
    guard !parts.isEmpty else { return nil }
    return Diagnostic("incomplete: \(parts.joined(separator: ", "))", context: [trace.path])
  }
}
