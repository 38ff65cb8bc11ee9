import LibC

/// A failed system call, and the reason.
public struct SystemError: Error, Equatable, CustomStringConvertible, Sendable {
  /// The failed call, by the name of its manual page: `open`.
  public var call: String
  /// The reason, as its number in `errno.h`.
  public var errno: Int32

  public init(_ call: String, errno: Int32 = lastErrno()) {
    self.call = call
    self.errno = errno
  }

  /// Whether a folder was found where a file was expected.
  public var isOfFolder: Bool { errno == EISDIR }

  /// The error about a device, a pipe or a socket where a regular file is needed.
  static let noRegularFile = SystemError("read", errno: EINVAL)

  /// The error about a file with more bytes than are read of one file.
  public static let tooLarge = SystemError("read", errno: EFBIG)

  /// The reason as the C library's text: `No such file or directory`.
  public var description: String {
    self == .noRegularFile ? "not a regular file" : errorText(errno)
  }
}

/// The error of this thread's last failed system call.
@usableFromInline func lastErrno() -> Int32 { errno }
