import ByteReading
import CommandSupport
import Measuring
import OrderFileFormat
import TestSupport
import Testing

/// Order files that place unused functions at random.
@Suite struct ShuffledOrdersTests {
  private static let names = (0..<30).map { "f\($0)" }

  private func orders(_ dialect: OrderFileDialect) throws -> ShuffledOrders {
    let used = ["f3", "f7"].map { name in
      OrderFileEntry(symbol: Array(name.utf8), section: Array(".text.\(name)".utf8))
    }
    return ShuffledOrders(
      try ReleaseLayout(FileBytes(sampleImage(Self.names, id: [1])), path: "app"),
      using: try dialect.read(FileBytes(dialect.write(used).bytes)))
  }

  private func symbols(_ bytes: [UInt8], _ dialect: OrderFileDialect) throws -> [String] {
    var seen: Set<String> = []
    return try dialect.read(FileBytes(bytes)).entries
      .map { String(decoding: $0.symbol, as: UTF8.self) }.filter { seen.insert($0).inserted }
  }

  @Test(arguments: [OrderFileDialect.lld, .gold, .gnuLD])
  func usedFunctionsKeepTheirPlacesAndTheOthersChange(_ dialect: OrderFileDialect) throws {
    let orders = try orders(dialect)
    #expect(orders.unusedCount == 28)
    var found: Set<[String]> = []
    for layout in 0..<10 {
      for build in 0...1 {
        let order = try symbols(orders.bytes(seed: 1, layout: layout, build: build), dialect)
        #expect(order.sorted() == Self.names.sorted() && order[3] == "f3" && order[7] == "f7")
        found.insert(order)
      }
    }
    #expect(found.count == 20, "the layouts of both builds are independent")
  }

  @Test func theSameSeedGivesTheSameBytes() throws {
    let (first, second) = (try orders(.lld), try orders(.lld))
    for layout in 0..<3 {
      let bytes = first.bytes(seed: 7, layout: layout, build: 1)
      #expect(bytes == second.bytes(seed: 7, layout: layout, build: 1))
      #expect(bytes != first.bytes(seed: 8, layout: layout, build: 1))
    }
    // The generator and the permutation are documented, so the bytes never change.
    let order = try symbols(first.bytes(seed: 1, layout: 0, build: 0), .lld)
    #expect(order.prefix(8).joined(separator: " ") == "f18 f8 f26 f3 f23 f22 f9 f7")
    _ = first.bytes(seed: .max, layout: 1000, build: 1)
  }
}
