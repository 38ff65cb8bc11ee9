import TestSupport
import Testing

/// A tracer without CAP_SYS_PTRACE takes away the rights that a program gets from its file: set-user-ID, set-group-ID and
/// capabilities.
@Suite(.needs(.recording, .root)) struct GainedRightsTests {
  /// Prints its user, its group and its capabilities.
  private static let program = """
    #include <stdio.h>
    #include <string.h>
    #include <unistd.h>
    int main(void) {
      char line[256];
      FILE *status = fopen("/proc/self/status", "r");
      while (fgets(line, sizeof line, status))
        if (!strncmp(line, "CapPrm:", 7)) printf("%d %d %s", geteuid(), getegid(), line);
      return 0;
    }
    """

  private static let built = PreparedFolder<Workshop> { workshop in
    try workshop.write(program.utf8, "main.c")
    try workshop.must("clang", ["-O1", "-fuse-ld=lld", "-Wl,--build-id", "main.c", "-o", "app"])
  }

  struct Rights: Sendable, CustomTestStringConvertible {
    var name: String
    /// The arguments of `setpriv` that take from a command the rights that a tracer needs.
    var user: [String]
    /// The shell command that gives the rights to the file `app`.
    var setting: String
    var testDescription: String { name }
  }

  private static let rootOfAContainer = ["--bounding-set=-sys_ptrace,-setuid,-setgid"]
  /// A user without privileges who can read all files, so that the programs of the tests may be anywhere.
  /// Without `no_setuid_fixup`, access(2) ignores the capabilities of a user other than root.
  private static let anybody = [
    "--securebits=+no_setuid_fixup", "--reuid=65534", "--regid=65534", "--clear-groups",
    "--inh-caps=+dac_read_search,+dac_override",
    "--ambient-caps=+dac_read_search,+dac_override",
  ]

  /// A program that lacks only its group is traced: ssh-agent is set-group-ID only so that nobody can trace it.
  static let group = Rights(
    name: "set-group-ID", user: rootOfAContainer, setting: "chgrp 65534 app && chmod 2755 app")
  static let others = [
    Rights(
      name: "set-user-ID", user: rootOfAContainer, setting: "chown 65534 app && chmod 4755 app"),
    Rights(name: "set-user-ID", user: anybody, setting: "chmod 4755 app"),
    Rights(
      name: "file capabilities", user: anybody,
      setting: """
        python3 -c 'import os, struct
        words = struct.pack("<5I", 0x2000001, 1 << 13, 0, 0, 0)
        os.setxattr("app", "security.capability", words)'
        """),
  ]

  private static let commands = [
    ["record", "--breakpoints"], ["pages"], ["pages", "--method", "ptrace"],
  ]

  private func workshop(_ rights: Rights) throws -> Workshop {
    let workshop = try Self.built.copy()
    try workshop.must("sh", ["-c", rights.setting])
    return workshop
  }

  private func run(_ workshop: Workshop, _ user: [String], _ command: [String]) throws -> Run {
    try workshop.start("setpriv", user + ["--"] + command).end()
  }

  @Test(.needs("python3"), arguments: others, commands)
  func aProgramThatWouldLackItsRightsIsNotTraced(rights: Rights, command: [String]) throws {
    let workshop = try workshop(rights)
    let run = try run(
      workshop, rights.user, [Built.orderfile] + command + ["-o", "t", "--", "./app"])
    #expect(run.text.isEmpty && run.status == 1, "\(run.text)")
    #expect(
      run.errors.contains("/app: unable to trace: a traced program does not get the rights")
        && run.errors.contains("(\(rights.name)") && run.errors.contains("hint:"),
      "\(run.errors)")
    #expect(!workshop.fileNames.contains("t"))
  }

  @Test(arguments: commands)
  func aProgramThatLacksOnlyItsGroupIsTracedAndNamed(command: [String]) throws {
    let workshop = try workshop(Self.group)
    let run = try run(
      workshop, Self.group.user, [Built.orderfile] + command + ["-o", "t", "--", "./app"])
    #expect(run.text.hasPrefix("0 0 ") && run.status == 0, "\(run.text)")
    #expect(run.errors.contains("/app: the program ran without the rights"), "\(run.errors)")
  }

  @Test(.needs("python3"), arguments: [group] + others, commands)
  func aProgramThatTheLaunchStartsWithoutItsRightsIsNamed(
    rights: Rights, command: [String]
  ) throws {
    let workshop = try workshop(rights)
    let script = "exec ./app 2>&1"
    let run = try run(
      workshop, rights.user,
      [Built.orderfile] + command + ["-o", "t", "--", "sh", "-c", script])
    #expect(run.status == 0, "\(run.errors)")
    // Without --method, `pages` does not trace: the program keeps its rights.
    let isTraced = command != ["pages"]
    #expect(
      run.errors.contains("/app: the program ran without the rights") == isTraced, "\(run.errors)")
  }

  /// A tracer with CAP_SYS_PTRACE takes no rights away. Some programs gain no rights, so that a tracer can take none away.
  @Test(
    arguments: [
      ("chown 65534:65534 app && chmod 6755 app", [String]()),
      ("chmod 6755 app", ["--bounding-set=-sys_ptrace"]),
      ("chmod 2745 app && chgrp 65534 app", rootOfAContainer),
      ("chown 65534 app && chmod 4755 app", rootOfAContainer + ["--no-new-privs"]),
    ], commands)
  func aProgramThatKeepsItsRightsIsTraced(
    setting: (file: String, user: [String]), command: [String]
  ) throws {
    let workshop = try Self.built.copy()
    try workshop.must("sh", ["-c", setting.file])
    let plain = try run(workshop, setting.user, ["./app"])
    let run = try run(
      workshop, setting.user, [Built.orderfile] + command + ["-o", "t", "--", "./app"])
    #expect(run.text == plain.text && run.status == 0, "\(run.text) \(plain.text) \(run.errors)")
    #expect(!run.errors.contains("rights"), "\(run.errors)")
  }
}
