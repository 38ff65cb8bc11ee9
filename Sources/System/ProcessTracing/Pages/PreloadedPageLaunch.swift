import Addresses
import CPages
import ImageModel
import LibC
import ProcessLaunch

/// The images to watch, and where to stop.
package struct PageRequest: Sendable {
  /// Real paths of the images to watch in addition to the launched program; `nil` for all.
  package var images: [String]?
  package var stop: Stop?
  /// Whether accesses before the first instruction of an image are counted, too. Only `TracedPageLaunch` can do that.
  package var countsLoading = false

  package enum Stop: Sendable {
    /// The launch stops when the first instruction of the program is about to run. The program is killed then.
    case beginning
    /// Counting stops when the program calls `orderfile_mark` with this name.
    case mark(String)
    /// Counting stops when the program reaches this instruction of a build.
    case instruction(ImageInMemory, RelativeAddress)
  }

  package init(images: [String]? = [], stop: Stop? = nil, countsLoading: Bool = false) {
    self.images = images
    self.stop = stop
    self.countsLoading = countsLoading
  }
}

/// The result of a launch whose pages were watched.
package struct PageLaunchResult: Sendable {
  package var program: ProgramLaunch.Result
  package var touches: PageTouches
  /// Whether the launch reached the place where counting ends.
  package var wasStopped: Bool
  /// The paths, without symbolic links, of programs that processes of the launch ran without the
  /// library. Touches of these programs were not seen.
  package var unseenPrograms: [String] = []
  /// Whether another method would see reads and writes after `unknownCall`.
  package var isUnknownCallTraceable = false
  /// The number of a system call whose memory is unknown. First reads and writes after the call are
  /// not seen.
  package var unknownCall: Int?
  /// The reason why the touches are incomplete; `nil` if they are complete.
  package var problem: PageProblem?
}

/// The reason why pages could not be counted exactly.
package enum PageProblem: Equatable, Sendable {
  /// No process has loaded the page tracer.
  case nothingLoaded
  /// The kernel cannot intercept a program's own system calls.
  case noDispatch(errno: Int32)
  /// The protection of pages can't be changed.
  case refused(errno: Int32)
  /// The program restricts its own system calls.
  case seccomp
  /// The memory of a process can be neither read nor written, because the process has forbidden
  /// access.
  case inaccessible
  /// The program intercepts its own system calls.
  case dispatched
  /// A debugger traces a process of the launch.
  case traced
  /// The program makes 32-bit system calls.
  case foreignCall
  /// The tracer was killed.
  case tracerKilled
  /// This number of records were lost.
  case lost(Int)
}

