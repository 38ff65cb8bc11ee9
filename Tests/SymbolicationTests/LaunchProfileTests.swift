import Addresses
import ImageModel
import Symbolication
import TestSupport
import Testing

@Suite struct LaunchProfileTests {
  static let names = (0..<12).map { "f\($0)" } + ["twin", "twin"]
  static let image = Image(
    path: "/bin/app", id: ImageID(kind: .buildID, bytes: [1]), architecture: .x8664,
    layout: sampleLayout(names))

  /// A launch that uses the functions at these places of `names`, one a step.
  static func launch(_ functions: [Int]) -> RecordedFunctions {
    var trace = Trace(path: "t", program: "/bin/app", processNumber: 1)
    trace.images = [
      TraceImage(
        number: 1, path: "/bin/app", id: image.id, slide: Slide(rawValue: 0),
        text: image.layout.sections[0].range, guardCount: names.count)
    ]
    trace.hits = functions.enumerated().map { step, function in
      Hit(step: step, image: 0, entry: StatedAddress(rawValue: 0x1000 + UInt64(function) * 16))
    }
    return RecordedFunctions(trace, group: [0], in: RecordedImage(image))
  }

  static func profile(_ launches: some Sequence<[Int]>) -> LaunchProfile {
    var profile = LaunchProfile()
    for functions in launches { profile.append(launch(functions)) }
    return profile
  }

  static func rows(_ profile: LaunchProfile) -> [String] {
    profile.functions.map { "\($0.names[0]) \($0.launch).\($0.step) \($0.bodyCount)" }
  }

  @Test func aFunctionStandsWhereItWasUsedFirst() {
    let profile = Self.profile([[3, 1], [], [1, 2, 3]])
    #expect(Self.rows(profile) == ["f3 0.0 1", "f1 0.1 1", "f2 2.1 1"])
    #expect(profile.launchCount == 3)
  }

  @Test func namesakesAreOneFunctionOfSeveralBodiesAndCodeWithoutANameIsCounted() {
    let profile = Self.profile([[12, 13, 40], [13], [12, 13]])
    #expect(Self.rows(profile) == ["twin 0.0 2"])
    #expect(profile.unnamedHits == 1)
  }

  /// In launches of the build to order, addresses tell namesakes apart.
  @Test func namesakesOfTheBuildItselfAreFunctionsOfTheirOwn() {
    var profile = LaunchProfile()
    for functions in [[12, 1], [13, 12]] {
      profile.append(Self.launch(functions), keepsAddresses: true)
    }
    profile.append(Self.launch([13, 12]))
    #expect(
      Self.rows(profile) == ["twin 0.0 1", "f1 0.1 1", "twin 1.0 1", "twin 2.0 2"])
    #expect(profile.functions.map { $0.address?.rawValue } == [0x10c0, 0x1010, 0x10d0, nil])
  }

  @Test(arguments: 0..<10) func launchesFoldTheSameInAnyGrouping(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let launches = (0..<8).map { _ in
      (0..<Int.random(in: 0...10, using: &random)).map { _ in
        Int.random(in: 0..<16, using: &random)
      }
    }
    let one = Self.profile(launches)
    for cut in 0...launches.count {
      var folded = Self.profile(launches[..<cut])
      folded.append(Self.profile(launches[cut...]))
      #expect(folded.functions == one.functions, "cut at \(cut)")
      #expect(folded.launches == one.launches, "cut at \(cut)")
      #expect(folded.launchCount == 8 && folded.unnamedHits == one.unnamedHits, "cut at \(cut)")
    }
  }
}
