/// The environment variables that affect launches. They are passed in: workflows do not read the environment.
package struct LaunchEnvironment {
  /// `PATH`: the folders in which programs are looked up, separated by colons; `nil` if it is not set.
  package var searchPath: String?
  /// `LD_PRELOAD`: libraries to load into programs; empty if there are none.
  package var preload: String
  /// `LD_LIBRARY_PATH`: the folders in which libraries are looked up first; `nil` if it is not set.
  package var libraryPath: String?
  /// `TMPDIR`: the folder for temporary folders; `nil` if it is not set.
  package var temporaryFolder: String?
  /// `ASAN_OPTIONS` and `LSAN_OPTIONS`: settings of sanitizers in launched programs.
  package var sanitizerOptions: String

  /// `QEMU_LD_PREFIX`: the folder in which QEMU looks up an emulated program's libraries first; `nil` if it is not set.
  package var emulatorRoot: String?

  package init(
    searchPath: String?, preload: String = "", libraryPath: String? = nil,
    temporaryFolder: String? = nil,
    sanitizerOptions: String = "", emulatorRoot: String? = nil
  ) {
    self.searchPath = searchPath
    self.preload = preload
    self.libraryPath = libraryPath
    self.temporaryFolder = temporaryFolder
    self.sanitizerOptions = sanitizerOptions
    self.emulatorRoot = emulatorRoot
  }

  /// Whether a program with LeakSanitizer looks for leaks at its end.
  var looksForLeaks: Bool { !sanitizerOptions.contains("detect_leaks=0") }
}
