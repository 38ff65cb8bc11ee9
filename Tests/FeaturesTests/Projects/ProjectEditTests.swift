import ImageModel
import Projects
import TestSupport
import Testing

@Suite struct ProjectEditTests {
  private static let edit = ProjectEdit(
    "CMakeLists.txt",
    .line("include(x)  # orderfile init", behind: ProjectEdit.Call("project", in: "cmake")))

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
    (
      "#[[\nproject(no)\n]]\nset(note don't [=[\nproject(no) ]] ]=] \\\")\nproject(a)\n",
      "#[[\nproject(no)\n]]\nset(note don't [=[\nproject(no) ]] ]=] \\\")\nproject(a)\ninclude(x)  # orderfile init\n"
    ),
  ])
  func aLineIsPutBehindTheCallAndRemovedExactly(before: String, after: String) throws {
    let changed = try Self.edit.applied(to: Array(before.utf8))
    #expect(String(decoding: changed ?? [], as: UTF8.self) == after)
    // The line is added only once.
    #expect(try Self.edit.applied(to: changed) == changed)
    #expect(try Self.edit.removed(from: changed) == Array(before.utf8))
    #expect(try Self.edit.removed(from: Array(before.utf8)) == Array(before.utf8))
  }

  @Test(arguments: [
    "", "projects(a)\n", "x project(a)\n", "project(a\n", "# project(a)\n", "project",
    "#[[ project(b)\nproject(a)\n",
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
    let own = ProjectEdit("orderfile.json", .file("own\n", comment: nil))
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

  /// Another version of this command, or the same version for another description of the project, wrote the file.
  @Test func aFileThatNobodyEditedIsReplacedAndRemoved() throws {
    let old = ProjectEdit("orderfile.cmake", .file("old\n", comment: "#"))
    let new = ProjectEdit("orderfile.cmake", .file("new\n", comment: "#"))
    let written = try #require(try old.applied(to: nil))
    #expect(try new.removed(from: written) == nil)
    let replaced = try #require(try new.applied(to: written))
    #expect(replaced.starts(with: "new\n# orderfile init ".utf8))
    #expect(try new.applied(to: replaced) == replaced)
    for edited in [
      Array("x".utf8) + written, written + Array("x\n".utf8), Array("new\n".utf8) + [0],
    ] {
      #expect(throws: Diagnostic.self) { try new.applied(to: edited) }
      #expect(throws: Diagnostic.self) { try new.removed(from: edited) }
    }
  }

  /// Whatever a file contains, exactly the added text is removed.
  @Test func addingAndRemovingRestoresAnyText() throws {
    var random = SeededRandom(seed: 3)
    let parts = [
      "project(", ")", "\n", "\r\n", "\"", "#", "'", "a", " ", "\\", "(", "project", "\u{e9}", "[[",
      "]]",
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
    let integration = BuildIntegration(
      in: .mesonFolder,
      describedBy: "# project('x', 'c')\nproject('x', 'cpp', version : '''(''')\nx = 'c'\n")
    let contents = try integration.edits[1].applied(to: nil) ?? []
    #expect(String(decoding: contents, as: UTF8.self).contains("language : ['cpp'])"))
    #expect(integration.obstacle == nil)
  }

  @Test(
    arguments: [
      (.cargoBuildScript, "[workspace]\n", "of a workspace without a package"),
      (
        .cargoBuildScript, "[package] # main\nbuild = \"b.rs\"\n",
        "already has a build script: build = \"b.rs\""
      ),
      (.cargoBuildScript, "[package]\nbuild = false\n", "turns build scripts off"),
      (.cargoBuildScript, "[package] # main\n[dependencies]\nbuild = \"1\"\n", nil),
      (.mesonFolder, "project('x', 'rust')\n", "names neither 'c' nor 'cpp'"),
      (.mesonFolder, "project('x', 'c')\n", nil),
    ] as [(OrderFilePlace, String, String?)])
  func whatStandsInTheWayIsToldWithWhatToDo(
    place: OrderFilePlace, text: String, message: String?
  ) {
    let obstacle = BuildIntegration(in: place, describedBy: text).obstacle
    #expect(obstacle.map { $0.message.contains(message ?? "") } == message.map { _ in true })
    #expect(obstacle.map { $0.hint != nil && $0.severity == .usage } ?? true)
  }

  @Test func makefilesAreNotChanged() throws {
    let workshop = try Workshop()
    try workshop.write("all:\n".utf8, "Makefile")
    let error = #expect(throws: Diagnostic.self) {
      try ProjectIntegration(of: workshop.folder.path, buildSystem: nil)
    }
    #expect(error?.hint != nil && error?.severity == .usage)
  }
}
