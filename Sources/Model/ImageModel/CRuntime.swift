/// The functions and sections that the start files of the C runtime (`crt1.o`, `crti.o`, `crtbegin.o`) add to an ELF
/// image. The start files come from glibc, musl, GCC or compiler-rt.
///
/// Names are in arrays: comparing with a dozen of them costs less than a hash, because most differ in length.
package enum CRuntime {
  /// The names of the functions of start files that run before `main`.
  package static let startNames: [SymbolName] = [
    "_start", "_start_c", "_init", "frame_dummy", "register_tm_clones", "__libc_csu_init",
    "__do_init", "__do_global_ctors_aux",
  ]
  /// The names of the functions of start files that run at exit.
  package static let endNames: [SymbolName] = [
    "_fini", "__do_global_dtors_aux", "deregister_tm_clones", "__libc_csu_fini", "__do_fini",
  ]
  /// A section that is a single function, assembled from the parts in all object files.
  package static let startSection: SymbolName = ".init"
  package static let endSection: SymbolName = ".fini"

  /// Functions that a start file keeps in one input section, so that a linker moves them together.
  package static let sectionMates: [[SymbolName]] = [
    ["_start", "_start_c"],
    ["frame_dummy", "register_tm_clones", "deregister_tm_clones", "__do_global_dtors_aux"],
    ["__libc_csu_init", "__libc_csu_fini"],
  ]

  /// The number of the start file's input section that contains the function; `nil` for functions of other
  /// files.
  package static func inputSection(of name: SymbolName) -> Int? {
    sectionMates.firstIndex { $0.contains(name) }
  }

  /// Whether the function belongs to a start file.
  package static func isPart(_ name: SymbolName) -> Bool {
    startNames.contains(name) || endNames.contains(name)
  }
}
