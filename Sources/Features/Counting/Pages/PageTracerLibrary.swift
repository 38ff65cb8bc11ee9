import CommandSupport
import ImageModel
import LibC

/// The library that is preloaded into programs and sees their touches of pages.
final class PageTracerLibrary {
  private let descriptor: Int32
  /// The value for `LD_PRELOAD`: the value in the environment, and the library.
  let preloadVariable: String

  init(in environment: LaunchEnvironment) throws(Diagnostic) {
    let path = try OwnLibrary.path("liborderfile-pages.so", product: "orderfile-pages")
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    // In `LD_PRELOAD`, blanks and colons separate paths and can't be quoted.
    let isPlain = !path.contains(" ") && !path.contains(":")
    let word = isPlain ? path : "/proc/\(getpid())/fd/\(descriptor)"
    let others = environment.preload
    preloadVariable = others.isEmpty ? word : "\(others) \(word)"
  }

  deinit { close(descriptor) }
}
