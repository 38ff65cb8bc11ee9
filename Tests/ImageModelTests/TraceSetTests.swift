import Addresses
import ImageModel
import Testing

@Suite struct TraceSetTests {
  /// A trace of the images with these paths and IDs. The images at the indexes in `used` have hits.
  static func trace(
    _ path: String, _ images: [(path: String, id: UInt8)], used: [Int] = [], isSealed: Bool = false,
    method: Trace.RecordingMethod = .breakpoints
  ) -> Trace {
    var trace = Trace(path: path, program: "/bin/app", processNumber: 1)
    trace.images = images.enumerated().map { number, image in
      TraceImage(
        number: UInt64(number), path: image.path, id: ImageID(kind: .buildID, bytes: [image.id]),
        slide: Slide(rawValue: 0),
        text: AddressRange(start: StatedAddress(rawValue: 0x1000), size: 0x1000), guardCount: 1)
    }
    trace.hits = used.enumerated().map { step, image in Hit(step: step, image: image) }
    trace.isSealed = isSealed
    trace.method = method
    return trace
  }

  @Test func imagesOfAllTracesStandOnceInTheOrderOfTheirFirstLoad() {
    var set = TraceSet()
    set.add(Self.trace("a", [("/bin/app", 1), ("/lib/b.so", 2)], used: [1], isSealed: true))
    set.add(Self.trace("b", [("/old/app", 1), ("/bin/app", 1), ("/lib/c.so", 4)], used: [0, 1]))
    #expect(set.images.map(\.path) == ["/bin/app", "/lib/b.so", "/old/app", "/lib/c.so"])
    #expect(set.imagesToRead.map(\.path) == ["/old/app", "/bin/app", "/lib/c.so"])
    #expect(set.members.map { $0.uses.map(\.hits) } == [[0, 1], [1, 1, 0]])
    #expect(set.members.map { $0.program.map { set.images[$0].path } } == ["/bin/app", "/bin/app"])
    #expect(set.program == "/bin/app")
  }

  @Test func ofEachTraceIsKnownHowMuchItUsedOfEachImage() {
    var trace = Self.trace("a", [("/bin/app", 1), ("/lib/b.so", 2), ("/bin/app", 1)])
    trace.hits = [0, 1, 2, 2].enumerated().map { step, image in
      Hit(step: step, image: image, entry: StatedAddress(rawValue: UInt64(0x1000 + min(step, 2))))
    }
    trace.blockHits = [
      BlockHit(
        step: 9, image: 1, block: AddressRange(start: StatedAddress(rawValue: 0x1000), size: 4))
    ]
    trace.unattributedHits = 7
    var set = TraceSet()
    set.add(trace)
    #expect(
      set.members[0].uses == [
        TraceSet.ImageUse(image: 0, hits: 3, functions: 2),
        TraceSet.ImageUse(image: 1, hits: 2, functions: 1),
      ])
    #expect(set.members[0].unattributedHits == 7)
    #expect(set.members[0].program == 0 && !set.isEmpty)
  }

  @Test func aSetOfNothingIsEmpty() {
    var set = TraceSet()
    set.add(Self.trace("a", []))
    #expect(set.isEmpty && set.images.isEmpty)
  }
}
