import Addresses
import FileContents
import Foundation
import ImageModel
import Ordering
import Rendering
import TestSupport
import Testing

@Suite struct ShownDocumentTests {
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
    var document: any ShownDocument
    var text: @Sendable (@escaping NameWording) -> String

    func json(_ names: NameWording?) -> [UInt8] {
      collected { document.json(demangle: names, to: $0) }
    }
  }

  static func imageCase(_ name: String, instrumented: Bool, width: Int?) -> Case {
    let document = ImageDocument(image(instrumented: instrumented))
    return Case(testDescription: name, document: document) {
      ImageText(document, width: width, names: $0).text
    }
  }

  static let linkMap = LinkMapDocument(path: "app.map", linker: "lld", layout: layout)

  static let cases: [Case] = [
    imageCase("image", instrumented: true, width: 60),
    imageCase("image-not-instrumented", instrumented: false, width: nil),
    Case(testDescription: "link-map", document: linkMap) { LinkMapText(linkMap, names: $0).text },
    Case(testDescription: "order-file", document: orderFile) {
      OrderFileText(orderFile, names: $0).text
    },
    Case(testDescription: "clusters", document: clusters) {
      ClusterProfileText(clusters, names: $0).text
    },
    Case(testDescription: "profile", document: profile) { ProfileText(profile, names: $0).text },
    Case(testDescription: "payload", document: payload) { PayloadText(payload, names: $0).text },
  ]

  static let payload: PayloadDocument = {
    var payload = PayloadDocument(path: "größe.payload")
    (payload.payloads, payload.truncated, payload.damaged, payload.laterVersions) = (1, 2, 3, 4)
    payload.images = [
      .init(id: "9f3a", guardCount: 9, hash: 0x1f, path: "app", payloads: 1, programs: 1),
      .init(id: nil, guardCount: 2, hash: .max, path: nil, payloads: 1, programs: 0),
    ]
    payload.launch = .init(
      end: "exit", memoryClass: 33, hasToken: true, omittedImages: 1,
      functions: [
        .init(
          image: 0, guardIndex: 2, quarter: 0, address: StatedAddress(rawValue: 0x2000),
          names: ["main", "alias"]),
        .init(image: 1, guardIndex: 0, quarter: 3, address: nil, names: []),
      ])
    return payload
  }()

  static let profile: ProfileDocument = {
    var profile = ProfileDocument(path: "app.ofprofile")
    profile.launches = 12
    profile.lostRecords = 3
    profile.incomplete = [.init(reason: "lost records", launches: 1)]
    profile.ends = [
      .init(reason: "exit", launches: 11), .init(reason: "stopped by mark", launches: 1),
    ]
    profile.images = [
      .init(
        path: "/build/app", id: "9f3a", architecture: "x86_64", launches: 12, programLaunches: 12,
        dataLaunches: 4, unnamedHits: 0),
      .init(
        path: "/lib/größe.so", id: nil, architecture: nil, launches: 1, programLaunches: 0,
        unnamedHits: 2),
    ]
    profile.functions = [
      .init(
        image: 0, address: StatedAddress(rawValue: 0x2000), names: ["main"], objectFile: "a.o",
        launches: 12, medianPosition: 0, firstNanoseconds: 1_250_000, blocks: 2),
      .init(
        image: 0, address: StatedAddress(rawValue: 0x1000), names: ["parse", "parse2"], launches: 3,
        medianPosition: 31),
      .init(
        image: 1, address: StatedAddress(rawValue: 0x40), names: [], launches: 1, medianPosition: 0),
    ]
    profile.data = [
      .init(
        image: 0, address: StatedAddress(rawValue: 0x9000), names: ["table", "table2"],
        launches: 4, medianPosition: 0, firstNanoseconds: 1_300_000),
      .init(
        image: 0, address: StatedAddress(rawValue: 0x8008), names: [], launches: 1,
        medianPosition: 7),
    ]
    profile.wholeLaunches = [.init(hash: 0x1f, launches: 9, functions: 2, data: 1)]
    return profile
  }()

  static let clusters = ClusterProfileDocument(
    path: "app.clusters",
    functions: [
      .init(names: ["main"], clusters: [[0, 2, 1]]),
      .init(names: ["parse", "größe"], unit: "lib/b.c", clusters: [[0], [4, 5]]),
    ])

  static let orderFile = OrderFileDocument(
    path: "app.order", dialect: "ld64",
    entries: [
      .init(name: "main", line: 3), .init(name: "größe \"x\"", line: 12),
      .init(name: "_twin", line: 13, objectFile: "libx.a(b.o)"),
      .init(name: "_f", line: 14, objectFile: "a.o", architecture: "arm64"),
    ])

  @Test(arguments: cases) func textIsAsRecorded(_ shown: Case) throws {
    try expectGolden(shown.text(mangled), "reporting/show/\(shown.testDescription)/expected.txt")
  }

  @Test(arguments: cases) func jsonIsAsRecorded(_ shown: Case) throws {
    let json = String(decoding: shown.json(nil), as: UTF8.self)
    try expectGolden(json, "reporting/show/\(shown.testDescription)/expected.json")
  }

  @Test(arguments: cases) func jsonKeepsTheNameBesideTheDemangledOne(_ shown: Case) throws {
    let value = try parsedJSON(shown.json(upperCase))
    let plain = try parsedJSON(shown.json(nil))
    guard value["launch"] == nil else {
      #expect(shown.text(upperCase).contains("MAIN"))
      return
    }
    let key = value["entries"] == nil ? "functions" : "entries"
    let named = try #require(value[key] as? [[String: Any]])
    let before = try #require(plain[key] as? [[String: Any]])
    #expect(named.map { $0["name"] as? String } == before.map { $0["name"] as? String })
    #expect(named.contains { $0["demangledName"] as? String == "MAIN" })
    #expect(before.allSatisfy { $0["demangledName"] == nil })
    #expect(shown.text(upperCase).contains("MAIN"))
  }

  @Test(arguments: cases) func jsonEndsWithOneNewline(_ shown: Case) {
    #expect(shown.json(nil).suffix(2) == [UInt8(ascii: "}"), UInt8(ascii: "\n")])
  }
}

/// Returns all pieces of a document, one after the other.
func collected(_ document: (@escaping ([UInt8]) -> Void) -> Void) -> [UInt8] {
  var bytes: [UInt8] = []
  document { bytes += $0 }
  return bytes
}
