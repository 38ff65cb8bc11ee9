import Foundation
import TestSupport
import Testing

/// `orderfile auto` with Swift packages of several products, and its command plugin: `make test-integrations`.
@Suite(.needs(.recording, "swift")) struct AutoPackageIntegrations {
  /// Two programs, a dynamic library that one of them loads, a C target, a resource, and a source that a plugin's tool
  /// generates.
  ///
  /// - Parameter work: a C statement of each function of the C target, whose argument is `n`.
  static func project(
    dependencies: String = "", work: String = "__asm__ volatile(\".fill 300, 1, 0x90\");"
  ) throws -> AutoProject {
    let project = try AutoProject(makefile: false)
    for name in ["main.c", "../shared.c", "../static.c", "../generate.sh"] {
      try FileManager.default.removeItem(atPath: "\(project.folder)/src/\(name)")
    }
    try project.write(
      "Package.swift",
      """
      // swift-tools-version: 6.0
      import PackageDescription
      let package = Package(
        name: "several",
        products: [
          .executable(name: "app", targets: ["app"]), .executable(name: "tool", targets: ["tool"]),
          .library(name: "Plugin", type: .dynamic, targets: ["Plugin"]),
        ],
        dependencies: [\(dependencies)],
        targets: [
          .target(name: "parts"), .target(name: "Plugin", dependencies: ["parts"]),
          .executableTarget(
            name: "app", dependencies: ["parts"], resources: [.copy("words.txt")], plugins: ["Make"]),
          .plugin(name: "Make", capability: .buildTool(), dependencies: ["maker"]),
          .executableTarget(name: "maker", dependencies: ["parts"]),
          .executableTarget(name: "tool", dependencies: ["parts"]),
        ])

      """)
    for folder in ["parts/include", "Plugin", "app", "tool", "maker"] {
      try project.makeFolder("Sources/\(folder)")
    }
    try project.makeFolder("Plugins/Make")
    try project.write(
      "Plugins/Make/Make.swift",
      """
      import PackagePlugin
      @main struct Make: BuildToolPlugin {
        func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
          let source = context.pluginWorkDirectoryURL.appending(path: "made.swift")
          return [
            .buildCommand(
              displayName: "make", executable: try context.tool(named: "maker").url,
              arguments: [source.path], outputFiles: [source])
          ]
        }
      }

      """)
    try project.write(
      "Sources/maker/main.swift",
      """
      import Foundation
      import parts
      let text = "func made() -> Int32 { \\(part50(-50)) }\\n"
      try text.write(toFile: CommandLine.arguments[1], atomically: true, encoding: .utf8)

      """)
    let numbers = 0..<60
    try project.write(
      "Sources/parts/include/parts.h", numbers.map { "int part\($0)(int);\n" }.joined())
    try project.write(
      "Sources/parts/parts.c",
      "#include \"parts.h\"\n"
        + numbers.map {
          "int part\($0)(int n) { \(work) return n + \($0); }\n"
        }.joined())
    let cases = numbers.map { "case \($0): part\($0)(n)\n" }.joined()
    let run = "func run(_ i: Int, _ n: Int32) -> Int32 {\nswitch i {\n\(cases)default: n\n}\n}\n"
    try project.write(
      "Sources/Plugin/Plugin.swift",
      "import parts\n\(run)@_cdecl(\"plugin\") public func plugin() -> Int32 { run(7, run(41, 1)) }\n"
    )
    try project.write(
      "Sources/app/main.swift",
      """
      import Foundation
      import parts
      \(run)
      let words = Bundle.module.url(forResource: "words", withExtension: "txt")!
      guard let plugin = dlopen("libPlugin.so", RTLD_NOW), let symbol = dlsym(plugin, "plugin") else {
        fatalError(String(cString: dlerror()))
      }
      let start = unsafeBitCast(symbol, to: (@convention(c) () -> Int32).self)
      print(try String(contentsOf: words, encoding: .utf8), run(3, run(50, start())) + made())

      """)
    try project.write("Sources/app/words.txt", "hello")
    try project.write(
      "Sources/tool/main.swift",
      "import parts\n\(run)print(run(11, run(CommandLine.arguments.count + 10, 2)))\n")
    return project
  }

  private static let launches = [
    "--launch", "test \"$(LD_LIBRARY_PATH=.build/release app)\" = 'hello 102'", "--launch", "tool",
  ]

  @Test func eachProductIsOrderedAndResourcesAreFound() throws {
    let project = try Self.project()
    let run = try project.start(Self.launches).end()
    try #require(run.status == 0, "\(run.errors)")
    let images = try #require(run.json["images"] as? [[String: Any]])
    #expect(
      Set(images.compactMap { $0["image"] as? String }) == [
        "images/app", "images/libPlugin.so", "images/tool",
      ])
    for image in images {
      let compliance = try #require(image["compliance"] as? [String: Any])
      let present = try #require(compliance["present"] as? Int)
      #expect(present >= 3 && compliance["inOrder"] as? Int == present, "\(image)")
    }
    let again = try project.start(Self.launches).end()
    #expect(again.errors.contains("nothing has changed"), "\(again.errors)")
  }

  @Test func whatTheCommandNamesIsBuilt() throws {
    let project = try Self.project()
    let missing = try project.auto("--", "swift", "build", "--product", "tool")
    #expect(missing.status == 64 && missing.errors.contains("missing a launch: the build made"))
    let run = try project.auto("--launch", "tool", "--", "swift", "build", "--product", "tool")
    try #require(run.status == 0, "\(run.errors)")
    let built = try FileManager.default.contentsOfDirectory(
      atPath: "\(project.output)/work/tree/.build/release")
    #expect(built.contains("tool") && !built.contains("app") && !built.contains("libPlugin.so"))
  }

  /// The plugin runs in a package that depends on this package. Without --output, nothing outside `.build` is written.
  @Test func thePluginRunsTheInstalledCommand() throws {
    let own = projectFolder.path
    let project = try Self.project(dependencies: ".package(name: \"orderfile\", path: \"\(own)\")")
    func plugin(_ words: [String], command: String = Built.orderfile) throws -> Run {
      try project.workshop.start(
        "env",
        ["ORDERFILE=\(command)", "swift", "package", "--package-path", project.folder, "orderfile"]
          + words
      ).end()
    }
    let run = try plugin(["--json"] + Self.launches)
    #expect(run.status == 0, "\(run.errors)")
    let out = "\(project.folder)/.build/plugins/OrderFilePlugin/outputs/auto"
    #expect(FileManager.default.fileExists(atPath: "\(out)/images/tool"))
    let names = try FileManager.default.contentsOfDirectory(atPath: project.folder)
    #expect(
      Set(names).isSubset(of: [
        ".build", "Package.resolved", "Package.swift", "Plugins", "Sources", "src",
      ]))
    let usage = try plugin(["--linker", "none"])
    #expect(usage.status != 0 && usage.errors.contains("orderfile auto ended with exit status 64"))
    let missing = try plugin([], command: "no-such-orderfile")
    #expect(
      missing.status != 0
        && missing.errors.contains("unable to run 'no-such-orderfile': install it"),
      "\(missing.errors)")
  }
}
