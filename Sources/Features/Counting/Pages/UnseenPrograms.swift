import CommandSupport
import ImageModel
import ProcessTracing

/// The programs of a launch that ran without the library that sees touches: programs with an environment of their own,
/// with other rights or in another namespace, and static programs.
struct UnseenPrograms {
  /// The paths of the executables without symbolic links; for a script, the path of its interpreter.
  private let executables: [String]
  private let counted: [String]?
  private let hasUntouchedImage: Bool

  /// - Parameter counted: the images whose pages are counted; `nil` for all images.
  init(_ result: PageLaunchResult, counted: [String]?, in environment: LaunchEnvironment) {
    self.counted = counted
    executables = result.unseenPrograms.map { path in
      (try? LaunchedProgram(named: path, in: environment))?.executable ?? path
    }
    let touches = result.touches
    let touched = Set(touches.touches.map(\.image))
    hasUntouchedImage = (counted ?? []).contains { path in
      !touches.images.indices.contains { touches.images[$0].path == path && touched.contains($0) }
    }
  }

  /// The counted programs whose touches are missing in the count.
  var countedOnes: [String] { executables.filter { counted?.contains($0) ?? true } }

  /// Why the count has gaps that `ptrace` would not have; `nil` if it has no gaps.
  var reason: String? {
    if let path = countedOnes.first {
      return "\(path) also ran without the library that counts pages"
    }
    guard hasUntouchedImage, let path = executables.first else { return nil }
    return
      "\(path), which may have run a counted program, did not load the library that counts pages"
  }

  /// - Parameters:
  ///   - program: the name of the launch in messages.
  ///   - remedy: what to do about touches that only a tracer sees.
  func warnings(_ program: String, remedy: @autoclosure () -> Remedy?) -> [Diagnostic] {
    guard let path = countedOnes.first ?? executables.first else { return [] }
    let isCounted = !countedOnes.isEmpty
    return [
      Diagnostic(
        isCounted
          ? "\(path) ran without the library that counts pages, so these pages are missing"
          : "\(path) ran without the library that counts pages, so the programs that it started are not counted",
        context: [program], remedies: [remedy()].compactMap { $0 })
    ]
  }
}

extension PageLaunchResult {
  /// Why the preloaded library missed touches; `nil` if a tracer would not see more.
  var reasonToTrace: String? {
    switch problem {
    case .nothingLoaded: return "the program did not load the library that counts pages"
    case .noDispatch: return "this kernel can't intercept a program's own system calls"
    case .dispatched: return "the program intercepts its own system calls"
    case .foreignCall: return "the program makes system calls of 32 bits"
    default: break
    }
    guard isUnknownCallTraceable, let unknownCall else { return nil }
    return "the memory that system call \(unknownCall) uses is unknown"
  }
}

extension Diagnostic {
  static func launchedAgain(_ program: String, _ reason: String) -> Diagnostic {
    Diagnostic("launched again with --method ptrace: \(reason)", context: [program])
  }

  static func notLaunchedAgain(_ program: String, _ reason: String) -> Diagnostic {
    Diagnostic(
      "not launched again with --method ptrace (\(reason)): standard input is a pipe or a socket, which can be read only once",
      context: [program],
      remedies: [
        .ptrace("give"),
        Remedy("save the input in a file, and redirect standard input from this file"),
      ])
  }

  static func hasResolvers(_ resolvers: PageMethodChoice.Resolvers) -> Diagnostic {
    let place =
      switch resolvers {
      case .inImage(let path): path
      case .inLibraries: "images such as libc"
      }
    return Diagnostic(
      "counted with --method ptrace: the loader runs resolvers of \(place) (ifunc) before any library",
      context: [])
  }

  static func resolversNotCounted(_ path: String) -> Diagnostic {
    Diagnostic(
      "pages that only resolvers (ifunc) touch are not counted, because the program can't be traced here",
      context: [path])
  }

  static func unknownCall(_ number: Int, _ program: String) -> Diagnostic {
    Diagnostic(
      "data pages first read or written after system call \(number) are not counted: the memory that the call uses is unknown",
      context: [program])
  }
}
