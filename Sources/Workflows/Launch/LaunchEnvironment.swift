/// What the environment of the command says about launches. It is handed in: no workflow reads it.
package struct LaunchEnvironment {
  /// `PATH`: the folders in which programs are looked up, parted by colons; `nil` if it is not set.
  package var searchPath: String?
  /// `LD_PRELOAD`: what else is loaded into programs; empty if nothing is.
  package var preload: String
  /// `TMPDIR`: where folders for a time are made; `nil` if it is not set.
  package var temporaryFolder: String?

  package init(searchPath: String?, preload: String = "", temporaryFolder: String? = nil) {
    self.searchPath = searchPath
    self.preload = preload
    self.temporaryFolder = temporaryFolder
  }
}
