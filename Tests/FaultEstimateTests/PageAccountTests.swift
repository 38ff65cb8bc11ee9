import Addresses
import FaultEstimate
import ImageModel
import ModelSamples
import TestSupport
import Testing

@Suite struct PageAccountTests {
  static func executed(_ instructions: [UInt64], firstStep: Int = 0) -> [PageTouch] {
    instructions.enumerated().map { step, address in
      PageTouch(
        access: .execute, page: StatedAddress(rawValue: address & ~0xfff),
        instruction: StatedAddress(rawValue: address), step: firstStep + step)
    }
  }

  static let layout = sampleLayout(
    [
      SampleFunction(name: "main", address: 0x1_0000, size: 64, section: 1),
      SampleFunction(name: "big", address: 0x1_1000, size: 0x3000, section: 1),
      SampleFunction(name: "rare", address: 0x1_5000, size: 64, section: 1),
      SampleFunction(name: "big.cold", address: 0x1_6000, size: 64, section: 1),
      SampleFunction(name: "twinTm", address: 0x1_7000, size: 64, section: 1),
      SampleFunction(name: "one", address: 0x1_8000, size: 64, section: 1),
      SampleFunction(name: "two", address: 0x1_8000, size: 64, section: 1),
      SampleFunction(name: "unseen", address: 0x1_9000, size: 64, section: 1),
      SampleFunction(name: "frame_dummy", address: 0x1_a000, size: 16, section: 1),
    ],
    sections: [
      SampleSection(name: ".plt", address: 0x1000, size: 0x3000),
      SampleSection(name: ".text", address: 0x1_0000, size: 0x1_0000),
    ])

  static func account(
    _ startup: [SymbolName], _ touches: [PageTouch], recordsEveryFunction: Bool = false,
    newFunctions: Set<StatedAddress> = [], facts: LaunchFacts = LaunchFacts(),
    pageSize: PageSize = .fourKibibytes
  ) -> PageAccount {
    let estimate = PageFaultEstimate(
      of: layout, startup: layout.indexes(startup), pageSize: .fourKibibytes, facts: facts)
    let knowledge = PageAccount.Knowledge(
      recordsEveryFunction: recordsEveryFunction, newFunctions: newFunctions
    ) { name in
      let text = name.description
      return text.hasSuffix(".cold") ? .cold : text.hasSuffix("Tm") ? .mergedBody : .whole
    }
    return PageAccount(
      of: estimate, in: layout, measured: touches, knowledge: knowledge, pageSize: pageSize)
  }

  static func rows(_ account: PageAccount) -> [String] {
    account.differences.map { difference in
      "\(difference.page) \(difference.wasExecuted ? "executed" : "predicted") "
        + "\(difference.cause.rawValue) \(difference.function?.description ?? "-")"
    }
  }

  @Test func whatRanAsPredictedLeavesNothingToExplain() {
    let account = Self.account(["main"], Self.executed([0x1_0000]))
    #expect(account.differences.isEmpty)
    #expect(account.counts.map(\.predicted) == [1, 1, 1])
    #expect(account.counts.map(\.executed) == [1, 1, 1])
  }

