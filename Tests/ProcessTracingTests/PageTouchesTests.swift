import Addresses
import ProcessTracing
import TestSupport
import Testing

@Suite struct PageTouchesTests {
  private static func launch() -> PageTouches {
    var touches = PageTouches()
    touches.processBegan(1)
    touches.imageLoaded(ImageInMemory(path: "/app"), at: 0x10000..<0x20000, in: 1)
    touches.imageLoaded(ImageInMemory(path: "/lib"), at: 0x40000..<0x50000, in: 1)
    return touches
  }

  private static func rows(_ touches: PageTouches) -> [String] {
    touches.touches.map {
      "\(touches.images[$0.image].path)+\($0.page.rawValue) \($0.access)"
    }
  }

  private static func instructions(_ touches: PageTouches) -> [String] {
    touches.touches.map {
      switch $0.instruction {
      case .inImage(let image, let address): "\(touches.images[image].path)+\(address.rawValue)"
      case .outside(let address): "\(address.rawValue)"
      case nil: "-"
      }
    }
  }

  @Test func aPageCountsOnceForEachKindOfAccess() {
    var touches = Self.launch()
    touches.touched(0x11000, .read, by: 0x12345, in: 1)
    touches.touched(0x11000, .read, by: 0x12399, in: 1)
    touches.touched(0x11000, .write, by: 0x41000, in: 1)
    touches.touched(0x90000, .write, by: 0x41000, in: 1)  // no image
    #expect(Self.rows(touches) == ["/app+4096 read", "/app+4096 write"])
    #expect(Self.instructions(touches) == ["/app+9029", "/lib+4096"])
  }

  @Test func whatHappensDuringLoadingCountsForItself() {
    var touches = Self.launch()
    touches.touched(0x11010, .kernel, by: nil, in: 1, isLoading: true)
    touches.touched(0x11018, .read, by: 0x41000, in: 1, isLoading: true)
    touches.touched(0x11abc, .read, by: 0x41000, in: 1, isLoading: true)
    touches.touched(0x11abc, .read, by: 0x12345, in: 1)
    #expect(
      Self.rows(touches) == ["/app+4096 kernel", "/app+4096 read", "/app+4096 read"])
    #expect(touches.touches.map(\.address.rawValue) == [0x1010, 0x1018, 0x1abc])
    #expect(touches.touches.map(\.isLoading) == [true, true, false])
    #expect(Self.instructions(touches) == ["-", "/lib+4096", "/app+9029"])
  }

  @Test func loadingOfAnotherLaunchComesFirstAndKeepsItsImages() {
    var other = PageTouches()
    other.processBegan(7)
    other.imageLoaded(ImageInMemory(path: "/loader"), at: 0x70000..<0x80000, in: 7)
    other.imageLoaded(ImageInMemory(path: "/app"), at: 0x20000..<0x30000, in: 7)
    other.touched(0x20000, .read, by: 0x70004, in: 7, isLoading: true)
    other.touched(0x21000, .execute, by: 0x21000, in: 7)
    var touches = Self.launch()
    touches.touched(0x12000, .execute, by: 0x12000, in: 1)
    let all = touches.addingLoading(of: other)
    #expect(Self.rows(all) == ["/app+0 read", "/app+8192 execute"])
    #expect(Self.instructions(all) == ["/loader+4", "/app+8192"])
    #expect(all.images.map(\.path) == ["/app", "/lib", "/loader"])
    #expect(all.loadingImages == ["/loader", "/app"])
    #expect(touches.loadingImages.isEmpty)
  }

  @Test func anInstructionOutsideOfAllImagesKeepsItsAddress() {
    var touches = Self.launch()
    touches.touched(0x11000, .execute, by: 0x777, in: 1)
    #expect(Self.instructions(touches) == ["1911"])
  }

  @Test func aForkedChildKnowsItsParentsImagesAndAddsToTheSameRows() {
    var touches = Self.launch()
    touches.touched(0x11000, .read, by: 0x12345, in: 1)
    touches.processForked(2, from: 1)
    touches.touched(0x11000, .read, by: 0x12345, in: 2)
    touches.touched(0x12000, .read, by: 0x12345, in: 2)
    touches.touched(0x12000, .read, by: 0x12345, in: 3)  // never heard of
    #expect(Self.rows(touches) == ["/app+4096 read", "/app+8192 read"])
  }

  @Test func anotherProcessHasTheImageElsewhere() {
    var touches = Self.launch()
    touches.touched(0x11000, .execute, by: 0x11000, in: 1)
    touches.processForked(2, from: 1)
    touches.processBegan(2)
    // No image is loaded yet, so the touch belongs to none.
    touches.touched(0x11000, .execute, by: 0x11000, in: 2)
    touches.imageLoaded(ImageInMemory(path: "/app"), at: 0x30000..<0x40000, in: 2)
    touches.touched(0x31000, .execute, by: 0x31000, in: 2)
    touches.touched(0x32000, .execute, by: 0x32000, in: 2)
    #expect(Self.rows(touches) == ["/app+4096 execute", "/app+8192 execute"])
    #expect(touches.images.map(\.path) == ["/app", "/lib"])
  }

  /// The file was replaced between two programs of a launch.
  @Test func twoBuildsAtOnePathAreTwoImages() {
    var touches = PageTouches()
    let first = ImageInMemory(path: "/app", file: "fe:00 1", id: [1])
    for (pid, image) in [
      (Int32(1), first), (2, ImageInMemory(path: "/app", file: "fe:00 2", id: [2])),
      (3, ImageInMemory(path: "/app", file: "fe:00 1", id: [3])),
      (4, ImageInMemory(path: "/app", file: "fe:00 1")), (5, first),
    ] {
      touches.processBegan(pid)
      touches.imageLoaded(image, at: 0x10000..<0x20000, in: pid)
      touches.touched(0x11000, .execute, by: 0x11000, in: pid)
    }
    #expect(touches.images.map(\.id) == [[1], [2], [3]])
    #expect(touches.touches.map(\.image) == [0, 1, 2])
  }

  @Test func whatWasLoadedLastHasTheAddress() {
    var touches = Self.launch()
    touches.imageLoaded(ImageInMemory(path: "/plugin"), at: 0x40000..<0x48000, in: 1)
    touches.touched(0x41000, .read, by: 0, in: 1)
    touches.touched(0x49000, .read, by: 0, in: 1)
    #expect(Self.rows(touches) == ["/plugin+4096 read", "/lib+36864 read"])
  }

  @Test func aReadThatBecameAWriteIsOneRow() throws {
    var touches = Self.launch()
    let read = touches.touched(0x11000, .read, by: 0x12345, in: 1)
    let first = try #require(read)
    touches.touched(0x12000, .read, by: 0x12345, in: 1)
    touches.becameWrite(first)
    #expect(Self.rows(touches) == ["/app+4096 write", "/app+8192 read"])

    // Another process has written to the page before.
    let other = touches.touched(0x11000, .read, by: 0x12399, in: 1)
    let again = try #require(other)
    touches.becameWrite(again)
    #expect(Self.rows(touches) == ["/app+4096 write", "/app+8192 read"])
    touches.touched(0x11000, .read, by: 0x12399, in: 1)
    #expect(Self.rows(touches).last == "/app+4096 read")
  }
}
