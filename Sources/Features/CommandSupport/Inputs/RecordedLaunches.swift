import ByteReading
import ImageModel
import ProfileFormat
import Rendering
import Symbolication
import TraceFormat
import TraceSymbolication

/// The launches that the files of a command line contain. Each file is opened once.
///
/// The initializer reads the hits of each trace and keeps only their numbers. `trace(_:)` reads the hits of one trace
/// again, so that only the hits of one trace at a time are in memory.
package struct RecordedLaunches {
  package struct File {
    enum Contents {
      /// The bytes of a trace's whole file, which were checked when the file was read.
      case trace(FileBytes)
      case profile(Profile)
      /// A launch that a document of `orderfile pages` describes, as a trace.
      case pages(Trace)
    }
    package var path: String
    /// The number of times that the launches of the file count.
    var weight: UInt64
    var contents: Contents

    var profile: Profile? {
      if case .profile(let profile) = contents { profile } else { nil }
    }
  }

  /// The traces of all files, without the hits.
  package private(set) var traces = TraceSet()
  /// The files of the launches, parallel to the members of `traces`.
  package private(set) var files: [File] = []
  /// The number of launches, weights included, in `files`.
  private var launchCount: UInt64 = 0
  /// Warnings about the files that are left out, and about data that the other files lack.
  package private(set) var warnings: [Diagnostic] = []

  /// - Parameters:
  ///   - pages: documents whose launches are used if there are no traces.
  ///   - keepsGoing: whether a file that can't be read is left out with a warning. It is an error if no file is left.
  /// - Throws: an error also if nothing was recorded. An error about files that can't be read names all of them.
  init(_ inputs: LaunchFiles, pages: PagesInputs?, keepsGoing: Bool) throws(Diagnostic) {
    warnings = inputs.warnings
    var problems = FileProblems(keepsGoing: keepsGoing)
    for file in inputs.files {
      do throws(Diagnostic) { try add(file) } catch {
        problems.append(error, isMissing: !Folder.exists(file.path))
      }
    }
    try problems.check(count: inputs.files.count)
    warnings += problems.warnings
    if inputs.files.isEmpty, let pages { try add(pages) }
    warnings += zip(files, traces.members).flatMap { Self.lacks($0, $1) }
    guard !traces.isEmpty else {
      throw Diagnostic(
        "nothing was recorded", context: onlyPath, hint: "see 'orderfile record --help'",
        severity: .nothingRecorded, kind: .missingTraces)
    }
  }

  private mutating func add(_ file: LaunchFiles.File) throws(Diagnostic) {
    let bytes = try file.bytes()
    if case .profile = FileKind(of: bytes) {
      let read = try InputFile.profile(bytes, file.path)
      guard let profile = read.weighted(by: file.weight) else { throw .tooManyLaunches(file.path) }
      try add(
        Trace(profile, path: file.path), .profile(profile), launches: profile.counts.launches,
        weight: file.weight, processes: profile.processes)
    } else {
      // The first pass reads no names of functions: they take the most time, and only the second pass needs them.
      let trace = Trace(
        try InputFile.traceFile(bytes, file.path), path: file.path, readsNames: false)
      bytes.release(bytes.all.indices)
      try add(trace, .trace(bytes), launches: file.weight, weight: file.weight)
    }
  }

  private mutating func add(_ pages: PagesInputs) throws(Diagnostic) {
    for (trace, weight) in pages.traces {
      try add(trace, .pages(trace), launches: weight, weight: weight)
    }
    guard let first = files.first else { return }
    warnings.append(
      Diagnostic(
        "no trace given: only the first function or datum touched on each page is listed",
        context: [first.path],
        hint: "give a trace, too, or let 'orderfile refine' add the missing functions"))
  }

  private mutating func add(
    _ trace: Trace, _ contents: File.Contents, launches: UInt64, weight: UInt64,
    processes: [[Int]]? = nil
  ) throws(Diagnostic) {
    guard launchCount + launches <= Profile.maximumLaunches else {
      throw .tooManyLaunches(trace.path)
    }
    launchCount += launches
    traces.add(trace, launches: launches, processes: processes)
    files.append(File(path: trace.path, weight: weight, contents: contents))
  }

  /// Returns the trace of a file, with its hits and the names of functions.
  func trace(_ number: Int) throws(Diagnostic) -> Trace {
    let file = files[number]
    switch file.contents {
    case .profile(let profile): return Trace(profile, path: file.path)
    case .pages(let trace): return trace
    case .trace(let bytes):
      let trace = Trace(try InputFile.traceFile(bytes, file.path), path: file.path)
      bytes.release(bytes.all.indices)
      return trace
    }
  }

  /// Returns the file of a trace that can be folded without copying its names; `nil` for other files.
  func sealedTrace(_ number: Int) throws(Diagnostic) -> TraceFile? {
    guard case .trace(let bytes) = files[number].contents else { return nil }
    let trace = try InputFile.traceFile(bytes, files[number].path)
    return trace.hasSortedNames ? trace : nil
  }

  /// The path of the file, if there is only one. It is the context of errors about all launches.
  var onlyPath: [String] { files.count == 1 ? [files[0].path] : [] }

  /// Returns warnings about data that a file lacks.
  private static func lacks(_ file: File, _ trace: TraceSet.Member) -> [Diagnostic] {
    if let profile = file.profile { return profile.warnings(paths: [file.path]) }
    return [
      trace.isEmpty ? Diagnostic("nothing was recorded", context: [trace.path]) : nil,
      .incomplete(trace),
    ].compactMap { $0 }
  }
}

extension Diagnostic {
  /// Returns a warning about hits that a trace lacks, because they found no room or because the process ended while
  /// they were being written; `nil` if the trace has all hits.
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
