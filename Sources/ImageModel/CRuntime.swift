/// What the C runtime's start files (`crt1.o`, `crti.o`, `crtbegin.o`) put into an ELF image: glibc's, musl's,
/// GCC's and compiler-rt's.
package enum CRuntime {
  /// Run before `main`.
  package static let startNames: Set<SymbolName> = [
    "_start", "_start_c", "_init", "frame_dummy", "register_tm_clones", "__libc_csu_init",
    "__do_init", "__do_global_ctors_aux",
  ]
  /// Run at exit.
  package static let endNames: Set<SymbolName> = [
    "_fini", "__do_global_dtors_aux", "deregister_tm_clones", "__libc_csu_fini", "__do_fini",
  ]
  /// Sections that are one function each, put together of all object files'.
  package static let startSection: SymbolName = ".init"
  package static let endSection: SymbolName = ".fini"

  /// Functions that one start file keeps in one input section: a linker moves them together. Arrays, as
  /// comparing with eight names costs less than a hash.
  private static let sectionMates: [[SymbolName]] = [
    ["_start", "_start_c"],
    ["frame_dummy", "register_tm_clones", "deregister_tm_clones", "__do_global_dtors_aux"],
    ["__libc_csu_init", "__libc_csu_fini"],
  ]

  /// Which input section of a start file the function is in; `nil` for functions of other files.
  package static func inputSection(of name: SymbolName) -> Int? {
    sectionMates.firstIndex { $0.contains(name) }
  }

  /// Whether the function is of a start file.
  package static func isPart(_ name: SymbolName) -> Bool {
    startNames.contains(name) || endNames.contains(name)
  }
}
