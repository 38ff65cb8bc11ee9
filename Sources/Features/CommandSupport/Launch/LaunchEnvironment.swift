/// The environment variables that affect launches. The command passes their values to features, which do not read the
/// environment.
package struct LaunchEnvironment {
  /// `PATH`: the folders in which programs are looked up, separated by colons; `nil` if it is not set.
  package var searchPath: String?
  /// `LD_PRELOAD`: libraries to load into programs; empty if there are none.
  package var preload: String
  /// `LD_LIBRARY_PATH`: the folders in which libraries are looked up first; `nil` if it is not set.
  package var libraryPath: String?
  /// `TMPDIR`: the folder for temporary folders; `nil` if it is not set, or empty.
  package var temporaryFolder: String?
  /// The values of `sanitizerVariables` that are set: settings of sanitizers in launched programs.
  package var sanitizerOptions: [String]
  /// The value of `ASAN_OPTIONS`, without the other variables.
  package var addressSanitizerOptions: String
  /// `QEMU_LD_PREFIX`: the folder in which QEMU looks up an emulated program's libraries first; `nil` if it is not set.
  package var emulatorRoot: String?
  /// `LD_AUDIT`: the user's own libraries for the loader, separated by colons.
  package var auditors = ""
  /// The variables of `compilerVariableNames` that are set, in that order.
  package var compilerVariables: [(name: String, value: String)] = []

  /// The variables by which configure, make, CMake and ocamlopt choose compilers, their options and the generator.
  package static let compilerVariableNames = [
    "CC", "CXX", "CPPFLAGS", "CFLAGS", "CXXFLAGS", "LDFLAGS", "CMAKE_GENERATOR", "OCAMLPARAM",
  ]

  package init(
    searchPath: String?, preload: String = "", libraryPath: String? = nil,
    temporaryFolder: String? = nil,
    sanitizerOptions: [String] = [], addressSanitizerOptions: String = "",
    emulatorRoot: String? = nil
  ) {
    self.searchPath = searchPath
    self.preload = preload
    self.libraryPath = libraryPath
    self.temporaryFolder = temporaryFolder == "" ? nil : temporaryFolder
    self.sanitizerOptions = sanitizerOptions
    self.addressSanitizerOptions = addressSanitizerOptions
    self.emulatorRoot = emulatorRoot
  }

  /// The variable that makes gcc's AddressSanitizer, which is a library, tolerate a preloaded library before it.
  /// Without the variable, AddressSanitizer ends the program. The program may also be one that the launched program
  /// starts.
  package var sanitizerVariable: (name: String, value: String) {
    let own = addressSanitizerOptions
    return ("ASAN_OPTIONS", (own.isEmpty ? "" : own + ":") + "verify_asan_link_order=0")
  }

  /// The variables that LeakSanitizer reads, in the order in which it reads them.
  package static let sanitizerVariables = ["ASAN_OPTIONS", "LSAN_OPTIONS"]

  /// Whether a program with LeakSanitizer looks for leaks at its end. As in the runtime's own parser, the last setting
  /// counts, and settings are separated by blanks, commas or colons.
  /// <compiler-rt/lib/sanitizer_common/sanitizer_flag_parser.cpp>
  package var looksForLeaks: Bool {
    let settings = sanitizerOptions.flatMap { $0.split { ":, \n\t\r".contains($0) } }
    let value = settings.last { $0.hasPrefix("detect_leaks=") }?.drop { $0 != "=" }.dropFirst()
    return value.map { !["0", "no", "false"].contains($0) } ?? true
  }
}
