import Foundation
import ImageModel
import Ordering
import TestSupport
import Testing

/// The way from traces of basic blocks to a profile for the compiler and an order of parts.
@Suite struct SplitGenerationTests {
  let builds: SampleBuilds
  init() throws { builds = try SampleBuilds() }

  typealias Block = MappedBuild.Block
  typealias Run = MappedBuild.Run

  static let main = MappedBuild.Function(
    "main",
    Run(
      address: 0x1000,
      blocks: [
        Block(id: 0, size: 32), Block(id: 3, size: 16), Block(id: 1, size: 16),
        Block(id: 2, size: 36),
      ]))
  static let parse = MappedBuild.Function(
    "parse", Run(address: 0x1100, blocks: [Block(id: 0, size: 32), Block(id: 1, size: 16)]))

  /// Returns a build with one function that has these blocks.
  static func function(_ blocks: [Block]) -> MappedBuild {
    MappedBuild(id: [0xab], functions: [.init("f", Run(address: 0x1000, blocks: blocks))])
  }

  func write(
    _ build: MappedBuild, _ name: String = "app", ran: [(String, [UInt8])]? = nil
  ) throws {
    try builds.workshop.write(build.bytes, name)
    guard let ran else { return }
    try builds.workshop.write(
      build.trace(ran: ran.map { ($0.0, $0.1) }, path: builds.path(name)), "\(name).oftrace")
  }

  func generated(
    _ traces: [String] = ["app.oftrace"], image: String? = "app", in builds: SampleBuilds? = nil
  ) throws -> GeneratedOrder {
    let builds = builds ?? self.builds
    var options = OrderGeneration.Options(traces: traces.map(builds.path))
    options.builds = .one(image: image.map(builds.path))
    options.split = SplitFormat(name: "clang")
    options.splitPath = "app.clusters"
    var generation = try OrderGeneration(options)
    return try generation.order(ofImageNamed: generation.fileNames[0], outputPath: "app.order")
  }

  func lines(_ bytes: [UInt8]?) -> [String] {
    String(decoding: bytes ?? [], as: UTF8.self).split(separator: "\n").map(String.init)
      .filter { !$0.hasPrefix("#") }
  }

  @Test func blocksThatRanComeFirstInTheOrderOfTheCode() throws {
    let build = MappedBuild(id: [0xab], functions: [Self.main, Self.parse])
    try write(build, ran: [("parse", [0]), ("main", [0, 1, 3])])
    let order = try generated()
    #expect(lines(order.splitProfile) == ["v1", "f parse", "c 0", "f main", "c 0 3 1"])
    #expect(lines(order.bytes) == ["parse", "main", "parse.cold", "main.cold"])
    let split = try #require(order.image.split)
    #expect(split.functions == 2 && split.hotBytes == 96 && split.coldBytes == 52)
    #expect(split.leftWhole == [] && split.outputPath == "app.clusters")
    #expect(order.image.functions.startupBytes == 96 && order.image.file.entries == 4)
  }

  @Test func aFunctionThatRanWholeStaysWhole() throws {
    let build = MappedBuild(id: [0xab], functions: [Self.main, Self.parse])
    try write(build, ran: [("main", [0, 1]), ("parse", [0, 1])])
    let order = try generated(image: nil)
    #expect(lines(order.splitProfile) == ["v1", "f main", "c 0 1"])
    #expect(lines(order.bytes) == ["main", "parse", "main.cold"])
  }

