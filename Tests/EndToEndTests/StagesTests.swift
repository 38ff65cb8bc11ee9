import Foundation
import TestSupport
import Testing

/// `orderfile stages` of programs whose stages are known.
@Suite(.needs(.processes, "clang", "ld.lld")) struct StagesTests {
  /// An initializer of libone.so opens libtwo.so by a tail call, so dlopen takes the caller of the initializer for its
  /// own caller. The program also looks for environment variables and files that are not meant for it.
  private static func workshop(_ flags: [String] = []) throws -> Workshop {
    let workshop = try Workshop()
    try workshop.write(
      """
      #include <dlfcn.h>
      #include <stddef.h>
      __attribute__((constructor)) static void first(void) { __asm__ volatile("nop"); }
      __attribute__((constructor)) static void second(void) { dlopen(TWO, RTLD_NOW); }
      int one(void) { return 1; }
      """.utf8, "one.c")
    try workshop.write(
      "__attribute__((constructor)) static void third(void) { __asm__ volatile(\"nop\"); }\n".utf8,
      "two.c")
    try workshop.write(
      """
      #include <stdio.h>
      #include <stdlib.h>
      int one(void);
      __attribute__((constructor)) static void fourth(void) { __asm__ volatile("nop"); }
      int main(int n, char **words) {
        const char *names[] = {"LD_AUDIT", "LD_DEBUG", "LD_DEBUG_OUTPUT", "ORDERFILE_STAGES"};
        for (int i = 0; i < 4; i++) if (getenv(names[i])) return 9;
        if (!getenv("KEPT")) return 8;
        puts("ready");
        fflush(stdout);
        return n > 1 ? atoi(words[1]) : one() - 1;
      }
      """.utf8, "app.c")
    for name in ["two", "one"] {
      try workshop.must(
        "clang",
        [
          "-O1", "-shared", "-fPIC", "-fuse-ld=lld", "\(name).c", "-o", "lib\(name).so",
          "-DTWO=\"\(workshop.folder.path)/libtwo.so\"",
        ])
    }
    try workshop.must(
      "clang",
      ["-O1", "-fuse-ld=lld", "app.c", "-o", "app", "-L.", "-lone", "-Wl,-rpath,$ORIGIN"] + flags)
    return workshop
  }

  private static func stages(
    _ workshop: Workshop, _ arguments: [String]
  ) throws -> (status: Int32, output: String, errors: String) {
    let run = try workshop.start(
      Built.orderfile, ["stages"] + arguments,
      environment: ["KEPT": "1"]
    ).end()
    return (run.status, run.text, run.errors)
  }

  /// A release build without the recorder: the tracer itself is told of tasks, in the program and in a library. With
  /// mold, notes of different padding are in one segment.
  @Test(arguments: ["lld", "mold"]) func eachStartUpTaskHasARow(linker: String) throws {
    let workshop = try Workshop()
    let source = { (stage: String, name: String, end: String) in
      """
      #include <orderfile_tasks.h>
      #include <stdlib.h>
      static void work(void) { __asm__ volatile("nop"); }
      ORDERFILE_TASK("\(stage)", "\(name)", work)
      \(end)
      """
    }
    let main = """
      static void last(void) { exit(0); }
      ORDERFILE_TASK("late", "last", last)
      __attribute__((constructor)) static void begin(void) { orderfile_run_tasks("early"); }
      int main(void) { orderfile_run_tasks("launch"); orderfile_run_tasks("late"); return 1; }
      """
    try workshop.write(source("early", "reporter", main).utf8, "app.c")
    try workshop.write(source("launch", "plugin", "").utf8, "library.c")
    let runtime = projectFolder.appendingPathComponent("Runtime").path
    let flags = [
      "-O1", "-I\(runtime)/Tasks/include", "-I\(runtime)/Recorder/include", "-fuse-ld=\(linker)",
      "-Wl,--build-id",
    ]
    try workshop.must("clang", flags + ["-shared", "-fPIC", "library.c", "-o", "liblibrary.so"])
    try workshop.must(
      "clang",
      flags + [
        "app.c", "\(runtime)/Tasks/orderfile_tasks.c", "-Wl,--no-as-needed", "./liblibrary.so",
        "-o",
        "app",
      ])
    let run = try Self.stages(workshop, ["--runs", "3", "--json", "-o", "s.json", "--", "./app"])
    try #require(run.status == 0, "\(run.errors)")
    let document = try parsedJSON(workshop.bytes("s.json"))
    let table = try #require((document["tables"] as? [[String: Any]])?.first)
    let rows = try #require(table["rows"] as? [[String: Any]])
    let tasks = rows.filter { $0["kind"] as? String == "task" }
    #expect(
      tasks.compactMap { $0["name"] as? String } == [
        "task reporter of early", "task plugin of launch", "task last of late, which did not end",
      ])
    let text = try Self.stages(workshop, ["--runs", "1", "--", "./app"])
    #expect(text.output.contains(" of which task plugin of launch\n"), "\(text.output)")
  }

  @Test(arguments: [[], ["--cold"]]) func theStagesOfALaunchAddUpToIt(flags: [String]) throws {
    let workshop = try Self.workshop()
    let run = try Self.stages(
      workshop, flags + ["--runs", "2", "--json", "-o", "s.json", "--", "./app"])
    // On a busy machine a launch may be left out, or the loader's times. Any disk reads this program as a whole.
    try #require(
      run.status == 0
        && run.errors.split(separator: "\n").allSatisfy {
          $0.contains("left out 1 of 2 launches") || $0.contains("the loader's times disagree")
            || $0.contains("a cold launch can't show page order")
            || $0.contains("hint: --device slow launches a copy")
        }, "\(run.errors)")
    let document = try parsedJSON(workshop.bytes("s.json"))
    let table = try #require((document["tables"] as? [[String: Any]])?.first)
    let launches = try #require(table["launches"] as? [[String: Any]])
    #expect((1...2).contains(launches.count))
    for launch in launches {
      let stages = try #require(launch["stages"] as? [[String: Any]])
      let sum = stages.filter { !["part", "task"].contains($0["kind"] as? String) }
        .compactMap { ($0["nanoseconds"] as? NSNumber)?.uint64Value }.reduce(0, +)
      #expect(sum == (launch["nanoseconds"] as? NSNumber)?.uint64Value)
      let names = stages.filter { !["part", "task"].contains($0["kind"] as? String) }.compactMap {
        $0["name"] as? String
      }
      #expect(
        ["kernel: exec", "kernel: exec, and the loader's own start"].contains(names.first)
          && names.last == "main until exit", "\(names)")
      let ours = names.filter {
        $0.hasSuffix("libone.so") || $0.hasSuffix("libtwo.so") || $0.hasSuffix("the program")
      }
      #expect(
        ours == [
          "initializers of libone.so", "initializers of libtwo.so", "initializers of the program",
        ])
    }
    #expect((table["untraced"] as? [String: Any])?["mean"] != nil)

    let initializers = try #require(document["initializers"] as? [[String: Any]])
    let images = initializers.compactMap { ($0["image"] as? String)?.split(separator: "/").last }
    for name in ["libone.so", "libtwo.so", "app"] { #expect(images.contains(Substring(name))) }

    let machine = try #require(document["machine"] as? [String: Any])
    #expect(machine["kernel"] is String && machine["processors"] is NSNumber)
  }

  /// The document of `stages` gives the audit the times at which libraries were loaded and initializers ran, and how
  /// long that took.
  @Test func anAuditTakesTheTimesOfTheSameBuild() throws {
    let workshop = try Self.workshop(["-Wl,--build-id"])
    // The command is a script whose interpreter is the program.
    try workshop.writeProgram("#!\(workshop.folder.path)/app\n".utf8, "script")
    let run = try Self.stages(
      workshop, ["--runs", "2", "--json", "-o", "s.json", "--cold", "--", "./script"])
    try #require(run.status == 0, "\(run.errors)")
    func audit(_ document: String) throws -> ([String: Any], errors: String) {
      let run = try workshop.start(
        Built.orderfile, ["audit", "--json", "--stages", document, "app"]
      ).end()
      return (try parsedJSON(run.output), run.errors)
    }
    func element(_ name: String, of list: String, _ document: [String: Any]) -> [String: Any] {
      let all = document[list] as? [[String: Any]] ?? []
      return all.first { $0["name"] as? String == name } ?? [:]
    }
    let (audited, errors) = try audit("s.json")
    #expect(!errors.contains("s.json: "), "\(errors)")
    let fourth = element("fourth", of: "initializers", audited)
    #expect(fourth["ms"] is NSNumber && fourth["startMs"] is NSNumber)
    let one = element("libone.so", of: "libraries", audited)
    #expect(one["ms"] is NSNumber && one["mappedMs"] is NSNumber)
    let two = element("libtwo.so", of: "libraries", audited)
    #expect(two["unrequested"] as? String == "run-time" && two["ms"] is NSNumber, "\(two)")

    let document = try parsedJSON(workshop.bytes("s.json"))
    let images = try #require(document["images"] as? [[String: Any]])
    let app = try #require(images.first)
    #expect((app["path"] as? String)?.hasSuffix("/app") ?? false && app["loadNanoseconds"] == nil)
    let id = try #require(app["id"] as? String)
    let text = workshop.text("s.json")
    try workshop.write(text.replacing(id, with: "0b57").utf8, "other.json")
    let other = try audit("other.json")
    #expect(
      other.errors.contains("/app was measured: its times are left out"), "\(other.errors)")
    #expect(element("fourth", of: "initializers", other.0)["ms"] is NSNull)
    try workshop.write(text.replacing("\"id\": ", with: "\"was\": ").utf8, "unknown.json")
    let unknown = try audit("unknown.json")
    #expect(
      unknown.errors.contains("/app that was measured is unknown: its times are left out"),
      "\(unknown.errors)")
  }

  @Test func aLaunchIsOverWhenTheProgramIsReady() throws {
    let workshop = try Self.workshop()
    let run = try Self.stages(
      workshop, ["--runs", "1", "--until-ready", "line=ready", "--", "./app"])
    #expect(run.status == 0 && run.output.contains("main until ready"), "\(run)")
  }

  @Test func aStaticProgramIsOneRow() throws {
    let workshop = try Workshop()
    try workshop.write("int main(void) { return 0; }\n".utf8, "app.c")
    try workshop.must("clang", ["-static", "app.c", "-o", "app"])
    let run = try Self.stages(workshop, ["--runs", "1", "--", "./app"])
    #expect(run.status == 0 && run.output.contains("from exec until exit, not separated"))
    #expect(
      run.errors.contains("warning: ")
        && run.errors.contains("the stages can't be separated: the program is linked statically"),
      "\(run.errors)")
  }

  @Test func whatCannotBeMeasuredIsSaid() throws {
    let workshop = try Self.workshop()
    let failed = try Self.stages(workshop, ["--runs", "1", "--", "./app", "3"])
    #expect(failed.status == 1 && failed.output.isEmpty)
    #expect(failed.errors.contains("./app: the launch failed: expected exit status 0, found 3"))
    #expect(
      try Self.stages(workshop, ["--runs", "1", "--ignore-failure", "--", "./app", "3"]).status == 0
    )
    for (arguments, message) in [
      ([], "missing files or a command: name files, or give a command after '--'"),
      (["--cold", "a.log"], "--cold affects launches: give a command after '--'"),
      (["--stop-at", "x", "--", "./app"], "--stop-at applies to files"),
      (["a.log", "--json"], "options must precede the files: found '--json' after a file"),
      (
        ["--until-ready", "mark=x", "--", "./app"],
        "this command launches the program without a recorder"
      ),
      (["nowhere.log"], "nowhere.log: "),
      (["-"], "missing a launch"),
    ] {
      let run = try Self.stages(workshop, arguments)
      #expect(run.status != 0 && run.errors.contains(message), "\(run.errors)")
    }
  }
}
