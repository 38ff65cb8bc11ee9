// Folding traces and profiles into one profile. Each processor folds a part of the files, one after the other; each
// file is read once. The images of traces without names are read once for each part. Then the parts are folded. The
// result is the same as if all files were in one part. So memory grows with the distinct functions and the number of
// processors, not with the launches.

import ByteReading
import CommandSupport
import ImageModel
import ProfileFormat
import Rendering
import Symbolication
import TraceFormat
import TraceSymbolication

/// Launches folded together: `orderfile merge`.
package struct LaunchMerge {
  package struct Options: Sendable {
    /// The traces and profiles to fold, as the parameters of `LaunchFiles.init`.
    package var paths: [String]
    package var weighted: [String] = []
    /// The paths of recorded images.
    package var recorded: [String] = []
    package var architecture: Architecture?
    /// The number of devices that must have run a function of a payload; otherwise the function is left out.
    package var leastDevices = 50
    /// Whether files that can't be read are left out with a warning.
    package var keepsGoing = false

    package init(paths: [String]) { self.paths = paths }
  }

  package let profile: Profile
  /// The number of files that were folded.
  package let fileCount: Int
  package let warnings: [Diagnostic]

  /// - Throws: an error if a file can't be read and is not left out, if nothing was recorded, if the names of a launch
  ///   are unknown; `mismatch` for launches on several machines.
  package init(_ options: Options) throws(Diagnostic) {
    let inputs = try LaunchFiles(options.paths, weighted: options.weighted)
    let files = inputs.files
    // Each part has at least 16 files, because folding a part takes as long as reading a few files.
    let partCount = max(1, min(processorCount, files.count / 16))
    var parts = concurrently(partCount) { number in
      FileFolding(
        files[files.count * number / partCount..<files.count * (number + 1) / partCount], options)
    }
    var problems = FileProblems(keepsGoing: options.keepsGoing)
    var unread = options.recorded
    var imageWarnings: [Diagnostic] = []
    var payloads: [LaunchFiles.File] = []
    var fold = ProfileFold()
    // The parts are folded from the end of the list, so that each part can be released when it is folded.
    parts.reverse()
    while let part = parts.popLast() {
      for problem in part.problems { problems.append(problem) }
      unread.removeAll { !part.unread.contains($0) }
      payloads += part.payloads
      imageWarnings += part.warnings.filter { !imageWarnings.contains($0) }
      if parts.count + 1 == partCount {
        fold = part.fold
      } else if !fold.add(part.fold.profile) {
        throw .tooManyLaunches(files.last?.path ?? "")
      }
    }
    try problems.check(count: files.count)
    if !payloads.isEmpty {
      var folding = try PayloadFolding(
        payloads, recorded: options.recorded, options.architecture,
        leastDevices: options.leastDevices)
      try folding.fold(into: &fold)
      unread.removeAll { !folding.unusedImages.contains($0) }
      imageWarnings += folding.warnings
    }
    if let path = unread.first {
      throw .noLaunch(of: path)
    }
    profile = fold.profile
    fileCount = files.count - problems.errors.count
    warnings =
      inputs.warnings + problems.warnings + imageWarnings + profile.warnings(paths: [])
    guard !profile.functions.isEmpty || !profile.data.isEmpty else {
      throw .nothingRecorded(files.count == 1 ? [files[0].path] : [])
    }
    if let mismatch = Diagnostic.machineMismatch(profile.images) { throw mismatch }
  }
}

