import Foundation
import TestSupport
import Testing

/// Start-up tasks in Mach-O images: Runtime/Tasks, cross-compiled, linked with -dead_strip, and run.
@Suite(.needs(.machOEmulator)) struct EmulatedTaskTests {
  private static let main = """
    #include <dlfcn.h>
    #include <orderfile_tasks.h>
    #include <stdio.h>
    static void say_c(void) { puts("c"); }
    static void open_plugin(void) { puts("a"); dlopen("@rpath/libplugin.dylib", RTLD_NOW); }
    static void say_first(void) { puts("first"); }
    static void twice(void) { puts("twice"); }
    ORDERFILE_TASK("launch", "c", say_c)
    ORDERFILE_TASK("launch", "a", open_plugin)
    ORDERFILE_TASK_AT("launch", "z", say_first, -1)
    ORDERFILE_TASK("errors", "a", twice)
    ORDERFILE_TASK("errors", "a", twice)
    __attribute__((constructor)) static void early(void) {
      printf("before main: %d\\n", orderfile_run_tasks("before main"));
    }
    int main(void) {
      printf("= %d\\n", orderfile_run_tasks("launch"));
      printf("= %d\\n", orderfile_run_tasks("launch"));
      printf("= %d\\n", orderfile_run_tasks("errors"));
      return 0;
    }
    """
  private static let member = """
    #import <objc/NSObject.h>
    #include <orderfile_tasks.h>
    #include <stdio.h>
    static void say(void) { puts("a task in place of +load"); }
    ORDERFILE_TASK("before main", "member", say)
    @interface Member : NSObject
    @end
    @implementation Member
    @end
    """
  private static let plugin = """
    #include <orderfile_tasks.h>
    #include <stdio.h>
    static void say(void) { puts("b of the plugin"); }
    ORDERFILE_TASK("launch", "b", say)
    int run_own(void);
    int run_own(void) { return orderfile_run_tasks("launch"); }
    """

  private static let headers = ["Tasks", "Recorder"].map {
    "-I" + projectFolder.appendingPathComponent("Runtime/\($0)/include").path
  }

  private let workshop: Workshop
  private let sdk: AppleSDK

  init() throws {
    workshop = try Workshop()
    sdk = try AppleSDK()
    for (name, text) in [
      ("main.c", Self.main), ("member.m", Self.member), ("plugin.c", Self.plugin),
    ] {
      try workshop.write(text.utf8, name)
      try sdk.compile(
        name, to: name + ".o", for: .iOS, flags: ["-Wall", "-Wextra", "-Werror"] + Self.headers,
        in: workshop)
    }
  }

  private var tasks: String {
    get throws {
      try AppleSDK.deliveredRecorders().appendingPathComponent("iphoneos/orderfile_tasks.o").path
    }
  }

  /// With and without the link step by which Xcode packs each Swift package; the plugin has its own copy of the code.
  @Test(arguments: [true, false])
  func tasksOfProgramsAndLibrariesRun(isForced: Bool) throws {
    try sdk.archive(["member.m.o"], to: "libmember.a", in: workshop)
    try sdk.link(
      ["plugin.c.o", tasks], to: "libplugin.dylib", for: .iOS,
      flags: ["-dylib", "-dead_strip", "-install_name", "@rpath/libplugin.dylib"], in: workshop)
    try sdk.link(
      ["main.c.o", tasks] + (isForced ? ["-force_load"] : []) + ["libmember.a"], to: "app",
      for: .iOS, flags: ["-dead_strip", "-rpath", "@executable_path"], in: workshop)
    let run = try MachOEmulator().run("app", in: workshop)
    #expect(run.status == 0)
    let folder = workshop.folder.path
    #expect(
      run.errors
        == "orderfile: error: task 'a' of stage 'errors' does not run: \(folder)/app already has a task of "
        + "this stage and name\n")
    let early = isForced ? "a task in place of +load\nbefore main: 1\n" : "before main: 0\n"
    #expect(
      run.output == early + "first\na\nb of the plugin\nc\n= 4\n= 0\ntwice\n= 1\n")
  }

  /// The task of docs/how-to/TASKS.md, with the Swift interface compiled into the app.
  @Test func aTaskInSwiftRunsAsATaskInC() throws {
    let interface = try String(
      contentsOf: projectFolder.appendingPathComponent(
        "Runtime/OrderFileTasks/OrderFileTasks.swift"), encoding: .utf8)
    let task = """
      nonisolated(unsafe) private var opened: Int32 = 0
      private func openDatabase() { opened += 1 }
      #if objectFormat(MachO)
        @section("__DATA,__of_tasks")
      #else
        @section("orderfile_tasks")
      #endif
      @used let databaseTask: OrderFileTasks.Task = (
        version: 1, size: 96, priority: 0, function: openDatabase, flags: 0,
        stage: (0x7372_6966, 0x6373_2074, 0x6e65_6572, 0, 0, 0, 0),
        name: (0x6573_6162_6174_6164, 0, 0, 0, 0, 0))
      @_cdecl("run") public func run() -> Int32 {
        Int32(OrderFileTasks.run("first screen")) * 10 + opened
      }
      """
    try workshop.write((interface + task).utf8, "tasks.swift")
    try workshop.write(
      """
      #include <stdio.h>
      int run(void);
      int main(void) { for (int i = 0; i < 2; i++) printf("%d\\n", run()); return 0; }
      """.utf8, "caller.c")
    for source in ["tasks.swift", "caller.c"] {
      try sdk.compile(
        source, to: source + ".o", for: .iOS, flags: [Self.headers[0]], in: workshop)
    }
    try sdk.link(
      ["caller.c.o", "tasks.swift.o", tasks], to: "app", for: .iOS, flags: ["-dead_strip"],
      in: workshop)
    let run = try MachOEmulator().run("app", in: workshop)
    #expect(run.output == "11\n1\n" && run.errors == "" && run.status == 0, "\(run.errors)")
  }

  /// A section for the tasks and none in an image without any, for each platform of `make runtime-darwin`.
  @Test func theSectionIsKeptAndOnlyThereWithTasks() throws {
    for (name, hasTasks) in [("plugin", true), ("empty", false)] {
      if !hasTasks { try workshop.write("#include <orderfile_tasks.h>\nint x;".utf8, "empty.c") }
      try sdk.compile(
        "\(name).c", to: "\(name).c.o", for: .iOS, flags: Self.headers, in: workshop)
      try sdk.link(
        ["\(name).c.o"], to: name, for: .iOS,
        flags: ["-dylib", "-dead_strip", "-undefined", "dynamic_lookup"], in: workshop)
      let listing = try workshop.run("llvm-otool-19", ["-l", name]).output
      #expect(listing.contains("sectname __of_tasks\n") == hasTasks)
    }
  }
}
