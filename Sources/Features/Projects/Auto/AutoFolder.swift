import CommandSupport
import ImageModel
import LibC

/// The folder with everything that `orderfile auto` writes: the results, and in `work` the files that the next run
/// uses.
final class AutoFolder {
  /// The absolute path, without symbolic links.
  let path: String
  /// The lock that this process holds while a command uses the folder.
  private var lock: FileLock?

  /// Makes the folder unless it exists.
  ///
  /// - Parameter project: the absolute path of the project's folder, without symbolic links.
  /// - Throws: an error if the folder can't be made, if it has other files in it, if it contains the project, or if
  ///   another command uses it. Nothing is written then.
  init(_ path: String, for project: String) throws(Diagnostic) {
    let place = try Self.place(of: path)
    guard place != project, !project.hasPrefix(place == "/" ? place : place + "/") else {
      throw Diagnostic(
        "unable to copy the project into itself", context: [place],
        hint: "name another folder with --output")
    }
    // A colon or a line break would end the path in `PATH`, in the kernel's list of mappings or in makefiles.
    if let character = place.first(where: { $0 == ":" || $0.isNewline }) {
      throw Diagnostic(
        "unable to use this folder: its path has a \(character == ":" ? "colon" : "line feed")",
        context: [place], hint: "name another folder with --output")
    }
    self.path = place
    let names = Folder.names(in: place)
    guard
      names.isEmpty || Folder.hasFile(marker) || names == ["work"] && Folder.names(in: work).isEmpty
    else {
      throw Diagnostic(
        "unable to use this folder: expected an empty folder, or a folder that 'orderfile auto' has made, found '\(names[0])'",
        context: [path], hint: "name another folder with --output")
    }
    do {
      try Folder.make(place)
      try Folder.make(work)
    } catch {
      throw Diagnostic(
        error.message, context: error.context, hint: "name another folder with --output")
    }
    guard let lock = try FileLock(marker) else {
      throw Diagnostic(
        "unable to use this folder: another 'orderfile auto' is using it", context: [path],
        hint: "wait until it has ended, or name another folder with --output")
    }
    self.lock = lock
    for folder in [tools, logs, temporary, orders, traces, images, defaultImages] {
      try Folder.make(folder)
    }
    // Commands that copy a project leave out folders that have CACHEDIR.TAG, and git ignores the folder because of
    // .gitignore.
    try OutputFile("\(place)/.gitignore").finish(Array("*\n".utf8))
    try OutputFile("\(place)/CACHEDIR.TAG").finish(
      Array("Signature: 8a477f597d28d172789f06886806bc55\n".utf8))
  }

  /// Returns the absolute path of a folder. The folder may not exist yet, but its parent has to.
  private static func place(of path: String) throws(Diagnostic) -> String {
    if let place = try? Folder.absolutePath(path) { return place }
    var parts = path.split(separator: "/", omittingEmptySubsequences: false)
    while parts.count > 1, parts.last?.isEmpty ?? false { parts.removeLast() }
    let name = parts.removeLast()
    let folder =
      parts.isEmpty
      ? "." : parts.count == 1 && parts[0].isEmpty ? "/" : parts.joined(separator: "/")
    do {
      let above = try Folder.absolutePath(folder)
      return above == "/" ? "/\(name)" : "\(above)/\(name)"
    } catch {
      throw Diagnostic(
        "unable to make the folder: \(error.message)", context: [path],
        hint: "name another folder with --output")
    }
  }

  var orders: String { "\(path)/orders" }
  var traces: String { "\(path)/traces" }
  var images: String { "\(path)/images" }
  /// The results of measuring launches.
  var measurements: String { "\(path)/measurements" }
  /// The images before they were ordered.
  var defaultImages: String { "\(images)/default" }
  var logs: String { "\(path)/logs" }
  func summary(_ ending: String) -> String { "\(path)/summary.\(ending)" }

  private var work: String { "\(path)/work" }
  /// The file that shows that this command has made the folder, and that locks it.
  private var marker: String { "\(work)/lock" }
  /// The copy of the project.
  var tree: String { "\(work)/tree" }
  /// The file that lists what was copied from the project.
  var copyList: String { "\(work)/copied" }
  /// Links with the names of compilers, which lead to this command.
  var tools: String { "\(work)/tools" }
  var temporary: String { "\(work)/tmp" }
  /// Hard links to the images of the copy, while other images are at their paths.
  var originals: String { "\(work)/originals" }
  /// Copies of the images in the default order, for the control of a measurement.
  var controls: String { "\(work)/controls" }
  /// Options for SwiftPM's compilers and linkers.
  var toolset: String { "\(work)/toolset.json" }
  /// Options for SwiftPM's compilers and linkers in a build whose functions are split.
  var splitToolset: String { "\(work)/split-toolset.json" }
  /// Options for SwiftPM's compilers and linkers in a build that records itself.
  var recordingToolset: String { "\(work)/recording-toolset.json" }
  /// The order file for all images of a Swift package, because the package's toolset is for all links.
  var packageOrder: String { "\(work)/package.order" }
  /// The profile by which functions are split; the file does not exist before functions are split.
  var splitProfile: String { "\(path)/split.clusters" }
  /// How the objects of the copy were compiled (`BuildPlan.Objects`).
  var compiled: String { "\(work)/compiled" }
  var linkLog: String { "\(work)/links" }
  /// How the copy was configured (`BuildSystem.configuration`). If the next run has to configure again, the file has further
  /// lines: `failed` for each of the last runs in which the build failed, or `again`.
  var configured: String { "\(work)/configured" }
  /// The file that states what the results depend on (`ProjectOrdering`).
  var state: String { "\(work)/state" }
  /// A file that exists while the copy is being changed: during a build command, and while other files are at the paths
  /// of images. It remains if the run was interrupted, or if the disk was full.
  var building: String { "\(work)/building" }

