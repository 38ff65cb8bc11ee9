import Addresses
import ByteReading
import ImageModel
import ProfileFormat
import Rendering
import Symbolication

// Decides whether programs with several names are builds of one program, and whether images with one name are builds of one
// image.

extension LaunchInputs {
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

  /// Checks that the images which are in `group` only by their names are builds of one program. `layout` must have at least
  /// half of the functions that each image used, by their names, and apart from `main` and the C runtime. There is only a
  /// warning for an image that used fewer than four functions, which prove nothing, or that has other traits of the program.
  ///
  /// - Parameters:
  ///   - builds: the IDs of builds that the command is about. If one was launched, it need not be checked.
  ///   - traits: the traits of builds of the program.
  ///   - layout: returns the layout of a build of the program; called only if it is needed.
  /// - Throws: `mismatch` if the group has several images, and one is another program; and the errors of `layout`. A
  ///   single image is checked where its functions are looked up.
  package mutating func checkBuilds(
    of group: Int, besides builds: [ImageID?], traits: [ProgramTraits],
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
}

extension RecordedFunctions.Use {
  fileprivate var tellsProgram: Bool { names.allSatisfy(\.tellsProgram) }

  fileprivate func isFound(in map: inout SymbolMap) -> Bool {
    names.contains { !map.resolve($0, from: objectFile).functions.isEmpty }
  }
}
