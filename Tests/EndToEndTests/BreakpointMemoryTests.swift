import Foundation
import TestSupport
import Testing

/// `record --breakpoints` and `pages --method ptrace` change only the memory of known images, and restore it.
@Suite(.needs(.recording)) struct BreakpointMemoryTests {
  /// Runs the tracer with the rights of a user, because root could access all memory.
  private static let asUser =
    getuid() == 0 ? ["setpriv", "--bounding-set=-sys_ptrace", "--"] : ["env"]

  struct Launch: Sendable, CustomTestStringConvertible {
    var arguments: [String]
    /// The functions of the program that some process uses.
    var functions: [String]
    var testDescription: String { arguments.joined(separator: " ") }
  }

  static let launches =
    [
      Launch(arguments: ["leader ended"], functions: ["in_child", "in_thread", "late"]),
      Launch(arguments: ["thread executes"], functions: ["late"]),
      Launch(arguments: ["untraced clone"], functions: ["in_child"]),
      Launch(arguments: ["untraced clone with memory"], functions: ["in_child"]),
      Launch(arguments: ["untraced system call"], functions: ["in_child"]),
      Launch(arguments: ["untraced clone3"], functions: ["in_child"]),
      Launch(arguments: ["not dumpable"], functions: ["in_child", "in_grandchild"]),
      Launch(arguments: ["not dumpable, by vfork"], functions: ["in_child"]),
      Launch(arguments: ["children at once"], functions: ["in_child", "in_grandchild"]),
    ] + onlyHere

  /// Launches of code that is written for x86-64.
  #if arch(x86_64)
    static let onlyHere = [
      Launch(arguments: ["copied"], functions: ["copied"]),
      Launch(arguments: ["copied, with a handler"], functions: ["copied"]),
      Launch(arguments: ["moved"], functions: ["in_child", "late", "moved"]),
    ]
  #else
    static let onlyHere: [Launch] = []
  #endif

  private func functions(_ workshop: Workshop) throws -> [String] {
    let own: Set = ["in_child", "in_grandchild", "in_thread", "late", "moved", "copied"]
    let traces = workshop.fileNames.filter { $0 == "t" || $0.hasPrefix("t.") }
    return try Set(traces.flatMap { try RecordTests.functions(workshop, in: $0) })
      .intersection(own).sorted()
  }

  /// Permits 48 descriptors, which must suffice for any number of processes.
  private func run(_ workshop: Workshop, _ command: [String]) throws -> Run {
    try workshop.start(
      "sh", ["-c", "ulimit -n 48; exec \"$@\"", "sh"] + Self.asUser + [Built.orderfile] + command
    ).end()
  }

  @Test(arguments: launches, [[], ["--all-images"]])
  func theProgramDoesWhatItDoesAlone(launch: Launch, options: [String]) throws {
    let workshop = try Self.built.copy()
    let plain = try workshop.start("./app", launch.arguments).end()
    let run = try run(
      workshop,
      ["record", "--breakpoints", "-o", "t"] + options + ["--", "./app"] + launch.arguments)
    #expect(run.text == plain.text && run.status == plain.status, "\(run.text) \(run.errors)")
    #expect(try functions(workshop) == launch.functions)
  }

  @Test(arguments: launches) func itsPagesAreCountedFromOutside(launch: Launch) throws {
    let workshop = try Self.built.copy()
    let plain = try workshop.start("./app", launch.arguments).end()
    let run = try run(
      workshop, ["pages", "--method", "ptrace", "-o", "p", "--", "./app"] + launch.arguments)
    #expect(run.text == plain.text && run.status == plain.status, "\(run.text) \(run.errors)")
    #expect(run.errors.isEmpty)
  }

  /// The tracer has no CAP_SYS_PTRACE, like root of a container.
  @Test func aProcessMayChangeItsUser() throws {
    let workshop = try Self.built.copy()
    let run = try run(
      workshop, ["record", "--breakpoints", "-o", "t", "--", "./app", "another user"])
    #expect(run.text == "1280 2 3" && run.status == 3, "\(run.errors)")
    #expect(try functions(workshop) == ["in_child", "late"])
  }

  /// The tracer can't access the program's memory, and must leave no breakpoint there.
  @Test(arguments: [["record", "--breakpoints"], ["pages", "--method", "ptrace", "--all-images"]])
  func aProgramOfAnotherUserIsLeftAlone(command: [String]) throws {
    let workshop = try Self.built.copy()
    let script = """
      if [ $(id -u) = 0 ]; then setpriv --reuid=65534 --clear-groups sh -c '(echo left)'
      else echo left; fi; ./app done
      """
    let run = try run(workshop, command + ["-o", "t", "--", "sh", "-c", script])
    #expect(run.text == "left\n2" && run.status == 0, "\(run.errors)")
    #expect(
      getuid() != 0 || run.errors.contains("the memory of this process can't be accessed: images"))
  }

  @Test(arguments: PagesTests.methods)
  func pagesOfALibraryAreSeenWhenTheFirstThreadHasEnded(method: String) throws {
    let workshop = try Self.built.copy()
    let run = try workshop.orderfile(
      "pages", "--method", method, "--also", "plugin.so", "--json", "-o", "p", "--", "./app",
      "leader ended")
    #expect(run.status == 3 && run.errors.isEmpty, "\(run.errors)")
    let data = try Data(contentsOf: URL(fileURLWithPath: workshop.path("p")))
    let report = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let pages = PagesWorkshop.image("plugin.so", in: report)["pages"] as? [[String: Any]] ?? []
    #expect(pages.contains { $0["access"] as? String == "execute" })
  }

  /// The parent has ended, so its mappings look empty; the child still uses the memory.
  @Test func aChildThatSharesMemoryOutlivesItsParent() throws {
    let workshop = try Self.built.copy()
    let script = """
      ./app 'child without parent'; : >go; while [ ! -e result ]; do sleep 0.01; done; cat result
      """
    let run = try workshop.orderfile(
      "record", "--breakpoints", "--also", "app", "-o", "t", "--", "sh", "-c", script)
    #expect(run.text == "5" && run.status == 0, "\(run.errors)")
    #expect(try functions(workshop) == ["late"])
  }

  /// The trace has both builds with their IDs; only the build that is still at the path has names.
  @Test func aReplacedPluginIsAnotherImage() throws {
    let workshop = try Self.built.copy()
    for name in ["a", "b", "c", "d"] {
      try workshop.must("cp", [name == "a" || name == "d" ? "plugin1.so" : "plugin2.so", name])
    }
    let run = try workshop.orderfile(
      "record", "--breakpoints", "--also", "plugin.so", "-o", "t", "--", "./app",
      "plugin replaced", "a", "b", "c", "d")
    #expect(run.text == "3 4 4 3 " && run.status == 3, "\(run.errors)")
    #expect(!run.errors.contains("another file"), "\(run.errors)")
    let json = try workshop.mustOrderfile("show", "--json", "t").json
    let images = json["images"] as? [[String: Any]] ?? []
    let plugins = images.filter { ($0["path"] as? String ?? "").hasSuffix("/plugin.so") }
    #expect(plugins.count == 4)
    #expect(Set(plugins.compactMap { $0["id"] as? String }).count == 2)
    let names = (json["hits"] as? [[String: Any]] ?? []).compactMap {
      ($0["names"] as? [String])?.first
    }
    #expect(names.filter { $0 == "plugin_entry" }.count == 2 && !names.contains("plugin_unused"))
  }

  /// The file at the path is no longer the code that the process runs.
  @Test(arguments: [true, false])
  func aRunningProgramThatWasReplacedIsNotTouched(isThere: Bool) throws {
    let workshop = try Self.built.copy()
    let app = try workshop.start("./app", ["waiting"])
    try app.waitForOutput("waiting")
    let before = try BreakpointTests.text(of: app.number, in: "/app")
    try workshop.must(isThere ? "mv" : "rm", isThere ? ["plugin2.so", "app"] : ["app"])
    let other = try workshop.start(
      Built.orderfile, ["record", "--breakpoints", "-o", "u", "--pid", "\(app.number)"])
    BreakpointTests.waitUntilTraced(app.number)
    #expect(try BreakpointTests.text(of: app.number, in: "/app") == before && !before.isEmpty)
    try workshop.write([], "go")
    #expect(app.end().text == "waiting\n2")
    let end = other.end()
    #expect(end.status == 4)
    #expect(
      end.errors.contains(
        isThere ? "/app: the image in memory is not this file" : "/app: no function of this image"),
      "\(end.errors)")
  }

  @Test func aProcessGoesOnWithoutItsFirstThread() throws {
    let workshop = try Self.built.copy()
    let app = try workshop.start("./app", ["leader ended, waiting"])
    try app.waitForOutput("waiting")
    let run = try workshop.orderfile(
      "record", "--breakpoints", "-o", "t", "--pid", "\(app.number)", "--stop-at-symbol", "late")
    #expect(run.status == 4 && !run.errors.contains("it has ended"), "\(run.errors)")
    app.send(SIGTERM)
    #expect(app.end().status == 143)
  }

  #if arch(x86_64)
    /// The program runs its copied functions after the tracer has ended.
    @Test func breakpointsInCopiesAreRemovedToo() throws {
      let workshop = try Self.built.copy()
      let recording = try workshop.start(
        Built.orderfile, ["record", "--breakpoints", "-o", "t", "--", "./app", "copied, later"])
      try recording.waitForOutput("waiting")
      let app = try #require(
        BreakpointTests.processes(in: workshop).first { BreakpointTests.tracer(of: $0) != nil })
      let tracer = try #require(BreakpointTests.tracer(of: app))
      kill(tracer, SIGTERM)
      BreakpointTests.waitUntilTraced(app, false)
      try workshop.write([], "go")
      let end = recording.end()
      #expect(end.text == "waiting\n13 12800 0 13" && end.status == 3, "\(end.errors)")
    }
  #endif

  @Test(arguments: [["--also", "app"], ["--all-images"]])
  func aProgramStartedByItsLoaderIsRecorded(options: [String]) throws {
    let workshop = try Self.built.copy()
    let loader = try workshop.must("readelf", ["-l", "app"]).text.split(separator: "\n")
      .first { $0.contains("interpreter:") }
    let path = try #require(loader?.split(separator: " ").last?.dropLast())
    let run = try workshop.orderfile(
      ["record", "--breakpoints", "-o", "t"] + options + ["--", String(path), "./app", "done"])
    #expect(run.text == "2" && run.status == 0, "\(run.errors)")
    #expect(try functions(workshop) == ["late"])
    #expect(!run.errors.contains("no process loaded it"))
  }

  /// The kernel writes a line feed in a path as `\012`, which may also be in another file's name.
  @Test(arguments: ["a\nb", #"a\012b"#, "a (deleted)"])
  func anyPathIsFound(name: String) throws {
    let workshop = try Self.built.copy()
    try workshop.must("mv", ["app", name])
    let run = try workshop.orderfile(
      ["record", "--breakpoints", "-o", "t", "--", "./\(name)", "done"])
    #expect(run.text == "2" && run.status == 0, "\(run.errors)")
    #expect(try functions(workshop) == ["late"])
    let pages = try workshop.orderfile(["pages", "-o", "p", "--", "./\(name)", "done"])
    #expect(pages.text == "2" && pages.errors.isEmpty, "\(pages.errors)")
  }

  /// The launch makes the file that `--also` names.
  @Test func anImageThatIsBuiltByTheLaunchIsRecorded() throws {
    let workshop = try Self.built.copy()
    let run = try workshop.orderfile(
      "record", "--breakpoints", "--also", "new", "-o", "t", "--", "sh", "-c",
      "cp app new && ./new done")
    #expect(run.text == "2" && run.status == 0, "\(run.errors)")
    #expect(try functions(workshop) == ["late"])
    let missing = try workshop.orderfile(
      "record", "--breakpoints", "--also", "none", "-o", "u", "--", "./app", "done")
    #expect(missing.errors.contains("/none: no process loaded this image"))
    let nowhere = try workshop.orderfile(
      "record", "--breakpoints", "--also", "nowhere/none", "-o", "u", "--", "./app", "done")
    #expect(nowhere.status == 1 && nowhere.errors.contains("nowhere/none: No such file"))
  }
}
