import CProcess
import LibC

/// The rights that a program's file gives to the process that executes it. <execve(2)>, <capabilities(7)>
///
/// The kernel withholds these rights if a process without CAP_SYS_PTRACE traces the program: see `cap_bprm_creds_from_file` in
/// security/commoncap.c.
package struct FileRights: Hashable, Sendable, CustomStringConvertible {
  /// The owner of a set-user-ID file.
  private var user: UInt64?
  /// The group of a set-group-ID file.
  private var group: UInt64?
  /// The bits of capabilities, as in `CapPrm` of `/proc/PID/status`.
  private var capabilities: UInt64 = 0

  /// - Parameter path: the path of a file that the kernel executes; for a script, the path of its interpreter.
  /// - Returns: `nil` if the file gives no rights, or is in a file system that is mounted `nosuid`.
  package init?(ofFileAt path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    let mode = UInt32(status.st_mode)
    if mode & UInt32(S_ISUID) != 0 { user = UInt64(status.st_uid) }
    let groupBits = UInt32(S_ISGID) | 0o010  // S_IXGRP
    if mode & groupBits == groupBits { group = UInt64(status.st_gid) }
    var attribute = [UInt8](repeating: 0, count: 64)
    let size = cprocess_read_attribute(path, "security.capability", &attribute, attribute.count)
    capabilities = Self.permitted(attribute.prefix(max(size, 0)).map { UInt64($0) })
    guard user != nil || group != nil || capabilities != 0 else { return nil }
    var system = statvfs()
    let isMountedWithout =
      statvfs(path, &system) == 0 && UInt(system.f_flag) & UInt(ST_NOSUID) != 0
    if isMountedWithout { return nil }
  }

  /// Returns the permitted capabilities in the bytes of a `struct vfs_cap_data`. Revision 3 gives capabilities only in
  /// another user namespace, so the result has none of these.
  private static func permitted(_ bytes: [UInt64]) -> UInt64 {
    func word(_ index: Int) -> UInt64 {
      guard bytes.count >= 4 * index + 4 else { return 0 }
      return (0..<4).reduce(0) { $0 | bytes[4 * index + $1] << UInt64(8 * $1) }
    }
    let revision = word(0) >> 24
    return revision == 1 || revision == 2 ? word(1) | (revision == 2 ? word(3) << 32 : 0) : 0
  }

  /// Returns the rights that `process` does not have; `nil` if `process` has all of these rights, or can't gain rights.
  ///
  /// - Parameters:
  ///   - process: a process that may execute the file, or has executed it.
  ///   - set: the user and the group to compare with: 0 for the real ones, 1 for the effective ones.
  private func missing(in process: ProcessStatus, _ set: Int) -> FileRights? {
    func number(_ field: String, _ index: Int = 0, _ radix: Int = 10) -> UInt64? {
      let words = process.words(of: field)
      return index < words.count ? UInt64(words[index], radix: radix) : nil
    }
    guard number("NoNewPrivs") != 1 else { return nil }
    var missing = self
    if user == number("Uid", set) { missing.user = nil }
    if group == number("Gid", set) { missing.group = nil }
    // The kernel gives root all capabilities without the file.
    let isRoot = number("Uid") == 0
    let available = isRoot ? 0 : number("CapBnd", 0, 16) ?? 0
    missing.capabilities &= available & ~(number("CapPrm", 0, 16) ?? 0)
    let hasAll = missing.user == nil && missing.group == nil && missing.capabilities == 0
    return hasAll ? nil : missing
  }

  /// The rights that this process would get if it executed the file.
  package var gained: FileRights? { ProcessStatus(of: getpid()).flatMap { missing(in: $0, 0) } }

  /// Whether the kernel withholds the user or the capabilities of the file from a program that this process launches and traces.
  /// A missing group does not count: programs such as ssh-agent are set-group-ID only so that nobody can trace them.
  package var areWithheldFromTraced: Bool {
    guard let status = ProcessStatus(of: getpid()), let missing = missing(in: status, 0),
      missing.user != nil || missing.capabilities != 0
    else { return false }
    let own = status["CapEff"].flatMap { UInt64($0, radix: 16) } ?? 0
    let (setUser, trace): (UInt64, UInt64) = (1 << 7, 1 << 19)  // CAP_SETUID, CAP_SYS_PTRACE
    return own & trace == 0 && !(status["Uid"] == "0" && own & setUser != 0)
  }

  /// Whether a process that has just executed the file at `/proc/PID/exe` lacks rights that the file gives.
  package static func areMissing(inProcess pid: pid_t) -> Bool {
    guard let rights = FileRights(ofFileAt: "/proc/\(pid)/exe"),
      let status = ProcessStatus(of: pid), rights.missing(in: status, 1) != nil
    else { return false }
    // The users of another user namespace have other numbers.
    var (own, other) = (stat(), stat())
    return stat("/proc/self/ns/user", &own) == 0 && stat("/proc/\(pid)/ns/user", &other) == 0
      && own.st_ino == other.st_ino
  }

  package var description: String {
    var parts: [String] = []
    if let user { parts.append("set-user-ID, user \(user)") }
    if let group { parts.append("set-group-ID, group \(group)") }
    if capabilities != 0 { parts.append("file capabilities") }
    return parts.joined(separator: "; ")
  }
}