  @Test func executedAndNotPredictedHasTheCauseOfItsFirstInstruction() {
    let touches = Self.executed([
      0x1_0000, 0x1_6004, 0x1_7010, 0x1_8020, 0x1_9000, 0x1_a008, 0x1_b000, 0x2010,
    ])
    let account = Self.account(["main"], touches)
    #expect(
      Self.rows(account) == [
        "0x2000 executed linkageTable .plt", "0x16000 executed coldPart big.cold",
        "0x17000 executed mergedBody twinTm", "0x18000 executed mergedBody one",
        "0x19000 executed noEntry unseen", "0x1a000 executed cRuntime frame_dummy",
        "0x1b000 executed noSymbol -",
      ])
    let breakpoints = Self.account(["main"], touches, recordsEveryFunction: true)
    #expect(Self.rows(breakpoints).contains("0x19000 executed otherPath unseen"))
    let newer = Self.account(
      ["main"], touches, recordsEveryFunction: true,
      newFunctions: [StatedAddress(rawValue: 0x1_9000)])
    #expect(Self.rows(newer).contains("0x19000 executed newCode unseen"))
  }

  @Test func predictedAndNotExecutedSaysWhetherTheFunctionRan() {
    var facts = LaunchFacts()
    facts.references = [ImpliedTouchesTests.reference(0x1_0008, .linkageTable, 0x1010)]
    facts.atStart = [ImpliedTouchesTests.touch(.initializer, 0x1_9000)]
    let account = Self.account(
      ["main", "big", "rare"], Self.executed([0x1_0000, 0x1_1000, 0x1_3000]), facts: facts)
    #expect(
      Self.rows(account) == [
        "0x1000 predicted linkageTable .plt", "0x12000 predicted functionPart big",
        "0x15000 predicted otherPath rare", "0x19000 predicted initializer unseen",
      ])
  }

  @Test func onAPageOfSeveralTheFirstInstructionAndTheMostBytesCount() {
    let touches = Self.executed([0x1_7000, 0x1_6000, 0x1_9000])
    let account = Self.account([], touches, pageSize: .sixteenKibibytes)
    #expect(
      Self.rows(account) == [
        "0x14000 executed mergedBody twinTm", "0x18000 executed noEntry unseen",
      ])
    let predicted = Self.account(["rare", "big"], [], pageSize: .sixteenKibibytes)
    #expect(
      Self.rows(predicted) == [
        "0x10000 predicted otherPath big", "0x14000 predicted otherPath rare",
      ])
  }

  @Test func pagesThatAreOnlyReadAreListedApart() {
    var facts = LaunchFacts()
    facts.references = [ImpliedTouchesTests.reference(0x1_0008, .constant, 0x1_c000)]
    let reads = [0x1_c000, 0x1_d000, 0x1_0000].map {
      PageTouch(
        access: .read, page: StatedAddress(rawValue: $0), instruction: nil, step: 9)
    }
    let account = Self.account(["main"], Self.executed([0x1_0000]) + reads, facts: facts)
    #expect(account.differences.isEmpty)
    #expect(account.pagesRead == (1, 2))
  }

  @Test func differencesMakeUpTheWholeError() {
    PageFaultModelTests.check(seed: 61) { layout, startup, random in
      let estimate = PageFaultEstimate(
        of: layout, startup: startup, pageSize: .fourKibibytes)
      let touches = Self.executed(
        (0..<50).map { _ in UInt64.random(in: 0...1_400_000, using: &random) })
      for pageSize in [PageSize.fourKibibytes, .sixteenKibibytes, .sixtyFourKibibytes] {
        let account = PageAccount(
          of: estimate, in: layout, measured: touches,
          knowledge: PageAccount.Knowledge(recordsEveryFunction: false), pageSize: pageSize)
        let count = account.counts.first { $0.pageSize == pageSize }
        let missed = account.differences.count { $0.wasExecuted }
        let needless = account.differences.count - missed
        #expect((count?.predicted ?? -1) + missed - needless == count?.executed, "seed 61")
        let sum = PageAccount.Cause.allCases.reduce(0) {
          $0 + account.count($1, wasExecuted: true) + account.count($1, wasExecuted: false)
        }
        #expect(sum == account.differences.count, "seed 61")
      }
    }
  }

  @Test func terabytesAreCountedAndNotTakenApart() {
    let layout = sampleLayout(
      [SampleFunction(name: "f", address: 0, size: .max)],
      sections: [SampleSection(name: ".text", address: 0, size: .max)])
    let estimate = PageFaultEstimate(of: layout, startup: [0], pageSize: .fourKibibytes)
    let account = PageAccount(
      of: estimate, in: layout, measured: Self.executed([0x1000]),
      knowledge: PageAccount.Knowledge(recordsEveryFunction: false), pageSize: .fourKibibytes)
    #expect(account.counts.isEmpty && account.differences.isEmpty)
  }
}
