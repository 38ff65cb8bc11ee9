import Foundation
import TestSupport
import Testing

/// The recipes of docs/BUILD-SYSTEMS.md, taken from there, with the real tools.
@Suite(.needs(.recording)) struct BuildSystemTests {
  /// `main` runs `third`, then `first`.
  private static let program = """
    __attribute__((noinline)) int first(int n) { __asm__ volatile(""); return n + 1; }
    __attribute__((noinline)) int second(int n) { __asm__ volatile(""); return n + 2; }
    __attribute__((noinline)) int third(int n) { __asm__ volatile(""); return n + 3; }
    int main(int n, char **v) { return v[0] == 0 ? second(n) : first(third(n)) < 0; }
    """

  /// The text of docs/BUILD-SYSTEMS.md below a heading, up to the next.
  private static func section(_ heading: String) throws -> String {
    let file = projectFolder.appendingPathComponent("docs/BUILD-SYSTEMS.md")
    let sections = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n## ")
    return try #require(sections.first { $0.hasPrefix(heading + "\n") })
  }

  /// The blocks of code in that text: `cmake` blocks, or those of a shell, which have no name.
  private static func blocks(_ text: String, _ language: String = "") -> [String] {
    text.components(separatedBy: "\n```").enumerated().filter { $0.offset % 2 == 1 }
      .map(\.element).filter { $0.hasPrefix(language + "\n") }
      .map { String($0.dropFirst(language.count + 1)) + "\n" }
  }

  private func order(_ workshop: Workshop, _ image: String) throws -> [String] {
    try workshop.functions(in: image).filter {
      ["main", "first", "second", "third"].contains($0)
    }
  }

  /// Runs a script with the command as `orderfile`, which must succeed.
  private func sh(_ workshop: Workshop, _ script: String) throws {
    let folder = URL(fileURLWithPath: Built.orderfile).deletingLastPathComponent().path
    try workshop.must("/bin/sh", ["-ec", "PATH=\"\(folder):$PATH\"\n" + script])
  }

  @Test(.needs("cmake", "ninja"), arguments: ["Ninja", "Unix Makefiles"])
  func cmakeLinksAgainWheneverTheOrderFileChanges(generator: String) throws {
    let workshop = try Workshop()
    let text = try Self.section("CMake")
    let cmake = Self.blocks(text, "cmake")
    try #require(cmake.count == 1)
    try workshop.write(Self.program.utf8, "main.c")
    let project =
      "cmake_minimum_required(VERSION 3.19)\nproject(app C)\nadd_executable(app main.c)\n"
    try workshop.write((project + cmake[0]).utf8, "CMakeLists.txt")
    let commands = try #require(Self.blocks(text).first)
    try #require(commands.contains("-G Ninja") && commands.contains("record --breakpoints"))
    let package = projectFolder.appendingPathComponent("Sources/Workflows/Init/CMake").path
    try sh(
      workshop,
      "export orderfile_DIR='\(package)'\n"
        + commands.replacingOccurrences(of: "-G Ninja", with: "-G '\(generator)'"))
    #expect(try order(workshop, "app-default") == ["first", "second", "third", "main"])
    #expect(try order(workshop, "build/app") == ["main", "third", "first", "second"])
    try workshop.write("second\nmain\n".utf8, "app.order")
    try sh(workshop, "cmake --build build")
    #expect(try order(workshop, "build/app").prefix(2) == ["second", "main"])
  }

  /// What `flags make` prints is a script that orders a program, with each linker.
  @Test(arguments: OrderingLinker.installed)
  func theStepsForMakeOrder(linker: OrderingLinker) throws {
    let workshop = try Workshop()
    try workshop.write(Self.program.utf8, "app.c")
    try workshop.writeProgram(
      """
      #!/bin/sh
      for setting; do echo "$setting" | sed 's/=/ = /'; done >Makefile
      printf 'app: app.o\\n\\t$(CC) $(LDFLAGS) app.o -o app\\n' >>Makefile
      """.utf8, "configure")
    let steps = try workshop.mustOrderfile(
      "flags", "make", "--program", "./app", "--linker", linker.format)
    try sh(workshop, steps.text)
    #expect(try order(workshop, "app").prefix(3) == ["main", "third", "first"])
    let mac = try workshop.orderfile("flags", "make", "--program", "app", "--linker", "ld64")
    #expect(mac.status == 1 && mac.errors.contains("hint: for Apple platforms"))
    let blank = try workshop.orderfile(
      "flags", "make", "--program", "app", "--order-file", "my app.order")
    #expect(blank.status == 1 && blank.errors.contains("unsupported path of an order file"))
  }

  @Test(arguments: OrderingLinker.installed)
  func eachLinkersRecipeOrders(linker: OrderingLinker) throws {
    let workshop = try Workshop()
    try workshop.write(Self.program.utf8, "app.c")
    let name = ["gold": "gold", "gnu-ld": "GNU ld"][linker.format]
    // The recipe of lld is that of the section on clang and gcc.
    let row = try Self.section("Linkers").components(separatedBy: "\n")
      .first { $0.hasPrefix("| \(name ?? "-") | `gcc") }
    let link =
      row?.components(separatedBy: "`")[1]
      ?? "gcc -fuse-ld=lld -Wl,--build-id -Wl,--symbol-ordering-file=app.order app.o -o app"
    #expect((row == nil) == (linker.format == "lld"))
    try sh(
      workshop,
      """
      gcc -O1 -ffunction-sections -c app.c
      \(link.replacingOccurrences(of: "-Wl,[^ ]*app.order ", with: "", options: .regularExpression))
      orderfile record --breakpoints -o app.oftrace -- ./app
      orderfile gen app.oftrace --linker \(linker.format) -o app.order
      \(link)
      orderfile diff app app --trace app.oftrace --order app.order
      """)
    #expect(try order(workshop, "app").prefix(3) == ["main", "third", "first"])
  }
}
