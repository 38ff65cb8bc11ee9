import ImageModel
import Ordering
import TestSupport
import Testing

/// The recorded build is another build than the build that is split.
extension SplitGenerationTests {
  /// Writes a build in which `parse` was edited, and a trace of the build before: one block of `parse` ran.
  private func writeEdited(_ blocks: [Block]) throws {
    var changed = MappedBuild(id: [0xcd], functions: [Self.main, Self.parse])
    changed.functions[1].runs[0].blocks = blocks
    try write(
      MappedBuild(id: [0xab], functions: [Self.main, Self.parse]),
      ran: [("main", [0]), ("parse", [0])])
    try write(changed, "changed")
  }

  @Test func anEditedFunctionIsSplitByTheBlocksThatMatch() throws {
    try writeEdited([Block(id: 0, size: 32), Block(id: 2, size: 32), Block(id: 1, size: 16)])
    let order = try generated(image: "changed")
    // Block 2 is new, and no block leads to it.
    #expect(lines(order.splitProfile) == ["v1", "f main", "c 0", "f parse", "c 0"])
    #expect(lines(order.bytes) == ["main", "parse", "parse.cold", "main.cold"])
    let others = try #require(order.image.split?.otherBuilds)
    #expect(others.same == 1 && others.matched == 1 && others.whole == 0)
    #expect(others.blocks == 3 && others.matchedBlocks == 2)
    #expect(order.image.split?.leftWhole == [])
  }

