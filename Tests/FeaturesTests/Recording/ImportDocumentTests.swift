import ImageModel
import Recording
import TestSupport
import Testing

@Suite struct ImportDocumentTests {
  static let list = ImportDocument(
    source: "symbols", inputPaths: ["start\u{1b}up.txt"], outputPath: "app.oftrace",
    imagePath: "build/app", imageID: ImageID(kind: .buildID, bytes: [0x9f, 0x3a]), functions: 1,
    details: .list(
      ImportDocument.List(
        entries: 3,
        missing: [
          ImportDocument.MissingLine(line: 4, name: "a \"b\"", reason: "no such symbol"),
          ImportDocument.MissingLine(
            line: 5, name: SymbolName(bytes: [0x66, 0xff]), reason: "no such symbol"),
        ])))

  static let recording = ImportDocument(
    source: "xctrace", inputPaths: ["samples.xml", "faults.xml"], outputPath: "-",
    imagePath: "App.app/App", imageID: nil, functions: 412,
    details: .recording(
      ImportDocument.Recording(
        process: 581, processLabel: "App (581)", functionsByFault: 96, pageIns: 101, faults: 120)))

  static let samples = ImportDocument(
    source: "perf", inputPaths: ["perf.txt"], outputPath: "app.oftrace", imagePath: "build/app",
    imageID: nil, functions: 3,
    details: .samples(
      ImportDocument.Samples(
        samples: 90, names: 4, unnamedFrames: 2, command: "app \u{1b}",
        missing: [ImportDocument.MissingLine(line: 4, name: "f(int)", reason: "no such symbol")])))

  @Test(arguments: ["list", "recording", "samples"])
  func bothFormsAreAsRecorded(_ name: String) throws {
    let document = ["list": Self.list, "samples": Self.samples][name] ?? Self.recording
    try expectGolden(ImportText(document).text + "\n", "reporting/import/\(name)/expected.txt")
    let json = document.json()
    try expectGolden(
      String(decoding: json, as: UTF8.self), "reporting/import/\(name)/expected.json")
    #expect(try parsedJSON(json)["schema"] as? String == ImportDocument.schema)
  }
}
