import ImageModel
import Reporting
import TestSupport
import Testing

@Suite struct ImportReportTests {
  static let list = ImportReport(
    source: "symbols", inputPaths: ["start\u{1b}up.txt"], outputPath: "app.oftrace",
    imagePath: "build/app", imageID: ImageID(kind: .buildID, bytes: [0x9f, 0x3a]), functions: 1,
    details: .list(
      ImportReport.List(
        entries: 3,
        missing: [
          ImportReport.MissingLine(line: 4, name: "a \"b\"", reason: "no such symbol"),
          ImportReport.MissingLine(
            line: 5, name: SymbolName(bytes: [0x66, 0xff]), reason: "no such symbol"),
        ])))

  static let recording = ImportReport(
    source: "xctrace", inputPaths: ["samples.xml", "faults.xml"], outputPath: "-",
    imagePath: "App.app/App", imageID: nil, functions: 412,
    details: .recording(
      ImportReport.Recording(
        process: 581, processLabel: "App (581)", functionsByFault: 96, pageIns: 101, faults: 120)))

  @Test(arguments: ["list", "recording"]) func bothFormsAreAsRecorded(_ name: String) throws {
    let report = name == "list" ? Self.list : Self.recording
    try expectGolden(report.text + "\n", "reporting/import/\(name)/expected.txt")
    let json = report.json()
    try expectGolden(
      String(decoding: json, as: UTF8.self), "reporting/import/\(name)/expected.json")
    #expect(try parsedJSON(json)["schema"] as? String == "orderfile.import/1")
  }
}
