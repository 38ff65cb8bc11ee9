// Are programs with several names builds of one program, and are images with one name builds of one program? The names
// of the used functions decide. `main` and the C runtime do not count, because every program has them.

import Addresses
import ImageModel
import Rendering
import Symbolication
import TraceSymbolication

extension RecordedBuilds {
  /// Adds programs with another name to `group` if they are builds of its program: at least three quarters of the
  /// functions that such a program used must have the names of functions in the group's program. A trace that already
  /// has a build in `group` is not examined.
  ///
  /// - Parameters:
  ///   - group: the group of the program.
  ///   - layout: returns the layout of any build of the program; called only if it is needed.
  /// - Returns: a warning about each program that is added.
  /// - Throws: the errors of `layout`.
  mutating func addPrograms(
    to group: Int, of launches: RecordedLaunches, _ images: inout RecordedImages,
    layout: (inout RecordedImages) throws(Diagnostic) -> Layout
  ) throws(Diagnostic) -> [Diagnostic] {
    guard libraryName(of: group) == nil else { return [] }
    var warnings: [Diagnostic] = []
    var names = NamesOfBuild()
    var isTried: Set<Int> = [group]
    for (number, member) in traces.members.enumerated() where !uses(member, of: group) {
      guard let program = member.program, uses(member, of: groups.group(ofImageAt: program)),
        isTried.insert(groups.group(ofImageAt: program)).inserted
      else { continue }
      let used = launches.tellingUses(ofTraceAt: number, imageAt: program, images)
      guard let used, !used.isEmpty else { continue }
      let found = try names.count(used) { () throws(Diagnostic) in try layout(&images) }
      guard 4 * found >= 3 * used.count else { continue }
      warnings.append(
        Diagnostic(
          "'\(traces.images[program].fileName)' counts as a build of '\(name(of: group))': "
            + "\(found) of \(counted(used.count, "function")) have the same names",
          context: [member.path]))
      addGroup(ofImageAt: program, to: group)
    }
    return warnings
  }

  /// Checks that the images which are in `group` only by their names are builds of one program. `layout` must have, by
  /// name, at least half of the functions that each image used. There is only a warning if an image used fewer than
  /// four functions, which prove nothing, or if a quarter of its functions are in `layout` and it shares `traits`.
  ///
  /// - Parameters:
  ///   - builds: the IDs of the builds that the command is about. If one of them was launched, it need not be checked.
  ///   - traits: the traits of builds of the program.
  ///   - layout: returns the layout of a build of the program; called only if it is needed.
  /// - Returns: a warning about each image that is taken for a build by its name alone.
  /// - Throws: `mismatch` if the group has several images, and one is another program; and the errors of `layout`. A
  ///   single image is checked where its functions are looked up.
  func checkNames(
    of group: Int, besides builds: [ImageID?], traits: [ProgramTraits],
    of launches: RecordedLaunches, _ images: inout RecordedImages,
    layout: (inout RecordedImages) throws(Diagnostic) -> Layout
  ) throws(Diagnostic) -> [Diagnostic] {
    guard libraryName(of: group) == nil else { return [] }
    var warnings: [Diagnostic] = []
    var names = NamesOfBuild()
    let places = groups.groups[group].images
    for place in places {
      let image = traces.images[place]
      guard !builds.contains(where: image.isProved),
        let number = traces.members.firstIndex(where: { member in
          member.uses.contains { $0.image == place && !$0.isEmpty }
        }), let used = launches.tellingUses(ofTraceAt: number, imageAt: place, images)
      else { continue }
      let trace = traces.members[number].path
      func warn(_ reason: String) {
        warnings.append(
          Diagnostic(
            "'\(image.path)' counts as a build of '\(name(of: group))' only because of its file name: \(reason)",
            context: [trace]))
      }
      guard !used.isEmpty else {
        warn("no function but main was recorded")
        continue
      }
      guard places.count > 1 else { continue }
      let found = try names.count(used) { () throws(Diagnostic) in try layout(&images) }
      let functions = FoundFunctions(found: found, all: used.count)
      guard !functions.proveProgram else { continue }
      let own = ProgramTraits(image)
      guard
        used.count >= 4
          && !(functions.supportTraits && traits.contains { $0.areShared(with: own) })
      else {
        warn("\(found) of \(counted(used.count, "function")) have the same names")
        continue
      }
      throw Diagnostic(
        "only \(found) of \(counted(used.count, "function")) of '\(image.path)' are in "
          + "'\(name(of: group))': these are two programs with the same file name",
        context: [trace], hint: "leave out the traces of one of the two programs",
        severity: .mismatch)
    }
    return warnings
  }
}

/// The functions of a build by name. The build is read when functions are looked up for the first time.
private struct NamesOfBuild {
  private var map: SymbolMap?

  /// Returns how many of the functions in `uses` the build has.
  mutating func count(
    _ uses: [RecordedFunctions.Use], layout: () throws(Diagnostic) -> Layout
  ) throws(Diagnostic) -> Int {
    var names: SymbolMap
    if let map { names = map } else { names = SymbolMap(try layout()) }
    let found = uses.count { use in
      use.names.contains { !names.resolve($0, from: use.objectFile).functions.isEmpty }
    }
    map = names
    return found
  }
}

extension RecordedLaunches {
  /// Returns the functions of an image that a trace used and that identify the image's program; `nil` if their names
  /// are unknown.
  ///
  /// - Parameters:
  ///   - number: the index of the trace.
  ///   - place: the index of the image in `traces.images`.
  fileprivate func tellingUses(
    ofTraceAt number: Int, imageAt place: Int, _ images: RecordedImages
  ) -> [RecordedFunctions.Use]? {
    guard let trace = try? trace(number) else { return nil }
    let recorded = try? RecordedFunctions.all(of: trace) { group, names throws(Diagnostic) in
      let image = trace.images[group[0]]
      return traces.index(of: image) == place
        ? try images.recordedImage(image, names, of: trace) : nil
    }
    return recorded?.first?.uses.filter { $0.names.allSatisfy(\.tellsProgram) }
  }
}
