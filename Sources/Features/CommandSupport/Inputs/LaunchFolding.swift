// The functions and blocks that launches used in the images of a group of builds: folded to a profile, or launch by
// launch.

import Addresses
import ImageModel
import ProfileFormat
import Rendering
import TraceSymbolication

/// Folds launches to a profile, or lists them one after the other.
package struct LaunchFolding {
  let launches: RecordedLaunches
  let builds: RecordedBuilds
  let images: RecordedImages

  /// Folds the uses and touches of all launches in the images of `groups` to a profile. Reads each trace once.
  ///
  /// - Throws: an error if neither the trace nor an image has the names (`mismatch`, with both IDs if another
  ///   image is at the path), if nothing was recorded, or if nothing that was recorded has a name; `mismatch` for
  ///   launches on several machines.
  package func profile(of groups: [Int]) throws(Diagnostic) -> Profile {
    let wanted = Set(groups)
    var fold = ProfileFold()
    for (number, (file, member)) in members.enumerated() {
      let used = wanted.intersection(
        builds.usedGroups(of: member).union(builds.groupsWithData(of: member)))
      guard !used.isEmpty else { continue }
      let isAdded: Bool
      if let profile = file.profile {
        isAdded = fold.add(profile)
      } else if !hasReadImages(of: used), let trace = try launches.sealedTrace(number) {
        isAdded = fold.add(sealed: trace, path: file.path, weight: file.weight) { image in
          builds.group(of: image).map(used.contains) ?? false
        }
        trace.bytes.release(trace.bytes.all.indices)
      } else {
        let trace = try launches.trace(number)
        isAdded = fold.add(trace, try functions(of: trace, in: used), weight: file.weight)
      }
      guard isAdded else { throw .tooManyLaunches(file.path) }
    }
    let profile = fold.profile
    for group in groups {
      let isInGroup = Set(images(of: profile, in: group))
      let functions = profile.functions.filter { isInGroup.contains($0.image) }
      guard !functions.contains(where: { !$0.names.isEmpty }) else { continue }
      throw withoutNames(group, unnamed: functions.count)
    }
    let used = profile.images.filter {
      builds.group(of: TraceImage($0)).map(wanted.contains) ?? false
    }
    if let mismatch = Diagnostic.machineMismatch(used) { throw mismatch }
    return profile
  }

  /// Whether an image of `groups` was read. Its functions then have the properties that the image states, such as their
  /// object files. The names in a trace do not state them.
  private func hasReadImages(of groups: Set<Int>) -> Bool {
    groups.contains { builds.images(of: $0).contains { images.image(for: $0) != nil } }
  }

  /// Returns the indexes of the images of `profile` that are in `group`.
  package func images(of profile: Profile, in group: Int) -> [Int] {
    profile.images.indices.filter { builds.group(of: TraceImage(profile.images[$0])) == group }
  }

  /// The origin of a launch.
  package struct LaunchSource {
    /// The index of the launch among all launches of the command.
    package var number: Int
    /// The path of the trace or, in a profile, the path and the launch.
    package var name: String
    /// The number of launches that this launch counts as.
    package var weight: UInt64 = 1
    /// Whether this is the rest of a profile: the uses of launches that the profile does not keep whole.
    package var isRest = false
  }

  /// Calls `body` with the uses of each launch in the images of `group`, trace by trace. For a profile, calls `body`
  /// with each launch that the profile keeps whole. If other launches used more, also calls `body` with the uses of all
  /// launches together.
  ///
  /// - Parameter body: called with the uses of a launch in one image, and with the source of the launch. A launch may
  ///   have several images of `group`.
  /// - Throws: as `profile(of:)`.
  package func forEachLaunch(
    of group: Int, _ body: (RecordedFunctions, LaunchSource) -> Void
  ) throws(Diagnostic) {
    var hasNames = false
    var unnamed = 0
    var number = 0
    func pass(
      _ launches: [RecordedFunctions], _ name: String, weight: UInt64 = 1, isRest: Bool = false
    ) {
      let source = LaunchSource(number: number, name: name, weight: weight, isRest: isRest)
      number += 1
      for launch in launches where builds.group(of: launch.image) == group {
        hasNames = hasNames || !launch.uses.isEmpty
        unnamed += launch.unnamedUses.count
        body(launch, source)
      }
    }
    for (index, (file, member)) in members.enumerated() where builds.uses(member, of: group) {
      if let profile = file.profile {
        for launch in profile.launches {
          pass(
            profile.recordedFunctions(of: launch),
            "\(file.path) launch \(hexadecimal(launch.hash))", weight: launch.weight)
        }
        if !profile.keepsAllLaunches { pass(profile.unitedLaunch, file.path, isRest: true) }
      } else {
        let trace = try launches.trace(index)
        pass(try functions(of: trace, in: [group]), file.path, weight: file.weight)
      }
    }
    if !hasNames { throw withoutNames(group, unnamed: unnamed) }
  }

  /// Whether a profile has touches of data of the images in `group`. A profile does not keep which part of a variable
  /// was touched.
  package func hasDataInProfiles(of group: Int) -> Bool {
    members.contains { file, member in
      file.profile != nil && builds.groupsWithData(of: member).contains(group)
    }
  }

  /// Returns the number of traces with hits in the images of `group`, in words; if there is a profile, the number of
  /// launches.
  package func sourceWording(of group: Int) -> String {
    let users = members.filter { builds.uses($0.trace, of: group) }
    let count = users.reduce(0 as UInt64) { $0 + $1.trace.launches }
    return users.contains { $0.file.profile != nil }
      ? counted(Int(clamping: count), "launch", "launches") : counted(users.count, "trace")
  }

  private var members: [(file: RecordedLaunches.File, trace: TraceSet.Member)] {
    zip(launches.files, launches.traces.members).map { ($0, $1) }
  }

  /// Returns the uses of a trace in the images of the groups `wanted`.
  private func functions(
    of trace: Trace, in wanted: Set<Int>
  ) throws(Diagnostic) -> [RecordedFunctions] {
    let used = trace.usedImages
    return try RecordedFunctions.all(of: trace) { members, names throws(Diagnostic) in
      let image = trace.images[members[0]]
      guard members.contains(where: used.contains), let group = builds.group(of: image),
        wanted.contains(group)
      else { return nil }
      return try images.recordedImage(image, names, of: trace)
    }
  }

  /// Returns the error about a group without hits in functions that have names.
  private func withoutNames(_ group: Int, unnamed: Int) -> Diagnostic {
    guard unnamed > 0 else {
      return Diagnostic(
        "nothing was recorded in '\(builds.name(of: group))'", context: launches.onlyPath,
        hint: "the traces have \(builds.names.joined(separator: ", "))",
        severity: .nothingRecorded, kind: .missingTraces)
    }
    return Diagnostic(
      "missing names: none of \(counted(unnamed, "recorded function")) has a name",
      context: builds.images(of: group).prefix(1).map(\.path),
      remedies: [
        Remedy("the recorded image is stripped: record the unstripped build"),
        .givenAsRecorded("give the unstripped build"),
      ])
  }
}
