import Foundation
import TestSupport
import Testing

/// `orderfile init` with CMake, and what it refuses.
@Suite(.needs(.recording, "cmake", "ninja", "git")) struct InitTests {
  private static let lists =
    "cmake_minimum_required(VERSION 3.19)\nproject(x C)\nadd_executable(app app.c)"

  @Test func cmakeLinksInTheOrderAndAgainWhenThatChanges() throws {
    let project = try InitProject([("CMakeLists.txt", Self.lists), ("app.c", InitProject.source)])
    try project.workshop.must(
      "cmake", ["-B", "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"])
    try project.expectOrdered(image: "build/app") {
      try project.workshop.must("cmake", ["--build", "build"])
    }
  }

  @Test func aMakefileBesideAnotherBuildSystemIsNoDoubt() throws {
    let project = try InitProject([("CMakeLists.txt", Self.lists), ("Makefile", "all:\n")])
    #expect(try project.workshop.mustOrderfile("init").text.contains("+include(orderfile.cmake"))
    try project.workshop.write("project('x', 'c')\n".utf8, "meson.build")
    let run = try project.workshop.orderfile("init")
    #expect(run.status == 64 && run.errors.contains("several build systems: cmake, meson"))
  }

  @Test func whatWasChangedSinceIsNotRemoved() throws {
    let project = try InitProject([("CMakeLists.txt", Self.lists)])
    try project.workshop.mustOrderfile("init", "--write")
    let lists = project.workshop.text("CMakeLists.txt")
    try project.workshop.write(
      lists.replacingOccurrences(of: "OPTIONAL", with: "").utf8, "CMakeLists.txt")
    let changed = try project.contents()
    let run = try project.workshop.orderfile("init", "--remove")
    #expect(
      run.status == 1 && run.errors.contains("CMakeLists.txt:3: the line was changed: expected"))
    #expect(try project.contents() == changed)
  }

  @Test(arguments: [
    ("Makefile", "init can't change makefiles", "orderfile init --print make"),
    ("App.xcodeproj", "an Xcode project", "orderfile init --print xcode"),
    ("README", "no build system that init can change", "orderfile init --print make"),
  ])
  func whereThereIsNoPlaceItSaysWhatToDo(file: String, message: String, hint: String) throws {
    let project = try InitProject([(file, "")])
    let run = try project.workshop.orderfile("init", "--write")
    #expect(
      run.status == 64 && run.errors.contains(message) && run.errors.contains(hint), "\(run.errors)"
    )
    #expect(try project.contents().keys.sorted() == [file])
  }
}
