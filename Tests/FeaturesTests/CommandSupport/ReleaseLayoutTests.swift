import CommandSupport
import ImageModel
import TestSupport
import Testing

@Suite struct ReleaseLayoutTests {
  private let builds: SampleBuilds
  init() throws {
    builds = try SampleBuilds()
    try builds.writeImage(["main", "first"], "app", id: [1, 2])
    try builds.writeImage([], "stripped", id: [1, 2])
    try builds.write(Self.map, "map")
  }

  private static let map = """
                 VMA              LMA     Size Align Out     In      Symbol
                1000             1000      800    16 .text
                1000             1000      400    16         a.o:(.text.main)
                1000             1000      400     1                 main
                1400             1400      400    16         b.o:(.text.first)
                1400             1400      400     1                 first

    """

  private func names(_ release: ReleaseLayout) -> [String] {
    release.layout.functions.map {
      String(decoding: release.layout.names[$0.name], as: UTF8.self)
    }
  }

  @Test func anImageTellsItsIdentityAndAMapItsInputSections() throws {
    let image = try ReleaseLayout(path: builds.path("app"))
    #expect(names(image) == ["main", "first"])
    #expect(image.image?.id != nil)
    #expect(image.layout.functions.allSatisfy { $0.inputSection == nil })
    let map = try ReleaseLayout(path: builds.path("map"))
    #expect(names(map) == ["main", "first"])
    #expect(map.image == nil)
    #expect(map.layout.functions.allSatisfy { $0.inputSection != nil })
    #expect(try map.blockMap() == nil)
  }

  @Test(arguments: ["app", "stripped"])
  func anImageAndItsMapTogetherTellBoth(_ name: String) throws {
    let both = try ReleaseLayout(
      image: builds.path(name), linkMap: builds.path("map"), debugFile: nil, slice: .init())
    #expect(names(both) == ["main", "first"])
    #expect(both.image?.id != nil)
    #expect(both.layout.functions.allSatisfy { $0.inputSection != nil })
    #expect(both.path == builds.path(name))
  }

  @Test func whatIsNeitherIsRefusedAsAMap() throws {
    try builds.write("some text\n", "text")
    let error = diagnostic { _ = try ReleaseLayout(path: builds.path("text")) }
    #expect(error?.context == [builds.path("text")])
    #expect(error?.message.contains("expected") ?? false, "\(String(describing: error))")
    #expect(diagnostic { _ = try ReleaseLayout(path: builds.path("nowhere")) } != nil)
  }
}
