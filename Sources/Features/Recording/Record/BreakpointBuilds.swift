import Addresses
import ByteReading
import CommandSupport
import ImageModel
import LaunchMeasurement
import ProcessLaunch
import ProcessTracing
import Rendering
import Symbolication

/// The builds of the images that a launch loads, as read from their files. One path may have several
/// builds in turn.
struct BreakpointBuilds {
  private let withBlocks: Bool
  private let looksForLeaks: Bool
  /// The function whose first call ends the recording.
  private let end: String?
  /// The builds of each path, in the order in which they were at the path.
  private var builds: [String: [Build]] = [:]
  /// The warnings, each once.
  private(set) var problems: [Diagnostic] = []

  private struct Build {
    /// The stamp of the file when it was read; `nil` if there was no file.
    var stamp: FileStamp?
    /// Whether the build was searched for all functions, and not only for some.
    var isWhole: Bool
    /// The places for breakpoints in the build; `nil` if the build can't have breakpoints.
    var places: BreakpointPlaces?
  }

  init(withBlocks: Bool, end: String?, looksForLeaks: Bool) {
    self.withBlocks = withBlocks
    self.end = end
    self.looksForLeaks = looksForLeaks
  }

  mutating func note(_ problem: Diagnostic) {
    if !problems.contains(problem) { problems.append(problem) }
  }

  /// Whether a build was looked for at `path`.
  func isKnown(_ path: String) -> Bool { builds[path] != nil }

  /// Returns the places for breakpoints in the loaded build; `nil` if the build was not read.
  func places(of image: LoadedImage) -> BreakpointPlaces? {
    guard let known = builds[image.path], known.indices.contains(image.build) else { return nil }
    return known[image.build].places
  }

  func machine(ofImageAt path: String) -> UInt32? { builds[path]?.last?.places?.machine }

  /// Returns an image to record, with a breakpoint at each function.
  mutating func image(at path: String) -> (BreakpointImage, BreakpointPlaces)? {
    guard let (number, places) = build(at: path) else { return nil }
    var image = BreakpointImage(number, places, functions: places.places)
    image.mark = places.named[Self.mark]
    image.end = end.flatMap { places.named[$0] }
    image.setCalls(places, isCLibrary: Self.isCLibrary(path))
    return (image, places)
  }

  mutating func loader(at path: String) -> BreakpointImage? {
    guard let (number, places) = build(at: path), let notice = places.named[Self.loaderNotice]
    else { return nil }
    var image = BreakpointImage(number, places, functions: [])
    image.loaderNotice = notice
    image.isLoader = places.exported.contains(Self.loaderNotice)
    return image
  }

  /// Returns a C library that is not recorded, with only the functions that create children or call ptrace(2).
  mutating func cLibrary(at path: String) -> BreakpointImage? {
    guard Self.isCLibrary(path), let (number, places) = build(at: path, onlyNamed: Self.calls)
    else { return nil }
    var image = BreakpointImage(number, places, functions: [])
    image.isRecorded = false
    image.setCalls(places, isCLibrary: true)
    return image
  }

  /// Returns whether `path` has the file name of a C library: glibc's `libc.so.6`, `libc-2.31.so`; musl's `libc.so`,
  /// `ld-musl-x86_64.so.1`, `libc.musl-x86_64.so.1`.
  private static func isCLibrary(_ path: String) -> Bool {
    let name = fileName(ofPath: path)
    return ["libc.so", "libc-2.", "ld-musl-", "libc.musl-"].contains { name.hasPrefix($0) }
  }

  /// The function that the loaders of glibc and musl call after they have mapped libraries.
  private static let loaderNotice = "_dl_debug_state"
  /// The function that `orderfile_mark` calls in a program that contains the recorder.
  private static let mark = "orderfile_rt_mark"
  /// The C library's functions that may pass flags to clone(2), and the functions that may call ptrace(2).
  fileprivate static let calls = ["__clone", "clone", "syscall", "ptrace"]

  /// Returns the build that is at `path` now; `nil` if it can't have breakpoints.
  ///
  /// - Parameter names: the functions to look for; `nil` for all.
  private mutating func build(
    at path: String, onlyNamed names: [String]? = nil
  ) -> (number: Int, places: BreakpointPlaces)? {
    let stamp = FileStamp(path: path)
    if builds[path]?.last?.stamp != stamp
      || builds[path]?.last.map({ names == nil && !$0.isWhole }) ?? true
    {
      let build = Build(stamp: stamp, isWhole: names == nil, places: read(path, onlyNamed: names))
      builds[path, default: []].append(build)
    }
    guard let known = builds[path], let places = known.last?.places else { return nil }
    return (known.count - 1, places)
  }

