import Foundation
import TestSupport
import Testing

/// Tests `measure --layouts` with a real linker.
@Suite(.needs("clang"), .needs("ld.lld")) struct LayoutNoiseTests {
  private static let built = PreparedFolder<Workshop> { workshop in
    let functions = (0..<40).map { number in
      "__attribute__((noinline)) int f\(number)(int x) { return x * \(number + 3) + \(number); }\n"
    }.joined()
    let calls = (0..<40).map { "  if (count == \($0 + 5)) x += f\($0)(x);\n" }.joined()
    try workshop.write(
      (functions + "int main(int count, char **words) {\n  int x = count + !words;\n" + calls
        + "  return x == 77;\n}\n").utf8, "app.c")
    try workshop.must("clang", ["-O1", "-ffunction-sections", "-c", "app.c"])
    for name in ["a", "b"] { try workshop.must("clang", ["-fuse-ld=lld", "app.o", "-o", name]) }
    try workshop.write("main\n".utf8, "order")
  }

  private static func link(_ name: String) -> String {
    "cat $ORDERFILE_ORDER >>orders && clang -fuse-ld=lld -Wl,--symbol-ordering-file=$ORDERFILE_ORDER app.o -o \(name)"
  }

  private func measure(_ workshop: Workshop, _ options: [String]) throws -> Run {
    try workshop.orderfile(
      ["measure", "--warm", "--runs", "2", "--before", "./a", "--after", "./b"] + options)
  }

  @Test func equalBuildsAreLinkedInTheSameLayoutsForTheSameSeed() throws {
    let workshop = try Self.built.copy()
    let image = workshop.bytes("a")
    var orders: [String] = []
    for seed in ["5", "5", "6"] {
      try workshop.write("".utf8, "orders")
      let run = try measure(
        workshop,
        [
          "--layouts", "7", "--seed", seed, "--order", "order", "--relink-before", Self.link("a"),
          "--relink-after", Self.link("b"), "--json",
        ])
      try #require(run.status == 0, "\(run.errors)")
      let layouts = try #require(run.json["layouts"] as? [String: Any])
      #expect(layouts["count"] as? Int == 7 && layouts["launches"] as? Int == 2)
      let state = try #require((layouts["states"] as? [[String: Any]])?.first)
      let found = try #require((state["comparisons"] as? [[String: Any]])?.first)
      #expect(found["metric"] as? String == "wallTime")
      #expect((found["changes"] as? [Double])?.count == 7)
      orders.append(workshop.text("orders"))
    }
    #expect(orders[0] == orders[1] && orders[0] != orders[2])
    #expect(workshop.bytes("a") == image, "the image is restored")
  }

  @Test func eachBuildIsLinkedFirstInHalfOfTheLayouts() throws {
    let workshop = try Self.built.copy()
    let run = try measure(
      workshop,
      [
        "--layouts", "8", "--order", "order", "--relink-before",
        Self.link("a") + " && printf a >>links",
        "--relink-after", Self.link("b") + " && printf b >>links",
      ])
    try #require(run.status == 0, "\(run.errors)")
    let links = Array(workshop.text("links"))
    let layouts = stride(from: 0, to: links.count, by: 2).map { String(links[$0...($0 + 1)]) }
    #expect(layouts.sorted() == Array(repeating: "ab", count: 4) + Array(repeating: "ba", count: 4))
    #expect(layouts != layouts.sorted())
  }

  /// The link of one layout sends the interrupt to `measure`, which starts the shell that links.
  @Test(arguments: [(3, false), (9, true)])
  func anInterruptKeepsTheLayoutsBeforeIt(layout: Int, hasResult: Bool) throws {
    let workshop = try Self.built.copy()
    let image = workshop.bytes("a")
    let run = try measure(
      workshop,
      [
        "--layouts", "40", "--order", "order", "--relink-before",
        Self.link("a")
          + " && echo >>links && { test $(wc -l <links) != \(layout) || kill -INT $PPID; }",
        "--relink-after", Self.link("b"), "--json",
      ])
    #expect(run.status == 1)
    let message = hasResult ? "interrupted: the result covers the layouts so far" : "interrupted"
    #expect(run.errors == "orderfile: error: \(message)\n")
    if hasResult {
      #expect((run.json["layouts"] as? [String: Any])?["count"] as? Int == layout - 1)
    } else {
      #expect(run.output.isEmpty)
    }
    #expect(workshop.bytes("a") == image, "the image is restored")
  }

  @Test(arguments: [
    ("clang -fuse-ld=lld app.o -o b", "the link does not follow the order file", 1),
    ("exit 3", "the command failed", 1), (":", "the command created no image", 1),
  ])
  func aLinkThatFailsOrIgnoresTheOrderIsAnError(
    command: String, message: String, status: Int32
  ) throws {
    let workshop = try Self.built.copy()
    let image = workshop.bytes("b")
    let run = try measure(
      workshop,
      [
        "--layouts", "7", "--order", "order", "--relink-before", Self.link("a"),
        "--relink-after", command,
      ])
    #expect(run.status == status && run.errors.contains(message), "\(run.errors)")
    #expect(workshop.bytes("b") == image, "the image is restored")
  }

  @Test(arguments: [
    (["--layouts", "0"], "expected 7 to 1000"), (["--layouts", "1"], "expected 7 to 1000"),
    (["--layouts", "7"], "also needs --order"), (["--order", "order"], "give --layouts, too"),
    (
      [
        "--layouts", "7", "--order", "o", "--relink-before", ":", "--relink-after", ":", "--memory",
      ], "--memory can't be used with --layouts"
    ),
  ])
  func wrongOptionsAreUsageErrors(options: [String], message: String) throws {
    let run = try measure(try Self.built.copy(), options)
    #expect(run.status == 64 && run.errors.contains(message), "\(run.errors)")
  }
}
