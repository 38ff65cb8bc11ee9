import Addresses
import Testing

@Suite struct AddressTests {
  @Test(
    arguments: [
      (0x1000, 0, 0x1000), (0x1000, 0x5000, 0x6000),
      // An image is linked at a high address and loaded at a low one, so its slide is "negative".
      (0x7000_0000, UInt64.max - 0x6000_0000 + 1, 0x1000_0000),
      (.max, 1, 0), (0, .max, .max),
    ] as [(UInt64, UInt64, UInt64)])
  func aSlideLeadsThereAndBack(stated: UInt64, slide: UInt64, loaded: UInt64) {
    let (stated, loaded) = (StatedAddress(rawValue: stated), LoadedAddress(rawValue: loaded))
    #expect(Slide(from: stated, to: loaded) == Slide(rawValue: slide))
    #expect(stated.loaded(slide: Slide(rawValue: slide)) == loaded)
    #expect(loaded.stated(slide: Slide(rawValue: slide)) == stated)
  }

  @Test func aRelativeAddressIsTheSameInTheFileAndInTheProcess() {
    let start = (StatedAddress(rawValue: 0x40_0000), LoadedAddress(rawValue: 0x7f00_0000))
    let place = RelativeAddress(start.0 + 0x123, from: start.0)
    #expect(place == RelativeAddress(rawValue: 0x123))
    #expect(place == RelativeAddress(start.1 + 0x123, from: start.1))
    #expect(place?.stated(from: start.0) == start.0 + 0x123)
    #expect(place?.loaded(from: start.1) == start.1 + 0x123)
    #expect(RelativeAddress(start.0, from: start.0 + 1) == nil)
    #expect(RelativeAddress(start.1, from: start.1 + 1) == nil)
    #expect(RelativeAddress(rawValue: .max).stated(from: start.0) == nil)
    #expect(RelativeAddress(rawValue: .max).loaded(from: start.1) == nil)
  }

  @Test func aPositionEndsWithTheLine() {
    let last = FileOffset(rawValue: .max)
    #expect(last.advanced(by: 0) == last && last.advanced(by: 1) == nil)
    #expect(FileOffset(rawValue: 7).advanced(by: 9) == FileOffset(rawValue: 16))
  }

  @Test(
    arguments: [
      (0, 0, 0), (7, 9, 9), (.max, 0, 0), (.max, .max, 0), (.max - 5, 3, 3), (.max - 5, 9, 5),
    ] as [(UInt64, UInt64, UInt64)])
  func aRangeIsCutOffAtTheEndOfTheLine(start: UInt64, size: UInt64, kept: UInt64) {
    let range = Range(start: LoadedAddress(rawValue: start), size: size)
    #expect(range.lowerBound.rawValue == start && range.size == kept)
  }

  @Test(
    arguments: [
      (0, 4096, 0), (4095, 4096, 0), (4096, 4096, 4096), (0x12fff, 0x1000, 0x12000), (7, 1, 7),
      (.max, 1 << 63, 1 << 63), (100, 24, 96),
    ] as [(UInt64, UInt64, UInt64)])
  func roundingDownStaysAtAMultiple(value: UInt64, unit: UInt64, expected: UInt64) {
    #expect(LoadedAddress(rawValue: value).roundedDown(to: unit).rawValue == expected)
    #expect(FilePage(rawValue: value).roundedDown(to: unit).rawValue == expected)
  }

  @Test func pagesAreCountedAndGoneThrough() {
    let pages = FilePage(rawValue: 3)..<FilePage(rawValue: 6)
    #expect(pages.count == 3 && pages.map(\.rawValue) == [3, 4, 5])
    #expect(pages.upperBound - pages.lowerBound == 3)
    #expect(pages.lowerBound + 3 == pages.upperBound && pages.upperBound - 3 == pages.lowerBound)
    let all = FilePage.first...FilePage(rawValue: (1 << 55) - 1)
    #expect(all.count == 1 << 55)
    #expect("\(pages.lowerBound)" == "3")
  }
}
