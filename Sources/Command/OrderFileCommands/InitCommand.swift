import ArgumentParser
import ImageModel
import Projects

struct InitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Put an order file into a project's own build.",
    discussion: """
      EXAMPLES
        $ orderfile init
        $ orderfile init --write && orderfile init --remove

      It prints, as a diff, the smallest change that makes the project's own build link in the order of app.order: a file \
      that CMake or Meson reads, a build script for Cargo, a toolset for SwiftPM. --write makes the change, and can be \
      repeated. --remove undoes it and restores all files byte by byte; it changes nothing if one of these lines was \
      edited, and app.order stays if it was written since. The build goes on without app.order, and links again when \
      that changes. make and autotools have no such file: 'orderfile flags make' prints the commands; for Xcode, \
      'orderfile flags xcode' writes settings files.
      """)

  @Flag(help: "Change the files.")
  var write = false
  @Flag(help: "Undo what --write has changed.")
  var remove = false
  @Option(
    help: ArgumentHelp(
      "The build system if there are several: cmake, meson, cargo or swiftpm.", valueName: "name"),
    completion: .list(["cmake", "meson", "cargo", "swiftpm"]))
  var buildSystem: String?
  @OptionGroup var messages: Messages
  @Argument(
    help: ArgumentHelp("The folder of the project.", valueName: "folder"), completion: .directory)
  var project = "."

  func validate() throws {
    if write, remove { throw ValidationError("--write and --remove can't be used together") }
  }

  func run() throws {
    let integration = try ProjectIntegration(of: project, buildSystem: buildSystem)
    let changes = try integration.changes(removing: remove)
    guard !changes.isEmpty else {
      messages.print(note: remove ? "nothing to remove" : "nothing to change: it is there already")
      return
    }
    guard write || remove else {
      try Console.print(changes.flatMap(\.unifiedDiff))
      messages.print(note: "nothing was changed; --write makes these changes")
      return
    }
    try integration.make(changes)
    for change in changes {
      let what = change.after == nil ? "removed" : change.before == nil ? "new" : "changed"
      messages.print(note: "\(what): \(change.path)")
    }
    if write {
      messages.print(
        note:
          "next: \(integration.build), then record a launch, and: orderfile gen TRACE -o \(BuildIntegration.order)"
      )
    }
  }
}
