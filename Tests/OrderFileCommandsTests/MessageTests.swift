import ArgumentParser
import Foundation
import ImageModel
import OrderFileCommands
import TestSupport
import Testing

/// The messages and exit codes of commands that can't continue, all in one golden.
@Suite struct MessageTests {
  /// Returns a folder with images, traces, maps and order files that fit together, and with others that do not.
  static func workshop() throws -> Workshop {
    let workshop = try Workshop()
    let names = ["helper", "first", "main"]
    try workshop.write(sampleImage(names, id: [0x9f, 0x3a]), "app.rec")
    try workshop.write(
      sampleImage(["main", "unused", "first", "helper"], id: [0x41, 0xc0]), "app")
    try workshop.write(sampleImage(["other"], id: [0x77]), "other")
    try workshop.write(sampleImage([], id: [0x9f, 0x3a]), "stripped")
    let app = TraceWriter.Image(path: workshop.folder.appendingPathComponent("app.rec").path)
    func trace(_ name: String, _ write: (inout TraceWriter) -> Void) throws {
      var writer = TraceWriter()
      writer.program = app.path
      writer.addLoad(app)
      write(&writer)
      try workshop.write(writer.bytes(), name)
    }
    func addHits(_ writer: inout TraceWriter) {
      for (index, address) in [0x1020, 0x1010, 0x1000].enumerated() {
        writer.addHit(app, guard: UInt64(index), entry: UInt64(address))
      }
    }
    try trace("open") { addHits(&$0) }
    try trace("sealed") { writer in
      addHits(&writer)
      writer.names = names.enumerated().map {
        .init(address: 0x1000 + 16 * UInt64($0.offset), size: 16, name: $0.element)
      }
    }
    try trace("nothing") { _ in }
    try trace("version") { $0.version = 9 }
    try trace("records") { $0.recordSize = 48 }
    try trace("gone") { writer in
      var image = TraceWriter.Image(
        number: 2, path: "/nowhere/gone.so", guards: 0x40_0000..<0x40_0010, id: [3])
      image.slide = 0x50_0000
      writer.addLoad(image)
      writer.addHit(image, guard: 0, entry: 0x1000)
    }
    try trace("foreign") { writer in
      writer.program = "/bin/uninstrumented"
      writer.addLoad(
        TraceWriter.Image(number: 2, path: "/lib/b.so", guards: 0x40_0000..<0x40_0010, id: [3]))
      addHits(&writer)
    }
    let whole = try Array(Data(contentsOf: workshop.folder.appendingPathComponent("sealed")))
    try workshop.write(whole.prefix(4200), "truncated")
    try workshop.write("just some text in lines of prose\n".utf8, "prose")
    try workshop.write(
      "<?xml version=\"1.0\"?>\n<plist>\n<dict>\n<key>a</key>\n</dict>\n</plist>\n".utf8,
      "Info.plist")
    try workshop.write("root:x:0:0:root:/root:/bin/bash\n".utf8, "passwd")
    try workshop.write(".text\n.globl main\nmain: ret\n".utf8, "source.s")
    try workshop.write("# first\n# second\n".utf8, "comments")
    try FileManager.default.createDirectory(
      at: workshop.folder.appendingPathComponent("App.app"), withIntermediateDirectories: true)
    try workshop.write("main\nfirst\n".utf8, "app.order")
    try workshop.write("nobody\n".utf8, "strange.order")
    try workshop.write("# nothing\n".utf8, "empty.order")
    try workshop.write([0x6d, 0, 0x6e], "zero.order")
    try workshop.write(map.utf8, "map")
    try workshop.write("# in time order\nmain\nnobody\nno one\n".utf8, "list")
    try workshop.write("# nothing\n".utf8, "empty")
    try workshop.write("1000\n1010\nmain\n".utf8, "addresses")
    try workshop.write("#!/bin/sh\n".utf8, "script")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755],
      ofItemAtPath: workshop.folder.appendingPathComponent("script").path)
    try workshop.write(
      "{\"limits\": [{\"max\": 4, \"metric\": \"pages.textPages\"}], \"schema\": \"orderfile.budget/1\"}"
        .utf8,
      "budget")
    return workshop
  }

  static let map = """
    # Path: app
    # Arch: arm64
    # Object files:
    [  0] linker synthesized
    [  1] app.o
    # Sections:
    # Address\tSize    \tSegment\tSection
    0x100004000\t0x00000010\t__TEXT\t__text
    # Symbols:
    # Address\tSize    \tFile  Name
    0x100004000\t0x00000010\t[  1] _main

    """

  /// Words are separated by blanks. Words that begin with `@` are files of the workshop.
  static let commands = [
    // Usage.
    "bogus", "help bogus", "help import bogus", "import bogus", "help export perfetto", "gen",
    "gen @open --linker bogus",
    "gen @open --json", "gen @open --all-images",
    "gen @open --image @app --image @other", "gen @open --all-images --link-map @app -o @orders",
    "gen @open --debug-file @app", "diff @app", "diff @app @app",
    "diff @app @app --order @app.order --cost-ms -1",
    "diff @app @app --order @app.order --page-size 5k", "show", "show @app --demangle bogus",
    "record", "record --", "record --bogus ./x", "record --timeout 0 ./x",
    "record --timeout nan ./x", "record --timeout 30s ./x", "record --until-ready 8080 ./x",
    "measure --until-ready ready --before a --after b", "history add h d --time yesterday",
    // Files that can't be read, or that have other contents.
    "show @nowhere", "show @", "show @prose", "show @zero.order",
    "show @passwd", "show @source.s", "show @comments", "show @Info.plist", "show @App.app",
    "show @App.app/",
    "import symbols @list --image @App.app -o @t",
    "gen @nowhere", "gen @prose", "gen @app",
    "gen @truncated", "gen @version", "gen @records", "gen @sealed --image @nowhere",
    "gen @sealed --image @prose", "gen @sealed --link-map @prose",
    "diff @prose @app --order @app.order",
    "diff @app @app --order @zero.order", "diff @app @app --trace @prose",
    // Imports.
    "import symbols @list --image @app", "import symbols @list --image @app -o - --json",
    "import symbols @nowhere --image @app -o @t", "import symbols @list --image @prose -o @t",
    "import symbols @list --image @app -o @missing/x", "import symbols @list --image @app -o @t",
    "import symbols @empty --image @app -o @t", "import addresses @addresses --image @app -o @t",
    "import xctrace --image @app -o @t", "import xctrace @list --image @app -o @t",
    // Settings.
    "init --print make", "init --print make --program a --write",
    "init --print make --program a --recorder r", "init --print xcode -o @x --program a",
    "init --print xcode -o @x --linker lld",
    "init --print xcode -o @x @app", "init --data", "init --order a", "init --write -o @x",
    "init --print bogus",
    "init --print xcode", "init --print xcode -o @a$b", "init --print xcode -o @missing/x",
    "init --print xcode -o @ --order @missing/app.order",
    // Outputs.
    "gen @sealed --image @app -o @missing/x", "show @app -o @missing/x",
    "gen @sealed --all-images -o @missing/x",
    "diff @app @app --order @app.order -o @missing/x", "record -o @missing/x ./x",
    "record -o - ./x",
    "record -o @t @nowhere", "record -o @t @prose",
    // Nothing recorded.
    "gen @nothing", "gen @nothing @nothing", "diff @app @app --trace @nothing", "record -o @t true",
    // Files that do not belong together.
    "gen @open --recorded @app", "show @open --recorded @app",
    "diff @app @app --trace @open --recorded @app",
    "gen @open --image @app --recorded @stripped", "gen @sealed --image @other",
    "gen @gone --image @app",
    "gen @foreign", "gen @gone --all-images -o @orders",
    "gen @sealed --all-images --image @other -o @orders",
    "gen @sealed --image @app --linker ld64",
    "diff @other @other --trace @sealed", "diff @app @other --trace @sealed",
    "diff @app @app --order @strange.order",
    "diff @app @app --order @empty.order",
    "diff @map @map --order @app.order --page-ins-before @prose",
    "diff @app @app --order @app.order --page-ins-after @prose",
    // Checks.
    "diff @app @app --order @app.order --limit diff.predictedPagesAtMost<=0 -o /dev/null",
    "diff @app @app --order @app.order --limit diff.drifted<=0 -o /dev/null",
    "diff @app @app --order @app.order --limit pages.textPages<=4",
    "verify @app.order --image @app --limit verify.stale<=5",
    "audit @app --limit audit.initializers>=7 -o /dev/null",
    // A budget.
    "check --budget @budget", "check --budget @budget @app.order --image @app",
    "check --budget @budget --launch a --launch b",
    "check --budget @budget --launch a --runs 1", "check --budget @budget --launch a --commit c",
    "check --init --launch a --history h", "check --budget @budget --launch a --timeout 0",
    "check -q --budget @budget --launch @nowhere --documents @checked",
    "check -q --budget @budget --launch a|b --documents @checked",
    "check -q --budget @budget --launch @script --documents @checked",
    "check -q --budget @budget --launch @script --image @app --documents @missing/x",
    "check -q --budget @budget --launch @script --image @nowhere --documents @checked -o @t",
    "check -q --budget @budget --launch @script --image @app --order @strange.order --documents @checked -o @t",
    "check -q --budget @budget --launch @script --image @app --input @App.app --documents @checked -o @t",
  ]

  @Test func eachMessageIsAsRecorded() throws {
    let workshop = try Self.workshop()
    let folder = workshop.folder.path
    var golden = ""
    for command in Self.commands {
      let words = command.split(separator: " ").map { word in
        word.hasPrefix("@") ? "\(folder)/\(word.dropFirst())" : String(word)
      }
      let (status, message) = Self.run(words)
      #expect(status != 0, "\(command)")
      golden += "$ orderfile \(command)\n[\(status)] \(message)\n\n"
    }
    golden = golden.replacingOccurrences(of: folder + "/", with: "@")
    // Only the first line of a usage message comes from this project.
    try expectGolden(golden, "commands/messages/expected.txt")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder).filter {
        $0.contains("recording")
      }
      .isEmpty)
  }

  /// Parses and runs a command in this process, without notes and warnings in the log of the tests.
  static func run(_ words: [String]) -> (status: Int32, message: String) {
    let canBeQuiet = ["gen", "diff", "show"].contains(words.first)
    let words = words + (canBeQuiet ? ["--quiet"] : [])
    do {
      var command = try OrderFileCommand.parse(commandLine: ["orderfile"] + words)
      try command.run()
      return (0, "")
    } catch let diagnostic as Diagnostic {
      return (diagnostic.severity.rawValue, diagnostic.description)
    } catch let unknown as UnknownCommand {
      return (Diagnostic.Severity.usage.rawValue, unknown.description)
    } catch {
      let message = OrderFileCommand.message(for: error).split(separator: "\n").first ?? ""
      return (OrderFileCommand.exitCode(for: error).rawValue, String(message))
    }
  }

  @Test func aCommandLineWithoutEvenTheCommandIsAnError() {
    #expect {
      try OrderFileCommand.parse(commandLine: [])
    } throws: { error in
      "\(error)".hasPrefix("/proc/self/cmdline: unable to read the arguments of this command")
    }
  }

  @Test(arguments: [
    ["help"], ["help", "gen"], ["help", "import", "symbols"], ["help", "--help"],
  ])
  func helpOnACommandIsNoError(words: [String]) {
    #expect(Self.run(words).status == 0)
  }

  @Test func whatFitsTogetherSucceeds() throws {
    let workshop = try Self.workshop()
    func path(_ name: String) -> String { workshop.folder.appendingPathComponent(name).path }
    for words in [
      ["gen", path("sealed"), "--image", path("app"), "-o", path("out.order")],
      ["gen", path("open"), "-o", path("own.order")],
      ["gen", path("open"), path("nothing"), "--image", path("app"), "-o", path("both.order")],
    ] {
      let (status, message) = Self.run(words)
      #expect(status == 0, "\(message)")
    }
    func names(_ name: String) throws -> [String] {
      try String(contentsOfFile: path(name), encoding: .utf8).split(separator: "\n")
        .map(String.init).filter { !$0.hasPrefix("#") }
    }
    for name in ["out.order", "own.order", "both.order"] {
      #expect(try names(name) == ["main", "first", "helper"])
    }
  }
}
