import Foundation
import TestSupport
import Testing

/// The same inputs give the same bytes, in processes whose sets and dictionaries have another order each:
/// Swift seeds its hashes anew in each process.
@Suite(.needs(.recording)) struct DeterminismTests {
  /// Two files with namesakes, templates, and 60 functions each of which the launch uses some.
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
    return workshop
  }

  static let commands: [String] = [
    "gen t1 t2 --image app", "gen t2 t1 --image app --linker gold",
    "gen t1 t2 --image app --linker gnu-ld", "gen t1 --image ordered --link-map ordered.map",
    "show app", "show --json app", "show app.map", "show --json app.map", "show t1",
    "show --json t2", "show order",
    "diff app ordered --trace t1 --trace t2 --order order",
    "diff app ordered --trace t1 --trace t2 --order order --json",
    "diff app ordered --trace t1 --pages-before app.json --pages-after ordered.json --map",
    "diff app.map ordered.map --trace t1 --json",
    "diff app ordered --trace t2 --json --pages-before app.json --pages-after ordered.json",
    "diff app ordered --trace t2 --list-pages --pages-before app.json --pages-after ordered.json",
    "export perfetto t1 t2 --image app --pages app.json -o -", "export folded t1 t2",
    "export csv t2",
    "pages --method ptrace --json -- ./app more", "pages --method ptrace --list -- ./app more",
  ]

  @Test func eachProcessPrintsTheSame() throws {
    #expect(ProcessInfo.processInfo.environment["SWIFT_DETERMINISTIC_HASHING"] == nil)
    let workshop = try Self.workshop()
    for command in Self.commands {
      let words = command.split(separator: " ").map(String.init)
      let first = try workshop.orderfile(words)
      #expect(first.status == 0 && !first.output.isEmpty, "\(command): \(first.errors)")
      for _ in 0..<4 {
        let again = try workshop.orderfile(words)
        #expect(again.output == first.output && again.errors == first.errors, "\(command)")
      }
    }
  }
}
