#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A system call that failed, and why.
public struct SystemError: Error, Equatable, CustomStringConvertible, Sendable {
  /// The call, as its manual page is named: `open`.
  public var call: String
  /// As `errno.h` numbers them.
  public var errno: Int32

  public init(_ call: String, errno: Int32 = lastErrno()) {
    self.call = call
    self.errno = errno
  }

  /// Whether a file was needed, and the path leads to a folder.
  public var isOfFolder: Bool { errno == EISDIR }

  /// A device, a pipe or a socket where only a file will do.
  static let noRegularFile = SystemError("read", errno: EINVAL)

  /// The C library's sentence: `No such file or directory`.
  public var description: String {
    self == .noRegularFile ? "not a regular file" : String(cString: strerror(errno))
  }
}

/// What this thread's last system call that failed has left.
@usableFromInline func lastErrno() -> Int32 { errno }