/// Folds files, and reads each image that their launches need once.
package struct FileFolding: Sendable {
  private(set) var fold = ProfileFold()
  /// The errors of files that can't be read.
  private(set) var problems: [Diagnostic] = []
  /// The files of payloads, which are not folded: the devices in all of them must be counted first.
  package private(set) var payloads: [LaunchFiles.File] = []
  /// The images that the user named, until they are read for a trace that was recorded in them.
  package private(set) var unread: [String]
  private let namesNoImages: Bool
  private let architecture: Architecture?
  private var images = RecordedImages()
  private var isSearched: Set<ImagePlace> = []
  package var warnings: [Diagnostic] { images.warnings }

  private struct ImagePlace: Hashable {
    var path: String
    var id: ImageID?
  }

  package init(_ files: some Sequence<LaunchFiles.File>, _ options: LaunchMerge.Options) {
    unread = options.recorded
    namesNoImages = options.recorded.isEmpty
    architecture = options.architecture
    for file in files {
      do throws(Diagnostic) { try add(file) } catch { problems.append(error) }
    }
  }

  /// Adds the launches of one file.
  ///
  /// - Throws: an error if the file can't be read, or if the names of its launch are unknown. Nothing of the file is
  ///   added then.
  private mutating func add(_ file: LaunchFiles.File) throws(Diagnostic) {
    let bytes = try file.bytes()
    switch FileKind(of: bytes) {
    case .payload:
      // A pipe can be read only once; a file is read again rather than kept in memory.
      return payloads.append(
        LaunchFiles.File(
          path: file.path, weight: file.weight, bytes: bytes.isMapped ? nil : bytes))
    case .profile: break
    default: return try addTrace(bytes, file)
    }
    let profile = try InputFile.profile(bytes, file.path)
    guard profile.weighted(by: file.weight).map({ fold.add($0) }) ?? false else {
      throw .tooManyLaunches(file.path)
    }
  }

  private mutating func addTrace(
    _ bytes: FileBytes, _ file: LaunchFiles.File
  ) throws(Diagnostic) {
    let traceFile = try InputFile.traceFile(bytes, file.path)
    let isAdded: Bool
    // The names in the trace are used even if the image was read for another trace, so that the result does not depend
    // on how the files are divided into parts.
    if namesNoImages, traceFile.hasSortedNames {
      isAdded = fold.add(sealed: traceFile, path: file.path, weight: file.weight)
    } else {
      let trace = Trace(traceFile, path: file.path)
      let used = trace.usedImages
      readImages(of: trace, used)
      let launches = try RecordedFunctions.all(of: trace) { group, names throws(Diagnostic) in
        guard group.contains(where: used.contains) else { return nil }
        return try images.recordedImage(trace.images[group[0]], names, of: trace)
      }
      isAdded = fold.add(trace, launches, weight: file.weight)
    }
    guard isAdded else { throw .tooManyLaunches(file.path) }
  }

  /// The profile of the launch in one trace, counted once; `nil` for a file of payloads.
  ///
  /// - Throws: an error if the file is no trace or can't be read, or if the names of its launch are unknown.
  package mutating func launch(in file: LaunchFiles.File) throws(Diagnostic) -> Profile? {
    let bytes = try file.bytes()
    if case .payload = FileKind(of: bytes) { return nil }
    if case .profile = FileKind(of: bytes) {
      throw Diagnostic(
        "expected a trace, found a profile, which does not contain all launches",
        context: [file.path],
        hint: "'orderfile merge' folds profiles")
    }
    fold = ProfileFold()
    try addTrace(bytes, LaunchFiles.File(path: file.path, weight: 1))
    return fold.profile
  }

  /// Reads the images that the user named, and the images that a trace without names needs.
  private mutating func readImages(of trace: Trace, _ used: Set<Int>) {
    let new = used.sorted().map { trace.images[$0] }.filter {
      isSearched.insert(ImagePlace(path: $0.path, id: $0.id)).inserted
    }
    guard !new.isEmpty else { return }
    unread.removeAll { path in
      (try? images.add(path: path, architecture, recordedAs: trace.images)) != nil
    }
    if !trace.isSealed { images.add(new) }
  }
}

extension Diagnostic {
  package static func noLaunch(of path: String) -> Diagnostic {
    Diagnostic(
      "image ID mismatch: no launch is of this image", context: [path],
      hint:
        "this image is not the build that was launched: give the launched build, or record again",
      severity: .mismatch)
  }

  package static func nothingRecorded(_ context: [String]) -> Diagnostic {
    Diagnostic(
      "nothing was recorded", context: context, hint: "see 'orderfile record --help'",
      severity: .nothingRecorded)
  }
}

extension LaunchMerge {
  /// The bytes of the profile's file.
  package var bytes: [UInt8] { profile.bytes }

  /// - Parameter path: the path of the profile's file.
  package func document(path: String) -> ProfileDocument { ProfileDocument(profile, path: path) }
}
