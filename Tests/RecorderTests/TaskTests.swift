import Foundation
import TestSupport
import Testing
import TraceFormat

/// Start-up tasks that register themselves: Runtime/Tasks, in programs of real compilers and linkers.
@Suite(.needs(.compiling)) struct TaskTests {
  /// What `host.c` prints for the stage `launch`, with its number of tasks.
  static let launch = ["first", "a", "c", "last", "= 4"]

  /// `orderfile_tasks.o`, built once for all tests.
  static func object() throws -> String {
    let recorder = try Workshop.runtime.get()
    return recorder.replacing("orderfile_rt.o", with: "orderfile_tasks.o")
  }

  static let includes =
    Workshop.includes + [
      "-I" + Workshop.package.appendingPathComponent("Runtime/Tasks/include").path
    ]

  private let workshop: Workshop

  init() throws { workshop = try Workshop() }

  /// Compiles and links fixtures; `links` follow them.
  @discardableResult
  private func build(
    _ name: String, _ sources: [String], _ flags: [String] = [], compiler: String = "clang",
    links: [String]? = nil
  ) throws -> String {
    let paths = sources.map { Workshop.source("tasks/\($0)") }
    try workshop.make(
      compiler,
      ["-O1", "-g0", "-pthread"] + flags + Self.includes + paths + (links ?? [Self.object()])
        + ["-o", workshop.path(name)])
    return workshop.path(name)
  }

  /// The flags of `member.c`.
  private static func member(
    _ stage: String, _ name: String, says: String, priority: Int = 0
  ) -> [String] {
    [
      "-DSTAGE=\"\(stage)\"", "-DNAME=\"\(name)\"", "-DSAYS=\"\(says)\"", "-DPRIORITY=\(priority)",
      "-c", "-fPIC",
    ]
  }

  /// A library of one task, linked by `flags`.
  private func plugin(
    _ name: String, _ stage: String, _ task: String, says: String, flags: [String] = [],
    links: [String] = []
  ) throws -> String {
    try build(
      "\(name).o", ["member.c"], Self.member(stage, task, says: says) + flags, links: [])
    let library = workshop.path("\(name).so")
    try workshop.make(
      "clang", ["-shared", "-fuse-ld=lld", workshop.path("\(name).o")] + links + ["-o", library])
    return library
  }

  private func lines(
    _ program: String, _ arguments: [String] = [], environment: [String: String] = [:]
  ) throws -> [String] {
    let ended = try workshop.run(program, arguments, environment: environment)
    #expect(ended.status == 0 && ended.errors == "", "\(ended.errors)")
    return ended.text.split(separator: "\n").map(String.init)
  }

  // MARK: What is linked

  static let linkers = [
    "-fuse-ld=lld", "-fuse-ld=bfd", "-fuse-ld=gold", "-fuse-ld=mold",
  ]
  /// A compiler, and flags of both the compiler and the linker.
  static let builds: [(compiler: String, flags: [String])] =
    ["clang", "gcc"].flatMap { compiler in
      linkers.flatMap { linker in
        [[], ["-static"], ["-no-pie", "-fno-pic"], ["-ffunction-sections", "-fdata-sections"]]
          .map { (compiler, [linker] + $0) }
      }
    } + [
      // The Swift toolchain has no plugin for other linkers; lld can't link gcc's intermediate code.
      ("clang", ["-flto", "-fuse-ld=lld"]), ("clang", ["-flto=thin", "-fuse-ld=lld"]),
      ("gcc", ["-flto", "-fuse-ld=bfd"]), ("gcc", ["-flto", "-fuse-ld=gold"]),
      ("gcc", ["-flto", "-fuse-ld=mold"]), ("musl-gcc", ["-static"]), ("musl-gcc", []),
      ("clang", ["-static-pie", "-fuse-ld=lld"]), ("gcc", ["-static-pie", "-fuse-ld=bfd"]),
      ("clang", ["-fuse-ld=lld", "-Wl,-z,start-stop-gc", "-Wl,--icf=all"]),
      ("clang", ["-fuse-ld=lld", "-Wl,--strip-all"]),
    ]

  @Test(
    arguments: builds.filter { build in
      let linker = build.flags.first { $0.hasPrefix("-fuse-ld=") }?.dropFirst(9) ?? "bfd"
      return Requirement.tools([build.compiler, "ld.\(linker)"]).keepsArguments
    })
  func registrationsSurviveEachLinker(build: (compiler: String, flags: [String])) throws {
    let flags = ["-DIS_STATIC", "-Wl,--gc-sections", "-Wl,--build-id"] + build.flags
    try self.build(
      "b.o", ["member.c"],
      Self.member("launch", "b", says: "b of a file that nothing refers to")
        + build.flags.filter { $0.hasPrefix("-f") && !$0.hasPrefix("-fuse") },
      compiler: build.compiler, links: [])
    let program = try self.build(
      "host", ["host.c"], flags, compiler: build.compiler,
      links: [workshop.path("b.o"), Self.object()])
    #expect(
      try lines(program, ["run=launch", "run=launch", "run=unknown"]) == [
        "first", "a", "b of a file that nothing refers to", "c", "last", "= 5", "= 0", "= 0",
      ])
  }

  @Test func aPackedObjectKeepsItsTasks() throws {
    try build("host.o", ["host.c"], ["-c", "-DIS_STATIC"], links: [])
    try build("b.o", ["member.c"], Self.member("launch", "b", says: "b"), links: [])
    let packed = workshop.path("packed.o")
    try workshop.make("ld", ["-r", workshop.path("host.o"), workshop.path("b.o"), "-o", packed])
    try workshop.make("objcopy", ["--localize-hidden", packed])
    let program = try build("host", [], links: [packed, Self.object()])
    #expect(try lines(program, ["run=launch"]) == ["first", "a", "b", "c", "last", "= 5"])
  }

  @Test func aMemberOfAnArchiveIsLinkedIfSomethingRefersToItOrTheWholeArchiveIs() throws {
    try build("b.o", ["member.c"], Self.member("launch", "b", says: "b"), links: [])
    let archive = workshop.path("libmember.a")
    try workshop.make("ar", ["rcs", archive, workshop.path("b.o")])
    let without = try build("without", ["host.c"], links: [archive, Self.object()])
    #expect(try lines(without, ["run=launch"]) == Self.launch)
    let with = try build(
      "with", ["host.c"],
      links: ["-Wl,--whole-archive", archive, "-Wl,--no-whole-archive", Self.object()])
    #expect(try lines(with, ["run=launch"]).contains("b"))
  }

  /// Neither a section nor a note, nor a symbol.
  @Test(arguments: ["clang", "gcc"])
  func aProgramWithoutTasksHasNoByteOfThem(compiler: String) throws {
    let program = try build("none", ["none.c"], compiler: compiler, links: [])
    #expect(!(try workshop.make("readelf", ["-SsnW", program]).text).contains("orderfile"))
  }

  @Test(
    arguments: [
      ["clang", "-std=c11", "host.c"], ["gcc", "-std=c11", "host.c"],
      ["clang", "-std=gnu23", "host.c"], ["clang++", "-std=c++11", "thrower.cpp"],
      ["g++", "-std=c++11", "thrower.cpp"], ["clang++", "-std=c++20", "thrower.cpp"],
      ["g++", "-std=c++20", "thrower.cpp"],
    ].filter { Requirement.tool($0[0]).keepsArguments })
  func theHeaderCompilesWithoutAWarning(command: [String]) throws {
    var command = command
    // A lambda is no constant expression before C++17.
    let before17 = command.contains("-std=c++11") ? ["-DBEFORE_17"] : []
    let source = Workshop.source("tasks/\(command.removeLast())")
    try workshop.make(
      command[0],
      command.dropFirst() + before17 + ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-c", source]
        + Self.includes + ["-o", workshop.path("object.o")])
  }

  @Test(arguments: [
    ("\"a stage with 28 bytes in all!\"", "\"a\"", "the name of a stage has at most 27 bytes"),
    (
      "\"a\"", "\"a task whose name has 48 bytes, one more than fit\"",
      "the name of a task has at most 47 bytes"
    ),
  ])
  func namesThatAreTooLongDoNotCompile(stage: String, name: String, message: String) throws {
    let source = workshop.path("source.c")
    let text = """
      #include <orderfile_tasks.h>
      static void work(void) {}
      ORDERFILE_TASK(\(stage), \(name), work)
      """
    try Data(text.utf8).write(to: URL(fileURLWithPath: source))
    let ended = try workshop.run("clang", Self.includes + ["-fsyntax-only", source])
    #expect(ended.status == 1 && ended.errors.contains(message), "\(ended.errors)")
  }

  /// A program that runs tasks and has none.
  @Test(arguments: linkers.filter { Requirement.tool("ld.\($0.dropFirst(9))").keepsArguments })
  func aProgramMayHaveTheCodeAndNoTask(linker: String) throws {
    let source = workshop.path("source.c")
    let text =
      "int orderfile_run_tasks(const char *); int main(void) { return orderfile_run_tasks(\"x\"); }"
    try Data(text.utf8).write(to: URL(fileURLWithPath: source))
    for kind in [[], ["-static"], ["-no-pie"]] {
      let program = workshop.path("program")
      try workshop.make(
        "clang", [linker, "-Wl,--gc-sections", source, Self.object(), "-o", program] + kind)
      #expect(try workshop.run(program).status == 0)
    }
  }

  // MARK: What runs

  @Test func aTaskRunsOthersAndItsOwnStage() throws {
    let program = try build("host", ["host.c"])
    #expect(
      try lines(program, ["run=inner", "run=later"])
        == ["others:", "later", "inner", "1 and 1", "= 1", "= 0"])
    #expect(try lines(program, ["run=a stage of 27 bytes in all!"]) == ["= 1"])
  }

  @Test func tasksRunBeforeMain() throws {
    #expect(try lines(build("early", ["early.c"])) == ["before main", "main"])
  }

  @Test func threadsShareTheTasksOfAStage() throws {
    let program = try build("host", ["host.c"])
    for _ in 0..<20 {
      let lines = try lines(program, ["threads=launch"])
      #expect(lines.sorted() == Self.launch.sorted() && lines.last == "= 4")
    }
  }

  @Test func moreTasksThanOneCollectionHoldsRunInOrder() throws {
    #expect(try lines(build("many", ["many.c"])) == ["400 400 0"])
  }

  @Test func tasksBeyondTheRoomForThemAreAnError() throws {
    let ended = try workshop.run(try build("many", ["many.c"], ["-DTOO_MANY"]))
    #expect(ended.text == "2048 2048 0\n")
    #expect(
      ended.errors.hasPrefix("orderfile: error: task '")
        && ended.errors.hasSuffix(
          "' of stage 'many' does not run: the program: the process has run 2048 tasks, and more "
            + "can't be noted\n"),
      "\(ended.errors)")
  }

  @Test(arguments: ["clang++", "g++"].filter { Requirement.tool($0).keepsArguments })
  func aTaskThatThrowsOrJumpsCountsAsRunAndTheNextCallRunsTheOthers(compiler: String) throws {
    #expect(
      try lines(build("thrower", ["thrower.cpp"], ["-std=c++17"], compiler: compiler))
        == ["thrown", "jumped", "follows", "= 1", "lambda", "= 1"])
  }

  @Test func aTaskMayEndTheProcess() throws {
    let ended = try workshop.run(try build("host", ["host.c"]), ["run=exit", "run=launch"])
    #expect(ended.status == 7 && ended.text == "")
  }

  @Test func errorsAreToldOnce() throws {
    let program = try build("wrong", ["wrong.c", "host.c"], ["-w"])
    let long = String(repeating: "1234567890", count: 5).prefix(48)
    let own = try workshop.run(program, ["run=twice", "run=twice", "run=later", "run=later"])
    #expect(own.text == "one\ntwo\n= 2\n= 0\nlater\ntwo\n= 2\n= 0\n")
    let unknown = "registers it in a way that this version of orderfile_tasks does not know"
    #expect(
      own.errors == """
        orderfile: error: task 'a' of stage 'twice' does not run: the program already has a task of this stage and name
        orderfile: error: task '\(long)' of stage 'later' does not run: the program \(unknown)
        orderfile: error: task 'of version 2' of stage 'later' does not run: the program \(unknown)
        orderfile: error: task 'with a flag' of stage 'later' does not run: the program \(unknown)

        """)
    #expect(
      try lines(program, ["handle", "run=twice", "run=later"]) == [
        "one", "two", "error 1: twice, a, the program", "= 2",
        "error 2: later, \(long), the program", "later",
        "error 2: later, of version 2, the program", "error 2: later, with a flag, the program",
        "two", "= 2",
      ])
  }

  // MARK: Libraries

  /// The tasks of a library that a task opens come in between those that are left.
  @Test func aLibraryThatATaskOpensTakesPart() throws {
    let library = try plugin("plugin", "open", "m", says: "m of the plugin")
    let program = try build("host", ["host.c"], links: [Self.object(), "-ldl"])
    #expect(
      try lines(program, ["run=open", "run=open"], environment: ["PLUGIN": library])
        == ["opens", "m of the plugin", "z", "= 3", "= 0"])
  }

  /// An image with a build ID is known by it; an image without one by its path.
  @Test(arguments: ["sha1", "none"])
  func aLibraryThatIsLoadedAgainDoesNotRunAgain(buildID: String) throws {
    let id = ["-Wl,--build-id=\(buildID)"]
    let one = try plugin("one", "launch", "b", says: "one", links: id)
    let two = try plugin("two", "launch", "b", says: "two", links: id)
    let program = try build("host", ["host.c"], links: [Self.object(), "-ldl"])
    #expect(
      try lines(
        program,
        [
          "open=\(one)", "run=launch", "close=0", "open=\(one)", "run=launch", "open=\(two)",
          "run=launch", "handle",
        ]) == ["first", "a", "one", "c", "last", "= 5", "= 0", "two", "= 1"])
  }

  /// Each copy of the code uses the table of the program, so that no task runs twice.
  @Test(arguments: [[], ["-rdynamic"]])
  func severalCopiesOfTheCodeShareOneTable(flags: [String]) throws {
    let library = try plugin(
      "plugin", "runs itself", "b", says: "b", flags: ["-DRUNS"], links: [Self.object()])
    let source = workshop.path("caller.c")
    let text = """
      #include <stdio.h>
      int orderfile_run_tasks(const char *);
      int run_own(void);
      int main(void) {
        printf("%d ", run_own());
        printf("%d ", orderfile_run_tasks("runs itself"));
        printf("%d\\n", run_own());
      }
      """
    try Data(text.utf8).write(to: URL(fileURLWithPath: source))
    let program = workshop.path("caller")
    try workshop.make(
      "clang",
      [source, try Self.object(), library, "-Wl,-rpath,\(workshop.folder.path)", "-o", program]
        + flags)
    #expect(try lines(program) == ["b", "1 0 0"])
  }

  // MARK: Marks

  @Test func eachTaskIsAPairOfMarks() throws {
    let program = try build(
      "host", ["host.c"], links: [Self.object(), Workshop.runtime.get(), "-ldl"])
    let instrumented = try build(
      "instrumented", ["host.c"], Workshop.instrumented,
      links: [Self.object(), Workshop.runtime.get(), "-ldl"])
    #expect(try lines(program, ["run=launch"]) == Self.launch)
    #expect(try workshop.record(instrumented, ["run=inner"]).status == 0)
    #expect(
      try workshop.trace().marks == [
        "begin task a of inner", "begin task a of later", "end task a of later",
        "begin task b of inner", "end task b of inner", "end task a of inner",
      ])
    let stage = "view of the map"
    try build("map.o", ["member.c"], Self.member(stage, "tiles", says: "tiles"), links: [])
    let quoted = try build(
      "quoted", ["host.c"], Workshop.instrumented,
      links: [workshop.path("map.o"), Self.object(), Workshop.runtime.get(), "-ldl"])
    #expect(try workshop.record(quoted, ["run=\(stage)"]).status == 0)
    #expect(
      try workshop.trace().marks == [
        "begin task tiles of \"\(stage)\"", "end task tiles of \"\(stage)\"",
      ])
  }
}

/// The same under sanitizers.
@Suite(.needs(.compiling)) struct TaskSanitizerTests {
  @Test(arguments: ["address", "undefined", "thread"])
  func theTasksAreCleanUnderASanitizer(sanitizer: String) throws {
    let workshop = try Workshop()
    let program = workshop.path("host")
    let code = Workshop.package.appendingPathComponent("Runtime/Tasks/orderfile_tasks.c").path
    try workshop.make(
      Workshop.sanitizingClang,
      ["-std=c11", "-O1", "-g", "-fsanitize=\(sanitizer)", "-fno-sanitize-recover=all", "-pthread"]
        + TaskTests.includes + [Workshop.source("tasks/host.c"), code, "-ldl", "-o", program])
    let ended = try workshop.run(
      program, ["run=inner", "threads=launch", "run=launch"],
      environment: ["ASAN_OPTIONS": "detect_leaks=0"])
    #expect(ended.status == 0 && ended.errors == "", "\(ended.errors.prefix(2000))")
    #expect(ended.text.contains("= 4\n= 0\n"), "\(ended.text)")
  }
}
