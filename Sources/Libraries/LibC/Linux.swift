// The C library of Linux. `Darwin.swift` has the same names for the C library of Darwin.

#if !canImport(Darwin)
  // why: every file that calls the C library imports LibC instead of choosing between two modules.
  @_exported import Glibc

  /// Whether this is a system of Apple.
  package let isDarwin = false

  /// The values of lseek(2)'s `whence` that seek the next hole and the next data. `<unistd.h>` defines them only with
  /// _GNU_SOURCE.
  package let (seekHole, seekData) = (Int32(4), Int32(3))
  /// The flag of mmap(2) for memory without a file.
  package let mapsNoFile = MAP_ANONYMOUS

  extension stat {
    package var access: timespec { st_atim }
    package var modification: timespec { st_mtim }
    package var change: timespec { st_ctim }
  }

  /// A path of this program's own file; `nil` if the path is too long.
  package func ownExecutable() -> String? { "/proc/self/exe" }

  /// Starts a thread that lasts as long as this process, and runs `body`, which never returns.
  ///
  /// - Returns: whether the thread has been started.
  @discardableResult
  package func startThread(_ body: @escaping () -> Never) -> Bool {
    let context = Unmanaged.passRetained(ThreadBody(body))
    var thread = pthread_t()
    let error = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        Unmanaged<ThreadBody>.fromOpaque(context).takeUnretainedValue().run()
      }, context.toOpaque())
    if error != 0 { context.release() }
    return error == 0
  }
#endif
