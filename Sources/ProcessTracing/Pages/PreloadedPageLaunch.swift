import Addresses
import CPages
import ImageModel
import ProcessLaunch

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What to watch, and until when.
package struct PageRequest: Sendable {
  /// Real paths of the images to watch besides the launched program; `nil` for all.
  package var images: [String]?
  package var stop: Stop?

  package enum Stop: Sendable {
    /// The program says `orderfile_mark` with that name.
    case mark(String)
    /// It comes to that instruction of the image at `path`.
    case instruction(path: String, RelativeAddress)
  }

  package init(images: [String]? = [], stop: Stop? = nil) {
    self.images = images
    self.stop = stop
  }
}

/// What became of a launch of which the pages were watched.
package struct PageLaunchResult: Sendable {
  package var program: ProgramLaunch.Result
  package var touches: PageTouches
  /// The launch came to where it was to be stopped.
  package var wasStopped: Bool
  /// Why the touches are not all; `nil` if they are.
  package var problem: PageProblem?
}

/// What kept pages from being counted exactly.
package enum PageProblem: Equatable, Sendable {
  /// No process has loaded the tracer.
  case nothingLoaded
  /// The kernel does not stop a program's own system calls.
  case noDispatch(errno: Int32)
  /// The protection of pages can't be changed.
  case refused(errno: Int32)
  /// The program forbids itself system calls.
  case seccomp
  /// The program has its own system calls stopped.
  case dispatched
  /// A debugger traces a process of the launch.
  case traced
  /// The process that traces was killed.
  case tracerKilled
  /// So many records found no room.
  case lost(Int)
}

/// A launch with the page tracer in the program.
package struct PreloadedPageLaunch: Sendable {
  package var program: ProgramLaunch
  package var request: PageRequest
  /// The library, as `LD_PRELOAD` names it.
  package var library: String

  package init(_ program: ProgramLaunch, _ request: PageRequest, library: String) {
    self.program = program
    self.request = request
    self.library = library
  }

  /// Whether this kernel and machine have what the tracer needs.
  package static var isSupported: Bool { cpages_is_supported() }

  /// Launches the program and waits until it is gone.
  ///
  /// - Throws: `ENAMETOOLONG` too, if more is wanted than the tracer has room for.
  package func run() throws(ProgramLaunch.LaunchError) -> PageLaunchResult {
    var trace: OpaquePointer?
    var descriptor: Int32 = -1
    let images = request.images.map { $0.map { $0 + "\n" }.joined() } ?? "*"
    var mark = ""
    var stopPath = ""
    var stopDistance: UInt64 = 0
    switch request.stop {
    case .mark(let name): mark = name
    case .instruction(let path, let address): (stopPath, stopDistance) = (path, address.rawValue)
    case nil: break
    }
    let error = cpages_create(images, mark, stopPath, stopDistance, &trace, &descriptor)
    guard error == 0, let trace else { throw ProgramLaunch.LaunchError(errno: error) }
    defer { cpages_destroy(trace, descriptor) }
    var program = program
    program.environment += [
      ("LD_PRELOAD", library), (ORDERFILE_PAGES_VARIABLE, "/proc/\(getpid())/fd/\(descriptor)"),
    ]
    let result = try program.run()
    var touches = Self.touches(in: trace)
    let path = String(cString: cpages_program(trace))
    if !path.isEmpty { touches.program = path }
    return PageLaunchResult(
      program: result, touches: touches, wasStopped: cpages_was_stopped(trace),
      problem: Self.problem(of: trace, touches))
  }

  private static func problem(
    of trace: OpaquePointer, _ touches: PageTouches
  ) -> PageProblem? {
    var error: Int32 = 0
    switch cpages_problem(trace, &error) {
    case ORDERFILE_PAGE_NO_DISPATCH: return .noDispatch(errno: error)
    case ORDERFILE_PAGE_REFUSED: return .refused(errno: error)
    case ORDERFILE_PAGE_SECCOMP: return .seccomp
    case ORDERFILE_PAGE_DISPATCHED: return .dispatched
    case ORDERFILE_PAGE_TRACED: return .traced
    default: break
    }
    if cpages_lost(trace) > 0 { return .lost(Int(cpages_lost(trace))) }
    return touches.images.isEmpty ? .nothingLoaded : nil
  }

  private static func touches(in trace: OpaquePointer) -> PageTouches {
    var touches = PageTouches()
    var place: UInt32 = 0
    var event = cpages_event()
    while cpages_next(trace, &place, &event) {
      switch event.kind {
      case ORDERFILE_PAGE_BEGIN: touches.processBegan(event.pid)
      case ORDERFILE_PAGE_FORK:
        touches.processForked(event.pid, from: Int32(truncatingIfNeeded: event.address))
      case ORDERFILE_PAGE_IMAGE:
        guard let path = event.path, event.address < event.value else { continue }
        touches.imageLoaded(
          String(cString: path),
          at: LoadedAddress(rawValue: event.address)..<LoadedAddress(rawValue: event.value),
          in: event.pid)
      default:
        let access: Access? =
          switch event.access {
          case ORDERFILE_PAGE_EXECUTE: .execute
          case ORDERFILE_PAGE_WRITE: .write
          case ORDERFILE_PAGE_READ: .read
          case ORDERFILE_PAGE_KERNEL: .kernel
          default: nil
          }
        guard let access else { continue }
        touches.touched(
          LoadedAddress(rawValue: event.address), access, by: LoadedAddress(rawValue: event.value),
          in: event.pid)
      }
    }
    return touches
  }
}
