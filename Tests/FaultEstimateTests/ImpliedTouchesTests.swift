import Addresses
import FaultEstimate
import ImageModel
import ModelSamples
import TestSupport
import Testing

@Suite struct ImpliedTouchesTests {
  static func touch(
    _ cause: TouchCause, _ start: UInt64, _ size: UInt64 = 16
  ) -> LaunchFacts.Touch {
    LaunchFacts.Touch(
      cause, AddressRange(start: StatedAddress(rawValue: start), size: size))
  }

  static func reference(
    _ site: UInt64, _ cause: TouchCause, _ start: UInt64
  ) -> LaunchFacts.Reference {
    LaunchFacts.Reference(site: StatedAddress(rawValue: site), touch: touch(cause, start))
  }

  /// A linkage table at 0x1000, and code from 0x10000 on with one function on each page.
  static let layout = sampleLayout(
    [
      SampleFunction(name: "main", address: 0x1_0000, size: 64, section: 1),
      SampleFunction(name: "thunk", address: 0x1_1000, size: 16, section: 1),
      SampleFunction(name: "cold", address: 0x1_2000, size: 64, section: 1),
      SampleFunction(name: "body", address: 0x1_3000, size: 64, section: 1),
      SampleFunction(name: "_start", address: 0x1_4000, size: 32, section: 1),
    ],
    sections: [
      SampleSection(name: ".plt", address: 0x1000, size: 0x3000),
      SampleSection(name: ".text", address: 0x1_0000, size: 0x1_0000),
    ])

  static var facts: LaunchFacts {
    var facts = LaunchFacts()
    facts.atStart = [touch(.cRuntime, 0x1_4000)]
    facts.references = [
      reference(0x1_0008, .linkageTable, 0x1010), reference(0x1_100b, .mergedBody, 0x1_3000),
      reference(0x1_2004, .linkageTable, 0x3010), reference(0x1_3004, .linkageTable, 0x2010),
      reference(0x1_3004, .constant, 0x1_8000), reference(0x1_4008, .linkageTable, 0x1010),
    ]
    return facts
  }

  static func estimate(_ startup: [SymbolName], _ facts: LaunchFacts) -> PageFaultEstimate {
    PageFaultEstimate(
      of: layout, startup: layout.indexes(startup), pageSize: .fourKibibytes, facts: facts)
  }

  @Test func whatExecutedCodeLeadsToIsCountedByCause() {
    let estimate = Self.estimate(["main", "thunk"], Self.facts)
    let rows = estimate.sections.map { "\($0.name) \($0.cause.rawValue) \($0.touched.pages)" }
    #expect(
      rows == [
        ".text startupFunctions 2", ".plt linkageTable 2", ".text cRuntime 1",
        ".text mergedBody 1", ".text constant 1",
      ])
    #expect(estimate.total.pages == 7)
    #expect(estimate.sections.map(\.touched).reduce(TouchedPages(), +) == estimate.total)
    #expect(estimate.total.startupFunctions == 2, "what is implied is no startup function")
  }

  @Test func whatDoesNotRunLeadsNowhere() {
    let estimate = Self.estimate(["main"], Self.facts)
    let rows = estimate.sections.map { "\($0.name) \($0.cause.rawValue) \($0.touched.pages)" }
    #expect(
      rows == [".text startupFunctions 1", ".plt linkageTable 1", ".text cRuntime 1"])
  }

  @Test func aLaunchWithoutStepsTouchesNothing() {
    #expect(Self.estimate([], Self.facts).total == TouchedPages())
  }

  /// The curve begins with the pages touched before the first function. It has the page of a linkage table's entry when
  /// the entry is called.
  @Test func eachIsTouchedAtItsStep() {
    var facts = Self.facts
    facts.atEnd = [Self.touch(.initializer, 0x1_9000)]
    let curve = Self.estimate(["cold", "main", "thunk"], facts).curve
    // _start and its entry, cold and its entry | main | thunk, body, its entry, its constant | the end
    #expect(curve.pagesAfterStep == [4, 5, 10])
  }

  @Test func whatAStartupFunctionHasAnywayAddsNothing() {
    var facts = LaunchFacts()
    facts.atStart = [Self.touch(.cRuntime, 0x1_4000, 32), Self.touch(.initializer, 0x1_0000, 64)]
    let with = Self.estimate(["main", "_start"], facts)
    let without = Self.estimate(["main", "_start"], LaunchFacts())
    #expect(with.total.pages == without.total.pages)
    #expect(with.total.startupBytes == without.total.startupBytes)
    #expect(with.curve.pageCount == without.curve.pageCount)
  }

  /// The same touches, found by following each reference by the definition, without shortcuts.
  @Test func agreesWithFollowingEachReferenceByHand() {
    var random = SeededRandom(seed: 31)
    let causes = TouchCause.allCases.filter { ![.startupFunction, .wholeSection].contains($0) }
    for _ in 0..<200 {
      let layout = PageFaultModelTests.randomLayout(&random)
      let startup = layout.functions.indices.filter { _ in Bool.random(using: &random) }
      var facts = LaunchFacts()
      facts.references = (0..<40).map { _ in
        Self.reference(
          .random(in: 0...1_300_000, using: &random),
          causes.randomElement(using: &random) ?? .constant,
          .random(in: 0...1_300_000, using: &random))
      }.sorted { $0.site < $1.site }
      var executed = startup.map { index in
        let function = layout.functions[index]
        let section = layout.sections[Int(function.section)].range
        let available =
          section.contains(function.address) ? section.end.rawValue - function.address.rawValue : 0
        return AddressRange(start: function.address, size: min(function.knownBytes, available))
      }
      var touched = executed
      var count = -1
      while count != executed.count {
        count = executed.count
        for reference in facts.references
        where executed.contains(where: { $0.contains(reference.site) }) {
          if !touched.contains(reference.touch.bytes) { touched.append(reference.touch.bytes) }
          if reference.touch.cause.isExecuted, !executed.contains(reference.touch.bytes) {
            executed.append(reference.touch.bytes)
          }
        }
      }
      let pages = Set(touched.flatMap { Array(PageSize.fourKibibytes.pages(of: $0)) })
      let estimate = PageFaultEstimate(
        of: layout, startup: startup, pageSize: .fourKibibytes, facts: facts)
      #expect(estimate.total.pages == pages.count, "seed 31")
      #expect(estimate.sections.map(\.touched).reduce(TouchedPages(), +) == estimate.total)
    }
  }
}
