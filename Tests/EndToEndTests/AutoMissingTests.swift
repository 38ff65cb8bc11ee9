import Foundation
import TestSupport
import Testing

/// `orderfile auto` for a project whose build lacks something that is installed before the next run, and for a project in which
/// nothing can be ordered.
@Suite(.needs(.recording)) struct AutoMissingTests {
  /// A project whose `configure` looks for `library`.
  private static func project(configure: String) throws -> (AutoProject, library: String) {
    let project = try AutoProject()
    let library = project.workshop.path("library")
    try project.writeProgram(
      "configure", "#!/bin/sh\nlibrary='\(library)'\n\(configure)\n")
    return (project, library)
  }

  @Test func whatAConfigurationHasKeptIsLookedForAgain() throws {
    let (project, _) = try Self.project(
      configure: """
        test -e config.cache || { test -e "$library" && echo 'n + 3' || echo absent; } >config.cache
        echo "echo 'int generated(int n) { return $(cat config.cache); }'" >generate.sh
        """)
    let failed = try project.auto()
    #expect(failed.status == 1 && failed.errors.contains("absent"), "\(failed.errors)")
    try project.workshop.write("".utf8, "library")
    let built = try project.auto()
    #expect(built.status == 64 && built.errors.contains("the build made app"), "\(built.errors)")
  }

  /// Without the library, the build of the project makes only some of its programs.
  @Test func aProgramThatWasLeftOutIsBuiltOnceItsLibraryIsInstalled() throws {
    let (project, _) = try Self.project(
      configure: """
        test -e config.cache || { test -e "$library" && echo app || echo other; } >config.cache
        sed "s/^app:/$(cat config.cache):/" Makefile.in >Makefile
        """)
    try FileManager.default.moveItem(
      atPath: "\(project.folder)/Makefile", toPath: "\(project.folder)/Makefile.in")
    let failed = try project.auto("--launch", "./app")
    #expect(
      failed.status == 1 && failed.errors.contains("exit status 127")
        && failed.errors.contains("hint: the build made other: name one of these")
        && failed.errors.contains("install what the build did not find"), "\(failed.errors)")
    try project.workshop.write("".utf8, "library")
    try project.expectOrdered(["--launch", "./app"])
    // A copy that is up to date is not configured again.
    let again = try project.auto("--launch", "./app")
    #expect(
      again.status == 0 && !again.errors.contains("orderfile: configure"), "\(again.errors)")
  }

  /// The user's build command may keep any files after a failed build.
  @Test func twoBuildsThatFailAreFollowedByANewCopy() throws {
    let project = try AutoProject()
    let library = project.workshop.path("library")
    let build =
      "test -e found || { test -e '\(library)' && echo yes || echo no; } >found; grep yes found && make CC=clang"
    for isInstalled in [false, true] {
      if isInstalled { try project.workshop.write("".utf8, "library") }
      let failed = try project.auto("--", "sh", "-c", build)
      #expect(failed.status == 1, "\(failed.errors)")
    }
    let built = try project.auto("--", "sh", "-c", build)
    #expect(built.status == 64 && built.errors.contains("the build made app"), "\(built.errors)")
  }

  @Test func aHeaderThatIsMissingIsToBeInstalled() throws {
    let project = try AutoProject()
    try project.write("shared.c", "#include <no-such-library.h>\n")
    let run = try project.auto("--launch", "./app")
    #expect(
      run.status == 1 && run.errors.contains("fatal error: ")
        && run.errors.contains("hint: install the missing tool"), "\(run.errors)")
  }

  @Test(arguments: [
    ("go.mod", ["./hello"], "Go: its linker takes no order files"),
    ("build.zig", ["./hello"], "Zig: its compiler links without calling a linker"),
    ("hello.csproj", ["./hello"], "C#: a virtual machine loads its programs"),
    ("README", ["./hello", "--", "go", "build"], "Go: its linker takes no order files"),
    // The build writes outside of the copy, or makes no link that the wrappers see.
    ("go.mod", ["./hello", "--", "sh", "-c", "touch ../../../elsewhere"], "Go: its linker"),
    ("go.mod", ["./hello", "--", "true"], "Go: its linker"),
  ])
  func aLanguageThatCannotBeOrderedIsNamed(file: String, words: [String], message: String) throws {
    let project = try AutoProject(makefile: false)
    try project.write(file, "")
    let run = try project.start(["--launch"] + words).end()
    #expect(
      run.status == 64 && run.errors.contains("unsupported language: \(message)")
        && run.errors.contains("LANGUAGES.md lists the languages that orderfile works with"),
      "\(run.errors)")
    let commands = file == "README" ? [] : [["init", project.folder], ["doctor", project.folder]]
    for command in commands {
      let other = try project.workshop.orderfile(command)
      #expect(other.status != 0 && other.errors.contains(message), "\(other.errors)")
    }
  }

  /// Go's linker leaves a note, also if it calls another linker for code of C.
  @Test func aProgramOfGoIsNotOrdered() throws {
    let project = try AutoProject()
    let main = try String(contentsOfFile: "\(project.folder)/src/main.c", encoding: .utf8)
    try project.write(
      "src/main.c",
      main
        + "__asm__(\".pushsection .note.go.buildid, \\\"a\\\", @note\\n.zero 16\\n.popsection\");\n"
    )
    let options = ["--", "make", "CC=clang"]
    let run = try project.start(["--launch", "./app"] + options).end()
    #expect(
      run.status == 0 && run.errors.contains("warning: app: not ordered: Go: its linker takes no"),
      "\(run.errors)")
    let images = try #require(run.json["images"] as? [[String: Any]])
    #expect(images.compactMap { $0["image"] as? String } == ["images/libshared.so"])
    let doctor = try project.workshop.orderfile("doctor", "\(project.output)/images/app")
    #expect(
      doctor.status == 2 && doctor.text.contains("error    language: Go: its linker takes no")
        && !doctor.text.contains("-fuse-ld=lld; or"), "\(doctor.text)")
  }
}
