import Addresses
import FaultEstimate
import ImageModel
import TestSupport
import Testing

@Suite struct LinuxFaultModelTests {
  static let page: UInt64 = 4096

  static func kernel(
    around: UInt64 = 16, readAhead: UInt64 = 16, _ kind: LinuxKernel.ReadAhead = .forward,
    unit: UInt64 = 1
  ) -> LinuxKernel {
    var kernel = LinuxKernel()
    kernel.faultAroundBytes = around * page
    kernel.readAheadBytes = readAhead * page
    kernel.readAhead = kind
    kernel.executableUnitBytes = unit * page
    return kernel
  }

  /// One letter for each touch: `M` major, `m` minor, `-` none.
  static func play(
    _ kernel: LinuxKernel, _ touches: [LoadedPage], mapping: LinuxMapping, filePages: UInt64 = 100,
    isWarm: Bool
  ) -> (faults: String, inMemory: [FilePage]) {
    var model = LinuxFaultModel(
      kernel, pageSize: .fourKibibytes, fileBytes: filePages * page, isWarm: isWarm)
    let faults = touches.map { touch -> String in
      switch model.touch(touch, in: mapping) {
      case .major: "M"
      case .minor: "m"
      case nil: "-"
      }
    }
    return (faults.joined(), model.pagesInMemory.sorted())
  }

  static let mapping = LinuxMapping(pages: 3..<100, firstFilePage: 3)

