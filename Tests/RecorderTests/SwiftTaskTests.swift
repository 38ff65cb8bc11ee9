import Foundation
import TestSupport
import Testing

/// Start-up tasks in Swift: Runtime/OrderFileTasks, compiled into a program.
@Suite(.needs(.compiling, "swiftc")) struct SwiftTaskTests {
  /// A literal of Swift 6.3 with the bytes of `text`, in `count` numbers of `size` bytes each.
  static func words(_ text: String, _ count: Int, size: Int) -> String {
    var bytes = Array(text.utf8)
    bytes += Array(repeating: 0, count: count * size - bytes.count)
    let words = (0..<count).map { word in
      (0..<size).reduce(0 as UInt64) { $0 | UInt64(bytes[word * size + $1]) << UInt64(8 * $1) }
    }
    return "(\(words.map { "0x\(String($0, radix: 16))" }.joined(separator: ", ")))"
  }

  /// Compiles `OrderFileTasks` into the module and the object `OrderFileTasks.o` of `workshop`.
  private static func compileSwiftFace(in workshop: Workshop) throws {
    let source = Workshop.package.appendingPathComponent(
      "Runtime/OrderFileTasks/OrderFileTasks.swift")
    try workshop.make(
      "swiftc",
      ["-parse-as-library", "-O", "-module-name", "OrderFileTasks", "-emit-module"]
        + ["-emit-module-path", workshop.path("OrderFileTasks.swiftmodule"), "-c", source.path]
        + TaskTests.includes + ["-o", workshop.path("OrderFileTasks.o")])
  }

  /// With the feature `CompileTimeValues`, all tasks of a stage share one constant, and functions can't be closures.
  @Test(
    arguments: [
      (["-O", "-use-ld=lld"], false), (["-Onone", "-use-ld=gold"], false),
      (["-O", "-use-ld=lld", "-enable-experimental-feature", "CompileTimeValues"], true),
    ])
  func aTaskInSwiftIsATuple(flags: [String], hasConstant: Bool) throws {
    let workshop = try Workshop()
    let stage = Self.words("launch of a Swift app", 7, size: 4)
    func task(_ name: String, _ priority: Int, _ function: String) -> String {
      """
      #if objectFormat(MachO)
        @section("__DATA,__of_tasks")
      #else
        @section("orderfile_tasks")
      #endif
      @used let \(name)Task: OrderFileTasks.Task = (
        version: 1, size: 96, priority: \(priority), function: \(function), flags: 0,
        stage: \(hasConstant ? "stage" : stage), name: \(Self.words(name, 6, size: 8)))

      """
    }
    let tasks =
      "import OrderFileTasks\nfunc openDatabase() { print(\"database\") }\n"
      + "func readSettings() { print(\"settings\") }\n"
      + (hasConstant ? "@const let stage: OrderFileTasks.Stage = \(stage)\n" : "")
      + task("database", 0, "openDatabase")
      + task("settings", -1, hasConstant ? "readSettings" : "{ readSettings() }")
    let main = """
      import OrderFileTasks
      @main struct App {
        static func main() {
          print(OrderFileTasks.run("launch of a Swift app"))
          OrderFileTasks.run("a stage without tasks")
        }
      }
      """
    for (name, text) in [("tasks.swift", tasks), ("app.swift", main)] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: workshop.path(name)))
    }
    try Self.compileSwiftFace(in: workshop)
    try workshop.make(
      "swiftc",
      flags + TaskTests.includes + [
        "-parse-as-library", "-module-name", "app", "-I", workshop.folder.path,
        workshop.path("tasks.swift"), workshop.path("app.swift"), workshop.path("OrderFileTasks.o"),
        try TaskTests.object(), "-Xlinker", "--gc-sections", "-o", workshop.path("app"),
      ])
    let ended = try workshop.run(workshop.path("app"))
    #expect(ended.status == 0 && ended.errors == "", "\(ended.errors)")
    #expect(ended.text == "settings\ndatabase\n2\n")
  }
}