  /// The text of the file `configured`; `nil` if there is no such file.
  var configuredText: String? { (try? InputFile.bytes(configured)).map { $0.text(0..<$0.count) } }

  /// Removes the copy if another command configured it (such as one for another generator of CMake), if two builds in a row
  /// failed in it, or if a build was interrupted. An interrupted build may leave half-written files, which build systems take
  /// for complete.
  ///
  /// - Parameter configuration: the text of the file `configured` for the build that follows.
  func removeUnusableCopy(configuration: String) {
    let isOther =
      configuredText.map {
        !$0.hasPrefix(configuration) || $0 == configuration + "failed\nfailed\n"
      } ?? false
    guard isOther || Folder.hasFile(building) else { return }
    for path in [tree, copyList, configured, compiled, linkLog, state, building] {
      Folder.remove(Array(path.utf8))
    }
  }

  /// Makes the next run configure the copy again. The build has left out a program or library that a launch needs, perhaps
  /// because `configure` did not find something that the user then installs.
  func configureAgain() throws(Diagnostic) {
    guard let text = configuredText else { return }
    try OutputFile(configured).finish(Array("\(text)again\n".utf8))
  }

  /// The folder with the results of the last successful run, while another run is under way.
  private var kept: String { "\(work)/kept" }
  /// A file that exists while images of the copy may be linked with an order file that is not among
  /// the results.
  private var relinking: String { "\(work)/relinking" }

  private var resultPaths: [String] {
    [orders, traces, images, measurements, splitProfile] + ["json", "txt", "md"].map(summary)
  }

  /// A folder that holds a part of the results while they are moved, so that no result is lost if the run is killed.
  private var moved: String { "\(work)/moved" }

  /// Moves the results to `kept` until this run succeeds. Removes the results of a run that was killed.
  func setResultsAside() throws(Diagnostic) {
    moveBack()
    guard !Folder.hasFile(kept), Folder.hasFile(summary("json")) else { return removeResults() }
    try Folder.make(moved)
    for path in resultPaths { rename(path, "\(moved)/\(fileName(ofPath: path))") }
    rename(moved, kept)
  }

  /// Moves the results of the last successful run back after a run that failed.
  ///
  /// - Returns: whether there were such results.
  func restoreResults() -> Bool {
    guard Folder.hasFile(kept) else { return false }
    removeResults()
    rename(kept, moved)
    moveBack()
    return true
  }

  private func moveBack() {
    guard Folder.hasFile(moved) else { return }
    for path in resultPaths { rename("\(moved)/\(fileName(ofPath: path))", path) }
    Folder.remove(Array(moved.utf8))
  }

  /// Removes the previous results and the file of `beginRelinking` after a run that succeeded.
  func removeKeptResults() {
    Folder.remove(Array(kept.utf8))
    Folder.remove(Array(relinking.utf8))
  }

  /// Makes the file `relinking`, which shows that images are linked with order files from now on.
  func beginRelinking() throws(Diagnostic) { try OutputFile(relinking).finish([]) }

  /// Whether the copy's `image` may be linked with an order file.
  func mayBeOrdered(_ image: ProjectImage) -> Bool {
    Folder.hasFile(relinking) || Folder.hasFile("\(orders)/\(image.orderName)")
  }

  private func removeResults() {
    for path in resultPaths { Folder.remove(Array(path.utf8)) }
  }

  /// The stamps of all results. They differ if a result has changed.
  var resultStamps: String {
    let names =
      ["json", "txt", "md"].map(summary) + [splitProfile]
      + [orders, images, defaultImages, measurements].flatMap { folder in
        Folder.names(in: folder).map { "\(folder)/\($0)" }
      }
    return names.filter { $0 != defaultImages }.map {
      "\($0) \(ProjectImage.stamp(ofFileAt: $0))\n"
    }
    .joined()
  }

  /// Makes the folders that `setResultsAside` moves.
  func makeResults() throws(Diagnostic) {
    for folder in [orders, traces, images, defaultImages] { try Folder.make(folder) }
  }
}
