// The C library of Darwin. `Linux.swift` has the same names for the C library of Linux.

#if canImport(Darwin)
  // why: every file that calls the C library imports LibC instead of choosing between two modules.
  @_exported import Darwin
  // <mach-o/dyld.h> has a module of its own.
  import MachO.dyld

  package let isDarwin = true

  package let (seekHole, seekData) = (SEEK_HOLE, SEEK_DATA)
  package let mapsNoFile = MAP_ANON

  extension stat {
    package var access: timespec { st_atimespec }
    package var modification: timespec { st_mtimespec }
    package var change: timespec { st_ctimespec }
  }

  package func ownExecutable() -> String? {
    var size = UInt32(PATH_MAX)
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    guard _NSGetExecutablePath(&path, &size) == 0 else { return nil }
    return String(
      decoding: path.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  @discardableResult
  package func startThread(_ body: @escaping () -> Never) -> Bool {
    let context = Unmanaged.passRetained(ThreadBody(body))
    var thread: pthread_t?
    let error = pthread_create(
      &thread, nil,
      { context in
        Unmanaged<ThreadBody>.fromOpaque(context).takeUnretainedValue().run()
      }, context.toOpaque())
    if error != 0 { context.release() }
    return error == 0
  }
#endif
