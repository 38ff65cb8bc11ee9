import Addresses
import ByteReading
import ImageModel
import ProfileFormat
import TestSupport
import Testing

@Suite struct ProfileTests {
  /// Folds parts of the launches, in any order, into profiles. Writes and reads the profiles, and folds them in any
  /// order into one.
  @Test(.needs(.time), arguments: 0..<12)
  func anyGroupingOfMergesGivesTheSameBytes(seed: UInt64) throws {
    let launches = SampleLaunch.many(
      seed < 4 ? 12 : 260, seed: seed, withData: seed.isMultiple(of: 2))
    let all = SampleLaunch.profile(launches).bytes
    var random = SeededRandom(seed: seed + 100)
    for _ in 0..<6 {
      var groups = Array(repeating: [SampleLaunch](), count: Int.random(in: 1...7, using: &random))
      for launch in launches.shuffled(using: &random) {
        groups[Int.random(in: 0..<groups.count, using: &random)].append(launch)
      }
      // A tree of merges of random shape.
      var profiles = groups.map { SampleLaunch.profile($0) }
      while profiles.count > 1 {
        var fold = ProfileFold()
        for _ in 0..<2 {
          let one = profiles.remove(at: Int.random(in: 0..<profiles.count, using: &random))
          let added = fold.add(try Profile(parsing: FileBytes(one.bytes)))
          #expect(added)
        }
        profiles.append(fold.profile)
      }
      #expect(profiles[0].bytes == all, "seed \(seed)")
    }
  }

  @Test(arguments: [false, true]) func aProfileIsReadAsItWasWritten(withData: Bool) throws {
    let profile = SampleLaunch.profile(SampleLaunch.many(300, seed: 1, withData: withData))
    #expect(profile.data.isEmpty == !withData)
    #expect(profile.launches.contains { $0.functions.isEmpty } == withData)
    #expect(profile.launches.count == Profile.keptLaunches)
    #expect(profile.functions.contains { $0.names.count == 2 && !$0.blocks.isEmpty })
    #expect(profile.functions.contains { $0.names.isEmpty && $0.firstNanoseconds == nil } == false)
    #expect(try Profile(parsing: FileBytes(profile.bytes)) == profile)
    #expect(try Profile(parsing: FileBytes(Profile().bytes)) == Profile())
  }

  @Test func aFunctionHasItsSupportItsPositionsAndItsFirstTime() throws {
    var fold = ProfileFold()
    let image = fold.image(SampleLaunch.images[0])
    func launch(_ addresses: [UInt64], _ times: [UInt64?], weight: UInt64) {
      _ = fold.add(
        .init(end: .exit),
        uses: [
          .init(
            image: image,
            uses: zip(addresses, times).map {
              .init(address: StatedAddress(rawValue: $0), nanoseconds: $1)
            })
        ], program: image, weight: weight)
    }
    launch([16, 32], [5, nil], weight: 1)
    launch([48, 32, 16], [1, 9, 3], weight: 3)
    launch([16, 32], [6, nil], weight: 2)
    let profile = fold.profile
    #expect(profile.counts.launches == 6 && profile.images[0].programLaunches == 6)
    #expect(profile.functions.map(\.support) == [6, 6, 3])
    #expect(profile.functions.map(\.firstNanoseconds) == [3, 9, 1])
    #expect(profile.functions.map(\.positions.median) == [0, 1, 0])
    // The first and the last launch used the same functions, so they become one launch of weight 3.
    #expect(profile.launches.map(\.weight) == [3, 3])
  }

  @Test func dataAreCountedAsFunctionsAreAndApartFromThem() throws {
    var fold = ProfileFold()
    let image = fold.image(SampleLaunch.images[0])
    func launch(_ functions: [UInt64], _ data: [UInt64], weight: UInt64 = 1) -> ProfileFold.Places?
    {
      func uses(_ addresses: [UInt64]) -> [ProfileFold.FunctionUse] {
        addresses.map { .init(address: StatedAddress(rawValue: $0), nanoseconds: $0) }
      }
      return fold.add(
        .init(end: .exit), uses: [.init(image: image, uses: uses(functions), data: uses(data))],
        program: image, weight: weight
      )?.first
    }
    // A function and data at the same address are two places.
    let places = try #require(launch([16, 32], [64, 16]))
    fold.describe(
      places.data[0], isData: true, size: 40, objectFile: nil, names: ["table"])
    _ = launch([16, 32], [16, 64], weight: 2)
    _ = launch([16], [])
    _ = launch([], [64])
    _ = launch([], [])
    let profile = fold.profile
    #expect(profile.images[0].launches == 4 && profile.images[0].dataLaunches == 4)
    #expect(profile.counts.launches == 6 && profile.counts.emptyLaunches == 1)
    #expect(profile.functions.map(\.support) == [4, 3])
    #expect(profile.data.map(\.support) == [3, 4])
    #expect(profile.data.map(\.positions.median) == [0, 0])
    #expect(profile.data.map(\.firstNanoseconds) == [16, 64])
    #expect(profile.data.map(\.names) == [[], ["table"]] && profile.data[1].size == 40)
    // Two launches that differ only in the order of their data remain two launches.
    #expect(profile.launches.map(\.weight).sorted() == [1, 1, 1, 2])
    #expect(profile.launches.first { $0.weight == 2 }?.data == [0, 1])
    #expect(profile.launches.contains { $0.functions.isEmpty && $0.data == [1] })
    #expect(try Profile(parsing: FileBytes(profile.bytes)) == profile)
  }

