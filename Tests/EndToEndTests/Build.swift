import Foundation
import TestSupport
import Testing

/// A linker, and the option that passes an order file to it.
struct OrderingLinker: CustomTestStringConvertible, Sendable {
  /// The name of the linker after `-fuse-ld=`, and in `PATH` with `ld.` before it.
  var name: String
  /// The name of the linker for `--linker`.
  var format: String
  /// The linker's option for order files, without the file.
  var option: String
  var testDescription: String { name }

  static let lld = OrderingLinker(name: "lld", format: "lld", option: "--symbol-ordering-file=")
  static let gold = OrderingLinker(
    name: "gold", format: "gold", option: "--section-ordering-file=")
  static let bfd = OrderingLinker(name: "bfd", format: "gnu-ld", option: "-T")
  static let installed = [lld, gold, bfd].filter {
    Requirement.tool("ld.\($0.name)").keepsArguments
  }
}

/// One program in C or C++: its sources, and how its two builds are made.
struct Build: CustomTestStringConvertible, Sendable {
  var testDescription: String
  var compiler = "clang"
  /// The sources, each as file name and text.
  var sources: [(name: String, text: String)]
  var compileOptions: [String] = []
  var linkOptions: [String] = []
  var linker = OrderingLinker.lld
  /// The arguments of the program.
  var arguments: [String] = []
  /// Functions in the order of their first use, as `nm` names them.
  var order: [String]
  /// Functions that the launch does not use.
  var cold: [String] = []

  static let coverage = "-fsanitize-coverage=func,trace-pc-guard,pc-table"

  /// The objects that compilers have made, by the text of the source and the command without its output.
  fileprivate static let objects = Memo<[String], [UInt8]>()
}

extension Workshop {
  /// Compiles the sources of `build`. Objects are called `NAME.o`, and `NAME.rec.o` in the recorded build.
  func compile(_ build: Build, isRecorded: Bool) throws -> [String] {
    try build.sources.map { source in
      try write(source.text.utf8, source.name)
      let object = source.name + (isRecorded ? ".rec.o" : ".o")
      let command =
        ["-O1", "-ffunction-sections", "-I\(Built.headers)", "-c", source.name]
        + build.compileOptions + (isRecorded ? [Build.coverage] : [])
      let made = try Build.objects.value(for: [build.compiler, source.text] + command) {
        try must(build.compiler, command + ["-o", object])
        return bytes(object)
      }
      try write(made, object)
      return object
    }
  }

  /// Links `image` from the objects of `build`.
  func link(
    _ build: Build, _ objects: [String], isRecorded: Bool = false, options: [String] = [],
    as image: String
  ) throws {
    let recorder = isRecorded ? [try #require(Built.recorder)] : []
    // The recorded build is always linked by lld, because only the release build needs the dialect of the tested
    // linker.
    try must(
      build.compiler,
      objects + recorder + ["-o", image, "-Wl,--build-id"]
        + ["-fuse-ld=\(isRecorded ? "lld" : build.linker.name)"]
        + (isRecorded ? build.linkOptions.filter { !$0.hasPrefix("-Wl,") } : build.linkOptions)
        + options)
  }

  /// Tests the whole way: build, record, gen, relink, diff, and read the symbols of the result.
  func check(_ build: Build, genOptions: [String] = ["--image", "app"]) throws {
    try link(build, compile(build, isRecorded: true), isRecorded: true, as: "app.rec")
    let objects = try compile(build, isRecorded: false)
    try link(build, objects, options: ["-Wl,-Map=app.map"], as: "app")

    let recorded = try orderfile(
      ["record", "-o", "app.oftrace", "--", "./app.rec"] + build.arguments)
    let plain = try start(path("app"), build.arguments).end()
    #expect(recorded.status == plain.status, "\(recorded.errors)")
    #expect(recorded.output == plain.output)
    try expectOrdered(build, objects, genOptions: genOptions)
  }

  /// Tests the way from the trace: the linked image has the order that `gen` writes.
  func expectOrdered(
    _ build: Build, _ objects: [String], traces: [String] = ["app.oftrace"], genOptions: [String],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try must(
      Built.orderfile,
      ["gen"] + traces + ["-o", "app.order", "--linker", build.linker.format] + genOptions,
      sourceLocation: sourceLocation)
    try link(build, objects, options: ["-Wl,\(build.linker.option)app.order"], as: "ordered")
    let plain = try start(path("app"), build.arguments).end()
    let ordered = try start(path("ordered"), build.arguments).end()
    #expect(ordered.status == plain.status)
    #expect(ordered.output == plain.output)

    let functions = try must("nm", ["-n", "ordered"]).text.split(separator: "\n")
      .filter { $0.dropFirst(17).first.map { "tTwW".contains($0) } ?? false }
      .map { String($0.dropFirst(19)) }
    let found = functions.filter { build.order.contains($0) || build.cold.contains($0) }
    #expect(
      Array(found.prefix(build.order.count)) == build.order, "\(functions)",
      sourceLocation: sourceLocation)

    let diff = try must(
      Built.orderfile,
      ["diff", "app", "ordered", "--order", "app.order", "--json"]
        + traces.flatMap { ["--trace", $0] },
      sourceLocation: sourceLocation)
    let compliance = try #require(
      diff.json["order"] as? [String: Any], sourceLocation: sourceLocation)
    // A dialect that names sections can't place functions of the C runtime, which are all in one `.text`.
    let least =
      build.linker.format == "lld" ? compliance["present"] as? Int ?? .max : build.order.count
    #expect(
      compliance["inOrder"] as? Int ?? 0 >= least, "\(diff.text)", sourceLocation: sourceLocation)
    #expect(
      compliance["present"] as? Int ?? 0 >= build.order.count, "\(diff.text)",
      sourceLocation: sourceLocation)
  }
}
