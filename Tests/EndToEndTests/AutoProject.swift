import Foundation
import TestSupport
import Testing

/// A project with a program, a shared and a static library, and a generated source, in a folder with a blank in its name.
///
/// The program has 300 functions of some 200 bytes; a launch runs every 30th of them. `make check` passes if it prints
/// what it should.
struct AutoProject {
  let workshop: Workshop
  var folder: String { workshop.path("my app") }
  var output: String { workshop.path("out put") }

  init(makefile: Bool = true) throws {
    workshop = try Workshop()
    try FileManager.default.createDirectory(
      atPath: workshop.path("my app/src"), withIntermediateDirectories: true)
    try write("shared.c", Self.library("shared"))
    try write("static.c", Self.library("fixed"))
    try write("src/main.c", Self.main)
    try write("generate.sh", "echo 'int generated(int n) { return n + 3; }'\n")
    if makefile { try write("Makefile", Self.makefile) }
  }

  func write(_ name: String, _ text: String) throws {
    try workshop.write(text.utf8, "my app/\(name)")
  }

  func writeProgram(_ name: String, _ text: String) throws {
    try workshop.writeProgram(text.utf8, "my app/\(name)")
  }

  func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(
      atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
  }

  private static func library(_ name: String) -> String {
    """
    __attribute__((noinline)) int \(name)_cold(int n) { __asm__ volatile(".fill 5000, 1, 0x90"); return n; }
    __attribute__((noinline)) int \(name)(int n) { return n < -1 ? \(name)_cold(n) : n + 1; }

    """
  }

  private static let main: String = {
    let functions = (0..<300).map {
      "__attribute__((noinline, used)) static int f\($0)(int n) { __asm__ volatile(\".fill 200, 1, 0x90\"); return n + \($0); }\n"
    }
    let calls = stride(from: 0, to: 300, by: 30).map { "  n = f\($0)(n) - \($0);\n" }
    return """
      #include <stdio.h>
      #include <string.h>
      int shared(int), fixed(int), generated(int);
      \(functions.joined())
      int main(int count, char **words) {
        int n = count - 1;
        if (count > 1 && strcmp(words[1], "read") == 0) n += getchar();
      \(calls.joined())  printf("%d\\n", generated(fixed(shared(n))));
        return count > 1 && strcmp(words[1], "fail") == 0 ? 3 : 0;
      }

      """
  }()

  private static let makefile = """
    app: src/main.o libshared.so libfixed.a
    \t$(CC) -o $@ src/main.o -L. -lfixed -lshared -Wl,-rpath,'$$ORIGIN'
    libshared.so: shared.o generated.o
    \t$(CC) -shared -o $@ shared.o generated.o
    libfixed.a: static.o
    \tar rcs $@ static.o
    generated.c: generate.sh
    \tsh generate.sh >$@
    %.o: %.c
    \t$(CC) -fPIC -c $< -o $@
    clean:
    \trm -f app generated.c *.o src/*.o *.a *.so
    check: app
    \ttest "$$(./app)" = 5

    """

  func start(_ options: [String], out: String? = nil) throws -> RunningProcess {
    try workshop.start(
      Built.orderfile, ["auto", "--project", folder, "--output", out ?? output, "--json"] + options)
  }

  /// Starts `auto` where no process may be traced, as in a container.
  func startWithoutTracing(_ options: [String]) throws -> RunningProcess {
    try Self.buildUntraced(in: workshop)
    return try workshop.start(
      "untraced",
      [Built.orderfile, "auto", "--project", folder, "--output", output, "--json"] + options)
  }

  /// Builds the program `untraced`, which runs its arguments where no process may be traced.
  static func buildUntraced(in workshop: Workshop) throws {
    try workshop.write(withoutTracing.utf8, "untraced.c")
    try workshop.must("clang", ["untraced.c", "-o", "untraced"])
  }

  private static let withoutTracing = """
    #include <linux/filter.h>
    #include <linux/seccomp.h>
    #include <stddef.h>
    #include <sys/prctl.h>
    #include <sys/syscall.h>
    #include <unistd.h>
    int main(int count, char **words) {
      struct sock_filter code[] = {
          BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
          BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 1),
          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
      struct sock_fprog filter = {4, code};
      if (count < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return 9;
      if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)) return 9;
      execv(words[1], words + 1);
      return 9;
    }

    """

  func auto(_ options: String...) throws -> Run { try start(options).end() }

  /// Runs `auto`, which must succeed, and checks what it says: fewer pages, in the order that was asked for.
  @discardableResult
  func expectOrdered(
    _ options: [String], images: [String] = ["app", "libshared.so"],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> [String: Any] {
    let run = try start(options).end()
    try #require(run.status == 0, "\(run.errors)", sourceLocation: sourceLocation)
    let found = try #require(run.json["images"] as? [[String: Any]], sourceLocation: sourceLocation)
    let names = found.compactMap { ($0["image"] as? String)?.dropFirst("images/".count) }.map(
      String.init)
    #expect(Set(names) == Set(images), sourceLocation: sourceLocation)
    for image in found {
      let compliance = try #require(
        image["compliance"] as? [String: Any], sourceLocation: sourceLocation)
      let present = try #require(compliance["present"] as? Int, sourceLocation: sourceLocation)
      #expect(
        present >= 1 && compliance["inOrder"] as? Int == present, "\(image)",
        sourceLocation: sourceLocation)
    }
    let pages = try #require(run.json["pages"] as? [String: Any], sourceLocation: sourceLocation)
    let before = try #require(pages["before"] as? Int, sourceLocation: sourceLocation)
    let after = try #require(pages["after"] as? Int, sourceLocation: sourceLocation)
    #expect(after < before - 5, "\(run.errors)", sourceLocation: sourceLocation)
    // The ordered program still passes the project's own check.
    let tree = "\(output)/work/tree"
    for program in names where !program.contains(".so") {
      let image = "\(output)/images/\(program)"
      let ordered = try workshop.start(
        "/bin/sh", ["-c", "LD_LIBRARY_PATH='\(output)/images' '\(image)'"]
      ).end()
      #expect(ordered.text == "5\n", "\(ordered.errors) \(tree)", sourceLocation: sourceLocation)
    }
    return run.json
  }

  /// The files of the project with their contents.
  func contents() throws -> [String: Data?] {
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder)
    return Dictionary(
      uniqueKeysWithValues: names.map {
        ($0, FileManager.default.contents(atPath: "\(folder)/\($0)"))
      })
  }
}
