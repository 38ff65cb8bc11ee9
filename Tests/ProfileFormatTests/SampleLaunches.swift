import Addresses
import ImageModel
import ProfileFormat
import TestSupport

/// A made-up launch of two images; some share launches' contents, some lack names, times or hits.
struct SampleLaunch {
  var launch: ProfileFold.Launch
  var uses: [[ProfileFold.FunctionUse]]
  var weight: UInt64

  static let images = [
    Profile.Image(path: "/bin/app", id: ImageID(kind: .buildID, bytes: [1, 2, 3])),
    Profile.Image(path: "/lib/libq.so.1", id: ImageID(kind: .weak, bytes: [9])),
  ].map { image in
    var image = image
    image.recordingMethods = [.breakpoints]
    image.machine = 62
    return image
  }

  static func random(_ random: inout SeededRandom) -> Self {
    var launch = ProfileFold.Launch(
      end: Profile.Counts.ends[Int.random(in: 0..<6, using: &random)])
    if Int.random(in: 0..<4, using: &random) == 0 { launch.lostRecords = 3 }
    if Int.random(in: 0..<4, using: &random) == 0 { launch.inFlightRecords = 1 }
    let uses = images.indices.map { image in
      // Few distinct contents, so that several launches are the same.
      let count = Int.random(in: 0...(image == 0 ? 9 : 2), using: &random)
      var order = Array(0..<12)
      if Bool.random(using: &random) { order.shuffle(using: &random) }
      return order.prefix(count).map { function in
        var use = ProfileFold.FunctionUse(
          address: StatedAddress(rawValue: 0x1000 + UInt64(function) * 64))
        if Bool.random(using: &random) {
          use.nanoseconds = UInt64.random(in: 0..<50, using: &random)
        }
        if image == 0, function % 3 == 0 {
          use.blocks = (0..<Int.random(in: 0...3, using: &random)).map {
            FunctionBlock(offset: UInt64(8 - 2 * $0), size: 2)
          }
        }
        return use
      }
    }
    let weight = UInt64.random(in: 1...3, using: &random)
    if launch.lostRecords > 0 {
      launch.workload = WorkloadSummary(
        launch: "launch", commandLine: weight, inputs: weight == 2 ? nil : UInt64(uses[0].count))
    }
    return SampleLaunch(launch: launch, uses: uses, weight: weight)
  }

  func add(to fold: inout ProfileFold) -> Bool {
    let numbers = Self.images.map { fold.image($0) }
    let places = fold.add(
      launch,
      uses: zip(numbers, uses).map {
        ProfileFold.ImageUses(image: $0, uses: $1, unnamedHits: 1)
      }, program: numbers[0], weight: weight)
    guard let places else { return false }
    for (number, (uses, places)) in zip(numbers, zip(uses, places)) {
      for (use, place) in zip(uses, places) where use.address.rawValue % 128 == 0 {
        let name = SymbolName("function_\(use.address.rawValue)")
        fold.describe(
          place, of: number, size: 64, objectFile: number == 0 ? SymbolName("a.o") : nil,
          names: use.nanoseconds == nil ? [name] : [name, SymbolName("\(name)_alias")].sorted())
      }
    }
    return true
  }

  static func profile(_ launches: some Sequence<SampleLaunch>) -> Profile {
    var fold = ProfileFold()
    for launch in launches { _ = launch.add(to: &fold) }
    return fold.profile
  }

  static func many(_ count: Int, seed: UInt64) -> [SampleLaunch] {
    var random = SeededRandom(seed: seed)
    return (0..<count).map { _ in Self.random(&random) }
  }
}
