import ByteReading
import ImageModel
import Reporting
import Symbolication

/// The traces that a command line names, and the images that they were recorded in, checked to belong
/// together. Traces are read one at a time.
package struct LaunchInputs {
  package private(set) var traces = TraceSet()
  package private(set) var groups: BuildGroups
  private var files: [(path: String, bytes: FileBytes)] = []
  var images = RecordedImages()
  package private(set) var warnings: [Diagnostic] = []

  /// - Parameter skipsDamaged: whether a trace that can't be parsed is left out with a warning, unless that leaves
  ///   none.
  /// - Throws: an error also if nothing was recorded, or if none of the traces has an image of `recorded`. Of damaged
  ///   traces it names all.
  package init(
    traces paths: [String], recorded: [String], architecture: Architecture?,
    skipsDamaged: Bool = false
  ) throws(Diagnostic) {
    var damaged: [Diagnostic] = []
    for path in paths {
      let bytes = try InputFile.bytes(path)
      do {
        traces.add(Trace(try InputFile.traceFile(bytes, path), path: path))
        files.append((path, bytes))
      } catch { damaged.append(error) }
    }
    if let error = Diagnostic.damaged(damaged, of: paths.count, areSkipped: skipsDamaged) {
      throw error
    }
    warnings += damaged.map {
      Diagnostic("left out: \($0.message)", context: $0.context, hint: $0.hint)
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
    images.identify(traces.images)
    warnings += images.warnings
    groups = BuildGroups(traces) { [images] in images.libraryName(of: $0) }
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

  /// The number of traces with hits in the images of `group`.
  package func traceCount(of group: Int) -> Int { traces.members.count { uses($0, of: group) } }

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
      return traces.index(of: image) == place ? try recordedImage(image, names, of: trace) : nil
    }.first
  }

  private func trace(_ number: Int) throws(Diagnostic) -> Trace {
    let (path, bytes) = files[number]
    return Trace(try InputFile.traceFile(bytes, path), path: path)
  }

  /// Returns the functions that launches used in the images of each group of `groups`, in their order. Each trace is
  /// read once.
  ///
  /// - Parameter builds: for each group the ID of the build in which they will be looked up, if known.
  /// - Throws: the errors of `forEachLaunch`.
  package func profiles(
    of groups: [Int], builds: [Int: ImageID]
  ) throws(Diagnostic) -> [LaunchProfile] {
    var profiles = groups.map { _ in LaunchProfile() }
    var places: [Int: Int] = [:]
    for (place, group) in groups.enumerated() { places[group] = place }
    try forEachLaunch(of: groups) { launch, group, _ in
      guard let place = places[group] else { return }
      profiles[place].append(launch, keepsAddresses: launch.image.isProved(builds[group]))
    }
    return profiles
  }

  /// Calls `body` with what each launch used in the images of `group`, trace by trace.
  ///
  /// - Parameter body: gets it, and the path of the trace with its place among all traces. A trace may tell of several
  ///   images.
  /// - Throws: an error if neither the trace nor an image has the names (`mismatch`, with both IDs if another
  ///   image is at the path), if nothing was recorded, or if nothing that was recorded has a name.
  package func forEachLaunch(
    of group: Int, _ body: (RecordedFunctions, _ trace: (number: Int, path: String)) -> Void
  ) throws(Diagnostic) {
    try forEachLaunch(of: [group]) { launch, _, trace in body(launch, trace) }
  }

  private func forEachLaunch(
    of groups: [Int],
    _ body: (RecordedFunctions, _ group: Int, _ trace: (number: Int, path: String)) -> Void
  ) throws(Diagnostic) {
    let wanted = Set(groups)
    var hasNames: Set<Int> = []
    var unnamed: [Int: Int] = [:]
    for (number, member) in traces.members.enumerated() {
      let used = wanted.intersection(usedGroups(of: member))
      guard !used.isEmpty else { continue }
      let trace = try trace(number)
      let launches = try RecordedFunctions.all(of: trace) { images, names throws(Diagnostic) in
        let image = trace.images[images[0]]
        guard let group = group(of: image), used.contains(group) else { return nil }
        return try recordedImage(image, names, of: trace)
      }
      for launch in launches {
        guard let group = group(of: launch.image) else { continue }
        if !launch.uses.isEmpty { hasNames.insert(group) }
        unnamed[group, default: 0] += launch.unnamedUses.count
        body(launch, group, (number, files[number].path))
      }
    }
    for group in groups where !hasNames.contains(group) {
      throw withoutNames(group, unnamed: unnamed[group] ?? 0)
    }
  }

  /// The error about a group in which nothing with a name was used.
  private func withoutNames(_ group: Int, unnamed: Int) -> Diagnostic {
    guard unnamed > 0 else {
      return Diagnostic(
        "nothing was recorded in '\(groups.groups[group].name)'",
        context: files.count == 1 ? [files[0].path] : [],
        hint: "the traces have \(names.joined(separator: ", "))",
        severity: .nothingRecorded)
    }
    return Diagnostic(
      "missing names: none of \(counted(unnamed, "recorded function")) has a name",
      context: groups.groups[group].images.first.map { [traces.images[$0].path] } ?? [],
      hint: "the recorded image is stripped; give it unstripped with --recorded")
  }

  private func group(of image: TraceImage) -> Int? {
    traces.index(of: image).map { groups.group(ofImageAt: $0) }
  }

  /// - Parameter names: those that `trace` has for the image.
  private func recordedImage(
    _ image: TraceImage, _ names: [RecordedName], of trace: Trace
  ) throws(Diagnostic) -> RecordedImage {
    if let read = images.image(for: image) { return RecordedImage(read) }
    if trace.isSealed || !names.isEmpty { return RecordedImage(names) }
    if let other = images.imageAtPath(of: image) {
      throw .imageMismatch(image.path, found: other.id, expected: image)
    }
    throw Diagnostic(
      "missing the recorded image", context: [trace.path, image.path],
      hint: "give it with --recorded, or record with 'orderfile record', which seals the trace",
      severity: .mismatch)
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
  /// The error about traces that can't be parsed; `nil` if there are none, or if they are skipped and others are left.
  ///
  /// - Parameter count: how many traces were given.
  fileprivate static func damaged(
    _ errors: [Diagnostic], of count: Int, areSkipped: Bool
  ) -> Diagnostic? {
    guard var error = errors.first, !areSkipped || errors.count == count else { return nil }
    if errors.count > 1 {
      let others = errors.dropFirst().flatMap(\.context).joined(separator: ", ")
      error.message += "; \(counted(errors.count - 1, "more trace")) can't be read: \(others)"
    }
    if errors.count < count { error.hint = "--skip-damaged leaves out what can't be read" }
    return error
  }

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
    guard !parts.isEmpty else { return nil }
    return Diagnostic("incomplete: \(parts.joined(separator: ", "))", context: [trace.path])
  }
}
