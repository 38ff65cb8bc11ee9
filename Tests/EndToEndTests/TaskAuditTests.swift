import Foundation
import TestSupport
import Testing

/// `orderfile audit` of programs with start-up tasks: what an image registers, and what the linker left out.
@Suite(.needs(.processes, "clang", "ld.lld", "ar")) struct TaskAuditTests {
  private static let runtime = projectFolder.appendingPathComponent("Runtime").path
  private static let main = """
    #include <orderfile_tasks.h>
    int helper(void);
    static void database(void) { __asm__ volatile("nop"); }
    static void settings(void) { __asm__ volatile("nop"); }
    ORDERFILE_TASK("first screen", "settings", settings)
    ORDERFILE_TASK("first screen", "database", database)
    ORDERFILE_TASK_AT("first screen", "zone", database, -5)
    ORDERFILE_TASK_AT("first screen", "settings", database, 7)
    ORDERFILE_TASK("before main", "reporter", settings)
    int main(void) { return orderfile_run_tasks("first screen") + helper(); }
    """
  /// The linker takes the first member, because main calls its function, and not the second.
  private static let members = [
    ("helper", "int helper(void) { return 0; }"), ("lost", ""),
  ]

  private struct Row: Equatable {
    var stage, name, problem, function, file: String
    var priority: Int

    init(_ json: [String: Any]) {
      func text(_ key: String) -> String { json[key] as? String ?? "" }
      stage = text("stage")
      name = text("name")
      problem = text("problem")
      function = text("function")
      let path = text("objectFile")
      file = path.split(separator: "/").last.map(String.init) ?? ""
      priority = json["priority"] as? Int ?? .min
    }

    init(
      _ stage: String, _ priority: Int, _ name: String, _ function: String, _ file: String,
      _ problem: String = ""
    ) {
      self.stage = stage
      self.priority = priority
      self.name = name
      self.function = function
      self.file = file
      self.problem = problem
    }
  }

  private func writeSources(to workshop: Workshop) throws {
    try workshop.write(Self.main.utf8, "app.c")
    for (name, text) in Self.members {
      let task = """
        #include <orderfile_tasks.h>
        static void \(name)_work(void) { __asm__ volatile("nop"); }
        ORDERFILE_TASK("later", "\(name)", \(name)_work)

        """
      try workshop.write((task + text).utf8, "\(name).c")
    }
  }

  private func build(_ flags: [String] = []) throws -> Workshop {
    let workshop = try Workshop()
    try writeSources(to: workshop)
    for name in ["app", "helper", "lost"] {
      try workshop.must(
        "clang",
        ["-O1", "-I\(Self.runtime)/Tasks/include", "-c", "\(name).c", "-o", "\(name).o"]
          + flags.filter { $0.hasPrefix("-fno-pi") })
    }
    try workshop.must("ar", ["rcs", "libmembers.a", "helper.o", "lost.o"])
    try workshop.must(
      "clang",
      [
        "-O1", "-fuse-ld=lld", "-I\(Self.runtime)/Recorder/include",
        "-I\(Self.runtime)/Tasks/include", "app.o", "\(Self.runtime)/Tasks/orderfile_tasks.c",
        "libmembers.a", "-Wl,-Map,app.map", "-o", "app",
      ] + flags)
    return workshop
  }

  /// The rows of the program and its archive.
  ///
  /// - Parameter prefix: the prefix of the functions' names in the symbol table.
  private static func expected(prefix: String = "") -> [Row] {
    [
      Row("before main", 0, "reporter", "\(prefix)settings", "app.o"),
      Row("first screen", -5, "zone", "\(prefix)database", "app.o"),
      Row("first screen", 0, "database", "\(prefix)database", "app.o"),
      Row("first screen", 0, "settings", "\(prefix)settings", "app.o"),
      Row("first screen", 7, "settings", "\(prefix)database", "app.o", "duplicate"),
      Row("later", 0, "helper", "\(prefix)helper_work", "libmembers.a(helper.o)"),
      Row("later", 0, "lost", "", "libmembers.a(lost.o)", "unlinked"),
    ]
  }

  private func rows(_ workshop: Workshop, _ arguments: [String]) throws -> [Row] {
    let json = try workshop.mustOrderfile(["audit", "app", "--json"] + arguments).json
    return (json["tasks"] as? [[String: Any]] ?? []).map(Row.init)
  }

  @Test(arguments: [
    [], ["-no-pie", "-fno-pie"], ["-Wl,-z,pack-relative-relocs"], ["-fuse-ld=bfd"], ["-static"],
  ])
  func tasksAreListedInTheOrderInWhichTheyRun(flags: [String]) throws {
    let workshop = try build(flags)
    #expect(try rows(workshop, ["--link-map", "app.map"]) == Self.expected())
    #expect(try rows(workshop, []).map(\.name).filter { $0 == "lost" } == [])
    let text = try workshop.mustOrderfile("audit", "app").text
    #expect(text.contains("PRIORITY  STAGE"), "\(text)")
  }

  /// The tasks of an image without symbols keep their names; without section headers, the note has their place.
  @Test(arguments: ["--strip-all", "--strip-sections"])
  func aStrippedImageKeepsTheNamesOfTasks(option: String) throws {
    let workshop = try build()
    try workshop.must(
      toolPath("llvm-strip") ?? "llvm-strip-19", [option, "app"])
    let rows = try rows(workshop, [])
    #expect(
      rows.map(\.name) == ["reporter", "zone", "database", "settings", "settings", "helper"])
    #expect(rows.allSatisfy { $0.function == "" })
  }

  @Test func aDamagedRegistrationIsAWarning() throws {
    let workshop = try build()
    var bytes = [UInt8](
      try Data(contentsOf: workshop.folder.appendingPathComponent("app")))
    // Version 1 and size 96, in front of the priority, the pointer, the flags and the stage.
    let stage = Array("first screen".utf8)
    let place = try #require(
      bytes.indices.dropFirst(20).dropLast(12).first {
        bytes[$0] == stage[0] && Array(bytes[$0..<$0 + 12]) == stage
          && Array(bytes[$0 - 20..<$0 - 16]) == [1, 0, 96, 0]
      })
    bytes[place - 20 + 2] = 50  // size
    try workshop.write(bytes, "app")
    let json = try workshop.mustOrderfile("audit", "app", "--json").json
    let warnings = json["warnings"] as? [String] ?? []
    #expect(
      warnings.contains {
        $0.contains(
          "unable to read start-up tasks: invalid size of a start-up task: expected a multiple of 8 from 96, found 50"
        )
      }, "\(warnings)")
  }

  /// An image for iOS, with chained fixups.
  @Test(.needs(.appleSDK)) func tasksOfAMachOImageAreListed() throws {
    let workshop = try Workshop()
    try writeSources(to: workshop)
    let sdk = try AppleSDK()
    let headers = ["Tasks", "Recorder"].map { "-I\(Self.runtime)/\($0)/include" }
    for (source, object) in [
      ("app.c", "app.o"), ("helper.c", "helper.o"), ("lost.c", "lost.o"),
      ("\(Self.runtime)/Tasks/orderfile_tasks.c", "tasks.o"),
    ] {
      try sdk.compile(source, to: object, for: .iOS, flags: headers, in: workshop)
    }
    try sdk.archive(["helper.o", "lost.o"], to: "libmembers.a", in: workshop)
    try sdk.link(
      ["app.o", "tasks.o", "libmembers.a"], to: "app", for: .iOS,
      flags: ["-map", "app.map", "-dead_strip", "-fixup_chains"], in: workshop)
    #expect(try rows(workshop, ["--link-map", "app.map"]) == Self.expected(prefix: "_"))
  }
}
