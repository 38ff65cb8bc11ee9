import Addresses
import FaultEstimate
import ImageModel
import ModelSamples
import TestSupport
import Testing

@Suite struct PageCellTests {
  private static let all = AddressRange(start: StatedAddress(rawValue: 0), size: 1 << 20)

  private static func estimate(
    _ functions: [(name: SymbolName, address: UInt64, size: UInt64)], _ startup: [Int]
  ) -> (PageFaultEstimate, Layout) {
    let layout = sampleLayout(
      functions.map { SampleFunction(name: $0.name, address: $0.address, size: $0.size) })
    return (PageFaultEstimate(of: layout, startup: startup, pageSize: .fourKibibytes), layout)
  }

  @Test func aPageHasItsFirstStepAndEachByteOnce() {
    // `b` is a second name for a part of `a`, and `c` is on two pages.
    let (estimate, _) = Self.estimate(
      [("a", 0x2000, 0x100), ("b", 0x2000, 0x80), ("c", 0x2ff0, 0x20), ("d", 0x3100, 0x10)],
      [3, 2, 0, 1])
    let cells = estimate.cells(in: Self.all) { $0 != 3 }
    #expect(cells.map(\.page.rawValue) == [2, 3])
    #expect(cells.map(\.step) == [1, 0])
    #expect(cells.map(\.bytes) == [0x110, 0x20])
    #expect(cells.map(\.functions) == [2, 2])
    #expect(cells.map(\.isOrderable) == [true, false])
  }

  @Test func theWindowCutsWhatLiesOutside() {
    let (estimate, _) = Self.estimate([("a", 0x2000, 0x3000), ("b", 0x9000, 1)], [1, 0])
    let window = AddressRange(start: StatedAddress(rawValue: 0x3000), size: 0x1000)
    #expect(estimate.cells(in: window) { _ in true }.map(\.bytes) == [0x1000])
    #expect(Self.rows(estimate.curvePoints(in: window)) == [[1, 1, 1]])
    let empty = AddressRange(start: StatedAddress(rawValue: 0x1_0000), size: 0x1000)
    #expect(estimate.cells(in: empty) { _ in true }.isEmpty)
    #expect(estimate.curvePoints(in: empty).isEmpty)
  }

  @Test(.needs(.time), arguments: 0..<8) func cellsAndCurveAreThoseOfASlowCount(_ seed: Int) {
    var random = SeededRandom(seed: UInt64(seed))
    let functions = (0..<20).map { index in
      (
        name: SymbolName("f\(index)"), address: UInt64.random(in: 0x2000...0x6000, using: &random),
        size: UInt64.random(in: 1...0x1800, using: &random)
      )
    }
    let (estimate, layout) = Self.estimate(functions, (0..<20).shuffled(using: &random))
    let touches = estimate.touches
    var pages: [UInt64: (step: Int, bytes: Set<UInt64>, functions: Set<StatedAddress>)] = [:]
    var (seenPages, seenBytes): (Set<UInt64>, Set<UInt64>) = ([], [])
    var curve: [[Int]] = []
    for touch in touches {
      let before = (seenPages.count, seenBytes.count)
      for byte in touch.bytes.start.rawValue..<touch.bytes.end.rawValue {
        var cell = pages[byte / 4096] ?? (touch.step, [], [])
        cell.bytes.insert(byte)
        if let function = touch.function {
          cell.functions.insert(layout.functions[function].address)
        }
        pages[byte / 4096] = cell
        seenPages.insert(byte / 4096)
        seenBytes.insert(byte)
      }
      guard before != (seenPages.count, seenBytes.count) else { continue }
      if curve.last?[0] == touch.step { curve.removeLast() }
      curve.append([touch.step, seenPages.count, (seenBytes.count + 4095) / 4096])
    }
    let cells = estimate.cells(in: Self.all) { _ in true }
    let expected = pages.sorted { $0.key < $1.key }
    #expect(cells.map(\.page.rawValue) == expected.map(\.key))
    #expect(cells.map(\.step) == expected.map(\.value.step))
    #expect(cells.map { Int($0.bytes) } == expected.map(\.value.bytes.count))
    #expect(cells.map(\.functions) == expected.map(\.value.functions.count))
    #expect(!cells.contains { !$0.isOrderable })
    #expect(Self.rows(estimate.curvePoints(in: Self.all)) == curve)
    #expect(curve.last?[1] == estimate.total.pages)
    #expect(curve.last?[2] == estimate.total.floorPages)
  }

  private static func rows(_ points: [FaultCurvePoint]) -> [[Int]] {
    points.map { [$0.step, $0.pages, $0.floorPages] }
  }
}
