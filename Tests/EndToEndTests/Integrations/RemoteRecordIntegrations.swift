import Foundation
import TestSupport
import Testing

extension Requirement {
  fileprivate static let server = Requirement("ssh, sshd, ip and unshare") {
    ["ssh", "ip", "unshare"].allSatisfy { toolPath($0) != nil }
      && FileManager.default.isExecutableFile(atPath: "/usr/sbin/sshd")
  }
}

/// `orderfile record --on` with a real server, in a network of its own.
@Suite(.needs(.recording, .server, .root, .namespaces, .mounting)) struct RemoteRecordIntegrations {
  /// A folder with the program of `RecordTests`, keys, the settings of a server and of its client, and `in-network`: a
  /// script that starts the server in new namespaces and then runs its arguments.
  private static func workshop() throws -> Workshop {
    let workshop = try RecordTests.workshop()
    let folder = workshop.folder.path
    for key in ["host", "user"] {
      try workshop.must("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key])
    }
    try workshop.write(
      """
      ListenAddress 127.0.0.1
      Port 2222
      HostKey \(folder)/host
      AuthorizedKeysFile \(folder)/user.pub
      StrictModes no
      UsePAM no
      PidFile none
      SetEnv PATH=\(folder)/bin:/usr/bin:/bin TMPDIR=\(folder)/temporary

      """.utf8, "server")
    try workshop.write(
      """
      Host device
        HostName 127.0.0.1
        Port 2222
        User root
        IdentityFile \(folder)/user
        IdentitiesOnly yes
        UserKnownHostsFile \(folder)/known
      Host closed
        HostName 127.0.0.1
        Port 2223
      Host stranger
        HostName 127.0.0.1
        Port 2222
        User root
        IdentityFile \(folder)/host
        IdentitiesOnly yes
        UserKnownHostsFile \(folder)/known
      Host silent
        HostName 127.0.0.1
        Port 2224
        User root

      """.utf8, "client")
    try workshop.write("[127.0.0.1]:2222 \(workshop.text("host.pub"))".utf8, "known")
    try workshop.must("mkdir", ["bin", "temporary", "here"])
    try workshop.writeProgram(
      "#!/bin/sh\nexec /usr/bin/ssh -F '\(folder)/client' -o ConnectTimeout=2 \"$@\"\n".utf8,
      "here/ssh")
    try workshop.writeProgram(
      """
      #!/bin/sh
      # Only the first process of the namespace, this shell, outlives its processes.
      export PATH="\(folder)/here:$PATH"
      ip link set lo up && mount -t tmpfs none /run && mkdir /run/sshd &&
        /usr/sbin/sshd -f '\(folder)/server' -E '\(folder)/log' || exit 99
      "$@"

      """.utf8, "in-network")
    return workshop
  }

  private static func start(
    _ workshop: Workshop, _ words: [String], input: [UInt8] = []
  ) throws -> RunningProcess {
    try workshop.start(
      "unshare",
      ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
        + [workshop.path("in-network")] + words, input: input)
  }

  private static func record(
    _ workshop: Workshop, _ words: String..., input: [UInt8] = []
  ) throws -> Run {
    try start(workshop, [Built.orderfile, "record"] + words, input: input).end()
  }

  private static func isClean(_ workshop: Workshop) throws -> Bool {
    try FileManager.default.contentsOfDirectory(atPath: workshop.path("temporary")).isEmpty
  }

  @Test func aLaunchIsRecordedThere() throws {
    let workshop = try Self.workshop()
    let app = workshop.path("app")
    let words = ["a b", "it's", "\"$HOME\"", "*", ""]
    let run = try Self.start(
      workshop,
      [Built.orderfile, "record", "--on", "ssh:device", "-o", "t", "--", app, "arguments"] + words
    ).end()
    #expect(run.status == 0 && run.text == words.map { $0 + "|" }.joined(), "\(run.errors)")
    #expect(try RecordTests.functions(workshop, in: "t") == ["main", "work"])
    let binary = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let copy = try Self.record(
      workshop, "--on", "ssh:device", "-o", "t", app, "copy", input: binary)
    #expect(copy.output == binary, "\(copy.errors)")
    for status in [7, 255] {
      let run = try Self.record(workshop, "--on", "ssh:device", "-o", "t", app, "exit", "\(status)")
      #expect(run.status == status && run.errors.contains("2 first hits"), "\(run.errors)")
    }
    let forked = try Self.record(workshop, "--on", "ssh:device", "-o", "f", app, "fork")
    #expect(forked.status == 0, "\(forked.errors)")
    #expect(workshop.fileNames.count { $0.hasPrefix("f.") } == 1)
    #expect(try Self.isClean(workshop))
  }

  @Test func breakpointsAreSetByTheCommandThere() throws {
    let workshop = try Self.workshop()
    let missing = try Self.record(
      workshop, "--on", "ssh:device", "--breakpoints", "-o", "t", workshop.path("app"))
    #expect(
      missing.status == 1 && missing.errors.contains("found no command orderfile"),
      "\(missing.errors)")
    try workshop.must("ln", ["-s", Built.orderfile, "bin/orderfile"])
    let run = try Self.record(
      workshop, "--on", "ssh:device", "--breakpoints", "-o", "t", "--", workshop.path("app"),
      "exit", "3")
    #expect(run.status == 3, "\(run.errors)")
    #expect(try RecordTests.functions(workshop, in: "t").contains("work"))
    #expect(try Self.isClean(workshop))
  }

  /// A time limit, Ctrl-C, and a client that is killed.
  @Test(arguments: ["wait", "stubborn"]) func theProgramThereEndsWithTheLaunchHere(what: String)
    throws
  {
    let workshop = try Self.workshop()
    let app = workshop.path("app")
    let limited = try Self.record(
      workshop, "--on", "ssh:device", "--timeout", "2", "-o", "t", app, what)
    #expect(limited.status == (what == "wait" ? 143 : 137), "\(limited.errors)")
    #expect(try RecordTests.functions(workshop, in: "t") == ["main", "work"])
    #expect(try Self.isClean(workshop))
    for signal in ["INT", "KILL"] {
      // With job control, a background process leads a group and does not ignore SIGINT, as in a terminal.
      let script = """
        set -m; "$@" & until pgrep -x app >/dev/null; do sleep 0.1; done
        \(signal == "INT" ? "kill -INT -- -$!" : "pkill -KILL -n -x ssh")
        wait $!; echo "status $?"
        for i in $(seq 100); do pgrep -x app >/dev/null || break; sleep 0.1; done; pgrep -x app && echo alive
        """
      let run = try Self.start(
        workshop,
        [
          "/bin/bash", "-c", script, "bash", Built.orderfile, "record", "--on", "ssh:device", "-o",
          "s\(signal)", app, what,
        ]
      ).end()
      #expect(!run.text.contains("alive"), "\(signal): \(run.text)\(run.errors)")
      #expect(try Self.isClean(workshop), "\(signal): \(run.text)\(run.errors)")
      #expect(
        run.errors.contains("the connection ended before the program did") == (signal == "KILL"),
        "\(run.errors)")
      if signal == "KILL" { #expect(!workshop.fileNames.contains("sKILL")) }
    }
  }

  /// A host that refuses, that does not know the user, that has no name, and that accepts and says nothing.
  @Test func aHostThatCannotBeReachedIsNamed() throws {
    let workshop = try Self.workshop()
    for (host, reason) in [
      ("closed", "Connection refused"), ("stranger", "Permission denied"),
      ("no-such-host.invalid", "Could not resolve hostname"),
      ("silent", "timed out"),
    ] {
      let script =
        "python3 -c \"import signal, socket; s = socket.create_server(('127.0.0.1', 2224)); signal.pause()\" & "
        + "until grep -q :08B0 /proc/net/tcp; do sleep 0.1; done; \"$@\""
      let run = try Self.start(
        workshop,
        [
          "/bin/sh", "-c", script, "sh", Built.orderfile, "record", "--on", "ssh:\(host)", "-o",
          "t", "app",
        ]
      ).end()
      #expect(
        run.status == 1 && run.errors.contains("orderfile: error: \(host): unable to connect: ")
          && run.errors.contains(reason)
          && run.errors.contains("ssh -o BatchMode=yes \(host) true"),
        "\(run.errors)")
      #expect(!workshop.fileNames.contains("t"))
    }
  }
}
