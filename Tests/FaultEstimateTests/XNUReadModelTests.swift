import Addresses
import FaultEstimate
import ImageModel
import TestSupport
import Testing

@Suite struct XNUReadModelTests {
  static let wide: ClosedRange<FilePage> = 0...1_000_000

  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var kernel: XNUKernel = .iOS
    var pageSize: PageSize = .sixteenKibibytes
    var mapping = XNUReadModelTests.wide
    var touches: [FilePage]
    /// The number of pages read so far, after each touch.
    var pagesReadAfter: [UInt64]
    var reads: Int
  }

  /// Worked out by hand from the kernel's source.
  static let cases: [Case] = [
    Case(testDescription: "nothing", touches: [], pagesReadAfter: [], reads: 0),
    Case(
      testDescription: "scattered: each read brings the page before",
      touches: [9, 2, 8, 30], pagesReadAfter: [2, 4, 4, 6], reads: 3),
    Case(
      testDescription: "a page touched again reads nothing",
      touches: [9, 9, 8, 9], pagesReadAfter: [2, 2, 2, 2], reads: 1),
    Case(
      testDescription: "ascending: pages by themselves, then a stream",
      touches: Array(5...13), pagesReadAfter: [2, 3, 4, 5, 9, 9, 9, 9, 17], reads: 6),
    // Touch of 20: reads [19 20]. 18: [17 18]. 17 is in memory already, and is the third step down. 16: [13 ... 16].
    // 12: [5 ... 12].
    Case(
      testDescription: "descending: a stream downwards",
      touches: Array((12...20).reversed()), pagesReadAfter: [2, 2, 4, 4, 8, 8, 8, 8, 16], reads: 4),
    Case(
      testDescription: "the first fault after a run still streams, wherever it lies",
      touches: [5, 6, 7, 8, 50], pagesReadAfter: [2, 3, 4, 5, 9], reads: 5),
    Case(
      testDescription: "at the start of the file the cluster lies behind",
      touches: [0], pagesReadAfter: [2], reads: 1),
    Case(
      testDescription: "page 1 first counts as the second of a run",
      touches: [1, 2, 3, 4], pagesReadAfter: [2, 3, 4, 8], reads: 4),
    // [0 1] [2] [3] [4 ... 7] [8 ... 15] [16 ... 31]
    Case(
      testDescription: "26 packed pages from the start of the file",
      touches: Array(0...25),
      pagesReadAfter: [2, 2, 3, 4] + Array(repeating: 8, count: 4) + Array(repeating: 16, count: 8)
        + Array(repeating: 32, count: 10), reads: 6),
    Case(
      testDescription: "a mapping is not left",
      mapping: 7...9, touches: [7, 9], pagesReadAfter: [1, 3], reads: 2),
    Case(
      testDescription: "macOS reads single pages of 16 KiB",
      kernel: .macOS, touches: [9, 2, 8, 30], pagesReadAfter: [1, 2, 3, 4], reads: 4),
    // Touch of 100: reads [98 ... 101]. 102: [102 103]. 2: [0 ... 3].
    Case(
      testDescription: "macOS reads four pages of 4 KiB",
      kernel: .macOS, pageSize: .fourKibibytes, touches: [100, 99, 101, 102, 2],
      pagesReadAfter: [4, 4, 4, 6, 10], reads: 3),
    // Touch of 6: reads [5 6]. 4: [3 4]. 2: [1 2], although the model asks for four pages.
    Case(
      testDescription: "a stream downwards leaves page 0 out",
      touches: [6, 5, 4, 3, 2, 1, 0], pagesReadAfter: [2, 2, 4, 4, 6, 6, 7], reads: 4),
  ]

  @Test(arguments: cases) func readsAsByHand(_ expected: Case) {
    var model = XNUReadModel(expected.kernel, pageSize: expected.pageSize)
    var pagesRead: [UInt64] = []
    for page in expected.touches {
      model.touch(page, in: expected.mapping)
      pagesRead.append(model.bytesRead / expected.pageSize.bytes)
    }
    #expect(pagesRead == expected.pagesReadAfter)
    #expect(model.reads == expected.reads)
  }

  /// 20 scattered reads of two pages, only one of which is touched: 40 pages read, 20 touched. So the next cluster is
  /// 512 KiB * 20 / 40 = 256 KiB, 16 pages; then 512 KiB * 21 / 56 = 192 KiB, 12 pages; then 512 KiB * 22 / 68, which
  /// is 10.35 pages: 11.
  @Test func clustersGrowWithTheShareOfPagesUsed() {
    var model = XNUReadModel(.iOS, pageSize: .sixteenKibibytes)
    for number in 1...20 as ClosedRange<UInt64> {
      model.touch(FilePage(rawValue: number * 100), in: Self.wide)
    }
    #expect(model.reads == 20)
    #expect(model.bytesRead == 40 * 16384)
    for (page, pages) in [(10_000, 56), (20_000, 68), (30_000, 79)] as [(FilePage, UInt64)] {
      model.touch(page, in: Self.wide)
      #expect(model.bytesRead == pages * 16384)
    }
    #expect(model.reads == 23)
  }

  /// A stream of *n* pages takes reads of 2, 1, 1, 1, 4, 8, 16 and then 32 pages.
  @Test func aSequentialRunTakesFewReads() {
    var model = XNUReadModel(.iOS, pageSize: .sixteenKibibytes)
    for page in FilePage(rawValue: 5)...FilePage(rawValue: 5 + 3199) {
      model.touch(page, in: Self.wide)
    }
    #expect(model.reads == 7 + (3200 - 32 + 31) / 32)
  }

  // MARK: Properties, on random touches

  /// Touches in bursts: jumps, ascending and descending runs, repeats.
  static func randomTouches(_ random: inout SeededRandom) -> [FilePage] {
    let pages = UInt64.random(in: 1...2000, using: &random)
    var touches: [FilePage] = []
    for _ in 0..<Int.random(in: 0...60, using: &random) {
      let start = UInt64.random(in: 0..<pages, using: &random)
      let length = UInt64.random(in: 0...(Bool.random(using: &random) ? 2 : 40), using: &random)
      let isAscending = Bool.random(using: &random)
      for step in 0...length {
        if isAscending { touches.append(FilePage(rawValue: start + step)) }
        if !isAscending, start >= step { touches.append(FilePage(rawValue: start - step)) }
      }
    }
    return touches
  }

  static let kernels: [(XNUKernel, PageSize)] = [
    (.iOS, .sixteenKibibytes), (.macOS, .sixteenKibibytes), (.macOS, .fourKibibytes),
  ]

  @Test func readsAllThatIsTouchedAndNoMoreOftenThanThat() {
    var random = SeededRandom(seed: 41)
    for _ in 0..<200 {
      let touches = Self.randomTouches(&random)
      for (kernel, pageSize) in Self.kernels {
        var model = XNUReadModel(kernel, pageSize: pageSize)
        for page in touches { model.touch(page, in: Self.wide) }
        let distinct = Set(touches).count
        #expect(model.reads <= distinct, "seed 41")
        #expect(model.bytesRead >= UInt64(distinct) * pageSize.bytes, "seed 41")
        #expect(model.bytesRead <= UInt64(model.reads) * kernel.largestClusterBytes, "seed 41")
        #expect((model.reads == 0) == touches.isEmpty, "seed 41")
      }
    }
  }

  @Test func agreesWithTheKernelsWordingPlayedByteByByte() {
    var random = SeededRandom(seed: 42)
    for _ in 0..<300 {
      let touches = Self.randomTouches(&random)
      let lowest = FilePage(rawValue: .random(in: 0...20, using: &random))
      let mapping = lowest...FilePage(rawValue: .random(in: 20...2100, using: &random))
      let inside = touches.filter(mapping.contains)
      for (kernel, pageSize) in Self.kernels {
        var model = XNUReadModel(kernel, pageSize: pageSize)
        var naive = NaiveKernel(kernel, pageBytes: Int(pageSize.bytes))
        for page in inside {
          model.touch(page, in: mapping)
          naive.touch(
            Int(page.rawValue), low: Int(mapping.lowerBound.rawValue),
            high: Int(mapping.upperBound.rawValue) + 1)
        }
        #expect(model.reads == naive.clusters.count, "seed 42")
        #expect(model.bytesRead == UInt64(naive.created * naive.pageBytes), "seed 42")
      }
    }
  }
}

