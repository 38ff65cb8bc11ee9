import ImageModel
import Projects
import Testing

/// One profile made of the profiles of several images.
@Suite struct ProjectProfileTests {
  @Test func functionsOfSeveralImagesStayWhole() throws {
    let first = "v1\n# app\nf main\nc 0 2\nf parse parse_alias\nc 0 1\nm a.c\nf usage\nc 0\n"
    let second =
      "v1\nf main\nc 0 1\nf other parse_alias\nc 0\nm b.c\nf usage\nc 0 3\nf own\nc 0 4\n"
    let merged = try ProjectClusters([Array(first.utf8), Array(second.utf8)])
    #expect(
      String(decoding: merged.bytes, as: UTF8.self)
        == "v1\nm a.c\nf usage\nc 0\nm b.c\nf usage\nc 0 3\nf own\nc 0 4\n")
  }

  @Test func anUnreadableProfileIsAnError() {
    #expect(throws: Diagnostic.self) { try ProjectClusters([Array("v1\nc 0\n".utf8)]) }
  }
}
