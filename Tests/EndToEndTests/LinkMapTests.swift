import TestSupport
import Testing

/// The build to order is given only as a link map.
@Suite(.needs(.recording)) struct LinkMapTests {
  /// A linker that writes maps, and the dialect of the linker that then takes the order.
  struct Mapper: CustomTestStringConvertible, Sendable {
    var name: String
    var orderer: OrderingLinker
    var testDescription: String { name }

    static let installed = [
      Mapper(name: "lld", orderer: .lld), Mapper(name: "gold", orderer: .gold),
      Mapper(name: "bfd", orderer: .bfd), Mapper(name: "mold", orderer: .lld),
    ].filter { Requirement.tools(["ld.\($0.name)", "ld.\($0.orderer.name)"]).keepsArguments }
  }

  @Test(arguments: Mapper.installed, [[], ["-Wl,--gc-sections", "-Wl,--no-demangle"]])
  func theMapIsEnough(mapper: Mapper, options: [String]) throws {
    let workshop = try Workshop()
    var build = LaunchToLayoutTests.plain
    // The maps of GNU ld and gold have no local symbols, so each function here has a section of its own.
    build.linker = OrderingLinker(name: mapper.name, format: "", option: "")
    try workshop.link(
      build, workshop.compile(build, isRecorded: true), isRecorded: true, as: "app.rec")
    let objects = try workshop.compile(build, isRecorded: false)
    try workshop.link(build, objects, options: ["-Wl,-Map=app.map"] + options, as: "app")
    try workshop.mustOrderfile("record", "-o", "app.oftrace", "./app.rec")
    build.linker = mapper.orderer
    build.linkOptions = options
    try workshop.expectOrdered(build, objects, genOptions: ["--link-map", "app.map"])
    // Maps and images in any mix.
    try workshop.link(
      build, objects,
      options: ["-Wl,\(build.linker.option)app.order", "-Wl,-Map=ordered.map"], as: "ordered")
    for (before, after) in [
      ("app", "ordered.map"), ("app.map", "ordered"), ("app.map", "ordered.map"),
    ] {
      let diff = try workshop.mustOrderfile(
        "diff", before, after, "--trace", "app.oftrace", "--order", "app.order", "--json")
      #expect(diff.json["startupFunctions"] as? Int == 5, "\(before) \(after): \(diff.text)")
      let order = diff.json["order"] as? [String: Any]
      #expect(order?["inOrder"] as? Int ?? 0 >= 5, "\(diff.text)")
    }
    let show = try workshop.mustOrderfile("show", "--json", "app.map")
    #expect(show.json["schema"] as? String == "orderfile.linkmap/1")
    let functions = show.json["functions"] as? [[String: Any]] ?? []
    let names = functions.compactMap { $0["name"] as? String }
    for name in CPrograms.plainOrder { #expect(names.contains(name), "\(names)") }
  }

  /// GNU ld and gold translate the titles into the user's language.
  @Test(arguments: ["Fusion des propriétés du programme", "舍弃的输入节"])
  func aMapInAnotherLanguageIsRefusedWithWhatToDo(title: String) throws {
    let workshop = try Workshop()
    let text = """
      \(title)

       .note.GNU-stack
                      0x0000000000000000        0x0 crti.o
       .text.f        0x0000000000001130       0x2c f.o

      """
    try workshop.write(text.utf8, "app.map")
    for arguments in [["show", "app.map"], ["diff", "app.map", "app.map", "--order", "app.map"]] {
      let run = try workshop.orderfile(arguments)
      #expect(run.status == 1)
      #expect(run.errors.contains("in another language: link again with LC_ALL=C"), "\(run.errors)")
    }
  }

  @Test func aMapOfUnknownGrammarAndOneCutShortAreRefused() throws {
    let workshop = try Workshop()
    try workshop.write(
      Array("Segments of the program\n  code 0 100 main\n  code 100 20 f\n".utf8), "x.map")
    try workshop.write(Array("# Path: app\n# Arch: arm64\n# Object files:\n".utf8), "cut.map")
    for (arguments, message) in [
      (["show", "x.map"], "x.map: unsupported file: expected a trace, a linked image, a link map"),
      (
        ["diff", "x.map", "x.map", "--order", "x.map"],
        "x.map: unsupported link map: found 'Segments of"
      ),
      (["show", "cut.map"], "cut.map: missing '# Sections:' (at line 3)"),
    ] {
      let run = try workshop.orderfile(arguments)
      #expect(run.status == 1)
      #expect(run.errors.hasPrefix("orderfile: error: \(message)"), "\(run.errors)")
    }
  }
}
