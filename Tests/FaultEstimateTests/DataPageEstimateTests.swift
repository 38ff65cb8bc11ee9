import Addresses
import FaultEstimate
import ImageModel
import ModelSamples
import Testing

@Suite struct DataPageEstimateTests {
  /// `.rodata` on pages 1 to 4, `.data` on 5 and 6, `.bss` from the middle of page 6 to page 9.
  private static let layout = sampleLayout(
    [],
    sections: [
      SampleSection(name: ".rodata", address: 0x1000, size: 0x4000, isExecutable: false),
      SampleSection(name: ".data", address: 0x5000, size: 0x1800, isExecutable: false),
      SampleSection(name: ".bss", address: 0x6800, size: 0x3000, isExecutable: false),
    ])

  private static func range(_ start: UInt64, _ size: UInt64 = 8) -> AddressRange {
    AddressRange(start: StatedAddress(rawValue: start), size: size)
  }

  private func estimate(
    loaded: [UInt64] = [], touched: [AddressRange], _ size: PageSize = .fourKibibytes
  ) -> DataPageEstimate {
    DataPageEstimate(
      of: Self.layout, loaded: loaded.map { StatedAddress(rawValue: $0) }, touched: touched,
      zeroFilled: [2], pageSize: size)
  }

  /// The pages as `page: section`. `L` marks pages that the loader touches, `0` pages without bytes in the file.
  private func words(_ estimate: DataPageEstimate) -> String {
    estimate.pages.map {
      "\($0.page): \($0.section)\($0.isLoaders ? "L" : "")\($0.isZeroFilled ? "0" : "")"
    }.joined(separator: ", ")
  }

  @Test(
    arguments: [
      ([], [(0x1000, 8), (0x1ff0, 8)], "1: 0"),
      // A touch across the border of two pages, and a granule that begins before the section.
      ([], [(0x1ffc, 8)], "1: 0, 2: 0"), ([], [(0xffc, 8)], "1: 0"),
      // A page that the loader touches counts as the loader's, whatever the program touches there.
      ([0x6900], [(0x6000, 8)], "6: 2L"), ([0x5000], [(0x6000, 8), (0x5100, 8)], "5: 1L, 6: 1"),
      ([], [(0x6800, 8), (0x7000, 8), (0x97f8, 8)], "6: 2, 7: 20, 9: 20"),
      // Nothing is there.
      ([0, 0x9800, .max], [(0, 8), (0x9800, 8), (.max - 8, 8), (0x1000, 0)], ""),
    ] as [([UInt64], [(UInt64, UInt64)], String)])
  func aPageIsOfTheSectionOfItsFirstTouch(
    loaded: [UInt64], touched: [(UInt64, UInt64)], expected: String
  ) {
    #expect(
      words(estimate(loaded: loaded, touched: touched.map { Self.range($0, $1) })) == expected)
  }

  @Test func largerPagesHoldSeveralSections() {
    let all = [Self.range(0x1000), Self.range(0x5000), Self.range(0x6800), Self.range(0x9000)]
    #expect(words(estimate(touched: all, .sixteenKibibytes)) == "0: 0, 1: 1, 2: 20")
    #expect(estimate(touched: all).filePages.count == 3)
  }

  @Test func theAccountSaysWhoTouchedWhatWasNotPredicted() {
    let estimate = estimate(
      loaded: [0x5000], touched: [Self.range(0x1000), Self.range(0x2000), Self.range(0x7000)])
    func touch(_ address: UInt64, _ toucher: DataPageAccount.Toucher) -> DataPageAccount.Touch {
      DataPageAccount.Touch(StatedAddress(rawValue: address), by: toucher)
    }
    let account = DataPageAccount(
      of: estimate, in: Self.layout,
      measured: [
        touch(0x5010, .loader), touch(0x1100, .library), touch(0x3000, .library),
        touch(0x3010, .program), touch(0x4000, .kernel), touch(0xf000, .program),
      ])
    #expect(account.predicted == 3 && account.measured == 4 && account.onlyPredicted == 1)
    #expect(account.onlyMeasured == [.init(.kernel, pages: 1), .init(.library, pages: 1)])
  }
}
