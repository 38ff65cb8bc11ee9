import Foundation

/// The process between a test and a program that it runs, `Tests/Reaper`. `deinit` kills all processes that the program
/// started, and returns when they are gone.
final class Reaper {
  let number: pid_t
  private let socket: Int32

  /// The path of the reaper, which is built beside the test bundle.
  static let path: String = {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent("reaper")
      .path
  }()

  /// - Parameters:
  ///   - arguments: the folder, the program, and its arguments.
  ///   - errors: the path of the file for standard error; `nil` to write it to the output.
  init(
    _ arguments: [String], environment: [String: String], input: String, output: String,
    errors: String?
  ) throws {
    var ends: [Int32] = [-1, -1]
    #if canImport(Glibc)
      let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw Tool.Failure(description: "socketpair: \(String(cString: strerror(errno)))")
    }
    defer { close(ends[1]) }

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // Files, not pipes: a full pipe that nobody reads would stop the program.
    posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
    let new = O_WRONLY | O_CREAT | O_APPEND
    posix_spawn_file_actions_addopen(&actions, 1, output, new, 0o600)
    if let errors {
      posix_spawn_file_actions_addopen(&actions, 2, errors, new, 0o600)
    } else {
      posix_spawn_file_actions_adddup2(&actions, 1, 2)
    }
    posix_spawn_file_actions_adddup2(&actions, ends[1], 3)

    // Tests run on threads that block signals.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    var words = (["reaper"] + arguments).map { strdup($0) } + [nil]
    var settings = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for copy in words + settings { free(copy) } }
    var process: pid_t = 0
    let error = posix_spawn(&process, Self.path, &actions, &attributes, &words, &settings)
    guard error == 0 else {
      close(ends[0])
      throw Tool.Failure(
        description: "\(Self.path): \(String(cString: strerror(error))): run swift build first")
    }
    socket = ends[0]
    number = process
  }

  deinit {
    close(socket)
    var status: Int32 = 0
    while waitpid(number, &status, 0) < 0 && errno == EINTR {}
  }

  /// Whether there is a message to read, or the reaper is gone.
  func hasMessage(within seconds: Double) -> Bool {
    var wait = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    let end = Date() + seconds
    while true {
      let ready = poll(&wait, 1, Int32(max(0, end.timeIntervalSinceNow * 1000)))
      if ready >= 0 || errno != EINTR { return ready != 0 }
    }
  }

  /// Returns the next number from the reaper; `nil` if the reaper is gone.
  func read() -> Int32? {
    var number: Int32 = 0
    let size = withUnsafeMutableBytes(of: &number) { buffer in
      recv(socket, buffer.baseAddress, buffer.count, Int32(MSG_WAITALL))
    }
    return size == 4 ? number : nil
  }
}
