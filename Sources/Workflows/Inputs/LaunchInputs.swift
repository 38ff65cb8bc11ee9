import ImageModel
import Reporting
import Symbolication

/// The traces that a command line names, and the images that they were recorded in: read, and checked
/// that they belong together.
package struct LaunchInputs {
  package let traces: [Trace]
  private var images = RecordedImages()
  package private(set) var warnings: [Diagnostic] = []

  /// - Throws: also if nothing was recorded, and if an image in `recorded` is in none of the traces.
  package init(
    traces paths: [String], recorded: [String], architecture: Architecture?
  ) throws(Diagnostic) {
    var traces: [Trace] = []
    for path in paths {
      let trace = Trace(try InputFile.trace(path), path: path)
      if trace.isEmpty {
        warnings.append(Diagnostic("nothing was recorded", context: [path]))
      }
      traces.append(trace)
    }
    self.traces = traces
    warnings += traces.compactMap(Diagnostic.incomplete)
    guard traces.contains(where: { !$0.isEmpty }) else {
      throw Diagnostic(
        "nothing was recorded", context: paths.count == 1 ? paths : [],
        hint: "see 'orderfile record --help'", severity: .nothingRecorded)
    }
    for path in recorded { try images.add(path: path, architecture, recordedIn: traces) }
    for trace in traces where !trace.isSealed { images.add(imagesOf: trace) }
    warnings += images.warnings
  }

  /// The file names of all images in the traces, in the order of their first load. Images of one file
  /// name are taken for builds of the same image.
  package var fileNames: [String] {
    var names: [String] = []
    for image in traces.flatMap(\.images) where !names.contains(image.fileName) {
      names.append(image.fileName)
    }
    return names
  }

  /// Those in which something was recorded.
  package var usedFileNames: [String] {
    let used = Set(
      traces.flatMap { trace in
        Set(trace.hits.map(\.image) + trace.blockHits.map(\.image)).map {
          trace.images[$0].fileName
        }
      })
    return fileNames.filter(used.contains)
  }

  /// What a user should know when only the images of that file name count: which traces have none.
  package func warnings(forImageNamed fileName: String) -> [Diagnostic] {
    traces.filter { trace in !trace.images.contains { $0.fileName == fileName } }.map {
      Diagnostic("no image of it is called '\(fileName)': not used", context: [$0.path])
    }
  }

  /// The recorded image that a command is about: the one called like a build in `paths`, else the
  /// executable, else the only one.
  package func fileName(forImagesNamed paths: [String]) throws(Diagnostic) -> String {
    let program = Workflows.fileName(ofPath: traces[0].program)
    for name in paths.map(Workflows.fileName(ofPath:)) + [program]
    where fileNames.contains(name) {
      return name
    }
    if fileNames.count == 1 { return fileNames[0] }
    throw Diagnostic(
      "the executable '\(program)' is not instrumented, and the traces have several images",
      context: [traces[0].path],
      hint: "name one by --image, or use --all-images: \(fileNames.joined(separator: ", "))",
      severity: .mismatch)
  }

  /// What each launch used in the images of that file name.
  ///
  /// - Throws: where neither the trace nor an image tells the names: `mismatch`, with both IDs if there
  ///   is another image at the path; where nothing was recorded; where nothing that was has a name.
  func launches(inImageNamed fileName: String) throws(Diagnostic) -> [RecordedFunctions] {
    var launches: [RecordedFunctions] = []
    for trace in traces {
      for group in trace.imageGroups where trace.images[group[0]].fileName == fileName {
        launches.append(
          RecordedFunctions(trace, group: group, in: try recordedImage(trace, group)))
      }
    }
    guard launches.contains(where: { !$0.uses.isEmpty }) else {
      let unnamed = launches.reduce(0) { $0 + $1.unnamedUses.count }
      if unnamed == 0 {
        throw Diagnostic(
          "nothing was recorded in '\(fileName)'",
          context: traces.count == 1 ? [traces[0].path] : [],
          hint: "the traces have \(fileNames.joined(separator: ", "))", severity: .nothingRecorded)
      }
      throw Diagnostic(
        "missing names: none of \(counted(unnamed, "recorded function")) has one",
        context: [launches[0].image.path],
        hint: "the recorded image is stripped; give it unstripped by --recorded")
    }
    return launches
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
  mutating func recordedImage(of image: TraceImage) throws(Diagnostic) -> Image {
    for trace in traces { images.add(imagesOf: trace) }
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
  fileprivate static func incomplete(_ trace: Trace) -> Diagnostic? {
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
