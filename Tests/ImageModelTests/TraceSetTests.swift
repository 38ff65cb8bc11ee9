import Addresses
import ImageModel
import Testing

@Suite struct TraceSetTests {
  /// A trace of images given by path and ID, with hits in those at `used`.
  static func trace(
    _ path: String, _ images: [(path: String, id: UInt8)], used: [Int] = [], isSealed: Bool = false,
    method: Trace.Method = .breakpoints
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
    #expect(set.fileNames == ["app", "b.so", "c.so"])
    #expect(set.usedFileNames == ["app", "b.so"])
    #expect(set.members(withoutImageNamed: "b.so").map(\.path) == ["b"])
    #expect(set.members(withoutImageNamed: "none").map(\.path) == ["a", "b"])
    #expect(set.program == "/bin/app")
  }

  @Test func oneTraceWithoutBreakpointsLeavesFunctionsUnseen() {
    var set = TraceSet()
    set.add(Self.trace("a", [("/bin/app", 1)], used: [0]))
    #expect(set.recordsEveryFunction && !set.isEmpty)
    set.add(Self.trace("b", [("/bin/app", 1)], method: .instrumentation))
    #expect(!set.recordsEveryFunction)
    #expect(set.members.map(\.isEmpty) == [false, true])
  }

  @Test func aSetOfNothingIsEmpty() {
    var set = TraceSet()
    set.add(Self.trace("a", []))
    #expect(set.isEmpty && set.images.isEmpty && set.usedFileNames.isEmpty)
  }
}
