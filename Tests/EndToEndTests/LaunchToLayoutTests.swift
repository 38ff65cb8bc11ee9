import Foundation
import TestSupport
import Testing

/// The way from a launch to a layout for C and C++: the linked order is the order of first uses.
@Suite(.needs(.recording)) struct LaunchToLayoutTests {
  static let plain = Build(
    testDescription: "plain C", sources: [("main.c", CPrograms.plain)], order: CPrograms.plainOrder,
    cold: ["unused"])

  static func plain(
    _ description: String, compile: [String] = [], link: [String] = [],
    linker: OrderingLinker = .lld
  ) -> Build {
    var build = plain
    build.testDescription = description
    build.compileOptions = compile
    build.linkOptions = link
    build.linker = linker
    return build
  }

  static let cxx = Build(
    testDescription: "C++", compiler: "clang++",
    sources: [("main.cc", CPrograms.cxx), ("other.cc", CPrograms.cxxOther)],
    order: CPrograms.cxxOrder)

  @Test(arguments: [plain, cxx]) func theLayoutFollowsTheLaunch(_ build: Build) throws {
    try Workshop().check(build)
  }

  @Test(arguments: OrderingLinker.installed.filter { $0.name != "lld" })
  func eachLinkerFollowsItsDialect(linker: OrderingLinker) throws {
    try Workshop().check(Self.plain("", linker: linker))
  }

  /// ld.lld and gold fold equal functions. A kept function is at the place of the first use of one of them.
  @Test(arguments: OrderingLinker.installed.filter { $0.name != "bfd" })
  func foldedFunctionsStandWhereTheirFirstTwinWasUsed(linker: OrderingLinker) throws {
    let build = Build(
      testDescription: "", sources: [("main.c", CPrograms.foldable)],
      linkOptions: ["-Wl,--icf=all", "-Wl,--gc-sections"], linker: linker,
      order: ["main", "between", "twin2"])
    try Workshop().check(build)
  }

  @Test func namesThatNoLanguageGivesAreOrderedOrCounted() throws {
    let workshop = try Workshop()
    let build = Build(
      testDescription: "", sources: [("main.c", CPrograms.oddNames)],
      order: ["main", "a b", "a#b", "größe"])
    try workshop.check(build)
    let gen = try workshop.mustOrderfile(
      "gen", "app.oftrace", "--image", "app", "-o", "again.order", "--list-missing")
    #expect(gen.errors.contains("left out: 2 functions"))
    #expect(gen.errors.contains("\n  #lead: unable to write: "))
    #expect(gen.errors.contains("\n  a\\nb: unable to write: "))
    // Names that the order file's dialect can't write still count in `diff`, `show` and JSON.
    let show = try workshop.mustOrderfile("show", "--json", "app.oftrace")
    #expect(show.text.contains(#""names": ["a\nb"]"#))
  }

  @Test func theSameInputsGiveTheSameBytes() throws {
    let workshop = try Workshop()
    try workshop.check(Self.plain)
    let first = workshop.bytes("app.order")
    try workshop.mustOrderfile("gen", "app.oftrace", "--image", "app", "-o", "app.order")
    #expect(workshop.bytes("app.order") == first)
    let elsewhere = try workshop.start(
      "/bin/sh",
      ["-c", "mkdir far && cd far && \"$0\" gen ../app.oftrace --image ../app", Built.orderfile]
    ).end()
    #expect(elsewhere.output == first)
    #expect(first.starts(with: Array("# orderfile ".utf8)))
  }
}
