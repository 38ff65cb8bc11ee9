import Addresses
import ImageModel
import LaunchMeasurement
import Testing

@Suite struct MeasuredPageInsTests {
  static let places: [(name: SymbolName, range: AddressRange)] = [
    place("__TEXT,__text", 0x1_0000_1000, 0x9000), place("__TEXT,__cstring", 0x1_0000_a000, 0x1000),
    place("__DATA,__data", 0x1_0001_0000, 0x100), place("__TEXT", 0x1_0000_0000, 0x1_0000),
    place("__DATA,__data", 0x1_0002_0000, 0x100), place("__LINKEDIT", 0x1_0003_0000, 0x4000),
  ]

  static func place(
    _ name: SymbolName, _ start: UInt64, _ size: UInt64
  ) -> (name: SymbolName, range: AddressRange) {
    (name, AddressRange(start: StatedAddress(rawValue: start), size: size))
  }

  static func rows(_ faults: [(UInt64, UInt64?)]) -> [String] {
    let measured = MeasuredPageIns(
      faults.map {
        PageInFault(address: StatedAddress(rawValue: $0.0), durationNanoseconds: $0.1)
      }, in: places, pageSize: .sixteenKibibytes)
    let sum = measured.rows.map(\.count).reduce(MeasuredPageIns.Count(), +)
    #expect(measured.total == sum)
    return measured.rows.map { row in
      "\(row.name) \(row.count.pages) \(row.count.nanoseconds.map(String.init) ?? "-")"
    }
  }

  @Test(
    arguments: [
      ("nothing", [], []),
      ("outside of the image", [(0x1_0004_0000, 5), (0, 5)], []),
      (
        "a page counts once, its durations all", [(0x1_0000_1000, 5), (0x1_0000_3fff, 7)],
        ["__TEXT,__text 1 12"]
      ),
      (
        "a page counts for its first fault", [(0x1_0000_a800, 5), (0x1_0000_9000, 7)],
        ["__TEXT,__text 0 7", "__TEXT,__cstring 1 5"]
      ),
      (
        "what is in no section counts for its segment", [(0x1_0000_0000, 1), (0x1_0003_0000, 2)],
        ["__TEXT 1 1", "__LINKEDIT 1 2"]
      ),
      (
        "sections of one name share a row", [(0x1_0001_0000, 1), (0x1_0002_0000, 2)],
        ["__DATA,__data 2 3"]
      ),
      (
        "durations may be missing",
        [(0x1_0000_1000, nil), (0x1_0000_4000, 3), (0x1_0001_0000, nil)],
        ["__TEXT,__text 2 3", "__DATA,__data 1 -"]
      ),
      (
        "durations stay in range", [(0x1_0000_1000, .max), (0x1_0000_4000, 3)],
        ["__TEXT,__text 2 18446744073709551615"]
      ),
    ] as [(String, [(UInt64, UInt64?)], [String])])
  func countsByHand(_ what: String, _ faults: [(UInt64, UInt64?)], _ expected: [String]) {
    #expect(Self.rows(faults) == expected, "\(what)")
  }
}
