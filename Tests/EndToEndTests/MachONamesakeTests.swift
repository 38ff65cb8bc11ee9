import Foundation
import TestSupport
import Testing

/// Several functions of one name in a real Mach-O image: which of them ran, and which the linker can move.
@Suite(.needs(.appleSDK, "llvm-objcopy-19")) struct MachONamesakeTests {
  private let workshop: Workshop

  /// `packed.o` has two functions called `twin`, as after `ld -r`, and `c.o` a third; `app` is linked of both.
  init() throws {
    workshop = try Workshop()
    let sdk = try AppleSDK()
    let sources = [
      "packed": """
      #define F static __attribute__((noinline))
      F int first(int x) { __asm__ volatile(""); return x + 1; }
      int cold(int x) { return x * 5; }
      F int other(int x) { __asm__ volatile(""); return x + 2; }
      int main(int c, char **v) { return first(c) + other(c); }
      """,
      "c": """
      static __attribute__((noinline)) int first(int x) { __asm__ volatile(""); return x + 3; }
      int third(int x) { return first(x) * 2; }
      """,
    ]
    for (name, text) in sources.sorted(by: { $0.key < $1.key }) {
      try workshop.write(text.utf8, name + ".c")
      try sdk.compile(name + ".c", to: name + ".o", for: .macOS, flags: ["-g"], in: workshop)
      let names = ["_first=_twin", "_other=_twin"].flatMap { ["--redefine-sym", $0] }
      _ = try workshop.must("llvm-objcopy-19", names + [name + ".o"])
    }
    try link("app")
  }

  private func link(_ image: String, _ flags: [String] = []) throws {
    try AppleSDK().link(
      ["packed.o", "c.o"], to: image, for: .macOS, flags: ["-map", "\(image).map"] + flags,
      in: workshop)
  }

  /// A trace of `app` in which the functions called `names` ran, each an index among its namesakes.
  private func importTrace(_ names: [(String, Int)]) throws {
    let symbols = try workshop.must("llvm-nm-19", ["-n", "app"]).text.split(separator: "\n")
      .map { $0.split(separator: " ") }.filter { $0.count == 3 }
    let addresses = try names.map { name, index in
      let namesakes = symbols.filter { $0[2] == name }
      return try #require(namesakes.indices.contains(index) ? namesakes[index][0] : nil)
    }
    try workshop.write(addresses.joined(separator: "\n").utf8, "list")
    _ = try workshop.mustOrderfile(
      "import", "addresses", "list", "--image", "app", "-o", "app.oftrace")
  }

  private func gen(_ options: String...) throws -> (image: [String: Any], lines: [String]) {
    let words = ["gen", "app.oftrace", "--image", "app", "-o", "app.order", "--json"] + options
    let ended = try workshop.must(Built.orderfile, words)
    let images = try #require(ended.json["images"] as? [[String: Any]])
    let lines = workshop.text("app.order").split(separator: "\n").map(String.init)
    return (try #require(images.first), lines.filter { !$0.hasPrefix("#") })
  }

  /// No line distinguishes functions of one name in one object file: ld64.lld moves both, and ld64 only the first.
  @Test(
    arguments: [
      ("lld", "ld64.lld", ["packed.o:_twin", "_main"], 3),
      ("ld64", "ld64", ["packed.o:_twin", "_main"], 2),
      ("ld-prime", "ld-prime", ["_twin", "_main"], 3),
    ] as [(String, String, [String], Int)])
  func namesakesInOneObjectFileAreCountedAsTheLinkerMovesThem(
    option: String, linker: String, lines: [String], ordered: Int
  ) throws {
    try importTrace([("_twin", 1), ("_main", 0), ("_twin", 0)])
    let made = try gen("--link-map", "app.map", "--linker", option)
    #expect(made.image["linker"] as? String == linker)
    #expect(made.image["linkerSource"] as? String == "option")
    #expect(made.lines == lines)
    #expect(made.image["recordedFunctions"] as? Int == 3)
    #expect(made.image["resolvedFunctions"] as? Int == ordered)
    let missing = try #require(made.image["missing"] as? [[String: String]])
    let reason = "unable to order: ld64 moves the first function of that name in 'packed.o'"
    #expect(missing == (ordered == 3 ? [] : [["name": "_twin", "reason": reason]]))
  }

  /// Only LC_BUILD_VERSION of the image names its linker.
  @Test func theLinkerIsTheOneThatWroteTheImage() throws {
    try importTrace([("_twin", 1), ("_main", 0), ("_twin", 0)])
    let made = try gen("--link-map", "app.map")
    #expect(made.image["linker"] as? String == "ld64.lld")
    #expect(made.image["linkerSource"] as? String == "image")
    try link("again", ["-order_file", "app.order"])
    let map = try workshop.machOCode("again", linkMap: "again.map").map
    #expect(map.prefix(3) == ["packed.o _twin", "packed.o _twin", "packed.o _main"])
    let diff = try workshop.mustOrderfile(
      "diff", "app", "again", "--trace", "app.oftrace", "--order", "app.order", "--json")
    let order = try #require(diff.json["order"] as? [String: Any])
    #expect(order["present"] as? Int == 2 && order["inOrder"] as? Int == 2)
  }

  /// In the launched build itself, addresses show which of several functions of one name ran.
  @Test(arguments: [(2, "c.o:_twin"), (0, "packed.o:_twin")])
  func anImportedAddressIsOneFunctionOfItsName(index: Int, line: String) throws {
    try importTrace([("_twin", index)])
    let made = try gen("--link-map", "app.map")
    #expect(made.lines == [line])
    #expect(made.image["recordedFunctions"] as? Int == 1)
    #expect(made.image["startupBytes"] as? Int ?? 100 <= 16, "one of them")
  }

  /// ThinLTO and -funique-internal-linkage-names add numbers to the names of local functions. LLD 21 and
  /// later ignore the numbers: one line moves all functions of the name.
  @Test(
    arguments: [
      ("_tidy.llvm.%", "ld64.lld-22", true), ("_tidy.llvm.%", "ld64.lld-22", false),
      ("_tidy.llvm.%", "ld64.lld-19", true), ("_tidy.llvm.%", "ld64.lld-19", false),
      ("_tidy.__uniq.%", "ld64.lld-22", true), ("_tidy.__uniq.%", "ld64.lld-22", false),
    ].filter { Requirement.tool($0.1).keepsArguments })
  func localFunctionsWithNumbersAreNamesakes(name: String, linker: String, hasMap: Bool) throws {
    let workshop = try Workshop()
    let (first, second) = (name.replacing("%", with: "111"), name.replacing("%", with: "222"))
    for (file, names) in [("a", ["_main", first, "_alpha"]), ("b", [second, "_beta"])] {
      let functions = names.map { ".globl \($0)\n\($0): mov x0, #1\n ret\n" }
      try workshop.write(
        (functions.joined() + ".subsections_via_symbols\n").utf8, "\(file).s")
      try workshop.must(
        "clang", ["-target", "arm64-apple-macos12", "-c", "\(file).s", "-o", "\(file).o"])
    }
    func link(_ image: String, _ flags: [String] = []) throws {
      try workshop.must(
        linker,
        [
          "-arch", "arm64", "-platform_version", "macos", "12", "12", "-undefined",
          "dynamic_lookup", "-e", "_main", "a.o", "b.o", "-o", image, "-map", "\(image).map",
        ] + flags)
    }
    try link("base")
    try workshop.write("_beta\n\(second)\n_alpha\n_main\n".utf8, "names")
    try workshop.mustOrderfile("import", "symbols", "names", "--image", "base", "-o", "t")
    let gen = try workshop.mustOrderfile(
      ["gen", "t", "--image", "base", "-o", "order"] + (hasMap ? ["--link-map", "base.map"] : []))
    #expect(gen.errors.contains("several functions are called '_tidy'") != hasMap)
    try link("ordered", ["-order_file", "order"])
    let diff = try workshop.mustOrderfile(
      "diff", "base", "ordered", "--trace", "t", "--order", "order", "--json")
    let order = try #require(diff.json["order"] as? [String: Any])
    #expect(order["present"] as? Int == order["entries"] as? Int, "\(diff.text)")
    #expect(order["present"] as? Int == order["inOrder"] as? Int, "\(diff.text)")
    if hasMap {
      let functions = try workshop.machOCode("ordered", linkMap: "ordered.map").map
      #expect(functions.prefix(3) == ["b.o _beta", "b.o \(second)", "a.o _alpha"])
    }
  }

  /// In Apple's order files `#` begins a comment. A function with several names counts once.
  @Test func whatHasNoLineIsNotCountedAsOrdered() throws {
    let workshop = try Workshop()
    let names = ["_main", "_kfun:Cart#add(){}", "_kfun:Cart#also(){}", "_kfun:main(){}", "_plain"]
    var text = ""
    for (index, name) in names.enumerated() {
      text += ".globl \"\(name)\"\n\"\(name)\":" + (index == 1 ? "\n" : " mov x0, #1\n ret\n")
    }
    // One function has two names, and only `_alias` can be written.
    text += ".globl \"_a#b\"\n\"_a#b\":\n.globl _alias\n_alias: ret\n.subsections_via_symbols\n"
    try workshop.write(text.utf8, "a.s")
    try workshop.must("clang", ["-target", "arm64-apple-ios15", "-c", "a.s", "-o", "a.o"])
    try workshop.must(
      "ld64.lld-19",
      [
        "-arch", "arm64", "-platform_version", "ios", "15", "17", "-undefined", "dynamic_lookup",
        "-e", "_main", "a.o", "-o", "app",
      ])
    let list = names.dropLast() + ["_a#b"]
    try workshop.write(list.joined(separator: "\n").utf8, "names")
    try workshop.mustOrderfile("import", "symbols", "names", "--image", "app", "-o", "t")
    let gen = try workshop.mustOrderfile("gen", "t", "--image", "app", "-o", "order")
    #expect(gen.errors.contains("ordered 3 of 4 recorded functions"), "\(gen.errors)")
    #expect(
      gen.errors.contains("left out: 1 function: 1 unable to write: a '#' begins a comment"),
      "\(gen.errors)")
  }

  /// A trace of another build names functions that launches of this one used, too.
  @Test func functionsOfBothBuildsAreCountedOnce() throws {
    try importTrace([("_twin", 0), ("_main", 0)])
    try workshop.write("_cold\n_main\n".utf8, "names")
    try link("other", ["-order_file", "names"])
    _ = try workshop.mustOrderfile(
      "import", "symbols", "names", "--image", "other", "-o", "other.oftrace")
    let ended = try workshop.mustOrderfile(
      "gen", "app.oftrace", "other.oftrace", "--image", "app", "--link-map", "app.map", "-o",
      "app.order", "--strategy", "first-hit", "--json")
    let image = try #require((ended.json["images"] as? [[String: Any]])?.first)
    #expect(image["recordedFunctions"] as? Int == 3 && image["resolvedFunctions"] as? Int == 3)
    let entries = workshop.text("app.order").split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(entries.sorted() == ["_cold", "_main", "packed.o:_twin"])
  }
}
