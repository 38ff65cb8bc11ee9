import ImageModel

/// The folder with everything that `orderfile auto` writes: the results, and under `work` what the next run goes on
/// with.
struct AutoFolder {
  /// Absolute, without symbolic links.
  let path: String

  /// Makes the folder unless it exists.
  ///
  /// - Throws: also for one that has something else in it.
  init(_ path: String) throws(Diagnostic) {
    let names = Folder.names(in: path)
    guard names.isEmpty || names.contains("work") else {
      throw Diagnostic(
        "unable to use this folder: expected an empty one, or one that this command has made, found '\(names[0])'",
        context: [path], hint: "name another with --out")
    }
    do { try Folder.make(path) } catch {
      throw Diagnostic(error.message, context: error.context, hint: "name another with --out")
    }
    self.path = try Folder.absolutePath(path)
    for folder in [work, tools, logs, temporary, orders, traces, images, defaultImages] {
      try Folder.make(folder)
    }
    // What copies a project leaves such folders out, and so does git.
    try OutputFile("\(self.path)/.gitignore").finish(Array("*\n".utf8))
    try OutputFile("\(self.path)/CACHEDIR.TAG").finish(
      Array("Signature: 8a477f597d28d172789f06886806bc55\n".utf8))
  }

  var orders: String { "\(path)/orders" }
  var traces: String { "\(path)/traces" }
  var images: String { "\(path)/images" }
  /// The images before they were ordered.
  var defaultImages: String { "\(images)/default" }
  var logs: String { "\(path)/logs" }
  func summary(_ ending: String) -> String { "\(path)/summary.\(ending)" }

  private var work: String { "\(path)/work" }
  /// The copy of the project.
  var tree: String { "\(work)/tree" }
  /// The list of what was copied.
  var copyList: String { "\(work)/copied" }
  /// Links with the names of compilers, which lead to this command.
  var tools: String { "\(work)/tools" }
  var temporary: String { "\(work)/tmp" }
  /// Options for SwiftPM's compilers and linkers.
  var toolset: String { "\(work)/toolset.json" }
  /// The order of all images of a Swift package: its toolset is for all links.
  var packageOrder: String { "\(work)/package.order" }
  var linkLog: String { "\(work)/links" }
  /// The command with which the copy was configured.
  var configured: String { "\(work)/configured" }
  /// What the results were made of.
  var state: String { "\(work)/state" }
  /// A file that is there while a build command runs, and after one that was interrupted.
  var building: String { "\(work)/building" }

  /// Removes what an interrupted build has left: it may have files that are half written, which build systems take for
  /// complete.
  func removeUnfinishedCopy() {
    guard OptionFile.exists(Array(building.utf8)) else { return }
    for path in [tree, copyList, configured, linkLog, state, building] {
      Folder.remove(Array(path.utf8))
    }
  }

  /// Removes the contents of the folders with results, and the summaries.
  func removeResults() {
    for folder in [orders, traces, images] { Folder.remove(Array(folder.utf8)) }
    for ending in ["json", "txt", "md"] { Folder.remove(Array(summary(ending).utf8)) }
  }

  /// Makes the folders that `removeResults` removes.
  func makeResults() throws(Diagnostic) {
    for folder in [orders, traces, images, defaultImages] { try Folder.make(folder) }
  }
}
