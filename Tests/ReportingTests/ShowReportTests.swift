import Addresses
import Foundation
import ImageModel
import Reporting
import TestSupport
import Testing

@Suite struct ShowReportTests {
  static let layout = sampleLayout([
    ("_init", 0x1000, 27), ("main", 0x2000, 100), ("alias\tof main", 0x2000, 100),
    ("entry", 0x2100, 0), (SymbolName(bytes: [0x66, 0xff, 0x0a]), 0x2200, 12_000),
  ])

  static func image(instrumented: Bool) -> Image {
    Image(
      path: "build/app", id: instrumented ? ImageID(kind: .buildID, bytes: [0x9f, 0x3a]) : nil,
      architecture: .x8664, layout: layout,
      initializers: instrumented ? [StatedAddress(rawValue: 0x2000)] : [],
      guards: instrumented
        ? AddressRange(start: StatedAddress(rawValue: 0x6_0000), size: 12) : nil)
  }

  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var text: @Sendable (NameWording) -> String
    var json: @Sendable (NameWording?) -> [UInt8]
  }

  static let cases: [Case] = [
    Case(
      testDescription: "image",
      text: { ImageReport(image(instrumented: true)).text(width: 60, names: $0) },
      json: { names in
        collected { ImageReport(image(instrumented: true)).json(demangle: names, to: $0) }
      }),
    Case(
      testDescription: "image-not-instrumented",
      text: { ImageReport(image(instrumented: false)).text(names: $0) },
      json: { names in
        collected { ImageReport(image(instrumented: false)).json(demangle: names, to: $0) }
      }),
    Case(
      testDescription: "link-map",
      text: { LinkMapReport(path: "app.map", linker: "lld", layout: layout).text(names: $0) },
      json: { names in
        collected {
          LinkMapReport(path: "app.map", linker: "lld", layout: layout)
            .json(demangle: names, to: $0)
        }
      }),
    Case(
      testDescription: "order-file",
      text: { orderFile.text(names: $0) },
      json: { orderFile.json(demangle: $0) }),
  ]

  static let orderFile = OrderFileReport(
    path: "app.order", dialect: "ld64",
    entries: [
      .init(name: "main", line: 3), .init(name: "größe \"x\"", line: 12),
      .init(name: "_twin", line: 13, objectFile: "libx.a(b.o)"),
      .init(name: "_f", line: 14, objectFile: "a.o", architecture: "arm64"),
    ])

  @Test(arguments: cases) func textIsAsRecorded(_ report: Case) throws {
    try expectGolden(report.text(mangled), "reporting/show/\(report.testDescription)/expected.txt")
  }

  @Test(arguments: cases) func jsonIsAsRecorded(_ report: Case) throws {
    let json = String(decoding: report.json(nil), as: UTF8.self)
    try expectGolden(json, "reporting/show/\(report.testDescription)/expected.json")
  }

  @Test(arguments: cases) func jsonKeepsTheNameBesideTheDemangledOne(_ report: Case) throws {
    let value = try parsedJSON(report.json(upperCase))
    let plain = try parsedJSON(report.json(nil))
    let key = value["entries"] == nil ? "functions" : "entries"
    let named = try #require(value[key] as? [[String: Any]])
    let before = try #require(plain[key] as? [[String: Any]])
    #expect(named.map { $0["name"] as? String } == before.map { $0["name"] as? String })
    #expect(named.contains { $0["demangledName"] as? String == "MAIN" })
    #expect(before.allSatisfy { $0["demangledName"] == nil })
    #expect(report.text(upperCase).contains("MAIN"))
  }

  @Test(arguments: cases) func jsonEndsWithOneNewline(_ report: Case) {
    #expect(report.json(nil).suffix(2) == [UInt8(ascii: "}"), UInt8(ascii: "\n")])
  }
}

/// All pieces of a document, one behind the other.
private func collected(_ document: (@escaping ([UInt8]) -> Void) -> Void) -> [UInt8] {
  var bytes: [UInt8] = []
  document { bytes += $0 }
  return bytes
}