  @Test func severalTracesRanWhatOneOfThemRan() throws {
    let build = MappedBuild(id: [0xab], functions: [Self.main, Self.parse])
    try write(build, ran: [("main", [0, 1])])
    try builds.workshop.write(
      build.trace(ran: [("parse", [0]), ("main", [2])], path: builds.path("app")), "second")
    #expect(
      lines(try generated(["app.oftrace", "second"]).splitProfile)
        == ["v1", "f parse", "c 0", "f main", "c 0 1 2"])
  }

  struct Sample: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var blocks: [Block]
    var ran: [UInt8]
    var cluster: String?
  }

  @Test(arguments: [
    Sample(
      testDescription: "landing pads stay together where one ran",
      blocks: [
        Block(id: 0, size: 32), Block(id: 1, size: 16, isLandingPad: true), Block(id: 2, size: 16),
        Block(id: 3, size: 16, isLandingPad: true),
      ], ran: [0, 3], cluster: "c 0 1 3"),
    Sample(
      testDescription: "landing pads are split off together where none ran",
      blocks: [
        Block(id: 0, size: 32), Block(id: 1, size: 16, isLandingPad: true), Block(id: 2, size: 16),
        Block(id: 3, size: 16, isLandingPad: true),
      ], ran: [0, 2], cluster: "c 0 2"),
    Sample(
      testDescription: "the entry leads if it did not run",
      blocks: [Block(id: 0, size: 32), Block(id: 1, size: 16), Block(id: 2, size: 16)], ran: [2],
      cluster: "c 0 2"),
    Sample(
      testDescription: "an empty block goes with what follows it",
      blocks: [
        Block(id: 0, size: 32), Block(id: 1, size: 0), Block(id: 2, size: 16),
        Block(id: 3, size: 0),
        Block(id: 4, size: 16),
      ], ran: [0, 2], cluster: "c 0 1 2"),
    Sample(
      testDescription: "only empty blocks did not run",
      blocks: [Block(id: 0, size: 32), Block(id: 1, size: 0)], ran: [0], cluster: nil),
    Sample(
      testDescription: "a gap that is shorter than the jumps around it stays",
      blocks: [
        Block(id: 0, size: 32), Block(id: 1, size: 7), Block(id: 2, size: 8),
        Block(id: 3, size: 32), Block(id: 4, size: 16), Block(id: 5, size: 32),
        Block(id: 6, size: 15),
      ], ran: [0, 3, 5], cluster: "c 0 1 2 3 5 6"),
    Sample(
      testDescription: "landing pads do not stay for being short",
      blocks: [
        Block(id: 0, size: 32), Block(id: 1, size: 8, isLandingPad: true), Block(id: 2, size: 32),
        Block(id: 3, size: 40, isLandingPad: true),
      ], ran: [0, 2], cluster: "c 0 2"),
    Sample(
      testDescription: "an entry with another ID",
      blocks: [Block(id: 1, size: 32), Block(id: 0, size: 16)],
      ran: [1], cluster: nil),
    Sample(
      testDescription: "an ID twice",
      blocks: [Block(id: 0, size: 32), Block(id: 1, size: 16), Block(id: 1, size: 16)], ran: [0],
      cluster: nil),
  ])
  func blocksKeepTogetherWhatTheCompilerMustNotPart(_ sample: Sample) throws {
    try write(Self.function(sample.blocks), ran: [("f", sample.ran)])
    #expect(
      lines(try generated().splitProfile) == ["v1"] + (sample.cluster.map { ["f f", $0] } ?? []))
  }

  /// clang names the cold part after the base constructor, which is its own function. The profile has all names.
  @Test(arguments: [
    ("_ZN1AC1Ei", "_ZN1AC2Ei"), ("_ZN1AD1Ev", "_ZN1AD2Ev"), ("_ZN1AC1IlEET_i", "_ZN1AC2IlEET_i"),
    ("_ZZN1AC1EvEN1BC1Ev", "_ZZN1AC1EvEN1BC2Ev"),
  ])
  func theColdPartOfAConstructorHasTheNameOfTheBaseOne(complete: String, base: String) throws {
    var build = Self.function([Block(id: 0, size: 32), Block(id: 1, size: 16)])
    build.functions[0].name = complete
    build.functions[0].aliases = [base]
    try write(build, ran: [(complete, [0])])
    let order = try generated()
    #expect(lines(order.splitProfile) == ["v1", "f \(complete) \(base)", "c 0"])
    #expect(lines(order.bytes) == [complete, base, "\(base).cold"])
  }

  @Test func otherNamesOfOneFunctionHaveAColdPartEach() throws {
    var build = Self.function([Block(id: 0, size: 32), Block(id: 1, size: 16)])
    build.functions[0].name = "_ZN1AC1Ei"
    build.functions[0].aliases = ["copyC1E", "copyC2E"]
    try write(build, ran: [("_ZN1AC1Ei", [0])])
    let names = ["_ZN1AC1Ei", "copyC1E", "copyC2E"]
    #expect(lines(try generated().bytes) == names + names.map { "\($0).cold" })
  }

  /// SwiftPM adds `main` in this way, with --defsym.
  @Test func aNameThatTheLinkerHasAddedHasNoColdPart() throws {
    var build = Self.function([Block(id: 0, size: 32), Block(id: 1, size: 16)])
    build.functions[0].name = "greet_main"
    build.functions[0].linkerNames = ["main"]
    try write(build, ran: [("greet_main", [0])])
    let order = try generated()
    #expect(lines(order.splitProfile) == ["v1", "f greet_main", "c 0"])
    #expect(lines(order.bytes) == ["greet_main", "main", "greet_main.cold"])
  }

  @Test func aNameOfNothingButConstructorsCostsWhatOthersCost() throws {
    let growth = costGrowth(from: 1 << 11, by: 8) { count in
      var build = Self.function([Block(id: 0, size: 32), Block(id: 1, size: 16)])
      build.functions[0].name = "_Z" + String(repeating: "C1E", count: count)
      #expect(throws: Never.self) {
        try write(build, ran: [(build.functions[0].name, [0])])
        _ = try generated()
      }
    }
    #expect(growth < 20, "\(growth)")
  }

  @Test func namesakesWithoutDebugInformationStayWhole() throws {
    let twin = MappedBuild.Function(
      "parse", Run(address: 0x1200, blocks: [Block(id: 0, size: 32), Block(id: 1, size: 16)]))
    try write(
      MappedBuild(id: [0xab], functions: [Self.main, Self.parse, twin]),
      ran: [("main", [0]), ("parse", [0])])
    let order = try generated()
    #expect(lines(order.splitProfile) == ["v1", "f main", "c 0"])
    #expect(lines(order.bytes) == ["main", "parse", "main.cold"])
    let left = try #require(order.image.split?.leftWhole)
    #expect(
      left.map(\.name) == ["parse"] && left[0].reason.contains("several functions have this name"))
  }

  /// Generated code has such functions, and so do headers that many files include.
  @Test func thousandsOfNamesakesCostNoSquares() throws {
    func builds(of count: Int) throws -> SampleBuilds {
      let samples = try SampleBuilds()
      var build = MappedBuild(id: [0xab], functions: [])
      build.textSize = 0x100 + 32 * count
      for index in 0..<count {
        build.functions.append(
          .init(
            "parse",
            Run(
              address: 0x1000 + 32 * UInt64(index),
              blocks: [Block(id: 0, size: 16), Block(id: 1, size: 16)])))
      }
      try samples.workshop.write(build.bytes, "app")
      try samples.workshop.write(
        build.trace(uses: build.functions.map { ($0, [0]) }, path: samples.path("app")),
        "app.oftrace")
      return samples
    }
    let growth = costGrowth(
      from: 500, by: 4, of: { size in (size: size, builds: try? builds(of: size)) },
      { input in
        let order = input.builds.flatMap { try? generated(in: $0) }
        #expect(order.map { lines($0.splitProfile) } == ["v1"])
        #expect(order?.image.split?.leftWhole.count == input.size)
      })
    #expect(growth < 10, "\(growth) times for 4 times as many")
  }

  @Test func whatRanInTheSplitBuildIsWhatRanInTheOther() throws {
    let split = MappedBuild(
      id: [0xcd],
      functions: [
        .init(
          "main", Run(address: 0x2000, blocks: [Block(id: 0, size: 32), Block(id: 1, size: 28)]),
          Run(address: 0x3000, blocks: [Block(id: 3, size: 16), Block(id: 2, size: 36)])),
        Self.parse,
      ])
    try write(
      MappedBuild(id: [0xab], functions: [Self.main, Self.parse]), ran: [("main", [0, 1])])
    try FileManager.default.createDirectory(
      at: builds.workshop.folder.appendingPathComponent("split"), withIntermediateDirectories: false
    )
    try write(split, "split/app", ran: [("main", [0, 1, 2])])
    // The launch was recorded in the split build: block 2 ran in its cold part.
    let again = try generated(["split/app.oftrace"], image: "split/app")
    #expect(lines(again.splitProfile) == ["v1", "f main", "c 0 1 2"])
    #expect(lines(again.bytes) == ["main", "main.cold"])
    // The profile has the union of both builds, in the terms of either build.
    for image in ["app", "split/app"] {
      let both = try generated(["app.oftrace", "split/app.oftrace"], image: image)
      #expect(Set(lines(both.splitProfile)) == ["v1", "f main", "c 0 1 2"])
      #expect(both.image.split?.leftWhole == [])
    }
  }

  @Test func anErrorSaysHowToRecord() throws {
    var build = MappedBuild(id: [0xab], functions: [Self.main])
    try write(build, ran: [("main", [])])
    let noBlocks = diagnostic { _ = try generated() }
    #expect(noBlocks?.message == "missing basic blocks: the traces recorded functions only")
    #expect(noBlocks?.severity == .nothingRecorded && noBlocks?.hint?.contains("--blocks") ?? false)
    build.mapVersion = 1
    try write(build, ran: [("main", [0])])
    #expect(
      diagnostic { _ = try generated() }?.message.contains("expected block IDs, found none")
        ?? false)
    build.hasMap = false
    try write(build, ran: [("main", [0])])
    #expect(
      diagnostic { _ = try generated() }?.hint?.contains("-fbasic-block-address-map") ?? false)
  }

  @Test func aMapThatCannotBeReadIsRefused() throws {
    var build = MappedBuild(id: [0xab], functions: [Self.main, Self.parse])
    try write(build, ran: [("main", [0])])
    build.mapVersion = 99
    try write(build)
    let later = diagnostic { _ = try generated() }
    #expect(
      later?.message.hasPrefix(
        "unsupported BB address map version: found 99, this tool reads 1 to 5") ?? false)
    build.mapVersion = 2
    for missing in 1..<20 {
      build.missingMapBytes = missing
      try write(build)
      let truncated = diagnostic { _ = try generated() }
      #expect(truncated?.message.hasPrefix("truncated ") ?? false, "\(missing): \(truncated)")
      #expect(truncated?.context == [builds.path("app")])
    }
  }

  @Test func withoutTheRecordedImageItsBlocksAreUnknown() throws {
    let build = MappedBuild(id: [0xab], functions: [Self.main])
    try write(build, "gone", ran: [("main", [0])])
    try builds.workshop.write([0], "gone")
    var other = build
    other.id = [0xcd]
    try write(other, "app")
    let error = diagnostic { _ = try generated(["gone.oftrace"]) }
    #expect(error?.message.hasPrefix("missing the recorded image") ?? false)
    #expect(error?.hint == "give its new path with --recorded")
  }
}