  @Test func theExampleOfTheEssay() {
    let touches: [LoadedPage] = [5, 2, 19, 40]
    let warm = Self.play(Self.kernel(), touches, mapping: Self.mapping, isWarm: true)
    #expect(warm.faults == "m-mm")
    let cold = Self.play(Self.kernel(), touches, mapping: Self.mapping, isWarm: false)
    #expect(cold.faults == "M-mM")
    #expect(cold.inMemory == Array(5...20) + Array(40...55))
  }

  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var kernel: LinuxKernel
    var touches: [LoadedPage]
    var mapping = LinuxFaultModelTests.mapping
    var filePages: UInt64 = 100
    var isWarm = false
    var faults: String
    var inMemory: [FilePage] = []
  }

  static let cases: [Case] = [
    Case(
      testDescription: "without fault-around each page has its fault",
      kernel: kernel(around: 1), touches: [5, 6, 5, 7], isWarm: true, faults: "mm-m"),
    Case(
      testDescription: "the first window has its full length", kernel: kernel(),
      touches: [5, 18, 19], isWarm: true, faults: "m-m"),
    Case(
      testDescription: "behind the first window the windows are aligned", kernel: kernel(),
      touches: [32, 47, 48], isWarm: true, faults: "m-m"),
    Case(
      testDescription: "a window ends with the file", kernel: kernel(),
      touches: [36, 39], filePages: 38, isWarm: true, faults: "m-"),
    Case(
      testDescription: "a page table ends a window that overhangs", kernel: kernel(),
      touches: [510, 512, 513],
      mapping: LinuxMapping(pages: 505..<600, firstFilePage: 0), isWarm: true, faults: "mm-"),
    Case(
      testDescription: "reads end with the mapping", kernel: kernel(), touches: [95],
      mapping: LinuxMapping(pages: 3..<98, firstFilePage: 3), filePages: 200, faults: "M",
      inMemory: [95, 96, 97]),
    Case(
      testDescription: "units are read whole, within the mapping", kernel: kernel(unit: 8),
      touches: [5, 45], faults: "MM", inMemory: Array(3...23) + Array(40...55)),
    Case(
      testDescription: "around: half of it before", kernel: kernel(.around), touches: [40],
      faults: "M", inMemory: Array(32...47)),
    Case(
      testDescription: "around: not before the file", kernel: kernel(.around), touches: [4],
      faults: "M", inMemory: Array(0...15)),
    Case(
      testDescription: "around: the marked page reads on", kernel: kernel(.around),
      touches: [40, 44], faults: "Mm", inMemory: Array(32...63)),
    Case(
      testDescription: "around: fault-around leaves the marked page", kernel: kernel(.around),
      touches: [40, 43, 45, 44], faults: "M--m", inMemory: Array(32...63)),
    Case(
      testDescription: "without read-ahead single pages", kernel: kernel(readAhead: 0),
      touches: [40, 42, 40], faults: "MM-", inMemory: [40, 42]),
  ]

  @Test(arguments: cases) func byHand(_ test: Case) {
    let played = Self.play(
      test.kernel, test.touches, mapping: test.mapping, filePages: test.filePages,
      isWarm: test.isWarm)
    #expect(played.faults == test.faults)
    #expect(played.inMemory == test.inMemory)
  }

  @Test func afterAHundredMissesSinglePagesAreRead() {
    let kernel = Self.kernel(around: 1, readAhead: 2)
    let mapping = LinuxMapping(pages: 0..<1000, firstFilePage: 0)
    let touches = (0..<102).map { LoadedPage(rawValue: UInt64($0) * 3) }
    let played = Self.play(kernel, touches, mapping: mapping, filePages: 1000, isWarm: false)
    #expect(played.faults == String(repeating: "M", count: 102))
    #expect(played.inMemory.count == 2 * 100 + 2)
  }

  // MARK: Properties

  static func check(
    seed: UInt64, _ property: (LinuxKernel, [LoadedPage], LinuxMapping) -> Void
  ) {
    var random = SeededRandom(seed: seed)
    for _ in 0..<300 {
      let kernel = kernel(
        around: [1, 2, 8, 16, 32].randomElement(using: &random) ?? 1,
        readAhead: [0, 1, 2, 16, 32, 100].randomElement(using: &random) ?? 1,
        LinuxKernel.ReadAhead.allCases.randomElement(using: &random) ?? .forward,
        unit: [1, 1, 16].randomElement(using: &random) ?? 1)
      let start = UInt64.random(in: 0...600, using: &random)
      let count = UInt64.random(in: 1...400, using: &random)
      let mapping = LinuxMapping(
        pages: LoadedPage(rawValue: start)..<LoadedPage(rawValue: start + count),
        firstFilePage: FilePage(rawValue: .random(in: 0...20, using: &random)))
      let touches = (0..<60).map { _ in
        LoadedPage(rawValue: UInt64.random(in: start..<start + count, using: &random))
      }
      property(kernel, touches, mapping)
    }
  }

  @Test func aPageFaultsOnceAndWarmFaultsAreMinor() {
    Self.check(seed: 41) { kernel, touches, mapping in
      for isWarm in [true, false] {
        let once = Self.play(
          kernel, touches, mapping: mapping, filePages: 1000, isWarm: isWarm)
        let twice = Self.play(
          kernel, touches + touches, mapping: mapping, filePages: 1000, isWarm: isWarm)
        #expect(twice.faults == once.faults + String(repeating: "-", count: touches.count))
        if isWarm { #expect(!once.faults.contains("M") && once.inMemory.isEmpty) }
        #expect(once.faults.hasPrefix(isWarm ? "m" : "M"))
      }
    }
  }

  @Test func warmFaultsAreTheWindowsButForTheFirst() {
    Self.check(seed: 42) { kernel, touches, mapping in
      let around = kernel.faultAroundBytes / Self.page
      let windows = Set(touches.map { $0.rawValue / around }).count
      let faults = Self.play(kernel, touches, mapping: mapping, filePages: 1000, isWarm: true)
        .faults.count { $0 == "m" }
      #expect(faults <= windows + 1 && faults >= windows - 1, "seed 42")
    }
  }

  @Test func whatWasTouchedIsInMemory() {
    Self.check(seed: 43) { kernel, touches, mapping in
      let played = Self.play(kernel, touches, mapping: mapping, filePages: 1000, isWarm: false)
      let touched = Set(
        touches.map { mapping.firstFilePage + ($0 - mapping.pages.lowerBound) })
      #expect(touched.isSubset(of: played.inMemory), "seed 43")
    }
  }

  /// A run of pages must have the same faults as its pages one by one, for runs of all lengths and places.
  @Test(
    .needs(.time), arguments: LinuxKernel.ReadAhead.allCases,
    [
      (16, 32, 1), (16, 16, 16), (1, 32, 1), (16, 25, 1), (16, 1, 1), (16, 0, 1), (1, 0, 1),
      (48, 32, 1), (16, 64, 16),
    ])
  func aRunIsPlayedLikeItsPages(
    kind: LinuxKernel.ReadAhead, sizes: (around: UInt64, readAhead: UInt64, unit: UInt64)
  ) {
    var kernel = Self.kernel(
      around: sizes.around, readAhead: sizes.readAhead, kind, unit: sizes.unit)
    kernel.largestFolioBytes = 2 << 20
    var random = SeededRandom(seed: 31)
    for round in 0..<3 {
      let first = UInt64.random(in: 0..<40, using: &random)
      let mapping = LinuxMapping(
        pages: LoadedPage(rawValue: 500 + first)..<LoadedPage(rawValue: 12_500 + first),
        firstFilePage: 3)
      var bounds = (0..<4).map { _ in
        mapping.pages.lowerBound + UInt64.random(in: 0..<12_000, using: &random)
      }
      bounds.sort()
      let runs = [bounds[2]..<bounds[3], bounds[0]..<bounds[1]]
      for isWarm in [false, true] {
        var whole = LinuxFaultModel(
          kernel, pageSize: .fourKibibytes, fileBytes: 12_003 * Self.page, isWarm: isWarm)
        if !isWarm { whole.readHeader() }
        var single = whole
        for run in runs {
          whole.touch(run, in: mapping)
          for page in run { single.touch(page, in: mapping) }
        }
        for page in [mapping.pages.lowerBound, bounds[1] + 1, bounds[3] + 7] {
          whole.touch(page, in: mapping)
          single.touch(page, in: mapping)
        }
        #expect(
          [
            whole.minorFaults, whole.majorFaults,
            whole.pagesInMemory.count + Int(whole.pagesOfRuns),
          ]
            == [single.minorFaults, single.majorFaults, single.pagesInMemory.count],
          "\(round) \(isWarm) \(runs)")
      }
    }
  }

  /// A file may state any size for a function, so time must not grow with the pages of a run.
  @Test func aMillionPagesTakeNoTime() {
    let growth = costGrowth(from: 4096, by: 256) { pages in
      var model = LinuxFaultModel(
        Self.kernel(readAhead: 32), pageSize: .fourKibibytes, fileBytes: UInt64(pages) * Self.page,
        isWarm: false)
      let end = LoadedPage(rawValue: UInt64(pages))
      model.touch(.first..<end, in: LinuxMapping(pages: .first..<end, firstFilePage: .first))
    }
    #expect(growth < 20)
  }
}
