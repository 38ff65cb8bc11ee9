import Foundation
import TestSupport
import Testing

/// Documents are valid by the schemas in docs/schemas, as Python's jsonschema reads them: the goldens, which have rare members,
/// and what the commands write.
@Suite(.needs("python3", .python("jsonschema"))) struct SchemaIntegrations {
  /// The names of the schemas of `documents`, all of which must be valid.
  private static func validate(
    _ documents: [String], in folder: URL, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Set<String> {
    let script = projectFolder.appendingPathComponent("Scripts/validate-documents.py").path
    let schemas = projectFolder.appendingPathComponent("docs/schemas").path
    let python = try #require(toolPath("python3"))
    let run = try RunningProcess(
      python, [script, "--print-names", schemas] + documents, in: folder,
      environment: ProcessInfo.processInfo.environment.merging(pythonEnvironment) { $1 }
    ).end()
    #expect(run.status == 0, "\(run.text)\(run.errors)", sourceLocation: sourceLocation)
    return Set(run.text.split(separator: "\n").map(String.init))
  }

  @Test func goldensAreValid() throws {
    let names = try FileManager.default.subpathsOfDirectory(atPath: fixturesFolder.path)
    let documents = try names.sorted().filter { name in
      guard name.hasSuffix(".json") || name.hasSuffix(".jsonl") else { return false }
      let text = String(decoding: try fixture(name), as: UTF8.self)
      return text.contains("\"schema\": \"orderfile.")
    }
    #expect(documents.count > 30)
    let found = try Self.validate(documents, in: fixturesFolder)
    #expect(found.count == 25)
  }

  @Test(.needs(.recording, .processes, .x8664Machine)) func whatCommandsWriteIsValid() throws {
    let workshop = try PredictionTests.workshop(["-Wl,-Map=app.map"])
    func write(_ name: String, _ words: String...) throws {
      try workshop.must(Built.orderfile, [words[0], "-o", name] + words.dropFirst())
    }
    try workshop.mustOrderfile("record", "--breakpoints", "-o", "t1", "--", "./app")
    try workshop.mustOrderfile("record", "--breakpoints", "-o", "t2", "--", "./app", "x")
    try write("pages.json", "pages", "--json", "--", "./app")
    try write("faults.json", "faults", "--cold", "--json", "--", "./app")
    try write("after.json", "pages", "--json", "--all-images", "--", "./ordered")
    try write("trace.json", "show", "--json", "--demangle", "full", "t1")
    try write("image.json", "show", "--json", "app")
    try write("map.json", "show", "--json", "app.map")
    try write("order.json", "show", "--json", "app.order")
    try write("audit.json", "audit", "--json", "--list", "--trace", "t1", "app")
    try workshop.write(workshop.mustOrderfile("doctor", "--json", "app").output, "doctor.json")
    try write("stages.json", "stages", "--json", "t1", "t2")
    let diff = ["diff", "app", "ordered", "--order", "app.order", "--json"]
    try workshop.must(
      Built.orderfile,
      diff + ["--trace", "t1", "--trace", "t2", "--map", "-o", "diff.json"]
        + ["--pages-before", "pages.json", "--pages-after", "after.json"])
    try workshop.must(Built.orderfile, diff + ["-o", "by-order.json"])
    try write(
      "measure.json", "measure", "--json", "--runs", "5", "--control", "--before", "./app",
      "--after",
      "./ordered")
    try write("budget.json", "check", "--init", "diff.json", "pages.json")
    try write("check.json", "check", "--json", "--budget", "budget.json", "diff.json", "pages.json")
    try write(
      "report.json", "report", "--json", "app", "ordered", "t1", "app.order", "pages.json",
      "after.json", "faults.json", "measure.json", "budget.json", "check.json")
    let gen = try workshop.mustOrderfile("gen", "t1", "--image", "app", "-o", "new.order", "--json")
    try workshop.write(gen.output, "gen.json")
    try workshop.mustOrderfile(
      "history", "add", "-q", "h.jsonl", "diff.json", "pages.json", "measure.json", "audit.json",
      "--commit", "c", "--time", "1700000000", "--arch", "x86_64")
    let verify = try workshop.mustOrderfile("verify", "app.order", "--image", "app", "--json")
    try workshop.write(verify.output, "verify.json")
    try workshop.mustOrderfile("history", "trend", "--json", "h.jsonl", "-o", "trend.json")
    let documents = workshop.fileNames.filter { $0.hasSuffix(".json") || $0.hasSuffix(".jsonl") }
    let found = try Self.validate(documents, in: workshop.folder)
    #expect(found.count == 18, "\(found.sorted())")
  }
}
