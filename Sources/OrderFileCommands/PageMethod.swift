import ArgumentParser
import ByteReading
import ImageModel
import LaunchMeasurement
import ProcessLaunch
import ProcessTracing
import Symbolication

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// `--method`: how touches of pages are seen.
enum PageMethod: String, ExpressibleByArgument, CaseIterable {
  /// By a library in the program.
  case preload
  /// By this process, which traces the program.
  case ptrace
}

/// The file that a command line launches.
struct LaunchedProgram {
  /// Without links.
  let path: String
  /// `nil` of what is no ELF image, such as a script.
  let pages: ImagePages?
  /// It runs with other rights than its user's, and loads no library that an environment names.
  let isPrivileged: Bool

  /// Looks `name` up as `execvp(3)` does.
  ///
  /// - Throws: if there is no such file.
  init(named name: String) throws(Diagnostic) {
    var candidates = [name]
    if !name.contains("/") {
      let folders = Console.variable("PATH").split(
        separator: ":", omittingEmptySubsequences: false)
      candidates = folders.map { $0.isEmpty ? name : "\($0)/\(name)" }
    }
    guard let found = candidates.first(where: { access($0, X_OK) == 0 }) else {
      let error = access(candidates.last ?? name, F_OK) == 0 ? EACCES : ENOENT
      throw Diagnostic("unable to run: \(String(cString: strerror(error)))", context: [name])
    }
    path = try Folder.absolutePath(found)
    var status = stat()
    let isKnown = stat(path, &status) == 0
    isPrivileged = isKnown && status.st_mode & (S_ISUID | S_ISGID) != 0
    let bytes = try? FileBytes(path: path)
    pages = bytes.flatMap { try? ImagePages(of: $0) }
  }
}

/// The method for one launch.
struct PageMethodChoice {
  let method: PageMethod

  /// - Parameter wanted: what the user asks for.
  /// - Throws: if that can't work.
  init(
    _ wanted: PageMethod?, for program: LaunchedProgram, _ request: PageRequest
  ) throws(Diagnostic) {
    let obstacle = Self.obstacle(to: program)
    method = wanted ?? (obstacle == nil ? .preload : .ptrace)
    if method == .preload, let obstacle {
      throw Diagnostic(
        "unable to preload the library that sees touches: \(obstacle)", context: [program.path],
        hint: "leave --method out, or say --method ptrace")
    }
  }

  /// Why the library can't be in the program; `nil` if it can.
  private static func obstacle(to program: LaunchedProgram) -> String? {
    if !PreloadedPageLaunch.isSupported {
      return "this kernel or machine does not stop a program's own system calls"
    }
    if program.isPrivileged { return "the program runs with other rights (set-user-ID)" }
    guard let pages = program.pages else { return nil }
    if !pages.hasLoader { return "the program is static" }
    return pages.runsEarly ? "code of the program runs before any library's (.preinit_array)" : nil
  }

  func run(_ program: ProgramLaunch, _ request: PageRequest) throws -> PageLaunchResult {
    switch method {
    case .preload:
      let library = try PageTracerLibrary()
      return try PreloadedPageLaunch(program, request, library: library.preloadVariable).run()
    case .ptrace:
      var program = program
      // Whom a program tells its marks; without the other variable the library does nothing.
      var library: PageTracerLibrary?
      if case .mark = request.stop { library = try PageTracerLibrary() }
      if let library { program.environment.append(("LD_PRELOAD", library.preloadVariable)) }
      return try withExtendedLifetime(library) {
        try TracedPageLaunch(program, request).run(MarkedImages())
      }
    }
  }
}

/// Finds what a program calls for a mark: its recorder's function, or the library's.
private final class MarkedImages: PageImages {
  func mark(in path: String) -> UInt64? {
    (try? PageNames.distance(to: "orderfile_rt_mark", in: path)) ?? nil
  }
}

/// The library that is loaded into programs: beside this command, or where `make install` puts it.
final class PageTracerLibrary {
  private let descriptor: Int32
  /// What `LD_PRELOAD` has to be: the library, behind what it is already.
  let preloadVariable: String

  init() throws(Diagnostic) {
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
    // The variable has no way to quote what separates its words.
    let isPlain = !path.contains(" ") && !path.contains(":")
    let word = isPlain ? path : "/proc/\(getpid())/fd/\(descriptor)"
    let others = Console.variable("LD_PRELOAD")
    preloadVariable = others.isEmpty ? word : "\(others) \(word)"
  }

  deinit { close(descriptor) }
}
