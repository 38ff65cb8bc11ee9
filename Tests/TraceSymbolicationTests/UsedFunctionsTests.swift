import Addresses
import ByteReading
import ImageModel
import ModelSamples
import ProfileFormat
import TestSupport
import Testing
import TraceFormat
import TraceSymbolication

@Suite struct UsedFunctionsTests {
  static let names = (0..<12).map { "f\($0)" } + ["twin", "twin"]
  static func build(_ id: UInt8) -> Image {
    Image(
      path: "/bin/app\(id)", id: ImageID(kind: .buildID, bytes: [id]), architecture: .x8664,
      layout: elfLayout(names))
  }

  /// Adds a launch that uses the functions at these indexes of `names`, one at each step.
  static func add(_ functions: [Int], of id: UInt8 = 1, to fold: inout ProfileFold) {
    let image = build(id)
    var trace = Trace(path: "t", program: image.path, processNumber: 1)
    trace.images = [
      TraceImage(
        number: 1, path: image.path, id: image.id, slide: Slide(rawValue: 0),
        text: image.layout.sections[0].range, guardCount: names.count)
    ]
    trace.hits = functions.enumerated().map { step, function in
      Hit(
        step: step, image: 0, entry: StatedAddress(rawValue: 0x1000 + UInt64(function) * 16),
        nanoseconds: UInt64(100 * function + step))
    }
    _ = fold.add(trace, [RecordedFunctions(trace, group: [0], in: RecordedImage(image))])
  }

  static func profile(
    _ launches: [(build: UInt8, functions: [Int])], ordering build: UInt8? = nil
  ) -> UsedFunctions {
    var fold = ProfileFold()
    for launch in launches { add(launch.functions, of: launch.build, to: &fold) }
    let profile = fold.profile
    return UsedFunctions(
      profile, images: Array(profile.images.indices),
      build: build.map { ImageID(kind: .buildID, bytes: [$0]) })
  }

  static func rows(_ profile: UsedFunctions) -> [String] {
    profile.functions.map { "\($0.names[0]) \($0.launches) \($0.bodyCount)" }
  }

  @Test func functionsComeLaunchByLaunchThoseWithMostFunctionsFirst() {
    let profile = Self.profile([(1, [3, 1]), (1, []), (1, [4, 2, 3])])
    #expect(Self.rows(profile) == ["f4 1 1", "f2 1 1", "f3 2 1", "f1 1 1"])
    #expect(profile.launchCount == 2, "a launch without hits did not use the image")
    #expect(profile.launches.map(\.functions) == [[0, 1, 2], [2, 3]])
    #expect(profile.functions[2].firstNanoseconds == 300)
    #expect(profile.functions[2].positions.median == 0)
  }

  @Test func aLaunchThatHappenedOftenComesFirst() {
    let profile = Self.profile([(1, [1, 2, 3]), (1, [5]), (1, [5])])
    #expect(profile.launches.map(\.weight) == [2, 1])
    #expect(Self.rows(profile) == ["f5 2 1", "f1 1 1", "f2 1 1", "f3 1 1"])
  }

  @Test func namesakesAreOneFunctionOfSeveralBodiesAndCodeWithoutANameIsCounted() {
    let profile = Self.profile([(1, [12, 13, 40]), (1, [13])])
    #expect(Self.rows(profile) == ["twin 2 2"])
    #expect(profile.unnamedHits == 1)
  }

  /// In launches of the build that is ordered, addresses distinguish functions with the same name. In launches of
  /// another build, a function with this name may be any of them.
  @Test func namesakesOfTheBuildItselfAreFunctionsOfTheirOwn() {
    let profile = Self.profile([(1, [12, 1]), (1, [13, 12]), (2, [13, 12, 1])], ordering: 1)
    let rows = zip(Self.rows(profile), profile.functions).map { row, function in
      row + (function.address.map { " at \($0)" } ?? "")
    }
    // f1 of both builds is one function, because only one body has the name.
    #expect(
      rows.sorted() == [
        "f1 2 1 at 0x1010", "twin 1 1 at 0x10d0", "twin 1 2", "twin 2 1 at 0x10c0",
      ])
  }

  @Test func rareFunctionsCanBeTakenOut() {
    var profile = Self.profile([(1, [1, 2]), (1, [2, 3]), (1, [4])])
    let removed = profile.removeFunctions(usedBelow: 2)
    #expect(Set(removed.map { "\($0.names[0])" }) == ["f1", "f3", "f4"])
    #expect(Self.rows(profile) == ["f2 2 1"])
    #expect(profile.launches.map(\.functions) == [[0], [0]])
  }

  /// The quick way to fold a sealed trace, which leaves names in the file.
  @Test(arguments: 0..<20) func aSealedTraceIsFoldedAsAnyOther(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var quick = ProfileFold()
    var general = ProfileFold()
    for _ in 0..<4 {
      let file = try TraceFile(parsing: FileBytes(Self.randomTrace(&random)))
      #expect(file.hasSortedNames)
      let trace = Trace(file, path: "t")
      let used = trace.usedImages
      let launches = RecordedFunctions.all(of: trace) { group, names in
        group.contains(where: used.contains) ? RecordedImage(names) : nil
      }
      let added = (quick.add(sealed: file, path: "t"), general.add(trace, launches))
      #expect(added == (true, true))
    }
    #expect(quick.profile == general.profile, "seed \(seed)")
    #expect(quick.profile.functions.contains { $0.names.count == 2 })
    #expect(quick.profile.data.contains { $0.names.count == 2 && $0.size == 20 })
    #expect(quick.profile.data.contains { $0.names.isEmpty && $0.size == 8 })
  }

  /// A sealed trace of two images, with aliases, with code and data that have no names, and with calls from other
  /// functions.
  private static func randomTrace(_ random: inout SeededRandom) -> [UInt8] {
    var writer = TraceWriter()
    var names: [TraceWriter.Name] = []
    for number in 1...2 as ClosedRange<UInt64> {
      var image = TraceWriter.Image(
        number: number, path: "/lib\(number)", slide: 0x10_0000 * number)
      image.text = 0x1000..<0x8000
      image.guards = 0x2000_0000 + 0x1000 * number..<0x2000_0100 + 0x1000 * number
      image.id = [UInt8(number), 7]
      writer.program = image.path
      writer.addLoad(image)
      for index in 0..<UInt64.random(in: 0...12, using: &random) {
        let entry = 0x1000 + 0x100 * UInt64.random(in: 0..<10, using: &random)
        writer.addHit(
          image, guard: index, entry: Bool.random(using: &random) ? entry : nil,
          calledFrom: 0x1000 + UInt64.random(in: 0..<0xa00, using: &random))
      }
      for _ in 0..<40 {
        writer.addRecord(
          kind: 3, subject: number, second: 8,
          entry: image.slide + 0x9000 + 8 * UInt64.random(in: 0..<40, using: &random))
      }
      names += (0..<8 as Range<UInt64>).flatMap { function in
        (0..<(function % 2 + 1)).map { alias in
          TraceWriter.Name(
            image: UInt32(number), address: 0x1000 + 0x100 * function,
            size: function == 3 ? 0 : 0x80,
            name: "f\(function)_\(alias)")
        }
      }
      // Variables that share granules, and data without names.
      names += (0..<8 as Range<UInt64>).flatMap { datum in
        (0..<(datum % 2 + 1)).map { alias in
          TraceWriter.Name(
            image: UInt32(number), address: 0x9000 + 36 * datum, size: 20,
            name: "d\(datum)_\(alias)")
        }
      }
    }
    writer.names = names
    return writer.bytes()
  }
}
