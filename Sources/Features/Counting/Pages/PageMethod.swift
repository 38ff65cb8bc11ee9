import Addresses
import ByteReading
import CommandSupport
import ImageModel
import LaunchMeasurement
import ProcessLaunch
import ProcessTracing
import Symbolication

/// The method that sees touches of pages.
package enum PageMethod: String, CaseIterable {
  /// A library that is preloaded into the program sees the touches.
  case preload
  /// A tracer outside the program sees the touches.
  case ptrace
}

/// Chooses the method for a launch.
struct PageMethodChoice {
  /// The counted images with resolvers of ifuncs. The loader runs resolvers before it runs the preloaded library.
  enum Resolvers: Hashable {
    /// A counted image at this path has resolvers.
    case inImage(String)
    /// All images are counted, and libraries of every system, such as libc, have resolvers.
    case inLibraries
  }

  let method: PageMethod
  /// The resolvers of ifuncs for which `method` is `ptrace`; `nil` if there are none, or if `method` does not depend on
  /// them.
  private(set) var resolvers: Resolvers?
  private let environment: LaunchEnvironment

  /// - Parameters:
  ///   - wanted: the method that the user wants; `nil` to choose one.
  ///   - ignoresResolvers: whether touches by resolvers of ifuncs may be missing.
  /// - Throws: if the method can't work.
  init(
    _ wanted: PageMethod?, for program: LaunchedProgram, _ request: PageRequest,
    in environment: LaunchEnvironment, ignoresResolvers: Bool = false
  ) throws(Diagnostic) {
    self.environment = environment
    if let obstacle = program.obstacle {
      throw Diagnostic(
        "unable to count the pages of this program: \(obstacle)", context: [program.path])
    }
    let obstacle = Self.obstacle(to: program, request.images ?? [])
    let preferred = wanted ?? (obstacle == nil ? .preload : .ptrace)
    if preferred == .preload, obstacle == nil, !ignoresResolvers {
      resolvers = Self.resolvers(program, request)
    }
    method = resolvers == nil ? preferred : .ptrace
    if method == .preload, let obstacle {
      throw Diagnostic(
        "unable to count pages by a library in the program: \(obstacle)", context: [program.path],
        remedies: [.ptrace("omit --method, or use")])
    }
    if method == .ptrace { try program.checkTraceable(in: environment) }
  }

  /// Returns the reason why the library can't be loaded into the program; `nil` if it can be.
  private static func obstacle(to program: LaunchedProgram, _ images: [String]) -> String? {
    if ([program.path] + images).contains(where: { $0.contains("\n") }) {
      return "the path of the program has a line feed"
    }
    if !PreloadedPageLaunch.isSupported {
      return "this kernel or machine can't intercept a program's own system calls"
    }
    if let rights = program.rights {
      return "the program has other rights than its user (\(rights))"
    }
    guard let pages = program.pages else { return nil }
    if !pages.hasLoader { return "the program is statically linked" }
    return pages.runsEarly
      ? "the program runs code before any library's code (.preinit_array)" : nil
  }

  /// Returns the resolvers of the first counted image that has resolvers; `nil` if no counted image does.
  private static func resolvers(_ program: LaunchedProgram, _ request: PageRequest) -> Resolvers? {
    if program.pages?.hasResolvers ?? false { return .inImage(program.executable) }
    guard let images = request.images else { return .inLibraries }
    let path = images.first { path in
      guard let bytes = try? FileBytes(path: path) else { return false }
      return (try? ImagePages(of: bytes))?.hasResolvers ?? false
    }
    return path.map { .inImage($0) }
  }

  func run(_ program: ProgramLaunch, _ request: PageRequest) throws -> PageLaunchResult {
    switch method {
    case .preload:
      let library = try PageTracerLibrary(in: environment)
      var program = program
      program.environment.append(environment.sanitizerVariable)
      return try PreloadedPageLaunch(program, request, library: library.preloadVariable).run()
    case .ptrace:
      var program = program
      // The library receives the marks of a program. Without the variable of the `preload` method, it does nothing
      // else.
      var library: PageTracerLibrary?
      if case .mark = request.stop { library = try PageTracerLibrary(in: environment) }
      if let library {
        program.environment += [
          ("LD_PRELOAD", library.preloadVariable), environment.sanitizerVariable,
        ]
      }
      let listener = try program.readiness?.mark.map { try MarkListener($0) }
      if let listener { program.environment.append(listener.variable) }
      return try withExtendedLifetime(library) {
        try TracedPageLaunch(program, request)
          .run(MarkedImages(), isMarked: { listener?.isReached ?? false })
      }
    }
  }
}

/// Finds the function that a program calls for a mark, in its own recorder or in the library.
private final class MarkedImages: PageImages {
  func mark(in path: String) -> RelativeAddress? {
    (try? PageNames.address(of: "orderfile_rt_mark", in: path)) ?? nil
  }
}
