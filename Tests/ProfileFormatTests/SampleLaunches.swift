import Addresses
import ImageModel
import ProfileFormat
import TestSupport

/// An invented launch of two images. Some launches equal another launch, and some have no names, times or hits.
struct SampleLaunch {
  var launch: ProfileFold.Launch
  var uses: [[ProfileFold.FunctionUse]]
  var data: [[ProfileFold.FunctionUse]] = [[], []]
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
      // The number of different contents is small, so that several launches are equal.
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

  /// Some launches touch data of an image without using its functions, and some touch no data.
  mutating func addData(_ random: inout SeededRandom) {
    data = Self.images.indices.map { image in
      var order = Array(0..<6)
      if Bool.random(using: &random) { order.shuffle(using: &random) }
      return order.prefix(max(0, Int.random(in: -3...(6 - 2 * image), using: &random))).map {
        ProfileFold.FunctionUse(
          address: StatedAddress(rawValue: 0x8000 + UInt64($0) * 32),
          nanoseconds: Bool.random(using: &random) ? UInt64($0) : nil)
      }
    }
    if Int.random(in: 0..<5, using: &random) == 0 { uses = [[], []] }
  }

  func add(to fold: inout ProfileFold) -> Bool {
    let numbers = Self.images.map { fold.image($0) }
    let places = fold.add(
      launch,
      uses: numbers.indices.map {
        ProfileFold.ImageUses(image: numbers[$0], uses: uses[$0], unnamedHits: 1, data: data[$0])
      }, program: numbers[0], weight: weight)
    guard let places else { return false }
    for (data, places) in zip(data, places) {
      for (touch, place) in zip(data, places.data) {
        let isNamed = touch.address.rawValue % 64 == 0
        fold.describe(
          place, isData: true, size: isNamed ? 24 : 8, objectFile: nil,
          names: isNamed ? [SymbolName("datum_\(touch.address.rawValue)")] : [])
      }
    }
    for (number, (uses, places)) in zip(numbers, zip(uses, places)) {
      for (use, place) in zip(uses, places.functions) where use.address.rawValue % 128 == 0 {
        let name = SymbolName("function_\(use.address.rawValue)")
        fold.describe(
          place, size: 64, objectFile: number == 0 ? SymbolName("a.o") : nil,
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

  static func many(_ count: Int, seed: UInt64, withData: Bool = false) -> [SampleLaunch] {
    var random = SeededRandom(seed: seed)
    return (0..<count).map { _ in
      var launch = Self.random(&random)
      if withData { launch.addData(&random) }
      return launch
    }
  }
}
