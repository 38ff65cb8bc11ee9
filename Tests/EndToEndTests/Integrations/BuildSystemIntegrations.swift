import Foundation
import TestSupport
import Testing

/// Recipes of docs/how-to/BUILD-SYSTEMS.md that take longer, taken from there.
@Suite(.needs(.recording)) struct BuildSystemIntegrations {
  private func recipe(_ heading: String) throws -> String {
    try #require(BuildSystemPage.blocks(BuildSystemPage.section(heading)).first)
  }

  @Test(.needs("meson", "ninja")) func mesonRelinksInOrder() throws {
    let workshop = try Workshop()
    try workshop.write(BuildSystemPage.program.utf8, "app.c")
    try workshop.write("project('x', 'c')\nexecutable('app', 'app.c')\n".utf8, "meson.build")
    try BuildSystemPage.sh(workshop, recipe("Meson"))
    #expect(
      try BuildSystemPage.order(workshop, "app-default") == ["first", "second", "third", "main"])
    #expect(
      try BuildSystemPage.order(workshop, "build/app").prefix(3) == ["main", "third", "first"])
  }

  @Test func makeRelinksInOrder() throws {
    let workshop = try Workshop()
    try FileManager.default.createDirectory(
      atPath: workshop.path("src"), withIntermediateDirectories: true)
    try workshop.write(BuildSystemPage.program.utf8, "src/app.c")
    try workshop.writeProgram(
      """
      #!/bin/sh
      for setting; do echo "$setting" | sed 's/=/ = /'; done >Makefile
      printf 'src/app: src/app.o\\n\\t$(CC) $(LDFLAGS) src/app.o -o $@\\n' >>Makefile
      """.utf8, "configure")
    try BuildSystemPage.sh(workshop, recipe("make and autotools"))
    #expect(try BuildSystemPage.order(workshop, "src/app").prefix(3) == ["main", "third", "first"])
  }

  @Test func clangRelinksInOrder() throws {
    let workshop = try Workshop()
    try workshop.write(BuildSystemPage.program.utf8, "app.c")
    try BuildSystemPage.sh(workshop, recipe("clang and gcc, by hand"))
    #expect(try BuildSystemPage.order(workshop, "app").prefix(3) == ["main", "third", "first"])
  }
}
