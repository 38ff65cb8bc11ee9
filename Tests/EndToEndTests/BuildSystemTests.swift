import Foundation
import TestSupport
import Testing

/// The recipes of docs/how-to/BUILD-SYSTEMS.md, taken from there, with the real tools.
@Suite(.needs(.recording)) struct BuildSystemTests {
  @Test(.needs("cmake", "ninja"), arguments: ["Ninja", "Unix Makefiles"])
  func cmakeLinksAgainWheneverTheOrderFileChanges(generator: String) throws {
    let workshop = try Workshop()
    let text = try BuildSystemPage.section("CMake")
    let cmake = BuildSystemPage.blocks(text, "cmake")
    try #require(cmake.count == 1)
    try workshop.write(BuildSystemPage.program.utf8, "main.c")
    let project =
      "cmake_minimum_required(VERSION 3.19)\nproject(app C)\nadd_executable(app main.c)\n"
    try workshop.write((project + cmake[0]).utf8, "CMakeLists.txt")
    let commands = try #require(BuildSystemPage.blocks(text).first)
    try #require(commands.contains("-G Ninja") && commands.contains("record --breakpoints"))
    let package = projectFolder.appendingPathComponent("Sources/Features/Projects/Init/CMake").path
    try BuildSystemPage.sh(
      workshop,
      "export orderfile_DIR='\(package)'\n"
        + commands.replacingOccurrences(of: "-G Ninja", with: "-G '\(generator)'"))
    #expect(
      try BuildSystemPage.order(workshop, "app-default") == ["first", "second", "third", "main"])
    #expect(
      try BuildSystemPage.order(workshop, "build/app") == ["main", "third", "first", "second"])
    try workshop.write("second\nmain\n".utf8, "app.order")
    try BuildSystemPage.sh(workshop, "cmake --build build")
    #expect(try BuildSystemPage.order(workshop, "build/app").prefix(2) == ["second", "main"])
  }

  /// What `init --print make` prints is a script that orders a program, with each linker.
  @Test(arguments: OrderingLinker.installed)
  func theStepsForMakeOrder(linker: OrderingLinker) throws {
    let workshop = try Workshop()
    try workshop.write(BuildSystemPage.program.utf8, "app.c")
    try workshop.writeProgram(
      """
      #!/bin/sh
      for setting; do echo "$setting" | sed 's/=/ = /'; done >Makefile
      printf 'app: app.o\\n\\t$(CC) $(LDFLAGS) app.o -o app\\n' >>Makefile
      """.utf8, "configure")
    let steps = try workshop.mustOrderfile(
      "init", "--print", "make", "--program", "./app", "--linker", linker.format)
    try BuildSystemPage.sh(workshop, steps.text)
    #expect(try BuildSystemPage.order(workshop, "app").prefix(3) == ["main", "third", "first"])
    let mac = try workshop.orderfile(
      "init", "--print", "make", "--program", "app", "--linker", "ld64")
    #expect(mac.status == 64 && mac.errors.contains("one of 'lld', 'gold' or 'gnu-ld'"))
    let blank = try workshop.orderfile(
      "init", "--print", "make", "--program", "app", "--order", "my app.order")
    #expect(blank.status == 1 && blank.errors.contains("unsupported path of an order file"))
  }

  /// 40 tables of 1 KiB, of which a launch reads every fourth.
  @Test func theStepsForMakeOrderDataOnRequest() throws {
    let workshop = try Workshop()
    let tables = (0..<40).map { "const int table\($0)[256] = {\($0)};\n" }.joined()
    let reads = stride(from: 0, to: 40, by: 4).map { "((volatile const int *)table\($0))[n]" }
    try workshop.write(
      (tables
        + "int main(int n, char **v) { return v[0] == 0 || \(reads.joined(separator: " + ")); }")
        .utf8, "app.c")
    try workshop.writeProgram(
      """
      #!/bin/sh
      for setting; do echo "$setting" | sed 's/=/ = /'; done >Makefile
      printf 'app: app.o\\n\\t$(CC) $(LDFLAGS) app.o -o app\\nclean:\\n\\trm -f app *.o\\n' >>Makefile
      """.utf8, "configure")
    // LDFLAGS can't pass a path with blanks, and the path of the project may have some. `make clean` removes objects
    // beside the Makefile.
    let folder = workshop.folder.appendingPathComponent("recorder")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let recorder = folder.appendingPathComponent("orderfile_rt.o").path
    try FileManager.default.copyItem(atPath: try #require(Built.recorder), toPath: recorder)
    let words = ["init", "--print", "make", "--program", "./app", "--data"]
    let steps = try workshop.orderfile(words + ["--recorder", recorder])
    try BuildSystemPage.sh(workshop, steps.text)
    let entries = workshop.text("app.order").split(separator: "\n").drop { $0 != "# data" }
    #expect(entries.count == 11 && entries.contains("table36"), "\(entries)")
    let diff = try workshop.mustOrderfile(
      "diff", "app", "app", "--order", "app.order", "--trace", "app.oftrace", "--json")
    let order = try #require(diff.json["order"] as? [String: Any])
    #expect((order["data"] as? [String: Any])?["inOrder"] as? Int == 10, "\(order)")
    let gold = try workshop.orderfile(words + ["--linker", "gold"])
    #expect(gold.status == 1 && gold.errors.contains("--data: unable to order data with gold"))
  }

  @Test(arguments: OrderingLinker.installed)
  func eachLinkersRecipeOrders(linker: OrderingLinker) throws {
    let workshop = try Workshop()
    try workshop.write(BuildSystemPage.program.utf8, "app.c")
    let name = ["gold": "gold", "gnu-ld": "GNU ld"][linker.format]
    // The recipe of lld is that of the section on clang and gcc.
    let row = try BuildSystemPage.section("Linkers").components(separatedBy: "\n")
      .first { $0.hasPrefix("| \(name ?? "-") | `gcc") }
    let link =
      row?.components(separatedBy: "`")[1]
      ?? "gcc -fuse-ld=lld -Wl,--build-id -Wl,--symbol-ordering-file=app.order app.o -o app"
    #expect((row == nil) == (linker.format == "lld"))
    try BuildSystemPage.sh(
      workshop,
      """
      gcc -O1 -ffunction-sections -c app.c
      \(link.replacingOccurrences(of: "-Wl,[^ ]*app.order ", with: "", options: .regularExpression))
      orderfile record --breakpoints -o app.oftrace -- ./app
      orderfile gen app.oftrace --linker \(linker.format) -o app.order
      \(link)
      orderfile diff app app --trace app.oftrace --order app.order
      """)
    #expect(try BuildSystemPage.order(workshop, "app").prefix(3) == ["main", "third", "first"])
  }
}
