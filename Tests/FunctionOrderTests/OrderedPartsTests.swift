import Addresses
import FunctionOrder
import ImageModel
import ModelSamples
import TestSupport
import Testing

@Suite struct OrderedPartsTests {
  /// Five bodies of a program, in link order; `open` has the alias `open64`, which is shorter.
  static let five = layout([
    ("log", 0x1000, 0x100), ("main", 0x1100, 0x2000), ("open", 0x3100, 0x20),
    ("open64", 0x3100, 0x10),
    ("parse", 0x3200, 0x1fff), ("setup", 0x5200, 0x10),
  ])

  static func layout(_ functions: [(name: String, address: UInt64, size: UInt64)]) -> Layout {
    sampleLayout(
      functions.map {
        SampleFunction(name: "\($0.name)", address: $0.address, size: $0.size)
      }, sections: [SampleSection(name: ".text", address: 0x1000, size: 1 << 32)])
  }

  static func names(_ order: OrderedParts, _ layout: Layout) -> [String] {
    order.parts.map(\.function).map { layout.name(of: layout.functions[$0]).description }
  }

  static func address(_ name: String, in layout: Layout) -> StatedAddress {
    layout.functions.first { layout.name(of: $0) == SymbolName(name) }?.address
      ?? StatedAddress(rawValue: 0)
  }

  /// A launch that uses the functions with these names, one after the other.
  static func launch(_ names: [String], in layout: Layout) -> [Part] {
    names.compactMap { name in
      layout.functions.firstIndex { layout.name(of: $0) == SymbolName(name) }.map { Part($0) }
    }
  }

  private func check(
    _ launches: [[String]], initializers: [String] = [], largeFunctionBytes: UInt64? = nil,
    _ expected: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let order = OrderedParts(
      launches: launches.map { Self.launch($0, in: Self.five) }, layout: Self.five,
      initializers: initializers.map { Self.address($0, in: Self.five) },
      largeFunctionBytes: largeFunctionBytes)
    #expect(Self.names(order, Self.five) == expected, sourceLocation: sourceLocation)
  }

  @Test func theEarliestUseComesFirst() {
    check([["parse", "log", "main"]], ["parse", "log", "main"])
    check([], [])
    check([[]], [])
  }

  @Test func anyAliasBringsAllOfThemByName() {
    check([["parse", "open64", "log"]], ["parse", "open", "open64", "log"])
    check([["parse", "open", "open64", "log"]], ["parse", "open", "open64", "log"])
  }

  @Test func aSecondLaunchAddsWhatTheFirstDidNotUse() {
    check(
      [["main", "log"], ["parse", "main", "open"]], ["main", "log", "parse", "open", "open64"])
  }

  @Test func untracedInitializersGoAheadInLoaderOrder() {
    check(
      [["main", "log"]], initializers: ["setup", "open", "setup"],
      ["setup", "open", "open64", "main", "log"])
  }

  @Test func tracedInitializersStayWhereTheTraceHasThem() {
    check([["main", "setup"]], initializers: ["setup", "log"], ["log", "main", "setup"])
    check([["main"], ["setup"]], initializers: ["setup"], ["main", "setup"])
  }

  @Test func largeFunctionsGoBehindTheSmallerOnesWhenAsked() {
    let used = ["main", "log", "parse", "setup"]
    check([used], used)
    check([used], largeFunctionBytes: 0x2000, ["log", "parse", "setup", "main"])
    check([used], largeFunctionBytes: 0x1fff, ["log", "setup", "main", "parse"])
    check([used], initializers: ["open"], largeFunctionBytes: 0, ["open", "open64"] + used)
  }

  /// If two aliases have different sizes, the function has the larger size.
  @Test func aBodyIsAsLargeAsItsLongestAlias() {
    check([["open64", "log"]], largeFunctionBytes: 0x200, ["open", "open64", "log"])
    check([["open64", "setup"]], largeFunctionBytes: 0x18, ["setup", "open", "open64"])
  }

  @Test func countsAndUnknownInitializersAreReported() {
    let nowhere = StatedAddress(rawValue: 0x1001)
    let order = OrderedParts(
      launches: [Self.launch(["main"], in: Self.five)], layout: Self.five,
      initializers: [nowhere, Self.address("open", in: Self.five), nowhere])
    #expect(order.untracedInitializerCount == 2)
    #expect(order.unknownInitializers == [nowhere])
  }

  @Test(arguments: [11, 12, 13] as [UInt64])
  func theOrderIsAPermutationAndIndependentOfTheOrderInTheMap(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    // A quarter of the functions have aliases of other sizes.
    var described: [(name: String, address: UInt64, size: UInt64)] = []
    for i in 0..<1000 {
      let slot = i % 4 == 1 ? i - 1 : i
      let size = UInt64.random(in: 1...64, using: &random)
      described.append(("f\(i * 7919 % 1000)", 0x1000 + UInt64(slot) * 32, size))
    }
    let layout = Self.layout(described)
    let launches = (0..<3).map { _ in
      (0..<300).map { _ in Part(.random(in: 0..<1000, using: &random)) }
    }
    let initializers = (0..<20).map { i in layout.functions[i * 37].address }
    let order = OrderedParts(
      launches: launches, layout: layout, initializers: initializers, largeFunctionBytes: 48)

    let used = Set(
      launches.joined().map { layout.functions[$0.function].address } + initializers)
    let expected = layout.functions.indices.filter { used.contains(layout.functions[$0].address) }
    #expect(order.parts.map(\.function).sorted() == expected, "seed \(seed)")

    let shuffledLayout = Self.layout(described.shuffled(using: &random))
    let shuffled = OrderedParts(
      launches: launches, layout: shuffledLayout, initializers: initializers, largeFunctionBytes: 48
    )
    #expect(shuffled.parts.map(\.function) == order.parts.map(\.function), "seed \(seed)")
    #expect(Self.names(shuffled, shuffledLayout) == Self.names(order, layout), "seed \(seed)")

    for (a, b) in zip(order.parts.map(\.function), order.parts.map(\.function).dropFirst())
    where layout.functions[a].address == layout.functions[b].address {
      #expect(layout.name(of: layout.functions[a]) < layout.name(of: layout.functions[b]))
    }
    let bodies = order.parts.map(\.function).map { layout.functions[$0].address }
    let runs = zip(bodies, bodies.dropFirst()).count { $0 != $1 } + 1
    #expect(runs == Set(bodies).count, "aliases apart, seed \(seed)")
  }

  @Test func withoutOptionsALaunchKeepsItsOrder() {
    var random = SeededRandom(seed: 14)
    let layout = Self.layout((0..<500).map { ("f\($0)", 0x1000 + UInt64($0) * 16, 16) })
    let launch = (0..<500).shuffled(using: &random).map { Part($0) }
    #expect(OrderedParts(launches: [launch], layout: layout).parts == launch)
  }
}

extension OrderedParts {
  /// Lists the parts that `launches` used, in the order of first touches.
  init(
    launches: [[Part]], layout: Layout, initializers: [StatedAddress] = [],
    largeFunctionBytes: UInt64? = nil
  ) {
    var merged = MergedLaunches()
    for launch in launches { merged.append(launch, in: layout) }
    self.init(
      parts: merged.parts, layout: layout, initializers: initializers,
      largeFunctionBytes: largeFunctionBytes)
  }
}
