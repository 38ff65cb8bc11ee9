import Foundation
import ImageModel
import TestSupport
import Testing

/// Tests how names of a recorded build are found in a release build. Real compilers made both builds.
@Suite struct TwoBuildsTests {
  static let swiftc = Tool("swiftc")
  static let clang = Tool("clang")
  static let lld = Tool("ld.lld")
  static let gcc = Tool("gcc")
  static let rustc = Tool("rustc")

  /// The result for each name of `recorded` that is not in `release`.
  static func changed(_ recorded: [String], in release: [String]) -> [String: String] {
    let known = Set(release)
    var outcomes: [String: String] = [:]
    for name in recorded where !known.contains(name) {
      outcomes[name] = SymbolMapTests.outcome(name, in: release)
    }
    return outcomes
  }

  static let coverage = "func,trace-pc-guard,pc-table"

  @Test(.needs("swiftc", "nm"))
  func swiftFunctionsThatOnlyOneBuildMerges() throws {
    try withTemporaryFolder { folder in
      let source = folder.appendingPathComponent("pairs.swift")
      try Data(Self.similarFunctions.utf8).write(to: source)
      func build(_ options: [String]) throws -> [String] {
        let object = folder.appendingPathComponent("pairs.o")
        _ = try #require(Self.swiftc).run(
          [
            "-O", "-parse-as-library", "-module-name", "pairs", "-c", source.path, "-o",
            object.path,
            "-Xfrontend", "-function-sections",
          ] + options)
        return try functionNames(in: object)
      }
      let release = try build([])
      let recorded = try build(
        ["-sanitize=fuzzer", "-sanitize-coverage=\(Self.coverage)"].flatMap { ["-Xfrontend", $0] })
      let changed = Self.changed(recorded, in: release)
      try #require(!changed.isEmpty)
      #expect(
        changed["sancov.module_ctor_trace_pc_guard"]
          == "missing: a constructor of -fsanitize-coverage, only in instrumented builds")
      for (name, outcome) in changed where name.hasSuffix("Tm") {
        let original = String(name.dropLast(2))
        let expected =
          release.contains(original)
          ? "original \(original)"
          : "missing: only in the recorded build: a merged function, whose original functions have entries of their own"
        #expect(outcome == expected)
      }
      // A function that the release build has merged away is found as its body.
      for merged in release where merged.hasSuffix("Tm") {
        let original = String(merged.dropLast(2))
        guard let outcome = changed[original] else { continue }
        #expect(outcome == "mergedBody \(merged)")
      }
    }
  }

  @Test(.needs("clang", "ld.lld", "nm"), arguments: ["thin", "full"])
  func localFunctionsThatLinkTimeOptimizationRenames(mode: String) throws {
    try withTemporaryFolder { folder in
      let first = folder.appendingPathComponent("first.c")
      let second = folder.appendingPathComponent("second.c")
      try Data(
        """
        static __attribute__((noinline)) int hidden(int x) { return x * x + 3; }
        int apply(int x) { return hidden(x) + 1; }
        int (*pointer(void))(int) { return hidden; }
        """.utf8
      ).write(to: first)
      try Data(
        """
        int apply(int); int (*pointer(void))(int);
        static __attribute__((noinline)) int hidden(int x) { return x / 5 + x; }
        int main(int n, char **v) { return apply(n) + hidden(n) + pointer()(n); }
        """.utf8
      ).write(to: second)
      let image = folder.appendingPathComponent("image")
      func link(_ options: [String]) throws -> [String] {
        _ = try #require(Self.clang).run(
          ["-O2", "-fuse-ld=lld", first.path, second.path, "-o", image.path] + options)
        return try functionNames(in: image)
      }
      let plain = try link([])
      let optimized = try link(["-flto=\(mode)"])
      let renamed = optimized.filter { $0.hasPrefix("hidden.") }
      try #require(renamed.count == 1)
      // If one build has LTO and the other does not, both functions are found, whichever build was recorded.
      try #require(plain.filter { $0 == "hidden" }.count == 2)
      let found = SymbolMapTests.outcome("hidden", in: optimized)
      #expect(mode == "full" ? found == "exact hidden" : found.hasPrefix("exact hidden"))
      #expect(found.contains(renamed[0]) == (mode == "thin"))
      #expect(Self.changed(optimized, in: plain)[renamed[0]] == "base hidden hidden ?")
      let other = renamed[0] + "1"
      #expect(SymbolMapTests.outcome(other, in: optimized) == "renumbered \(renamed[0])")
    }
  }

  @Test(.needs("gcc", "nm"))
  func clonesAndColdPartsOfGCC() throws {
    try withTemporaryFolder { folder in
      let source = folder.appendingPathComponent("clones.c")
      try Data(
        """
        #include <stdlib.h>
        struct S { int a, b; };
        static __attribute__((noinline)) int scalar(struct S *s, int k) { return s->a * k + s->b / (k + 1); }
        static __attribute__((noinline)) int constant(int a, int k) {
          int t = 0;
          for (int i = 0; i < a; i++) t ^= i * k;
          return t;
        }
        __attribute__((cold, noinline)) void report(int);
        int run(int n) {
          struct S s = {n, n * 2};
          if (n > 5) { report(n); abort(); }
          return scalar(&s, 7) + constant(n, 3);
        }
        """.utf8
      ).write(to: source)
      let object = folder.appendingPathComponent("clones.o")
      func build(_ options: [String]) throws -> [String] {
        _ = try #require(Self.gcc).run(["-c", source.path, "-o", object.path] + options)
        return try functionNames(in: object)
      }
      let optimized = try build(["-O2"])
      let plain = try build([
        "-O1", "-fno-ipa-sra", "-fno-ipa-cp", "-fno-reorder-blocks-and-partition",
      ])
      try #require(optimized.contains { $0.hasPrefix("scalar.") })
      try #require(optimized.contains { $0.hasPrefix("run.cold") })
      try #require(plain.contains("scalar") && !plain.contains { $0.contains(".") })
      let forward = Self.changed(plain, in: optimized)
      #expect(forward["scalar"]?.hasPrefix("variant scalar.") == true)
      #expect(forward["constant"]?.hasPrefix("variant constant.") == true)
      for (name, outcome) in Self.changed(optimized, in: plain) {
        let isCold = name.hasPrefix("run.cold")
        let base = String(name.prefix { $0 != "." })
        #expect(
          outcome
            == (isCold
              ? "unsplit \(base)" : "base \(base)"))
      }
    }
  }

  /// `-Cmetadata` changes the hashes as another version or other features of a crate do.
  @Test(.needs("rustc", "nm"), arguments: [[], ["-Csymbol-mangling-version=v0"]])
  func rustFunctionsWhoseHashesDiffer(scheme: [String]) throws {
    try withTemporaryFolder { folder in
      let source = folder.appendingPathComponent("names.rs")
      let object = folder.appendingPathComponent("names.o")
      try Data(RustSource.text.utf8).write(to: source)
      func build(_ options: [String]) throws -> [String] {
        _ = try #require(Self.rustc).run(
          [
            "-O", "--edition=2021", "--crate-type=bin", "--emit=obj", source.path, "-o",
            object.path,
          ]
            + scheme + options)
        return try functionNames(in: object)
      }
      let release = try build(["-Cmetadata=release"])
      let recorded = try build(
        ["-Cmetadata=recorded", "-Cpasses=sancov-module"]
          + ["level=1", "trace-pc-guard", "pc-table"].map {
            "-Cllvm-args=-sanitizer-coverage-\($0)"
          })
      let changed = Self.changed(recorded, in: release)
      #expect(changed.count > 10)
      for (name, outcome) in changed where name != "sancov.module_ctor_trace_pc_guard" {
        #expect(outcome.hasPrefix("renumbered "), "\(name)")
      }
    }
  }

  /// Pairs of functions that differ in a constant.
  static let similarFunctions = """
    public final class First {
      var list = [Int](), text = ""
      public init() {}
      public func add(_ n: Int) -> Int { list.append(n); text += "a1"; return list.count + text.count }
    }
    public final class Second {
      var list = [Int](), text = ""
      public init() {}
      public func add(_ n: Int) -> Int { list.append(n); text += "b2"; return list.count + text.count }
    }
    public struct Point: Hashable, Codable { public var x: Int, name: String }
    public struct Place: Hashable, Codable { public var x: Int, name: String }
    public enum Letter: Int, CaseIterable { case a = 1, b, c }
    public enum Digit: Int, CaseIterable { case a = 1, b, c }
    """
}
