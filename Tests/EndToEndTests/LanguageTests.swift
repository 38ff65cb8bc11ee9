import Foundation
import TestSupport
import Testing

/// The way from a launch to a layout for Swift, Rust, and several languages in one image.
@Suite(.needs(.recording)) struct LanguageTests {
  static let swiftLibrary = """
    public struct First { public var x: Int, name: String
      public init(x: Int, name: String) { self.x = x; self.name = name } }
    public final class Box { var list = [Int](), text = ""
      public init() {}
      @inline(never) public func add(_ n: Int) -> Int { list.append(n); text += "a1"; return list.count + text.count } }
    public final class Crate { var list = [Int](), text = ""
      public init() {}
      @inline(never) public func add(_ n: Int) -> Int { list.append(n); text += "b2"; return list.count + text.count } }
    @inline(never) public func libraryLast(_ n: Int) -> Int { n &* 3 }
    @inline(never) public func libraryUnused(_ n: Int) -> Int { n &* 5 }
    @inline(never) public func libraryFirst(_ n: Int) -> Int { libraryLast(n) &+ 1 }
    """
  static let swiftMain = """
    import Library
    @inline(never) func late(_ n: Int) -> Int { Crate().add(n) + Box().add(n) }
    @inline(never) func unused(_ n: Int) -> Int { libraryUnused(n) &+ 7 }
    @inline(never) func early(_ n: Int) -> Int { libraryFirst(n) &+ First(x: n, name: "x").x }
    let count = CommandLine.arguments.count
    print(early(count), late(count), count > 90 ? unused(count) : 0)
    """

  static let swiftRecorded = [
    "-sanitize=fuzzer", "-sanitize-coverage=func,trace-pc-guard,pc-table",
  ].flatMap { ["-Xfrontend", $0] }

  /// Returns the names of the functions in an image, by address.
  static func functions(_ workshop: Workshop, _ image: String) throws -> [String] {
    try workshop.must("nm", ["-n", image]).text.split(separator: "\n")
      .filter { $0.dropFirst(17).first.map { "tTwW".contains($0) } ?? false }
      .map { String($0.dropFirst(19)) }
  }

  /// Runs `record` and `gen`, and checks that a relinked image has the order `order`, which has a part of each name.
  static func check(
    _ workshop: Workshop, order: [String], cold: [String] = [],
    relink: (_ orderFile: String) throws -> Void
  ) throws {
    let recorded = try workshop.orderfile("record", "-o", "t", "./app.rec")
    try #require(recorded.status == 0, "\(recorded.errors)")
    #expect(recorded.output == (try workshop.must("./app", [])).output)
    let gen = try workshop.mustOrderfile(
      "gen", "t", "--image", "app", "-o", "app.order", "--list-missing")
    try relink("app.order")
    #expect(try workshop.must("./ordered", []).output == recorded.output)
    let functions = try functions(workshop, "ordered")
    let found = functions.compactMap { name in (order + cold).first { name.contains($0) } }
    #expect(Array(found.prefix(order.count)) == order, "\(functions) \(gen.errors)")
    let diff = try workshop.mustOrderfile(
      "diff", "app", "ordered", "--trace", "t", "--order", "app.order", "--json")
    let compliance = try #require(diff.json["order"] as? [String: Any])
    #expect(compliance["entries"] as? Int == compliance["present"] as? Int, "\(diff.text)")
    #expect(compliance["inOrder"] as? Int == compliance["present"] as? Int, "\(diff.text)")
  }

  @Test(.needs("swiftc")) func swiftModulesAreOrdered() throws {
    let workshop = try Workshop()
    try workshop.write(Self.swiftLibrary.utf8, "library.swift")
    try workshop.write(Self.swiftMain.utf8, "main.swift")
    let common = ["-O", "-Xfrontend", "-function-sections", "-parse-as-library"]
    func build(_ suffix: String, _ options: [String]) throws {
      try workshop.must(
        "swiftc",
        common + [
          "-module-name", "Library", "-emit-module", "-c", "library.swift", "-o",
          "library\(suffix)",
        ]
          + options)
      try workshop.must(
        "swiftc",
        Array(common.dropLast()) + [
          "-module-name", "app", "-I.", "-c", "main.swift", "-o", "main\(suffix)",
        ] + options)
    }
    func link(_ suffix: String, _ image: String, _ options: [String]) throws {
      try workshop.must(
        "swiftc",
        ["library\(suffix)", "main\(suffix)", "-o", image, "-use-ld=lld", "-Xlinker", "--build-id"]
          + options)
    }
    try build(".rec.o", Self.swiftRecorded)
    try link(".rec.o", "app.rec", [try #require(Built.recorder)])
    try build(".o", [])
    try link(".o", "app", [])
    try Self.check(
      workshop,
      order: [
        "main", "3app5early", "7Library12libraryFirst", "7Library11libraryLast", "3app4late",
      ],
      cold: ["3app6unused", "13libraryUnused"]
    ) { order in
      try link(".o", "ordered", ["-Xlinker", "--symbol-ordering-file=\(order)"])
    }
    // The compiler chooses which of the two similar methods is the body and which is the thunk.
    let names = SeveralImagesTests.names(workshop, "app.order")
    #expect(names.contains { $0.contains("7Library5CrateC3add") })
    let show = try workshop.mustOrderfile("show", "t", "--demangle", "short")
    #expect(show.text.contains("libraryFirst"))
    #expect(!show.text.contains("$s7Library"))
  }

  static let rustMain = """
    fn opaque(n: usize) -> usize { unsafe { std::ptr::read_volatile(&n) } }
    #[inline(never)] fn last(n: usize) -> usize { opaque(n) * 3 }
    #[inline(never)] fn unused(n: usize) -> usize { opaque(n) * 5 }
    #[inline(never)] fn first(n: usize) -> usize { last(n) + 1 }
    fn main() {
      let n = std::env::args().count();
      println!("{}", if n > 90 { unused(n) } else { first(n) });
    }
    """

  @Test(.needs("rustc")) func rustIsOrdered() throws {
    let workshop = try Workshop()
    try workshop.write(Self.rustMain.utf8, "main.rs")
    func build(_ image: String, _ options: [String]) throws {
      try workshop.must(
        "rustc",
        [
          "-O", "main.rs", "-o", image, "-Clinker=clang", "-Clink-arg=-fuse-ld=lld",
          "-Clink-arg=-Wl,--build-id",
        ] + options)
    }
    try build(
      "app.rec",
      [
        "-Cmetadata=recorded", "-Cpasses=sancov-module",
        "-Cllvm-args=-sanitizer-coverage-level=1", "-Cllvm-args=-sanitizer-coverage-trace-pc-guard",
        "-Cllvm-args=-sanitizer-coverage-pc-table",
        "-Clink-arg=\(try #require(Built.recorder))",
      ])
    try build("app", [])
    try Self.check(
      workshop, order: ["4main4main17h", "4main5first17h", "4main4last17h"],
      cold: ["4main6unused17h"]
    ) { order in
      try build("ordered", ["-Clink-arg=-Wl,--symbol-ordering-file=\(order)"])
    }
  }

  /// Swift's `main` calls C++, which calls C.
  @Test(.needs("swiftc")) func severalLanguagesInOneImage() throws {
    let workshop = try Workshop()
    try workshop.write(
      Array(
        """
        @_silgen_name("cxx_enter") func enter(_ n: Int32) -> Int32
        @inline(never) func swiftFunction(_ n: Int32) -> Int32 { enter(n) &+ 1 }
        print(swiftFunction(Int32(CommandLine.arguments.count)))
        """.utf8), "main.swift")
    try workshop.write(
      Array(
        """
        #include <string>
        extern "C" int c_leaf(int);
        template <class T> __attribute__((noinline)) T twice(T x) { return x + x; }
        extern "C" int cxx_enter(int n) { return twice(c_leaf(n)) + int(std::to_string(n).size()); }
        """.utf8), "middle.cc")
    try workshop.write(
      Array("int c_unused(int n) { return n; }\nint c_leaf(int n) { return n * 3; }".utf8), "leaf.c"
    )
    func build(_ suffix: String, c: [String], swift: [String]) throws {
      let common = ["-O1", "-ffunction-sections", "-c"] + c
      try workshop.must("clang", common + ["leaf.c", "-o", "leaf\(suffix)"])
      try workshop.must("clang++", common + ["middle.cc", "-o", "middle\(suffix)"])
      try workshop.must(
        "swiftc",
        [
          "-O", "-Xfrontend", "-function-sections", "-module-name", "app", "-c", "main.swift", "-o",
          "main\(suffix)",
        ]
          + swift)
    }
    func link(_ suffix: String, _ image: String, _ options: [String]) throws {
      try workshop.must(
        "swiftc",
        [
          "main\(suffix)", "middle\(suffix)", "leaf\(suffix)", "-o", image, "-use-ld=lld",
          "-lstdc++",
          "-Xlinker", "--build-id",
        ] + options)
    }
    try build(".rec.o", c: [Build.coverage], swift: Self.swiftRecorded)
    try link(".rec.o", "app.rec", [try #require(Built.recorder)])
    try build(".o", c: [], swift: [])
    try link(".o", "app", [])
    try Self.check(
      workshop, order: ["main", "3app13swiftFunction", "cxx_enter", "c_leaf", "_Z5twice"],
      cold: ["c_unused"]
    ) { order in
      try link(".o", "ordered", ["-Xlinker", "--symbol-ordering-file=\(order)"])
    }
  }
}
