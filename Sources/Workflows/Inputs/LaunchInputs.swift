import Addresses
import ByteReading
import ImageModel
import ProfileFormat
import Reporting
import Symbolication

/// The traces that a command line names, and the images that they were recorded in, checked to belong
/// together. Traces are read one at a time.
package struct LaunchInputs {
  package private(set) var traces = TraceSet()
  package private(set) var groups: BuildGroups
  /// Parallel to the members of `traces`.
  private var files: [File] = []
  /// The number of launches, weights included, in `files`.
  private var launchCount: UInt64 = 0
  var images = RecordedImages()
  package private(set) var warnings: [Diagnostic] = []

  private struct File {
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
  init(
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
        hint: "see 'orderfile record --help'", severity: .nothingRecorded, isOfMissingTraces: true)
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
      hint: "name one with --image, or use --all-images: \(names.joined(separator: ", "))",
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
  func recordedImages(of group: Int) -> [TraceImage] {
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
  func recordsEveryFunction(of group: Int) -> Bool {
    traces.members.allSatisfy { !uses($0, of: group) || $0.method.recordsEveryFunction }
  }

  private func usedGroups(of trace: TraceSet.Member) -> Set<Int> {
    Set(trace.uses.filter { !$0.isEmpty }.map { groups.group(ofImageAt: $0.image) })
  }

  /// Whether a trace has hits in the images of `group`.
  func uses(_ trace: TraceSet.Member, of group: Int) -> Bool {
    trace.uses.contains { !$0.isEmpty && groups.group(ofImageAt: $0.image) == group }
  }

  /// Adds programs with another name to `group` if they are builds of its program: at least three quarters of the
  /// functions that they used must have the names of functions in that program. `main` and the C runtime do not count,
  /// because every program has them. A trace that already has a build in `group` is not examined.
  ///
  /// - Parameters:
  ///   - group: the group of the program.
  ///   - layout: returns the layout of any build of the program; called only if it is needed.
  /// - Throws: the errors of `layout`.
  package mutating func addPrograms(
    to group: Int, layout: (inout LaunchInputs) throws(Diagnostic) -> Layout
  ) throws(Diagnostic) {
    guard groups.groups[group].libraryName == nil else { return }
    var map: SymbolMap?
    var isTried: Set<Int> = [group]
    for (number, member) in traces.members.enumerated() where !uses(member, of: group) {
      guard let program = member.program, uses(member, of: groups.group(ofImageAt: program)),
        isTried.insert(groups.group(ofImageAt: program)).inserted,
        let recorded = try? functions(ofTraceAt: number, imageAt: program)
      else { continue }
      let used = recorded.uses.filter(\.tellsProgram)
      guard !used.isEmpty else { continue }
      var names: SymbolMap
      if let map { names = map } else { names = SymbolMap(try layout(&self)) }
      let found = used.count { $0.isFound(in: &names) }
      map = names
      guard 4 * found >= 3 * used.count else { continue }
      warnings.append(
        Diagnostic(
          "'\(traces.images[program].fileName)' is taken for a build of '\(groups.groups[group].name)': "
            + "\(found) of \(counted(used.count, "function")) have the same names",
          context: [member.path]))
      groups.merge(groups.group(ofImageAt: program), into: group)
    }
  }

  /// Checks that images which `group` has by their names alone are builds of one program: at least half of the functions
  /// that each used must have the names of functions in `layout`, apart from `main` and the C runtime. Fewer than four
  /// functions prove nothing, so there is only a warning.
  ///
  /// - Parameters:
  ///   - builds: the IDs of builds that the command is about. If one was launched, it need not be checked.
  ///   - layout: returns the layout of a build of the program; called only if it is needed.
  /// - Throws: `mismatch` if the group has several images, and one is another program; and the errors of `layout`. A
  ///   single image is checked where its functions are looked up.
  package mutating func checkBuilds(
    of group: Int, besides builds: [ImageID?],
    layout: (inout LaunchInputs) throws(Diagnostic) -> Layout
  ) throws(Diagnostic) {
    guard groups.groups[group].libraryName == nil else { return }
    var map: SymbolMap?
    for place in groups.groups[group].images {
      let image = traces.images[place]
      guard !builds.contains(where: image.isProved),
        let number = traces.members.firstIndex(where: { member in
          member.uses.contains { $0.image == place && !$0.isEmpty }
        }), let recorded = try? functions(ofTraceAt: number, imageAt: place)
      else { continue }
      let used = recorded.uses.filter(\.tellsProgram)
      func warn(_ reason: String) {
        warnings.append(
          Diagnostic(
            "'\(image.path)' is taken for a build of '\(groups.groups[group].name)' by its name alone: "
              + reason, context: [traces.members[number].path]))
      }
      guard !used.isEmpty else {
        warn("no function but main was recorded")
        continue
      }
      guard groups.groups[group].images.count > 1 else { continue }
      var names: SymbolMap
      if let map { names = map } else { names = SymbolMap(try layout(&self)) }
      let found = used.count { $0.isFound(in: &names) }
      map = names
      guard 2 * found < used.count else { continue }
      guard used.count >= 4 else {
        warn("\(found) of \(counted(used.count, "function")) have the same names")
        continue
      }
      throw Diagnostic(
        "only \(found) of \(counted(used.count, "function")) of '\(image.path)' are in "
          + "'\(groups.groups[group].name)': it is another program with that file name",
        context: [traces.members[number].path], hint: "leave out the traces of one of them",
        severity: .mismatch)
    }
  }

  private func functions(
    ofTraceAt number: Int, imageAt place: Int
  ) throws(Diagnostic) -> RecordedFunctions? {
    let trace = try trace(number)
    return try RecordedFunctions.all(of: trace) { images, names throws(Diagnostic) in
      let image = trace.images[images[0]]
      return traces.index(of: image) == place
        ? try self.images.recordedImage(image, names, of: trace) : nil
    }.first
  }

  private func trace(_ number: Int) throws(Diagnostic) -> Trace {
    let file = files[number]
    return switch file.contents {
    case .profile(let profile): Trace(profile, path: file.path)
    case .pages(let trace): trace
    case .trace(let bytes):
      Trace(try InputFile.traceFile(bytes, file.path), path: file.path)
    }
  }

  /// Whether a profile has touches of data of the images in `group`. It does not keep which part of a variable they were of.
  func hasDataInProfiles(of group: Int) -> Bool {
    zip(files, traces.members).contains { file, member in
      guard case .profile = file.contents else { return false }
      return member.imagesWithData.contains { groups.group(ofImageAt: $0) == group }
    }
  }

  /// What a trace used of the images in `groups`.
  private func launches(_ trace: Trace, of wanted: Set<Int>) throws(Diagnostic)
    -> [RecordedFunctions]
  {
    let used = trace.usedImages
    return try RecordedFunctions.all(of: trace) { images, names throws(Diagnostic) in
      let image = trace.images[images[0]]
      guard images.contains(where: used.contains), let group = group(of: image),
        wanted.contains(group)
      else { return nil }
      return try self.images.recordedImage(image, names, of: trace)
    }
  }

  /// Folds all launches, with what they used and touched of the images in each of `groups`. Each trace is read once.
  ///
  /// - Throws: an error if neither the trace nor an image has the names (`mismatch`, with both IDs if another
  ///   image is at the path), if nothing was recorded, or if nothing that was recorded has a name; `mismatch` for
  ///   launches on several machines.
  package func profile(of groups: [Int]) throws(Diagnostic) -> Profile {
    let wanted = Set(groups)
    var fold = ProfileFold()
    for (number, member) in traces.members.enumerated() {
      let withData = member.imagesWithData.map { self.groups.group(ofImageAt: $0) }
      let used = wanted.intersection(usedGroups(of: member).union(withData))
      guard !used.isEmpty else { continue }
      let isAdded: Bool
      if case .profile(let profile) = files[number].contents {
        isAdded = fold.add(profile)
      } else {
        let trace = try trace(number)
        isAdded = fold.add(trace, try launches(trace, of: used), weight: files[number].weight)
      }
      guard isAdded else { throw .tooManyLaunches(files[number].path) }
    }
    let profile = fold.profile
    for group in groups {
      let members = Set(images(of: profile, in: group))
      let functions = profile.functions.filter { members.contains($0.image) }
      guard !functions.contains(where: { !$0.names.isEmpty }) else { continue }
      throw withoutNames(group, unnamed: functions.count)
    }
    let used = profile.images.filter { group(of: TraceImage($0)).map(wanted.contains) ?? false }
    if let mismatch = Diagnostic.machineMismatch(used) { throw mismatch }
    return profile
  }

  /// The indexes of images of `profile` that are in `group`.
  package func images(of profile: Profile, in group: Int) -> [Int] {
    profile.images.indices.filter { self.group(of: TraceImage(profile.images[$0])) == group }
  }

  /// Where a launch comes from.
  package struct LaunchSource {
    /// Among all launches.
    package var number: Int
    /// The path of the trace or, in a profile, the path and the launch.
    package var name: String
    /// The number of launches that it counts as.
    package var weight: UInt64 = 1
    /// Whether it is what launches used that a profile does not keep whole.
    package var isRest = false
  }

  /// Calls `body` with what each launch used in the images of `group`, trace by trace. Of a profile these are the launches
  /// that it keeps whole; if they lack something that others used, then also what all used together.
  ///
  /// - Parameter body: gets it, and where it comes from. A launch may tell of several images.
  /// - Throws: as `profile(of:)`.
  package func forEachLaunch(
    of wanted: Int, _ body: (RecordedFunctions, LaunchSource) -> Void
  ) throws(Diagnostic) {
    var hasNames = false
    var unnamed = 0
    var number = 0
    func pass(
      _ launches: [RecordedFunctions], _ name: String, weight: UInt64 = 1, isRest: Bool = false
    ) {
      let source = LaunchSource(number: number, name: name, weight: weight, isRest: isRest)
      number += 1
      for launch in launches where group(of: launch.image) == wanted {
        hasNames = hasNames || !launch.uses.isEmpty
        unnamed += launch.unnamedUses.count
        body(launch, source)
      }
    }
    for (file, member) in traces.members.enumerated() where uses(member, of: wanted) {
      if case .profile(let profile) = files[file].contents {
        for launch in profile.launches {
          pass(
            profile.recordedFunctions(of: launch),
            "\(files[file].path) launch \(hexadecimal(launch.hash))", weight: launch.weight)
        }
        if !profile.keepsAllLaunches { pass(profile.unitedLaunch, files[file].path, isRest: true) }
      } else {
        pass(
          try launches(try trace(file), of: [wanted]), files[file].path, weight: files[file].weight)
      }
    }
    if !hasNames { throw withoutNames(wanted, unnamed: unnamed) }
  }

  /// The error about a group in which nothing with a name was used.
  private func withoutNames(_ group: Int, unnamed: Int) -> Diagnostic {
    guard unnamed > 0 else {
      return Diagnostic(
        "nothing was recorded in '\(groups.groups[group].name)'",
        context: files.count == 1 ? [files[0].path] : [],
        hint: "the traces have \(names.joined(separator: ", "))",
        severity: .nothingRecorded, isOfMissingTraces: true)
    }
    return Diagnostic(
      "missing names: none of \(counted(unnamed, "recorded function")) has a name",
      context: groups.groups[group].images.first.map { [traces.images[$0].path] } ?? [],
      hint: "the recorded image is stripped; give it unstripped with --recorded")
  }

  private func group(of image: TraceImage) -> Int? {
    (traces.index(of: image) ?? traces.index(ofBuild: image.id)).map { groups.group(ofImageAt: $0) }
  }

  /// Returns the recorded image itself, for a command that was given no other build.
  mutating func recordedImage(of image: TraceImage) throws(Diagnostic) -> Image {
    images.add(traces.images)
    if let read = images.image(for: image) { return read }
    if let other = images.imageAtPath(of: image) {
      throw .imageMismatch(image.path, found: other.id, expected: image)
    }
    throw Diagnostic(
      "missing the build to order", context: [image.path],
      hint: "give it with --image or --link-map", severity: .mismatch)
  }
}

extension RecordedFunctions.Use {
  /// Whether it is neither `main` nor of the C runtime, which every program has.
  fileprivate var tellsProgram: Bool {
    !names.contains { CRuntime.isPart($0) || $0 == "main" || $0 == "_main" }
  }

  fileprivate func isFound(in map: inout SymbolMap) -> Bool {
    names.contains { !map.resolve($0, from: objectFile).functions.isEmpty }
  }
}

extension Diagnostic {
  /// Returns a warning about hits that a trace lacks because they found no room or because the process ended
  /// while they were being written; `nil` if it has all.
  static func incomplete(_ trace: TraceSet.Member) -> Diagnostic? {
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
