import Foundation
import TestSupport
import Testing

/// The same inputs give the same bytes, in processes whose sets and dictionaries have another order each:
/// Swift seeds its hashes anew in each process.
@Suite(.needs(.recording)) struct DeterminismTests {
  /// Returns a source file with namesakes, templates, and 60 functions, some of which the launch uses.
  private static func source(_ file: String) -> String {
    let functions = (0..<60).map { index in
      "__attribute__((noinline)) int \(file)\(index)(int n) { return same(n) + same(n + 0.5) + \(index); }"
    }
    let calls = stride(from: 59, through: 0, by: -7).map { "n = \(file)\($0)(n);" }
    return """
      template <class T> __attribute__((noinline)) int same(T x) {
        __asm__ volatile(".skip \(file == "one" ? 40 : 400), 0x90"); return (int)x + 1;
      }
      static __attribute__((noinline)) int hidden(int n) { __asm__ volatile(""); return n + 1; }
      \(functions.joined(separator: "\n"))
      struct Early { Early() { value = hidden(3); } int value; };
      static Early early;
      int \(file)(int n) { n = hidden(n); \(calls.joined(separator: " ")) return n + early.value; }
      """
  }

  /// `app`, `ordered` and their maps, traces of two launches, an order file, and the pages of one launch.
  private static func workshop() throws -> Workshop {
    let workshop = try Workshop()
    try workshop.write(source("one").utf8, "one.cpp")
    try workshop.write(source("two").utf8, "two.cpp")
    try workshop.write(
      """
      int one(int), two(int);
      int main(int n, char **v) { (void)v; return (n > 1 ? two(one(n)) : one(n)) == 0; }
      """.utf8, "main.cpp")
    func link(_ image: String, _ options: [String] = []) throws {
      try workshop.must(
        "clang++",
        ["-O1", "-ffunction-sections", "-fuse-ld=lld", "-Wl,--build-id", "-Wl,-Map=\(image).map"]
          + ["two.cpp", "one.cpp", "main.cpp", "-o", image] + options)
    }
    try link("app")
    try workshop.mustOrderfile("record", "--breakpoints", "-o", "t1", "--", "./app")
    try workshop.mustOrderfile("record", "--breakpoints", "-o", "t2", "--", "./app", "more")
    try workshop.mustOrderfile("gen", "t1", "t2", "--image", "app", "-o", "order")
    try link("ordered", ["-Wl,--symbol-ordering-file=order", "-Wl,--no-warn-symbol-ordering"])
    for image in ["app", "ordered"] {
      try workshop.mustOrderfile(
        "pages", "--method", "ptrace", "--json", "-o", "\(image).json", "--", "./\(image)", "more")
    }
    try workshop.mustOrderfile("merge", "t1", "t2", "-o", "profile")
    try workshop.mustOrderfile("check", "--init", "ordered.json", "-o", "budget")
    for commit in 1...9 {
      let document = commit < 5 ? "app.json" : "ordered.json"
      try workshop.mustOrderfile(
        "history", "add", "history", document, "--commit", "c\(commit)", "--time", "\(commit)000",
        "--launch-name", "more")
    }
    let names = (0..<60).map { "_Z\($0 < 10 ? 4 : 5)two\($0)i" } + ["_Z3onei", "gone", "missing"]
    try workshop.write(Data(names.joined(separator: "\n").utf8), "names")
    try workshop.writeProgram(
      """
      #!/bin/sh
      clang++ -fuse-ld=lld -Wl,--build-id two.o one.o main.o -o refined $ORDERFILE_LDFLAGS \\
        ${ORDERFILE_ORDER:+-Wl,--symbol-ordering-file="$ORDERFILE_ORDER"}
      """.utf8, "link.sh")
    try workshop.must(
      "clang++", ["-O1", "-ffunction-sections", "-c", "two.cpp", "one.cpp", "main.cpp"])
    try workshop.must("./link.sh", [])
    return workshop
  }

  /// Commands whose results have no times. What `-o` names is compared, too.
  static let commands: [String] = [
    "gen t1 t2 --image app", "gen t2 t1 --image app --linker gold",
    "gen t1 t2 --image app --linker gnu-ld", "gen t1 --image ordered --link-map ordered.map",
    "gen profile --image app --json -o new", "gen app.json --image app",
    "merge t1 t2 -o new", "merge t1 t2 --json -o new",
    "verify order --image ordered", "verify names --image app --json",
    "import order order --image app -o new",
    "import symbols names --image app --list-missing -o new",
    "refine --order names --image refined --relink ./link.sh -o new --json -- ./refined more",
    "show app", "show --json app", "show app.map", "show --json app.map", "show t1",
    "show --json t2", "show order", "show profile", "show --json profile", "show history",
    "show app.json",
    "diff app ordered --trace t1 --trace t2 --order order",
    "diff app ordered --trace t1 --trace t2 --order order --json",
    "diff app ordered --trace t1 --pages-before app.json --pages-after ordered.json --map",
    "diff app.map ordered.map --trace t1 --json",
    "diff app ordered --trace t2 --json --pages-before app.json --pages-after ordered.json",
    "diff app ordered --trace t2 --list-pages --pages-before app.json --pages-after ordered.json",
    "report app ordered t1 order app.json ordered.json history",
    "report --json app ordered t1 t2 order",
    "export perfetto t1 t2 --image app --pages app.json -o -", "export folded t1 t2",
    "export csv t2", "export influx history", "export openmetrics history",
    "pages --method ptrace --json -- ./app more", "pages --method ptrace --list -- ./app more",
    "stages t1 t2", "stages --json t1 t2",
    "audit app --trace t1 --list", "audit --json app --link-map app.map --export-sarif new",
    "advise refined --relink ./link.sh --json -- ./refined more",
    "check --budget budget ordered.json --why --export-markdown new",
    "check --budget budget ordered.json --base ordered.json --json --export-sarif new",
    "history trend history", "history trend history --json",
    "doctor app", "doctor --json app.map", "init --print make --program app",
  ]

  /// Commands that no line of `commands` begins with, and why.
  static let others = [
    "auto": "runs the others, and counts pages of launches", "record": "its trace has times",
    "faults": "lists times", "measure": "measures times",
    "cc": "runs a compiler", "c++": "runs a compiler",
  ]

  @Test func eachProcessPrintsTheSame() throws {
    #expect(ProcessInfo.processInfo.environment["SWIFT_DETERMINISTIC_HASHING"] == nil)
    let workshop = try Self.workshop()
    let new = workshop.folder.appendingPathComponent("new")
    for command in Self.commands {
      let words = command.split(separator: " ").map(String.init)
      let first = try workshop.orderfile(words)
      let file = try? Data(contentsOf: new)
      #expect(first.status == 0, "\(command): \(first.errors)")
      #expect(!first.output.isEmpty || file != nil, "\(command)")
      for _ in 0..<(words[0] == "refine" || words[0] == "advise" ? 1 : 3) {
        try? FileManager.default.removeItem(at: new)
        let again = try workshop.orderfile(words)
        #expect(again.output == first.output && again.errors == first.errors, "\(command)")
        #expect((try? Data(contentsOf: new)) == file, "\(command): \(new.path)")
      }
      try? FileManager.default.removeItem(at: new)
    }
  }

  @Test func everyCommandIsCompared() throws {
    let help = String(decoding: try Workshop().orderfile(["--help"]).output, as: UTF8.self)
    let names = help.split(separator: "\n").compactMap { line in
      line.firstMatch(of: #/^ {2}([a-z]+) {2,}[A-Z]/#).map { String($0.1) }
    }
    #expect(names.contains("gen") && names.contains("audit"))
    for name in names {
      let isCompared = Self.commands.contains { $0.hasPrefix(name + " ") }
      #expect(isCompared != (Self.others[name] != nil), "\(name)")
    }
  }
}
