import ImageModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The library that is preloaded into programs. It is beside this command, or where `make install` puts it.
final class PageTracerLibrary {
  private let descriptor: Int32
  /// The value for `LD_PRELOAD`: its present value, and the library.
  let preloadVariable: String

  init(in environment: LaunchEnvironment) throws(Diagnostic) {
    let own = Folder.linkTarget("/proc/self/exe") ?? ""
    let folder = own.lastIndex(of: "/").map { own[..<$0] } ?? "."
    let name = "liborderfile-pages.so"
    let candidates = ["\(folder)/\(name)", "\(folder)/../lib/orderfile/\(name)"]
    guard let path = candidates.first(where: { access($0, R_OK) == 0 }) else {
      throw Diagnostic(
        "missing \(name): expected it beside this command, or in ../lib/orderfile",
        context: [own], hint: "build it: swift build --product orderfile-pages")
    }
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    // The variable has no quoting for the characters that separate its words.
    let isPlain = !path.contains(" ") && !path.contains(":")
    let word = isPlain ? path : "/proc/\(getpid())/fd/\(descriptor)"
    let others = environment.preload
    preloadVariable = others.isEmpty ? word : "\(others) \(word)"
  }

  deinit { close(descriptor) }
}
