import Budget
import ByteReading
import ImageModel
import Testing

/// Documents about images called `app`, and the facts that they state about the images.
@Suite struct CheckedImageTests {
  private struct Stated {
    var kind: String
    var architecture: String?
    var id: String?

    var document: [UInt8] {
      let members = [("architecture", architecture), ("id", id)].compactMap { key, value in
        value.map { ", \"\(key)\": \"\($0)\"" }
      }.joined()
      let text =
        switch kind {
        case "pages":
          """
          {"command": [], "exitStatus": 0, "images": [{"pages": [], "path": "/build/app"\(members)}], "method": "ptrace",
           "schema": "orderfile.pages/1"}
          """
        case "audit":
          """
          {"findings": [], "images": [{"name": "app", "path": "/opt/app", "relocations": {"words": 3}}], "initializers": [],
           "libraries": [], "path": "app", "schema": "orderfile.audit/1"\(members)}
          """
        default:
          """
          {"images": [{"entries": 5, "layoutPath": "/old/app", "recordedFunctions": 5, "recordedImage": "app.rec",
            "resolvedFunctions": 5, "startupBytes": 500, "textBytes": 9000, "untracedInitializers": 0\(members)}],
           "schema": "orderfile.gen/2"}
          """
        }
      return Array(text.utf8)
    }
  }

  private static func images(_ documents: [Stated]) throws -> [CheckedImage] {
    var images: [CheckedImage] = []
    for document in documents {
      let path = "\(document.kind).json"
      try images.add(
        try CommittedDocument(parsing: FileBytes(document.document), path: path), path: path)
    }
    return images
  }

  @Test func imagesOfOneNameInOneDocumentAreSaidSo() throws {
    let text = """
      {"command": [], "exitStatus": 0, "images": [{"id": "01", "pages": [], "path": "/x/libp.so"},
       {"id": "02", "pages": [], "path": "/y/libp.so"}], "method": "ptrace", "schema": "orderfile.pages/1"}
      """
    let document = try CommittedDocument(parsing: FileBytes(Array(text.utf8)), path: "pages.json")
    var images: [CheckedImage] = []
    let error = #expect(throws: Diagnostic.self) { try images.add(document, path: "pages.json") }
    #expect(error?.message == "the document has two images called 'libp.so'")
  }

  @Test func documentsOfOneBuildAreAboutOneImage() throws {
    let images = try Self.images([
      Stated(kind: "gen"), Stated(kind: "pages", architecture: "x86_64", id: "9f3a"),
      Stated(kind: "audit", architecture: "x86_64", id: "9f3a"),
    ])
    #expect(
      images.map(\.reference) == [ImageReference(path: "app", architecture: .x8664, id: "9f3a")])
  }

  @Test(arguments: [
    ("arm64", "9f3a", "app is of another architecture: expected x86_64, found arm64"),
    ("x86_64", "0b57", "app is of another build: expected the image ID 9f3a, found 0b57"),
    (nil, "0b57", "app is of another build: expected the image ID 9f3a, found 0b57"),
  ])
  func documentsThatContradictEachOtherAreRefused(
    architecture: String?, id: String, message: String
  ) throws {
    let error = #expect(throws: Diagnostic.self) {
      try Self.images([
        Stated(kind: "pages", architecture: "x86_64", id: "9f3a"),
        Stated(kind: "audit", architecture: architecture, id: id),
      ])
    }
    #expect(
      error
        == Diagnostic(
          "\(message), unlike in 'pages.json'", context: ["audit.json"],
          hint: "give documents of one build", severity: .mismatch))
  }

  /// An image has a weak ID only if it has no other ID. The order file is made from the build before.
  @Test func buildsAreToldApartByWhatProvesThem() throws {
    let images = try Self.images([
      Stated(kind: "pages", architecture: "x86_64"),
      Stated(kind: "audit", architecture: "x86_64", id: "0b57"),
      Stated(kind: "gen", architecture: "x86_64", id: "9f3a"),
    ])
    #expect(images.map(\.reference.id) == ["0b57"])
    #expect(throws: Diagnostic.self) {
      try Self.images([
        Stated(kind: "pages", architecture: "x86_64", id: "weak:01"),
        Stated(kind: "audit", architecture: "x86_64", id: "0b57"),
      ])
    }
    #expect(throws: Diagnostic.self) {
      try Self.images([
        Stated(kind: "gen", architecture: "arm64"), Stated(kind: "pages", architecture: "x86_64"),
      ])
    }
  }
}
