import ImageModel
import TestSupport
import Testing
import Workflows

@Suite struct ProjectEditTests {
  private static let edit = ProjectEdit(
    "CMakeLists.txt", .line("include(x)  # orderfile init", behind: "project"))

  @Test(arguments: [
    ("project(a)\nadd(b)\n", "project(a)\ninclude(x)  # orderfile init\nadd(b)\n"),
    ("project(a)", "project(a)\ninclude(x)  # orderfile init"),
    ("project(a)\n", "project(a)\ninclude(x)  # orderfile init\n"),
    ("x()\r\nproject (a)\r\nb()", "x()\r\nproject (a)\r\ninclude(x)  # orderfile init\r\nb()"),
    ("x()\r\nPROJECT(a)", "x()\r\nPROJECT(a)\r\ninclude(x)  # orderfile init"),
    (
      "# project(no)\nset(p \"project(no\")\n  project(a # )\n \")\" (b)\n)\nend()\n",
      "# project(no)\nset(p \"project(no\")\n  project(a # )\n \")\" (b)\n)\ninclude(x)  # orderfile init\nend()\n"
    ),
  ])
  func aLineIsPutBehindTheCallAndRemovedExactly(before: String, after: String) throws {
    let changed = try Self.edit.applied(to: Array(before.utf8))
    #expect(String(decoding: changed ?? [], as: UTF8.self) == after)
    // Once only.
    #expect(try Self.edit.applied(to: changed) == changed)
    #expect(try Self.edit.removed(from: changed) == Array(before.utf8))
    #expect(try Self.edit.removed(from: Array(before.utf8)) == Array(before.utf8))
  }

  @Test(arguments: [
    "", "projects(a)\n", "x project(a)\n", "project(a\n", "# project(a)\n", "project",
  ])
  func withoutTheCallThereIsNoPlace(text: String) {
    let error = #expect(throws: Diagnostic.self) { try Self.edit.applied(to: Array(text.utf8)) }
    #expect(error?.description == "CMakeLists.txt: missing a call of project()")
  }

  @Test func aLineThatSomebodyChangedIsLeft() {
    let text = Array("project(a)\ninclude(y)  # orderfile init\n".utf8)
    for change in [Self.edit.applied, Self.edit.removed] {
      let error = #expect(throws: Diagnostic.self) { try change(text) }
      #expect(
        error?.message
          == "the line was changed: expected 'include(x)  # orderfile init', found 'include(y)  # orderfile init'"
      )
      #expect(error?.context == ["CMakeLists.txt:2"])
    }
  }

  @Test func filesOfOthersAreLeft() throws {
    let own = ProjectEdit("orderfile.cmake", .file("own\n"))
    #expect(try own.applied(to: nil) == Array("own\n".utf8))
    #expect(try own.applied(to: Array("own\n".utf8)) == Array("own\n".utf8))
    #expect(try own.removed(from: Array("own\n".utf8)) == nil)
    #expect(try own.removed(from: nil) == nil)
    #expect(throws: Diagnostic.self) { try own.applied(to: Array("other\n".utf8)) }
    #expect(throws: Diagnostic.self) { try own.removed(from: Array("own\nmore\n".utf8)) }

    let users = ProjectEdit("app.order", .userFile("# empty\n"))
    #expect(try users.applied(to: nil) == Array("# empty\n".utf8))
    #expect(try users.applied(to: Array("main\n".utf8)) == Array("main\n".utf8))
    #expect(try users.removed(from: Array("main\n".utf8)) == Array("main\n".utf8))
    #expect(try users.removed(from: Array("# empty\n".utf8)) == nil)
  }

  /// Whatever a file has, what was added is removed exactly.
  @Test func addingAndRemovingRestoresAnyText() throws {
    var random = SeededRandom(seed: 3)
    let parts = [
      "project(", ")", "\n", "\r\n", "\"", "#", "'", "a", " ", "\\", "(", "project", "\u{e9}",
    ]
    var changedCount = 0
    for _ in 0..<3000 {
      let text = Array(
        (0..<12).map { _ in parts.randomElement(using: &random) ?? "" }.joined().utf8)
      guard let changed = try? Self.edit.applied(to: text) else { continue }
      changedCount += 1
      let restored = try Self.edit.removed(from: changed)
      #expect(changed != text && restored == text)
    }
    #expect(changedCount > 50)
  }
}

@Suite struct BuildIntegrationTests {
  @Test func mesonGetsTheLanguagesOfItsProject() throws {
    let integration = try BuildIntegration(
      of: "meson", describedBy: "project('x', 'cpp')\nx = 'c'\n")
    let contents = try integration.edits[1].applied(to: nil) ?? []
    #expect(String(decoding: contents, as: UTF8.self).contains("language : ['cpp'])"))
  }

  @Test(arguments: [
    ("cargo", "[workspace]\n", "workspace"),
    ("cargo", "[package]\nbuild = \"b.rs\"\n", "build script of its own"),
    ("make", "", "has no file"),
  ])
  func whereThereIsNoPlaceTheErrorSaysWhatToDo(system: String, text: String, message: String) {
    let error = #expect(throws: Diagnostic.self) {
      try BuildIntegration(of: system, describedBy: text)
    }
    #expect(error?.message.contains(message) ?? false)
    #expect(error?.hint != nil && error?.severity == .usage)
  }
}
