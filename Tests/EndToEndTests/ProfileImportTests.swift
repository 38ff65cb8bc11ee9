import Foundation
import TestSupport
import Testing

/// Temporal profiles of programs that clang and swiftc compiled, compared with the output of llvm-profdata.
@Suite(.needs("clang", "ld.lld", "llvm-profdata")) struct ProfileImportTests {
  private static let program = """
    #include <stdio.h>
    #define F(n) __attribute__((noinline)) void n(void) { puts(#n); }
    F(one) F(two)
    static __attribute__((noinline)) void own(void) { puts("own"); }
    F(never)
    int main(int count, char **words) {
      if (count > 1) two();
      own();
      one();
      if (count > 2) never();
      return words == 0;
    }

    """

  /// The functions of the trace, in its order.
  private func names(_ trace: String, in workshop: Workshop) throws -> [String] {
    let json = try workshop.mustOrderfile("show", "--json", trace).json
    let hits = json["hits"] as? [[String: Any]] ?? []
    return hits.compactMap { ($0["names"] as? [String])?.first }
  }

  /// The traces that llvm-profdata shows, without the files of local functions.
  private func shown(_ output: String) -> [[String]] {
    var traces: [[String]] = []
    for line in output.split(separator: "\n") {
      if line.hasPrefix("  Temporal Profile Trace ") {
        traces.append([])
      } else if line.hasPrefix("    "), !traces.isEmpty {
        let name = line.drop { $0 == " " }
        traces[traces.count - 1].append(String(name.split(separator: ";").last ?? name))
      }
    }
    return traces
  }

  /// LLVM 17 puts `:` after the file of a local function; LLVM 18 and later put `;`.
  @Test func localFunctionsOfAnOlderProfileAreFound() throws {
    let workshop = try Workshop()
    try workshop.write(Self.program.utf8, "main.c")
    try workshop.must(
      "clang", ["-O1", "-ffunction-sections", "main.c", "-fuse-ld=lld", "-o", "app"])
    try workshop.write(
      ":ir\n:temporal_prof_traces\n1\n1\n1\nmain,two,src/main.c:own,one,main.c:gone,\n".utf8, "old")
    let run = try workshop.mustOrderfile(
      "import", "proftext", "old", "--image", "app", "-o", "t")
    #expect(try names("t", in: workshop) == ["main", "two", "own", "one"])
    #expect(run.errors.contains("missing 'main.c:gone'"), "\(run.errors)")
  }

  @Test func theTracesAreThoseThatLLVMShows() throws {
    let workshop = try Workshop()
    try workshop.write(Self.program.utf8, "main.c")
    let clang = try #require(toolPath("clang"))
    let build = ["-O1", "-ffunction-sections", "main.c", "-fuse-ld=lld"]
    try workshop.must("clang", build + ["-o", "app"])
    let made = try workshop.start(
      clang,
      build + ["-fprofile-generate", "-mllvm", "-pgo-temporal-instrumentation", "-o", "profiled"]
    ).end()
    try #require(made.status == 0, "\(made.errors)")
    for (number, arguments) in [[], ["x"], ["x", "y"]].enumerated() {
      let run = try workshop.start(
        "./profiled", arguments, environment: ["LLVM_PROFILE_FILE": "\(number + 1).profraw"]
      ).end()
      try #require(run.status == 0)
    }
    // The llvm-profdata beside clang has clang's version.
    let beside = URL(fileURLWithPath: clang).deletingLastPathComponent()
      .appendingPathComponent("llvm-profdata").path
    let profdata =
      FileManager.default.isExecutableFile(atPath: beside) ? beside : "llvm-profdata"
    try workshop.must(
      profdata, ["merge", "1.profraw", "2.profraw", "3.profraw", "-o", "app.profdata"])
    let expected = shown(
      try workshop.must(profdata, ["show", "--temporal-profile-traces", "app.profdata"]).text)
    try #require(expected.count == 3)
    #expect(expected.contains(["main", "two", "own", "one"]))

    let run = try workshop.mustOrderfile(
      "import", "profdata", "app.profdata", "--image", "app", "-o", "traces/")
    #expect(run.errors.contains("imported 3 functions from 3 names of app.profdata: traces/"))
    let traces = try (1...3).map { try names("traces/\($0).oftrace", in: workshop) }
    #expect(traces == expected)
    try workshop.must(profdata, ["merge", "--text", "app.profdata", "-o", "app.proftext"])
    for number in 1...3 {
      try workshop.mustOrderfile(
        "import", "proftext", "app.proftext", "--image", "app", "--trace-number", "\(number)", "-o",
        "\(number).oftrace")
      #expect(try names("\(number).oftrace", in: workshop) == expected[number - 1])
    }
    // A raw profile is one launch.
    try workshop.mustOrderfile(
      "import", "profdata", "2.profraw", "--image", "app", "--llvm-profdata", profdata, "-o",
      "raw.oftrace")
    #expect(try names("raw.oftrace", in: workshop) == ["main", "two", "own", "one"])
    let order = try workshop.mustOrderfile("gen", "raw.oftrace", "--image", "app")
    // The functions of the profile follow the initializers of the C runtime.
    #expect(order.text.hasSuffix("main\ntwo\nown\none\n"))
    let several = try workshop.orderfile(
      "import", "profdata", "app.profdata", "--image", "app", "-o", "one.oftrace")
    #expect(several.status == 1 && several.errors.contains("unable to write 3 traces to one file"))
    #expect(!workshop.fileNames.contains("one.oftrace"))
  }
}
