import Foundation
import TestSupport
import Testing

/// `orderfile auto` with libraries that are loaded by a symbolic link, such as `libshared.so.1`.
@Suite(.needs(.recording)) struct AutoLibraryTests {
  static let file = "libshared.so.1.2.3"

  /// Like Meson, `configure` makes the links to the library, and no rule makes them again.
  private static func projectWithConfiguredLinks() throws -> AutoProject {
    let project = try AutoProject()
    try project.write("generated.c", "int generated(int n) { return n + 3; }\n")
    try project.writeProgram(
      "configure",
      "#!/bin/sh\nln -s \(file) libshared.so.1 && ln -s libshared.so.1 libshared.so\n")
    try project.write(
      "Makefile",
      """
      app: src/main.c static.c \(file)
      \t$(CC) -o $@ src/main.c static.c \(file) -Wl,-rpath,'$$ORIGIN'
      \(file): shared.c generated.c
      \t$(CC) -shared -fPIC -o $@ shared.c generated.c -Wl,-soname,libshared.so.1

      """)
    return project
  }

  @Test func linksThatNoRuleMakesAreKept() throws {
    let project = try Self.projectWithConfiguredLinks()
    let run = try project.start([
      "--launch", "./app", "--", "sh", "-c", "test -L libshared.so || ./configure; make CC=clang",
    ]).end()
    #expect(run.status == 0, "\(run.errors)")
    let images = try #require(run.json["images"] as? [[String: Any]])
    #expect(
      Set(images.compactMap { $0["image"] as? String }) == ["images/app", "images/\(Self.file)"])
    for (link, target) in [("libshared.so", "libshared.so.1"), ("libshared.so.1", Self.file)] {
      let path = "\(project.output)/work/tree/\(link)"
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == target)
    }
  }

  /// A recorder has the path by which the loader opened the library: the link.
  @Test(.needs("clang"), arguments: [["--instrument"], ["--data"]])
  func aLibraryThatIsLoadedByALinkIsRecordedByAnInstrumentedBuild(options: [String]) throws {
    let project = try Self.projectWithConfiguredLinks()
    let command = "test -L libshared.so || ./configure; make CC=clang"
    let run = try project.start(
      options + ["--launch", "./app", "--", "sh", "-c", command]
    ).end()
    #expect(run.status == 0, "\(run.errors)")
    let images = try #require(run.json["images"] as? [[String: Any]])
    #expect(
      Set(images.compactMap { $0["image"] as? String }) == ["images/app", "images/\(Self.file)"])
  }
}
