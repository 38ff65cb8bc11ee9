import CommandSupport
import Foundation
import TestSupport
import Testing

@Suite struct RepositoryPathTests {
  /// Code scanning expects paths relative to the repository, wherever the command ran.
  @Test(arguments: [
    ("repository/ci/budget.json", "ci/budget.json"), ("repository/budget.json", "budget.json"),
    ("link/ci/budget.json", "ci/budget.json"), ("repository/ci/../budget.json", "budget.json"),
    ("module/budget.json", "budget.json"),
  ])
  func aFileHasItsPathInTheRepository(path: String, expected: String) throws {
    let workshop = try Self.workshop()
    #expect(RepositoryPath.of(workshop.folder.path + "/" + path) == expected)
  }

  @Test func anotherFileKeepsItsPath() throws {
    let workshop = try Self.workshop()
    for name in ["outside.json", "nowhere.json"] {
      let path = workshop.folder.path + "/" + name
      #expect(RepositoryPath.of(path) == path)
    }
    #expect(RepositoryPath.of("nowhere.json") == "nowhere.json")
  }

  /// Makes a repository, a work tree whose `.git` is a file, and a file outside of both.
  private static func workshop() throws -> Workshop {
    let workshop = try Workshop()
    let files = FileManager.default
    func path(_ name: String) -> URL { workshop.folder.appendingPathComponent(name) }
    for folder in ["repository/.git", "repository/ci", "module"] {
      try files.createDirectory(at: path(folder), withIntermediateDirectories: true)
    }
    try files.createSymbolicLink(at: path("link"), withDestinationURL: path("repository"))
    for file in [
      "repository/ci/budget.json", "repository/budget.json", "module/.git", "module/budget.json",
      "outside.json",
    ] {
      try workshop.write([], file)
    }
    return workshop
  }
}