  @Test func aFunctionOfWhichTooFewBlocksMatchStaysWhole() throws {
    try writeEdited([0, 3, 4, 5, 6].map { Block(id: $0, size: 20 + 2 * $0) })
    let order = try generated(image: "changed")
    #expect(lines(order.splitProfile) == ["v1", "f main", "c 0"])
    #expect(lines(order.bytes) == ["main", "parse", "main.cold"])
    #expect(
      order.image.split?.leftWhole.map { "\($0.name): \($0.reason)" }
        == ["parse: basic blocks differ from the recorded build: 5 and 2 basic blocks"])
    #expect(order.image.split?.otherBuilds?.whole == 1)
  }

  @Test func editedNamesakesStayWhole() throws {
    var twin = Self.parse
    twin.runs[0].address = 0x1200
    var recorded = MappedBuild(id: [0xab], functions: [Self.main, Self.parse, twin])
    try write(recorded, ran: [("main", [0]), ("parse", [0])])
    for index in 1...2 { recorded.functions[index].runs[0].blocks.append(Block(id: 2, size: 16)) }
    recorded.id = [0xcd]
    try write(recorded, "changed")
    let order = try generated(image: "changed")
    #expect(lines(order.splitProfile) == ["v1", "f main", "c 0"])
    #expect(order.image.split?.otherBuilds?.whole == 2)
  }

  @Test func aNamesakeThatDidNotRunIsNoEditedFunction() throws {
    var twin = Self.parse
    twin.runs = [Run(address: 0x1200, blocks: [Block(id: 0, size: 40), Block(id: 1, size: 50)])]
    var build = MappedBuild(id: [0xab], functions: [Self.main, Self.parse, twin])
    try write(build, ran: [("main", [0]), ("parse", [0])])
    build.functions[1].runs[0].blocks.append(Block(id: 2, size: 16))
    build.id = [0xcd]
    try write(build, "changed")
    let others = try #require(try generated(image: "changed").image.split?.otherBuilds)
    #expect(others.same == 1 && others.matched == 1 && others.whole == 0)
  }

  /// Both functions of a name were edited, and their sizes show which is which.
  @Test(arguments: [1, 2]) func editedNamesakesArePairedByTheirBlocks(ran: Int) throws {
    func namesake(_ sizes: [UInt8], at address: UInt64) -> MappedBuild.Function {
      .init(
        "parse",
        Run(address: address, blocks: sizes.enumerated().map { Block(id: UInt8($0), size: $1) }))
    }
    let recorded = MappedBuild(
      id: [0xab],
      functions: [
        Self.main, namesake([20, 21, 22], at: 0x1100), namesake([30, 31, 32], at: 0x1200),
      ])
    try builds.workshop.write(recorded.bytes, "app")
    try builds.workshop.write(
      recorded.trace(
        uses: [(Self.main, [0]), (recorded.functions[ran], [0])], path: builds.path("app")),
      "app.oftrace")
    try write(
      MappedBuild(
        id: [0xcd],
        functions: [
          Self.main, namesake([30, 31, 32, 33], at: 0x1100),
          namesake([20, 21, 22, 23], at: 0x1200),
        ]), "changed")
    let order = try generated(image: "changed")
    let others = try #require(order.image.split?.otherBuilds)
    #expect(others.same == 1 && others.matched == 1 && others.whole == 0)
    #expect(others.blocks == 4 && others.matchedBlocks == 3)
  }

  @Test func functionsThatRunOnlySinceAnEditFollowTheirUser() throws {
    func build(id: UInt8, calls: [UInt64], _ functions: [MappedBuild.Function]) -> MappedBuild {
      MappedBuild(
        id: [id],
        functions: [
          Self.main(calling: calls),
          .init("known", Run(address: 0x1100, blocks: [Block(id: 0, size: 32)])),
          // The second block returns as well, so it need not run.
          .init(
            "warn",
            Run(
              address: 0x1200,
              blocks: [
                Block(id: 0, size: 32, calls: [0x1300]), Block(id: 1, size: 16, calls: [0x1400]),
              ])),
          .init("print", Run(address: 0x1300, blocks: [Block(id: 0, size: 32)])),
          .init("open", Run(address: 0x1400, blocks: [Block(id: 0, size: 32)])),
          .init("unused", Run(address: 0x1500, blocks: [Block(id: 0, size: 32)])),
        ] + functions)
    }
    // The recorded launch has called `unused`, but did not run it.
    try write(build(id: 0xab, calls: [0x1100, 0x1500], []), ran: [("main", [0]), ("known", [0])])
    try write(
      build(
        id: 0xcd, calls: [0x1600, 0x1200, 0x1100, 0x1500, 0x1700],
        [
          .init("new", Run(address: 0x1600, blocks: [Block(id: 0, size: 9, calls: [0x1800])])),
          .init("other", Run(address: 0x1700, blocks: [Block(id: 0, size: 9)])),
          .init("newest", Run(address: 0x1800, blocks: [Block(id: 0, size: 9)])),
        ]), "changed")
    let order = try generated(image: "changed")
    #expect(
      lines(order.bytes) == ["main", "new", "newest", "warn", "print", "other", "known"])
    let others = try #require(order.image.split?.otherBuilds)
    #expect(others.reached == 5 && others.new == 3)
  }

  @Test func aRenamedFunctionIsFoundByItsCode() throws {
    func build(id: UInt8, _ name: String, _ blocks: [Block]) -> MappedBuild {
      MappedBuild(
        id: [id],
        functions: [
          Self.main, .init(name, Run(address: 0x1100, blocks: blocks)),
          .init("idle", Run(address: 0x1200, blocks: [Block(id: 0, size: 32)])),
        ])
    }
    let blocks = [Block(id: 0, size: 32), Block(id: 1, size: 48), Block(id: 2, size: 20)]
    try write(build(id: 0xab, "parse", blocks), ran: [("main", [0]), ("parse", [0, 2])])
    try write(build(id: 0xcd, "read", [Block(id: 0, size: 36)] + blocks[1...]), "changed")
    let order = try generated(image: "changed")
    #expect(lines(order.splitProfile) == ["v1", "f main", "c 0", "f read", "c 0 2"])
    #expect(lines(order.bytes) == ["main", "read", "read.cold", "main.cold"])
    let others = try #require(order.image.split?.otherBuilds)
    #expect(others.matched == 1 && others.renamed == 1 && others.reached == 0)
    // Less than half of the code is the same.
    try write(
      build(
        id: 0xcd, "read", [Block(id: 0, size: 36), Block(id: 1, size: 52), Block(id: 2, size: 20)]),
      "changed")
    #expect(lines(try generated(image: "changed").bytes) == ["main", "main.cold"])
  }

  @Test func afterAnEditTheSmallestColdPartsComeFirst() throws {
    func function(_ name: String, at address: UInt64, _ sizes: [UInt8]) -> MappedBuild.Function {
      .init(
        name,
        Run(address: address, blocks: sizes.enumerated().map { Block(id: UInt8($0), size: $1) }))
    }
    let names = [("a", 0x1100), ("b", 0x1200), ("c", 0x1300)] as [(String, UInt64)]
    func build(id: UInt8, edited: String?) -> MappedBuild {
      MappedBuild(
        id: [id],
        functions: zip(names, [50, 60, 20]).map {
          function($0.0, at: $0.1, [20, $1, 21] + ($0.0 == edited ? [22] : []))
        })
    }
    try write(build(id: 0xab, edited: nil), ran: names.map { ($0.0, [0]) })
    #expect(lines(try generated().bytes) == ["a", "b", "c", "a.cold", "b.cold", "c.cold"])
    try write(build(id: 0xcd, edited: "b"), "changed")
    let order = try generated(image: "changed")
    #expect(lines(order.bytes) == ["a", "b", "c", "c.cold", "a.cold", "b.cold"])
  }

  @Test(
    arguments: [
      // No block but the entry matches; each launch runs the first block, and may run the second.
      (blocks: [40, 50, 60, 70, 80], order: ["main", "new", "print", "newest"]),
      // All blocks but the new one match.
      (blocks: [32, 48, 20, 99], order: ["main", "new", "print"]),
    ] as [(blocks: [UInt8], order: [String])]) func functionsThatAWholeFunctionUsesAreReached(
      blocks: [UInt8], order: [String]
    ) throws
  {
    func build(id: UInt8, _ sizes: [UInt8], calls: [UInt64], _ names: [String]) -> MappedBuild {
      var blocks = sizes.enumerated().map { Block(id: UInt8($0), size: $1) }
      blocks[0].calls = calls
      if !calls.isEmpty { blocks[blocks.count - 1].calls = [0x1500, 0x1600] }
      return MappedBuild(
        id: [id],
        functions: [.init("main", Run(address: 0x1000, blocks: blocks))]
          + names.enumerated().map {
            .init($1, Run(address: 0x1300 + 0x100 * UInt64($0), blocks: [Block(id: 0, size: 32)]))
          })
    }
    try write(
      build(id: 0xab, [32, 48, 20], calls: [], ["idle", "print", "other", "open"]),
      ran: [("main", [0])])
    // The last block need not run, so `open`, which the recorded build has, is not reached from it.
    try write(
      build(id: 0xcd, blocks, calls: [0x1300, 0x1400], ["new", "print", "newest", "open"]),
      "changed")
    let result = try generated(image: "changed")
    #expect(lines(result.bytes).filter { !$0.hasSuffix(".cold") } == order)
  }

  @Test func largeReachedFunctionsComeAfterAllCodeThatRan() throws {
    func large(_ name: String, at address: UInt64, _ count: UInt8) -> MappedBuild.Function {
      .init(
        name, Run(address: address, blocks: (0..<count).map { Block(id: $0, size: 120) }))
    }
    func build(id: UInt8, calls: [UInt64], _ name: String) -> MappedBuild {
      MappedBuild(
        id: [id],
        functions: [
          .init(
            "main",
            Run(
              address: 0x1000,
              blocks: [Block(id: 0, size: 40, calls: calls), Block(id: 1, size: 40)])),
          large("warn", at: 0x1200, 9), large("print", at: 0x2000, 8),
          large("\(name)est", at: 0x3000, 18), large(name, at: 0x4000, 17),
        ])
    }
    try write(build(id: 0xab, calls: [], "old"), ran: [("main", [0])])
    try write(build(id: 0xcd, calls: [0x1200, 0x2000, 0x3000, 0x4000], "new"), "changed")
    let order = try generated(image: "changed")
    #expect(lines(order.bytes) == ["main", "print", "new", "warn", "newest", "main.cold"])
    #expect(order.image.split?.otherBuilds?.reached == 4)
  }

  private static func main(calling functions: [UInt64]) -> MappedBuild.Function {
    .init("main", Run(address: 0x1000, blocks: [Block(id: 0, size: 40, calls: functions)]))
  }

  /// A function that need not run need not run its certain blocks.
  @Test(arguments: [true, false]) func functionsAreReachedThroughCertainBlocks(isCertain: Bool)
    throws
  {
    func build(id: UInt8, calls: [UInt64], _ name: String) -> MappedBuild {
      MappedBuild(
        id: [id],
        functions: [
          Self.main(calling: calls),
          // The second block need not run, because the first one returns, too.
          .init(
            name,
            Run(
              address: 0x1100,
              blocks: [
                Block(id: 0, size: 32, calls: isCertain ? [0x1200] : []),
                Block(id: 1, size: 16, calls: isCertain ? [] : [0x1200]),
              ])),
          .init(
            "\(name)er", Run(address: 0x1200, blocks: [Block(id: 0, size: 9, calls: [0x1300])])),
          .init("print", Run(address: 0x1300, blocks: [Block(id: 0, size: 32)])),
        ])
    }
    try write(build(id: 0xab, calls: [], "old"), ran: [("main", [0])])
    try write(build(id: 0xcd, calls: [0x1100], "new"), "changed")
    #expect(
      lines(try generated(image: "changed").bytes)
        == ["main", "new", "newer"] + (isCertain ? ["print"] : []))
  }

  @Test(
    arguments: [
      (rest: 85, profile: []), (rest: 86, profile: ["f known", "c 0"]),
    ] as [(UInt8, [String])])
  func aFunctionThatANewFunctionUsesStaysWhole(rest: UInt8, profile: [String]) throws {
    func build(id: UInt8, calls: [UInt64], _ name: String) -> MappedBuild {
      MappedBuild(
        id: [id],
        functions: [
          Self.main(calling: calls),
          .init(
            "known",
            Run(
              address: 0x1100,
              blocks: [
                Block(id: 0, size: 32), Block(id: 1, size: rest), Block(id: 2, size: rest),
                Block(id: 3, size: rest),
              ])),
          .init(name, Run(address: 0x1400, blocks: [Block(id: 0, size: 32, calls: [0x1100])])),
        ])
    }
    try write(build(id: 0xab, calls: [0x1100], "old"), ran: [("main", [0]), ("known", [0])])
    try write(build(id: 0xcd, calls: [0x1100, 0x1400], "new"), "changed")
    let order = try generated(image: "changed")
    #expect(lines(order.splitProfile) == ["v1"] + profile)
    #expect(order.image.split?.leftWhole == [])
  }

  /// Parameters are a part of the names of C++.
  @Test(
    arguments: [
      (blocks: [Block(id: 0, size: 36), Block(id: 1, size: 48), Block(id: 2, size: 22)], whole: 0),
      (blocks: (0..<5).map { Block(id: $0, size: 50 + $0) }, whole: 1),
    ] as [(blocks: [Block], whole: Int)]) func aFunctionWithOtherParametersIsTheSameFunction(
      blocks: [Block], whole: Int
    ) throws
  {
    func build(id: UInt8, _ name: String, _ blocks: [Block]) -> MappedBuild {
      MappedBuild(
        id: [id],
        functions: [
          Self.main, .init(name, Run(address: 0x1100, blocks: blocks)),
          .init("_Z5otherv", Run(address: 0x1300, blocks: [Block(id: 0, size: 32)])),
        ])
    }
    try write(
      build(
        id: 0xab, "_ZN3app4readEi",
        [Block(id: 0, size: 32), Block(id: 1, size: 48), Block(id: 2, size: 20)]),
      ran: [("main", [0]), ("_ZN3app4readEi", [0, 1])])
    try write(build(id: 0xcd, "_ZN3app4readEib", blocks), "changed")
    let order = try generated(image: "changed")
    #expect(
      lines(order.bytes).filter { !$0.hasSuffix(".cold") } == ["main", "_ZN3app4readEib"])
    let others = try #require(order.image.split?.otherBuilds)
    #expect(others.renamed == 1 - whole && others.whole == whole && others.reached == 0)
  }
}