/// An independent second implementation of the same rules, closer to the kernel's code: offsets in bytes, a flag for
/// each page, and the kernel's steps one after the other.
private struct NaiveKernel {
  enum PageState { case speculative, used }

  let pageBytes: Int
  let minimum: Int
  let maximum: Int
  var pages: [Int: PageState] = [:]
  var clusters: [[Int]] = []
  var lastOffset = 0
  var sequentialBytes = 0
  var created: Int { clusters.map(\.count).reduce(0, +) }
  var used: Int { pages.values.count { $0 == .used } }

  init(_ kernel: XNUKernel, pageBytes: Int) {
    self.pageBytes = pageBytes
    minimum = Int(kernel.smallestClusterBytes)
    maximum = Int(kernel.largestClusterBytes)
  }

  mutating func touch(_ page: Int, low: Int, high: Int) {
    let offset = page * pageBytes
    if pages[page] == .used { return }
    if pages[page] == nil {
      var cluster = [page]
      let (start, bytes) = extent(offset)
      for before in stride(from: offset - pageBytes, through: start, by: -pageBytes) {
        if before / pageBytes < low || before < 0 || pages[before / pageBytes] != nil { break }
        cluster.append(before / pageBytes)
      }
      for behind in stride(from: offset + pageBytes, to: start + bytes, by: pageBytes) {
        if behind / pageBytes >= high || pages[behind / pageBytes] != nil { break }
        cluster.append(behind / pageBytes)
      }
      for page in cluster { pages[page] = .speculative }
      clusters.append(cluster)
    }
    pages[page] = .used
    if offset == lastOffset { return }
    switch offset - lastOffset {
    case pageBytes: sequentialBytes = sequentialBytes < 0 ? pageBytes : sequentialBytes + pageBytes
    case -pageBytes:
      sequentialBytes = sequentialBytes > 0 ? -pageBytes : sequentialBytes - pageBytes
    default: sequentialBytes = 0
    }
    lastOffset = offset
  }

  /// The start of the cluster of pages to read, and its size in bytes.
  func extent(_ offset: Int) -> (start: Int, bytes: Int) {
    if sequentialBytes >= 3 * pageBytes {
      return (offset, min(sequentialBytes + pageBytes, maximum))
    }
    if sequentialBytes <= -3 * pageBytes {
      let bytes = min(min(pageBytes - sequentialBytes, maximum), offset)
      return bytes <= pageBytes ? (offset, pageBytes) : (offset + pageBytes - bytes, bytes)
    }
    var bytes = minimum
    if created >= 20 * (minimum / pageBytes) {
      bytes = max(minimum, maximum * used / created)
      while bytes % pageBytes != 0 { bytes += 1 }
    }
    let half = bytes / 2 - bytes / 2 % pageBytes
    return (max(0, offset - half), bytes)
  }
}