/// A launch with the page tracer in the program.
package struct PreloadedPageLaunch: Sendable {
  package var program: ProgramLaunch
  package var request: PageRequest
  /// The path of the page tracer's library, for `LD_PRELOAD`.
  package var library: String

  package init(_ program: ProgramLaunch, _ request: PageRequest, library: String) {
    self.program = program
    self.request = request
    self.library = library
  }

  /// Whether this kernel and machine support the tracer.
  package static var isSupported: Bool { cpages_is_supported() }

  /// Launches the program and waits until it has ended.
  ///
  /// - Throws: also `ENAMETOOLONG` if the request does not fit the tracer's memory.
  package func run() throws(ProgramLaunch.LaunchError) -> PageLaunchResult {
    var trace: OpaquePointer?
    var descriptor: Int32 = -1
    let images = request.images.map { $0.map { $0 + "\n" }.joined() } ?? "*"
    var mark = ""
    var place: (image: ImageInMemory, distance: UInt64)?
    switch request.stop {
    case .mark(let name): mark = name
    case .instruction(let image, let address): place = (image, address.rawValue)
    case .beginning, nil: break
    }
    let error = cpages_create(
      images, mark, place?.image.path ?? "", place?.distance ?? 0, &trace, &descriptor)
    guard error == 0, let trace else { throw ProgramLaunch.LaunchError(errno: error) }
    defer { cpages_destroy(trace, descriptor) }
    if let image = place?.image {
      let numbers = image.file.flatMap(ProcessMapping.numbers)
      cpages_set_stop_build(
        trace, numbers.map { $0.major << 32 | $0.minor } ?? 0, numbers?.inode ?? 0, image.id,
        UInt32(clamping: image.id.count), image.isWeak)
    }
    var program = program
    program.environment += [
      ("LD_PRELOAD", library), (ORDERFILE_PAGES_VARIABLE, "/proc/\(getpid())/fd/\(descriptor)"),
    ]
    let result = try program.run(
      isMarked: { cpages_was_stopped(trace) }, whenReady: { cpages_stop(trace) })
    var (touches, unseen) = Self.touches(in: trace)
    var (call, isLater): (UInt32, Bool) = (0, false)
    let isCallUnknown = cpages_unknown_call(trace, &call, &isLater)
    var bytes = [CChar](repeating: 0, count: Int(CPAGES_PATH_SIZE))
    cpages_program(trace, &bytes)
    let path = Self.text(bytes)
    if !path.isEmpty { touches.program = path }
    return PageLaunchResult(
      program: result, touches: touches, wasStopped: cpages_was_stopped(trace),
      unseenPrograms: unseen, isUnknownCallTraceable: isCallUnknown && !isLater,
      unknownCall: isCallUnknown ? Int(call) : nil,
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
    case ORDERFILE_PAGE_FOREIGN_CALL: return .foreignCall
    default: break
    }
    if cpages_lost(trace) > 0 { return .lost(Int(cpages_lost(trace))) }
    return touches.images.isEmpty ? .nothingLoaded : nil
  }

  /// Returns the text before the first null.
  private static func text(_ bytes: [CChar]) -> String {
    String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// - Returns: the touches, and the programs that did not load the library, each once.
  private static func touches(in trace: OpaquePointer) -> (PageTouches, unseen: [String]) {
    var touches = PageTouches()
    var awaited: [Int32: String] = [:]
    var place: UInt32 = 0
    var record = orderfile_page_record()
    var known: Set<Int32> = []
    var bytes = [CChar](repeating: 0, count: Int(CPAGES_PATH_SIZE))
    while cpages_next(trace, &place, &record) {
      let pid = Int32(bitPattern: record.pid)
      defer { known.insert(pid) }
      let hasPath = cpages_path(trace, place, &record, &bytes, UInt32(bytes.count))
      let path = hasPath ? text(bytes) : nil
      let (address, value) = (record.address, record.value)
      switch orderfile_page_record_kind(record.kind) {
      case ORDERFILE_PAGE_BEGIN:
        awaited[pid] = nil
        touches.processBegan(pid)
      case ORDERFILE_PAGE_EXEC: awaited[pid] = path ?? ""
      case ORDERFILE_PAGE_EXEC_FAILED: awaited[pid] = nil
      // This is no fork: a vfork child, which shares the memory of this known process, wrote the last record.
      case ORDERFILE_PAGE_FORK where known.contains(pid): continue
      case ORDERFILE_PAGE_FORK:
        touches.processForked(pid, from: Int32(truncatingIfNeeded: address))
      case ORDERFILE_PAGE_IMAGE:
        guard let path, address < value else { continue }
        touches.imageLoaded(
          ImageInMemory(path: path, cpages_image(trace, place, &record)),
          at: LoadedAddress(rawValue: address)..<LoadedAddress(rawValue: value), in: pid)
      default:
        let access: Access? =
          switch orderfile_page_access(record.detail) {
          case ORDERFILE_PAGE_EXECUTE: .execute
          case ORDERFILE_PAGE_WRITE: .write
          case ORDERFILE_PAGE_READ: .read
          case ORDERFILE_PAGE_KERNEL: .kernel
          default: nil
          }
        guard let access else { continue }
        touches.touched(
          LoadedAddress(rawValue: address), access, by: LoadedAddress(rawValue: value), in: pid)
      }
    }
    return (touches, Set(awaited.values).sorted())
  }
}
