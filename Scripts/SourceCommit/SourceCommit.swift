import Foundation
import PackagePlugin

/// Writes `sourceCommit`, the commit that `--version` states, into the sources of a target.
@main struct SourceCommit: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) -> [Command] {
    // Runs before each build. It writes the file only if the text has changed, because SwiftPM compiles a written file.
    let script = """
      mkdir -p "${2%/*}"
      commit=$(git -C "$1" describe --always --dirty=-modified --exclude '*' --abbrev=12 2>/dev/null)
      text="/// The commit that this is built from, with \\`-modified\\` if files were changed; empty if unknown.
      let sourceCommit = \\"$commit\\""
      [ "$text" = "$(cat "$2" 2>/dev/null)" ] || printf '%s\\n' "$text" >"$2"
      """
    let folder = context.pluginWorkDirectoryURL.appending(path: "sources")
    let file = folder.appending(path: "SourceCommit.swift")
    return [
      .prebuildCommand(
        displayName: "Source commit", executable: URL(filePath: "/bin/sh"),
        arguments: ["-c", script, "sh", context.package.directoryURL.path, file.path],
        outputFilesDirectory: folder)
    ]
  }
}
