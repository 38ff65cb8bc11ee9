import Addresses
import ByteReading
import ImageModel
import ProfileFormat
import Rendering
import Symbolication

/// The traces that a command line names, and the images that they were recorded in, checked to belong
/// together. Traces are read one at a time.
package struct LaunchInputs {
  package private(set) var traces = TraceSet()
  package internal(set) var groups: BuildGroups
  /// Parallel to the members of `traces`.
  package var files: [File] = []
  /// The number of launches, weights included, in `files`.
  private var launchCount: UInt64 = 0
  package var images = RecordedImages()
  package internal(set) var warnings: [Diagnostic] = []

  package struct File {
    enum Contents {
      case trace(FileBytes)
      case profile(Profile)
      /// A document of pages.
      case pages(Trace)
    }
    var path: String
    var weight: UInt64
    var contents: Contents
  }

  /// - Parameters:
  ///   - named: paths, as `LaunchFiles` takes them.
  ///   - weighted: likewise.
  ///   - keepsGoing: whether a file that can't be read is left out with a warning, unless that leaves none.
  /// - Throws: an error also if nothing was recorded, or if none of the traces has an image of `recorded`. Of files
  ///   that can't be read it names all.
  package init(
    traces named: [String], weighted: [String] = [], recorded: [String],
    architecture: Architecture?, keepsGoing: Bool = false
  ) throws(Diagnostic) {
    try self.init(
      try LaunchFiles(named, weighted: weighted), recorded: recorded, architecture: architecture,
      keepsGoing: keepsGoing)
  }

  /// - Parameter pages: documents that stand for launches if there are no traces.
  package init(
    _ inputs: LaunchFiles, pages: PagesInputs? = nil, recorded: [String],
    architecture: Architecture?, keepsGoing: Bool = false
  ) throws(Diagnostic) {
    warnings = inputs.warnings
    groups = BuildGroups(traces) { _ in nil }
    var problems = FileProblems(keepsGoing: keepsGoing)
    for file in inputs.files {
      do throws(Diagnostic) { try add(file) } catch {
        problems.append(error, isMissing: !Folder.exists(file.path))
      }
    }
    try problems.check(count: inputs.files.count)
    warnings += problems.warnings
    if inputs.files.isEmpty, let pages { try add(pages) }
    for (file, member) in zip(files, traces.members) {
      if case .profile(let profile) = file.contents {
        warnings += profile.warnings(paths: [file.path])
      } else {
        if member.isEmpty {
          warnings.append(Diagnostic("nothing was recorded", context: [member.path]))
        }
        warnings += [Diagnostic.incomplete(member)].compactMap { $0 }
      }
    }
    guard !traces.isEmpty else {
      throw Diagnostic(
        "nothing was recorded", context: files.count == 1 ? [files[0].path] : [],
        hint: "see 'orderfile record --help'", severity: .nothingRecorded, kind: .missingTraces)
    }
    for path in recorded {
      try images.add(path: path, architecture, recordedAs: traces.images)
    }
    images.add(traces.imagesToRead)
    images.identify(traces.images)
    warnings += images.warnings
    groups = BuildGroups(traces) { [images] in images.libraryName(of: $0) }
  }

  private mutating func add(_ file: LaunchFiles.File) throws(Diagnostic) {
    let bytes = try InputFile.bytes(file.path)
    let contents: File.Contents
    if case .profile = FileKind(of: bytes) {
      guard let profile = try InputFile.profile(bytes, file.path).weighted(by: file.weight) else {
        throw .tooManyLaunches(file.path)
      }
      contents = .profile(profile)
      try count(profile.counts.launches, of: file)
      traces.add(
        Trace(profile, path: file.path), launches: profile.counts.launches,
        processes: profile.processes)
    } else {
      contents = .trace(bytes)
      let trace = Trace(try InputFile.traceFile(bytes, file.path), path: file.path)
      try count(file.weight, of: file)
      traces.add(trace, launches: file.weight)
    }
    files.append(File(path: file.path, weight: file.weight, contents: contents))
  }

  private mutating func add(_ pages: PagesInputs) throws(Diagnostic) {
    for (trace, weight) in pages.traces {
      try count(weight, of: LaunchFiles.File(path: trace.path, weight: weight))
      traces.add(trace, launches: weight)
      files.append(File(path: trace.path, weight: weight, contents: .pages(trace)))
    }
    guard let first = files.first else { return }
    warnings.append(
      Diagnostic(
        "without a trace: of functions and data only those are listed that a launch used first on a page",
        context: [first.path],
        hint: "give a trace, too, or have 'orderfile refine' add what is missing"))
  }

  private mutating func count(_ launches: UInt64, of file: LaunchFiles.File) throws(Diagnostic) {
    guard launchCount + launches <= Profile.maximumLaunches else {
      throw .tooManyLaunches(file.path)
    }
    launchCount += launches
  }

  /// The group of recorded images that a command is about: that of a build in `releases`, else that of the executable,
  /// else the only group.
  package func group(for releases: [ReleaseLayout]) throws(Diagnostic) -> Int {
    for image in releases.compactMap(\.image) {
      let found = groups.group(image.id, libraryName: image.libraryName, path: image.path)
      if let found { return found }
    }
    let program = traces.program ?? ""
    if let found = groups.group(nil, libraryName: nil, path: program) { return found }
    if groups.groups.count == 1 { return 0 }
    throw Diagnostic(
      "the executable '\(fileName(ofPath: program))' was not recorded, and the traces have several images",
      context: [files[0].path],
      remedies: [
        Remedy(
          "name one with --image: \(names.joined(separator: ", "))", option: "--image"),
        Remedy("order each with --all-images", option: "--all-images"),
      ],
      severity: .mismatch)
  }

  /// The names of the groups of images.
  package var names: [String] { groups.groups.filter { !$0.images.isEmpty }.map(\.name) }

  /// The groups with hits, in the order of the first load.
  package var usedGroups: [Int] {
    let used = traces.members.reduce(into: Set<Int>()) { $0.formUnion(usedGroups(of: $1)) }
    return groups.groups.indices.filter(used.contains)
  }

  /// The recorded images in `group`.
  package func recordedImages(of group: Int) -> [TraceImage] {
    groups.groups[group].images.map { traces.images[$0] }
  }

  /// The traces with hits in the images of `group`; of profiles, the number of launches.
  package func sourceWording(of group: Int) -> String {
    let users = traces.members.indices.filter { uses(traces.members[$0], of: group) }
    let count = users.reduce(0 as UInt64) { $0 + traces.members[$1].launches }
    let isProfile = users.contains {
      if case .profile = files[$0].contents { true } else { false }
    }
    return isProfile
      ? counted(Int(clamping: count), "launch", "launches") : counted(users.count, "trace")
  }

  /// Whether every function of the images in `group` could be recorded, so that those in no trace did not run.
  package func recordsEveryFunction(of group: Int) -> Bool {
    traces.members.allSatisfy { !uses($0, of: group) || $0.method.recordsEveryFunction }
  }

  package func usedGroups(of trace: TraceSet.Member) -> Set<Int> {
    Set(trace.uses.filter { !$0.isEmpty }.map { groups.group(ofImageAt: $0.image) })
  }

  /// Whether a trace has hits in the images of `group`.
  package func uses(_ trace: TraceSet.Member, of group: Int) -> Bool {
    trace.uses.contains { !$0.isEmpty && groups.group(ofImageAt: $0.image) == group }
  }

  package func trace(_ number: Int) throws(Diagnostic) -> Trace {
    let file = files[number]
    return switch file.contents {
    case .profile(let profile): Trace(profile, path: file.path)
    case .pages(let trace): trace
    case .trace(let bytes):
      Trace(try InputFile.traceFile(bytes, file.path), path: file.path)
    }
  }

  package func group(of image: TraceImage) -> Int? {
    (traces.index(of: image) ?? traces.index(ofBuild: image.id)).map { groups.group(ofImageAt: $0) }
  }

  /// Returns the recorded image itself, for a command that was given no other build.
  package mutating func recordedImage(of image: TraceImage) throws(Diagnostic) -> Image {
    images.add(traces.images)
    if let read = images.image(for: image) { return read }
    if let other = images.imageAtPath(of: image) {
      throw .imageMismatch(image.path, found: other.id, expected: image)
    }
    throw Diagnostic(
      "missing the build to order", context: [image.path],
      remedies: [
        Remedy("give it with --image", option: "--image"),
        Remedy("its link map with --link-map", option: "--link-map"),
      ], severity: .mismatch)
  }
}

extension Diagnostic {
  /// Returns a warning about hits that a trace lacks because they found no room or because the process ended
  /// while they were being written; `nil` if it has all.
  package static func incomplete(_ trace: TraceSet.Member) -> Diagnostic? {
    var parts: [String] = []
    if trace.lostRecords > 0 {
      parts.append("\(counted(Int(clamping: trace.lostRecords), "hit")) lost")
    }
    if trace.inFlightRecords > 0 {
      parts.append("\(counted(trace.inFlightRecords, "hit")) being written when the process ended")
    }
    if !trace.imagesWithData.isEmpty, trace.earlyFunctions > 0 {
      let functions = counted(Int(clamping: trace.earlyFunctions), "function")
      parts.append("touches of data by \(functions) that ran before their images registered")
    }
    guard !parts.isEmpty else { return nil }
    return Diagnostic("incomplete: \(parts.joined(separator: ", "))", context: [trace.path])
  }
}
