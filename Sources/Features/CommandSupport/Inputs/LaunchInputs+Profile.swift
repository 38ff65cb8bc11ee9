import Addresses
import ByteReading
import ImageModel
import ProfileFormat
import Rendering
import Symbolication

// The uses of the images in a group: those of all launches, folded to a profile, or those of each launch.

extension LaunchInputs {
  /// Whether a profile has touches of data of the images in `group`. It does not keep which part of a variable they were of.
  package func hasDataInProfiles(of group: Int) -> Bool {
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
        severity: .nothingRecorded, kind: .missingTraces)
    }
    return Diagnostic(
      "missing names: none of \(counted(unnamed, "recorded function")) has a name",
      context: groups.groups[group].images.first.map { [traces.images[$0].path] } ?? [],
      remedies: [
        Remedy("the recorded image is stripped: record the unstripped build"),
        .givenAsRecorded("give that build"),
      ])
  }
}
