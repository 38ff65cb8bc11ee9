import Foundation
import TestSupport
import Testing

/// `orderfile auto --split`.
@Suite(.needs(.recording, "nm")) struct AutoSplitIntegrations {
  /// Returns a source with functions that have 4,000 bytes each that no launch runs: twenty in the program, and ten in
  /// the library.
  private static func source(_ name: String, _ count: Int, _ rest: String) -> String {
    let functions = (0..<count).map {
      """
      __attribute__((noinline)) int \(name)\($0)(int n) {
        if (__builtin_expect(n < 0, 0)) __asm__ volatile(".fill 4000, 1, 0x90" : "+r"(n));
        return n + \($0);
      }

      """
    }
    let calls = (0..<count).map { "  n = \(name)\($0)(n);\n" }.joined()
    return functions.joined() + "int all_\(name)(int n) {\n\(calls)  return n;\n}\n" + rest
  }

  private func makeProject() throws -> AutoProject {
    let project = try AutoProject(makefile: false)
    let main = """
      #include <stdio.h>
      int all_library(int);
      int main(int n, char **v) { printf("%d\\n", all_app(all_library(n))); return 0; }

      """
    try project.write("app.c", Self.source("app", 20, main))
    try project.write("library.c", Self.source("library", 10, ""))
    try project.write(
      "Makefile",
      """
      CFLAGS = -O1 -fPIC
      app: app.o liblibrary.so
      \t$(CC) -o $@ app.o -L. -llibrary -Wl,-rpath,'$$ORIGIN'
      liblibrary.so: library.o
      \t$(CC) -shared -o $@ library.o

      """)
    return project
  }

  private func pagesAfter(_ run: Run) throws -> Int {
    let pages = try #require(run.json["pages"] as? [String: Any], "\(run.errors)")
    return try #require(pages["after"] as? Int)
  }

  private func hasColdParts(_ project: AutoProject, _ image: String) throws -> Bool {
    try project.workshop.must("nm", ["\(project.output)/images/\(image)"]).text.contains("0.cold\n")
  }

  @Test func whatRanOfFunctionsIsPlacedTogether() throws {
    let project = try makeProject()
    let build = ["--", "make", "CC=clang"]
    let launch = ["--launch", "./app"]
    let whole = try pagesAfter(try project.start(launch + build).end())
    let run = try project.start(launch + ["--split"] + build).end()
    #expect(run.status == 0, "\(run.errors)")
    #expect(try pagesAfter(run) < whole - 20)
    let split = try #require(run.json["split"] as? [String: Any])
    #expect(split["isKept"] as? Bool == true)
    #expect(try (split["pages"] as? [String: Int])?["after"] == pagesAfter(run))
    for image in ["app", "liblibrary.so"] { #expect(try hasColdParts(project, image)) }
    let images = try #require(run.json["images"] as? [[String: Any]])
    for image in images {
      let compliance = try #require(image["compliance"] as? [String: Any])
      #expect(compliance["inOrder"] as? Int == compliance["present"] as? Int)
      let options = try #require(image["compileOptions"] as? [String])
      #expect(options.contains("-fbasic-block-sections=list=\(project.output)/split.clusters"))
    }
    let ordered = try project.workshop.start(
      "/bin/sh",
      ["-c", "LD_LIBRARY_PATH='\(project.output)/images' '\(project.output)/images/app'"]
    ).end()
    #expect(ordered.text == "236\n")

    let again = try project.start(launch + ["--split"] + build).end()
    #expect(again.errors.contains("nothing has changed"), "\(again.errors)")
    // A changed source is recorded in a build that is not split.
    try project.write(
      "library.c", Self.source("library", 10, "int another(int n) { return n; }\n"))
    let changed = try project.start(launch + ["--split"] + build).end()
    #expect(
      changed.status == 0 && changed.errors.contains("orderfile: record"), "\(changed.errors)")
    #expect(try hasColdParts(project, "liblibrary.so"))
    // Without the option all functions are whole again.
    #expect(try pagesAfter(try project.start(launch + build).end()) >= whole)
    #expect(try !hasColdParts(project, "app"))
  }

  @Test(.needs("gcc")) func otherCompilersAreRefused() throws {
    let project = try makeProject()
    let run = try project.auto("--launch", "./app", "--split", "--", "make", "CC=gcc")
    #expect(run.status == 1 && run.errors.contains("--split: unable to split: no image"))
    #expect(run.errors.contains("hint: compile with clang 19 or later"))
    #expect(run.errors.contains("-- make CC=clang"))
    // The next run configures and compiles the project from the start.
    let next = try project.auto("--launch", "./app", "--split", "--", "make", "CC=clang")
    #expect(next.status == 0, "\(next.errors)")
  }
}
