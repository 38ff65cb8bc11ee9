/// A machine that runs launches: the value `ssh:HOST` of `--on`.
package struct RemoteHost: Sendable {
  /// The host as `ssh` takes it: a name, `user@name`, a `Host` of its configuration, or `ssh://user@name:port`.
  package let destination: String

  /// - Returns: `nil` if `text` has another form. A host that begins with `-` would be an option of `ssh`.
  package init?(_ text: String) {
    guard text.hasPrefix("ssh:") else { return nil }
    let host = text.dropFirst("ssh:".count)
    destination = host.hasPrefix("//") ? text : String(host)
    let name = host.hasPrefix("//") ? host.dropFirst(2) : host
    guard let first = name.utf8.first, first != UInt8(ascii: "-"),
      !name.utf8.contains(where: { $0 <= UInt8(ascii: " ") })
    else { return nil }
  }

  /// The number of seconds in which a host has to answer.
  static let patience = 10

  /// Returns the words that run `command` in the login shell of the host. `ssh` asks for no passwords. It ends if the
  /// host does not answer, at the beginning and later.
  func words(_ command: [String], isCompressed: Bool = false) -> [String] {
    let options = [
      "BatchMode=yes", "ConnectTimeout=\(Self.patience)", "ServerAliveInterval=5",
      "ServerAliveCountMax=3", "ClearAllForwardings=yes",
    ]
    return ["ssh", "-T"] + (isCompressed ? ["-C"] : []) + options.flatMap { ["-o", $0] }
      + ["--", destination] + command
  }
}