  @Test func eachPositionOfALaunchIsInItsBucket() throws {
    var fold = ProfileFold()
    let image = fold.image(SampleLaunch.images[0])
    let uses = (0..<5_000).map {
      ProfileFold.FunctionUse(address: StatedAddress(rawValue: UInt64($0)))
    }
    _ = fold.add(.init(end: .exit), uses: [.init(image: image, uses: uses)], program: nil)
    for (position, function) in fold.profile.functions.enumerated() {
      let bucket = PositionHistogram.bucket(of: UInt32(position))
      #expect(function.positions.buckets == [.init(number: bucket, count: 1)])
    }
  }

  @Test func ofMoreWorkloadsThanAreKeptTheFirstStay() throws {
    let workloads = (0..<250).map {
      WorkloadSummary(
        launch: "l\($0 % 7)", commandLine: UInt64($0 / 2), inputs: $0 % 2 == 0 ? nil : 5)
    }
    var (fold, other) = (ProfileFold(), ProfileFold())
    for (number, workload) in workloads.reversed().enumerated() {
      var launch = ProfileFold.Launch(end: .exit)
      launch.workload = workload
      if number % 3 == 0 { _ = other.add(launch, uses: [], program: nil) }
      _ = fold.add(launch, uses: [], program: nil)
    }
    _ = fold.add(other.profile)
    #expect(fold.profile.workloads == Array(workloads.sorted().prefix(Profile.keptWorkloads)))
    #expect(try Profile(parsing: FileBytes(fold.profile.bytes)) == fold.profile)
  }

  @Test func launchesWhoseNamesOnlyLookTheSameAreTwo() {
    let workloads = ["e\u{301}", "\u{e9}"].map {
      WorkloadSummary(launch: $0, commandLine: 1, inputs: nil)
    }
    for order in [workloads, workloads.reversed()] {
      var fold = ProfileFold()
      for workload in order {
        var launch = ProfileFold.Launch(end: .exit)
        launch.workload = workload
        _ = fold.add(launch, uses: [], program: nil)
      }
      #expect(fold.profile.workloads == workloads)
    }
  }

  @Test func moreLaunchesThanCanBeCountedAreRefused() throws {
    var fold = ProfileFold()
    let sample = SampleLaunch.many(1, seed: 3)[0]
    var heavy = sample
    heavy.weight = Profile.maximumLaunches - 1
    #expect(heavy.add(to: &fold))
    let before = fold.profile
    heavy.weight = 2
    #expect(!heavy.add(to: &fold))
    let isAddedTwice = fold.add(before)
    #expect(!isAddedTwice)
    #expect(before.weighted(by: 2) == nil)
    heavy.weight = 1
    #expect(heavy.add(to: &fold))
    #expect(fold.profile.counts.launches == Profile.maximumLaunches)
    #expect(try Profile(parsing: FileBytes(fold.profile.bytes)) == fold.profile)
  }

  @Test(arguments: [1, 2, 7] as [UInt64]) func aWeightIsThatManyMerges(weight: UInt64) throws {
    let profile = SampleLaunch.profile(SampleLaunch.many(30, seed: 5, withData: true))
    var fold = ProfileFold()
    for _ in 0..<weight { _ = fold.add(profile) }
    #expect(try #require(profile.weighted(by: weight)).bytes == fold.profile.bytes)
  }

  @Test func launchesThatUsedLessThanHalfOfTheUsualAreShort() {
    var fold = ProfileFold()
    let image = fold.image(SampleLaunch.images[0])
    for count in [100, 104, 110, 20, 90, 3] {
      let uses = (0..<count).map {
        ProfileFold.FunctionUse(address: StatedAddress(rawValue: UInt64($0)))
      }
      _ = fold.add(.init(end: .exit), uses: [.init(image: image, uses: uses)], program: nil)
    }
    #expect(fold.counts.shortLaunches == 2)
  }
}

@Suite struct PositionHistogramTests {
  @Test func bucketsAreEighthsOfADoubling() {
    var last = -1
    for position in 0..<1500 as Range<UInt32> {
      let bucket = PositionHistogram.bucket(of: position)
      let (value, power) = (UInt64(position) + 1, Int(bucket))
      // value^8 is at least 2^bucket and below 2^(bucket + 1).
      let eighth = (0..<3).reduce(Wide(value)) { square, _ in square * square }
      #expect(eighth >= Wide(1) << power && eighth < Wide(1) << (power + 1), "\(position)")
      if Int(bucket) != last {
        #expect(PositionHistogram.firstPosition(in: bucket) == position)
        last = Int(bucket)
      }
    }
    #expect(PositionHistogram.bucket(of: .max) == 255)
  }

  private typealias Wide = StaticBigNumber
}

/// Numbers of up to 256 bits, with the operations that the test needs.
private struct StaticBigNumber: Comparable {
  /// The digits, from the lowest to the highest, 32 bits each.
  var digits: [UInt64]

  init(_ value: UInt64) {
    digits = [value & 0xffff_ffff, value >> 32] + Array(repeating: 0, count: 8)
  }

  static func * (a: Self, b: Self) -> Self {
    var product = Self(0)
    for (i, x) in a.digits.enumerated() {
      var carry: UInt64 = 0
      for (j, y) in b.digits.enumerated() where i + j < product.digits.count {
        let sum = x * y + product.digits[i + j] + carry
        product.digits[i + j] = sum & 0xffff_ffff
        carry = sum >> 32
      }
    }
    return product
  }

  static func << (a: Self, bits: Int) -> Self {
    var shifted = Self(0)
    precondition(a == Self(1), "powers of two")
    shifted.digits[bits / 32] = 1 << UInt64(bits % 32)
    return shifted
  }

  static func < (a: Self, b: Self) -> Bool {
    a.digits.reversed().lexicographicallyPrecedes(b.digits.reversed())
  }
}