  private mutating func read(_ path: String, onlyNamed names: [String]?) -> BreakpointPlaces? {
    do {
      let bytes = try FileBytes(path: path)
      if let names { return try? BreakpointPlaces(of: bytes, onlyNamed: names) }
      // LeakSanitizer runs code of the image in a process that no tracer gets to see.
      if looksForLeaks, (try? ImagePages(of: bytes))?.hasLeakSanitizer ?? false {
        note(
          Diagnostic(
            "no function of this image is recorded, because it contains LeakSanitizer",
            context: [path]))
        return nil
      }
      let places = try BreakpointPlaces(
        of: bytes, at: path, withBlocks: withBlocks,
        lookingFor: [Self.loaderNotice, Self.mark] + Self.calls + [end].compactMap { $0 })
      for problem in places.problems {
        note(Diagnostic("some functions are not recorded: \(problem)", context: [path]))
      }
      if places.uncertainCount > 0 {
        note(.uncertainFunctions(places.uncertainCount, places.uncertain, in: path))
      }
      if let problem = places.blockMapProblem { note(Diagnostic("\(problem)", context: [path])) }
      return places
    } catch {
      note(Diagnostic("no function of this image is recorded: \(error)", context: [path]))
      return nil
    }
  }
}

extension BreakpointImage {
  fileprivate init(_ build: Int, _ places: BreakpointPlaces, functions: [StatedAddress]) {
    self.init(
      functions: functions,
      segments: places.executableSegments.map {
        Segment(fileOffset: $0.fileOffset, range: $0.range)
      }, identity: places.identity.map { Piece(address: $0.address, bytes: $0.bytes) }, build: build
    )
  }

  /// A program may have functions `clone` and `syscall` of its own; only a C library has `__clone`.
  fileprivate mutating func setCalls(_ places: BreakpointPlaces, isCLibrary: Bool) {
    guard isCLibrary || places.named["__clone"] != nil else { return }
    clone = places.named["__clone"] ?? places.named["clone"]
    systemCall = places.named["syscall"]
    traceRequest = places.named["ptrace"]
  }
}

extension Diagnostic {
  /// Returns the warning that the kernel refuses a tracer access to the memory of a process.
  ///
  /// - Parameter hasBreakpoints: whether the memory has breakpoints nevertheless.
  package static func inaccessible(_ process: Int32, hasBreakpoints: Bool = false) -> Diagnostic {
    Diagnostic(
      hasBreakpoints
        ? "the memory of this process can't be accessed: the process has ended at a breakpoint of its parent"
        : "the memory of this process can't be accessed: images that it loads are not recorded",
      context: ["process \(process)"], hint: "run this command as root with CAP_SYS_PTRACE")
  }

  /// - Parameter program: a program of the launch, such as gdb or strace.
  package static func debugger(_ program: String) -> Diagnostic {
    Diagnostic(
      "the program traces another process of the launch: from then on, the traced process is not recorded",
      context: [program],
      hint:
        "a process can have only one tracer: to record the traced process, launch it without this debugger"
    )
  }

  /// Returns the warning that the loader in memory is not the file at its path.
  static func otherLoader(_ path: String) -> Diagnostic {
    Diagnostic(
      "the loader in memory is not this file: libraries that it loads later are not recorded",
      context: [path], hint: otherImage(path).hint)
  }

  /// Returns the warning that an image in memory is not the file at its path.
  package static func otherImage(_ path: String) -> Diagnostic {
    Diagnostic(
      "the image in memory is not this file, and is left out", context: [path],
      hint:
        "the file was replaced while the program ran, or the process sees other files, as in a container"
    )
  }

  /// - Parameter program: a tool of valgrind.
  static func translator(_ program: String) -> Diagnostic {
    Diagnostic(
      "the program that valgrind examines is not recorded: valgrind would translate the breakpoints",
      context: [program], hint: "record the program without valgrind")
  }

  /// Returns a warning that `count` symbols of an image have no breakpoint, and lists `names`.
  fileprivate static func uncertainFunctions(
    _ count: Int, _ names: [SymbolName], in path: String
  ) -> Diagnostic {
    let list = names.map { printable("\($0)") }.joined(separator: ", ")
    return Diagnostic(
      "no breakpoint at \(counted(count, "symbol")) without a type: \(list)"
        + (count > names.count ? " and \(count - names.count) more" : ""),
      context: [path],
      hint:
        "each symbol may be data; the assembly of a function should say '.type NAME, %function' "
        + "(NASM: 'global NAME:function')")
  }
}
