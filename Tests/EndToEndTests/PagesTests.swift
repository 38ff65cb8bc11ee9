import Foundation
import TestSupport
import Testing

/// Tests `orderfile pages` with programs that touch known pages.
@Suite(.needs("ld.lld", "nm")) struct PagesTests {
  /// The library that is preloaded exists for x86-64 only.
  #if arch(x86_64)
    static let methods = ["preload", "ptrace"]
  #else
    static let methods = ["ptrace"]
  #endif

  struct Launch: Sendable, CustomTestStringConvertible {
    var arguments: [String]
    var touches: [String]
    var testDescription: String { arguments.joined(separator: " ") }
  }

  /// Every program touches `f1`.
  static let launches = [
    Launch(arguments: [], touches: []),
    Launch(
      arguments: ["touch"],
      touches: ["f3 execute", "ro1 read", "rw0 write", "rw1 read", "rw1 write", "rw2 read"]),
    Launch(arguments: ["code"], touches: ["f4 execute", "f4 read", "f5 read"]),
    Launch(
      arguments: ["kernel"],
      touches: [
        "ro1 kernel", "ro2 kernel", "ro3 kernel", "ro4 kernel", "ro5 kernel", "rw3 kernel",
        "rw4 kernel",
      ]),
    Launch(
      arguments: ["threads"], touches: ["f2 execute", "f3 execute", "ro1 read", "rw1 write"]),
    Launch(arguments: ["small stacks"], touches: ["f2 execute", "f3 execute", "ro1 read"]),
    Launch(arguments: ["fork"], touches: ["f5 execute", "f6 execute", "rw5 write"]),
    Launch(arguments: ["vfork"], touches: ["f5 execute", "f6 execute", "rw5 write"]),
    Launch(
      arguments: ["spawn"],
      touches: [
        "f3 execute", "f7 execute", "ro1 read", "rw0 write", "rw1 read", "rw1 write", "rw2 read",
      ]),
    Launch(
      arguments: ["again"],
      touches: ["f3 execute", "ro1 read", "rw0 write", "rw1 read", "rw1 write", "rw2 read"]),
    Launch(
      arguments: ["signals"],
      touches: [
        "f2 execute", "f3 execute", "ro1 read", "ro3 read", "rw1 write", "rw2 write",
      ]),
    Launch(arguments: ["clear actions"], touches: ["f7 execute"]),
    Launch(arguments: ["probe for filters"], touches: ["f6 execute"]),
    // A page that the program has written is no longer a page of the file, and the page of f4 is unmapped.
    Launch(
      arguments: ["code that changes"], touches: ["f3 execute", "f3 write", "f5 execute"]),
  ]

  @Test(arguments: methods, launches)
  func eachPageIsCountedForWhatWasDoneToIt(method: String, launch: Launch) throws {
    let app = try PagesWorkshop()
    let run = try app.pages(method, launch.arguments)
    #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
    #expect(try app.touches() == (launch.touches + ["f1 execute"]).sorted())
    #expect(try app.report()["method"] as? String == method)
  }

  @Test(arguments: methods, [["-no-pie"], ["-Wl,-z,now"], ["-Wl,-z,noseparate-code"], ["-s"]])
  func howItWasLinkedDoesNotMatter(method: String, flags: [String]) throws {
    let named = try PagesWorkshop(flags.filter { $0 != "-s" })
    if flags == ["-s"] { try named.workshop.must("strip", ["app"]) }
    #expect(try named.pages(method, ["touch"]).status == 0)
    #expect(
      try named.touches()
        == (Self.launches[1].touches + ["f1 execute"]).sorted())
  }

  /// The accesses of the loader and the kernel that are known: `pointers` needs a relocation of each page.
  static let tables = """
    static int x;
    int *pointers[3 * 512] __attribute__((aligned(4096))) = {[0] = &x, [512] = &x, [1024] = &x};
    int after = 1;
    char zeros[4096];
    int main(void) { return *pointers[512] + after - 1; }
    """

  static let links: [(method: String, flags: [String])] =
    methods.flatMap { method in [[], ["-no-pie"]].map { (method, $0) } }
    + [("ptrace", ["-static"]), ("ptrace", ["-static-pie"])]

  @Test(arguments: links) func whoTouchesAPageIsTold(method: String, flags: [String]) throws {
    let isStatic = flags.contains { $0.hasPrefix("-static") }
    let workshop = try Workshop()
    try workshop.write(Self.tables.utf8, "main.c")
    try workshop.must(
      "clang", ["-O1", "-fuse-ld=lld", "-Wl,--build-id", "main.c", "-o", "app"] + flags)
    let run = try workshop.start(
      Built.orderfile, ["pages", "--method", method, "--json", "-o", "pages.json", "--", "./app"]
    ).end()
    #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
    let data = try Data(contentsOf: URL(fileURLWithPath: workshop.path("pages.json")))
    let report = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let app = PagesWorkshop.image("app", in: report)
    let loading = try #require(app["loading"] as? [[String: Any]])
    let pages = loading + (try #require(app["pages"] as? [[String: Any]]))
    let touches = pages.map { row in
      ["access", "accessor", "section", "symbol"].map { row[$0] as? String ?? "-" }
        .joined(separator: " ")
    }
    let relocations = touches.count { $0 == "write relocation .data pointers" }
    #expect(relocations == (flags == ["-no-pie"] || flags == ["-static"] ? 0 : 3), "\(touches)")
    #expect(touches.contains { $0.hasPrefix("kernel kernel .bss") }, "\(touches)")
    if !isStatic {
      #expect(touches.contains { $0.hasPrefix("read loader .dynamic") }, "\(touches)")
      #expect(touches.contains { $0.contains(" look-up .") || $0.contains(" relocation .got") })
    }
    // Each page is in one row of the sections.
    let touched = Set(
      pages.filter { $0["access"] as? String != "execute" }.compactMap { $0["address"] as? String })
    let total = app["dataTotal"] as? [String: Int]
    #expect(total?["pages"] == touched.count)
    let sections = try #require(app["sections"] as? [[String: Any]])
    #expect(sections.reduce(0) { $0 + ($1["pages"] as? Int ?? 0) } == touched.count)
  }

  #if arch(x86_64)
    @Test func bothMethodsSeeTheSameLoading() throws {
      let app = try PagesWorkshop()
      let found = try Self.methods.map { method in
        #expect(try app.pages(method, ["touch"]).status == 0)
        let loading = PagesWorkshop.image("app", in: try app.report())["loading"]
        return try #require(loading as? [[String: Any]]).map { row in
          ["access", "accessor", "address", "section", "touched"].map { row[$0] as? String ?? "-" }
        }
      }
      #expect(found[0] == found[1] && found[0].count > 3)
    }
  #endif

  @Test(arguments: methods) func aProgramKeepsItsOwnFaults(method: String) throws {
    let app = try PagesWorkshop()
    let run = try app.pages(method, ["faults"])
    #expect(run.text == "null constant alive\n" && run.status == 0, "\(run.errors)")
    #expect(
      try app.touches() == ["f1 execute", "f4 execute", "f5 execute", "ro5 read"])
  }

  @Test(arguments: methods) func aLibraryCountsFromWhereItIsLoaded(method: String) throws {
    let app = try PagesWorkshop()
    let run = try app.pages(
      method, ["plugin", "./plugin.so"], options: ["--also", "plugin.so"])
    #expect(run.status == 0, "\(run.errors)")
    #expect(try app.touches() == ["f1 execute", "f2 execute"])
    let plugin = PagesWorkshop.image("plugin.so", in: try app.report())
    let symbols = try PagesWorkshop.symbols(app.workshop, "plugin.so")
    let pages = plugin["pages"] as? [[String: Any]] ?? []
    let executed = pages.filter { $0["access"] as? String == "execute" }
      .compactMap { PagesWorkshop.address($0["address"]) }
    #expect(executed.filter { $0 == symbols["plugin_entry"] }.count == 1)
    #expect(!executed.contains(symbols["plugin_unused"] ?? 0))
  }

  @Test(arguments: methods) func theLaunchEndsWhereItIsToldTo(method: String) throws {
    let app = try PagesWorkshop()
    let atMark = try app.pages(method, ["mark"], options: ["--stop-at", "ready"])
    #expect(atMark.status == 0 && atMark.errors.isEmpty, "\(atMark.errors)")
    #expect(try app.touches() == ["f1 execute", "f2 execute", "f3 execute"])

    let atFunction = try app.pages(method, ["touch"], options: ["--stop-at-symbol", "f3"])
    #expect(atFunction.status == 0 && atFunction.errors.isEmpty, "\(atFunction.errors)")
    #expect(try app.touches() == ["f1 execute"])

    let never = try app.pages(method, ["touch"], options: ["--stop-at-symbol", "f8"])
    #expect(never.status == 0)
    #expect(
      never.errors == "orderfile: warning: the program ended before it reached 'f8'\n")
    let unknown = try app.pages(method, ["touch"], options: ["--stop-at-symbol", "nobody"])
    #expect(unknown.status == 1 && unknown.errors.contains("nobody: missing function"))
  }

  @Test(arguments: methods) func threadsMayComeToOnePageAtOnce(method: String) throws {
    let app = try PagesWorkshop()
    for _ in 0..<8 {
      let run = try app.pages(method, ["threads"])
      #expect(run.status == 0, "\(run.errors)")
      #expect(
        try app.touches() == ["f1 execute", "f2 execute", "f3 execute", "ro1 read", "rw1 write"])
    }
  }

  @Test func theInterpreterOfAScriptIsWhatIsCounted() throws {
    let app = try PagesWorkshop(["-static"])
    let path = app.workshop.path("app")
    try app.workshop.writeProgram("#!\(path) touch\n".utf8, "script")
    let text = try app.workshop.mustOrderfile("pages", "--", "./script").text
    #expect(text.contains("\nnext:"), "\(text)")
    let run = try app.workshop.mustOrderfile("pages", "--json", "--", "./script")
    #expect((run.json["nextSteps"] as? [Any])?.isEmpty == false)
    #expect(run.json["method"] as? String == "ptrace")
    let images = run.json["images"] as? [[String: Any]] ?? []
    #expect(images.first?["path"] as? String == path)
  }

  /// No touch of such a program could be seen. Without the error, a program that it starts would be counted in its
  /// place.
  @Test(.needs(.x8664Machine)) func aProgramOf32BitsIsRefused() throws {
    let workshop = try Workshop()
    try workshop.write(
      ".globl _start\n_start: movl $1,%eax\n movl $5,%ebx\n int $0x80\n".utf8, "small.s")
    try workshop.must(
      "clang", ["-m32", "-nostdlib", "-static", "-fuse-ld=lld", "small.s", "-o", "small"])
    try workshop.writeProgram("#!\(workshop.path("small"))\n".utf8, "script")
    for name in ["./small", "./script"] {
      let run = try workshop.orderfile("pages", "--", name)
      #expect(run.status == 1 && run.errors.contains("unable to count the pages of this program: "))
    }
  }

  @Test(arguments: [
    ([], methods[0]), (["-static"], "ptrace"), (["-static-pie"], "ptrace"),
    (["preinit.c"], "ptrace"),
  ])
  func theMethodIsOneThatWorks(flags: [String], method: String) throws {
    let app = try PagesWorkshop(flags)
    #expect(
      try app.workshop.orderfile("pages", "--json", "-o", "pages.json", "--", "./app", "kernel")
        .status == 0)
    #expect(try app.report()["method"] as? String == method)
    #expect(try app.touches() == (Self.launches[3].touches + ["f1 execute"]).sorted())
  }

  @Test func aStaticProgramCannotPreload() throws {
    let app = try PagesWorkshop(["-static"])
    let refused = try app.pages("preload", [])
    #expect(refused.status == 1 && refused.errors.contains("the program is static"))
  }

  @Test func textSaysWhatJSONSays() throws {
    let app = try PagesWorkshop()
    let run = try app.workshop.orderfile("pages", "--list", "--", "./app", "touch")
    #expect(
      run.status == 0 && run.text.hasPrefix("pages touched, measured by \(Self.methods[0])\n"))
    _ = try app.pages(Self.methods[0], ["touch"])
    let image = PagesWorkshop.image("app", in: try app.report())
    let text = try #require(image["textPages"] as? Int)
    #expect(
      run.text.contains("\n     \(String(repeating: " ", count: 2 - "\(text)".count))\(text) / "))
    #expect(run.text.contains("execute  text") && run.text.contains("write    data"))
  }
}
