import Testing

@Suite struct RecorderNameTests {
  /// The tool recognizes the recorder's functions by their names, because a program may have functions with the same
  /// prefix.
  @Test func theToolKnowsTheRecordersFunctions() throws {
    let call = /\b(of_|orderfile_)[a-z0-9_]+(?=\s*\()/
    var called: Set<String> = []
    let shared = try sourceFiles("Runtime/InProcess", ["h"]).filter {
      $0.path.hasSuffix("/of_linux_syscall.h")
    }
    for line in try (sourceFiles("Runtime/Recorder", ["c", "h"]) + shared).flatMap(\.lines) {
      for match in line.matches(of: call) { called.insert(String(match.0)) }
    }
    let files = try sourceFiles("Sources/Formats/Symbolication/Names", ["swift"])
    let list = try #require(files.first { $0.path.hasSuffix("/RecorderFunctions.swift") })
    let words = list.lines.flatMap { $0.split(separator: " ").map(String.init) }
    let known = Set(words.filter { $0.wholeMatch(of: /(of_|orderfile_)[a-z0-9_]+/) != nil })
    #expect(called.count > 100)
    #expect(called.subtracting(known).sorted() == [])
    #expect(known.subtracting(called).sorted() == [])
  }
}
