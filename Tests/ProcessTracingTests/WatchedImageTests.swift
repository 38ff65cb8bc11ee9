#if os(Linux)
  import Addresses
  import TestSupport
  import Testing

  import ProcessTracing

  @Suite struct WatchedImageTests {
    private typealias Protection = WatchedImage.Protection

    private static func mapping(
      _ range: Range<LoadedAddress>, _ rights: String
    ) throws -> ProcessMapping {
      let ends = [range.lowerBound, range.upperBound].map { String($0.rawValue, radix: 16) }
      let line = "\(ends[0])-\(ends[1]) \(rights)p 00000000 08:01 7 /app"
      return try #require(ProcessMapping(line: Array(line.utf8)[...]))
    }

    /// Four pages of code, two of constants, two of data, from 0x10000 on.
    private static func image() throws -> WatchedImage {
      var image = WatchedImage(path: "/app", addresses: 0x10000..<0x18000, isWatched: true)
      #expect(image.watch(try mapping(0x10000..<0x14000, "r-x")))
      #expect(image.watch(try mapping(0x14000..<0x16000, "r--")))
      #expect(image.watch(try mapping(0x16000..<0x18000, "rw-")))
      return image
    }

    private static let end = LoadedAddress(rawValue: .max)

    private static func changes(
      _ image: WatchedImage, _ range: Range<LoadedAddress> = 0..<end
    ) -> [String] {
      image.changes(in: range).map { change in
        let ends = [change.addresses.lowerBound, change.addresses.upperBound]
        let rights: [(Protection, String)] = [(.read, "r"), (.write, "w"), (.execute, "x")]
        return ends.map { String($0.rawValue, radix: 16) }.joined(separator: "-") + " "
          + rights.map { change.protection.contains($0.0) ? $0.1 : "-" }.joined()
      }
    }

    @Test func atFirstOnlyExecutionIsWithheld() throws {
      #expect(
        Self.changes(try Self.image()) == ["10000-16000 r--", "16000-18000 rw-"])
    }

    @Test func onceItHasBegunEverythingIs() throws {
      var image = try Self.image()
      image.begin()
      #expect(Self.changes(image) == ["10000-18000 ---"])
    }

    @Test func theLoadersAccessesAreWithheldToo() throws {
      var image = WatchedImage(
        path: "/app", addresses: 0x10000..<0x12000, isWatched: true, isWatchedLoading: true)
      image.watch(try Self.mapping(0x10000..<0x11000, "r-x"))
      image.watch(try Self.mapping(0x11000..<0x12000, "rw-"))
      #expect(Self.changes(image) == ["10000-12000 ---"])
      image.saw(.write, at: 0x11000)
      #expect(Self.changes(image) == ["10000-11000 ---", "11000-12000 rw-"])
      image.saw(.execute, at: 0x10000)
      image.begin()
      #expect(!image.isLoading)
      #expect(
        Self.changes(image) == ["10000-11000 r-x", "11000-12000 ---"],
        "what the loader touched counts again")
    }

    @Test func whatWasSeenIsAllowedAndNothingElse() throws {
      var image = try Self.image()
      image.begin()
      image.saw(.execute, at: 0x11fff)
      image.saw(.read, at: 0x14000)
      image.saw(.write, at: 0x17abc)
      #expect(
        Self.changes(image) == [
          "10000-11000 ---", "11000-12000 r-x", "12000-14000 ---", "14000-15000 r--",
          "15000-17000 ---", "17000-18000 rw-",
        ])
      let state = try #require(image.state(of: 0x11000))
      #expect(state.byRight == [.read, .execute] && state.seen == [.execute])
    }

    @Test func noPageIsAllowedWhatItMayNotByRight() throws {
      var image = try Self.image()
      image.begin()
      image.saw([.write, .execute], at: 0x14000)
      #expect(Self.changes(image, 0x14000..<0x15000) == ["14000-15000 r--"])
      image.protected(0x14800..<0x14801, [.read, .write])
      #expect(Self.changes(image, 0x14000..<0x15000) == ["14000-15000 rw-"])
      image.protected(0x14000..<0x15000, [])
      #expect(Self.changes(image, 0x14000..<0x15000) == ["14000-15000 ---"])
    }

    @Test func rangesNeedNotBePagesOrOfTheImage() throws {
      let image = try Self.image()
      #expect(Self.changes(image, 0x11fff..<0x12001) == ["11000-13000 r--"])
      #expect(Self.changes(image, 0..<0x10001) == ["10000-11000 r--"])
      #expect(Self.changes(image, 0x17fff..<Self.end) == ["17000-18000 rw-"])
      for range in [0..<0x10000, 0x18000..<Self.end, 0x11000..<0x11000] as [Range<LoadedAddress>] {
        #expect(Self.changes(image, range) == [])
      }
      #expect(image.state(of: 0xffff) == nil && image.state(of: 0x18000) == nil)
    }

    @Test func whatTheProgramMappedItselfIsNotWatched() throws {
      var image = try Self.image()
      image.unmapped(0x11000..<0x13000)
      #expect(Self.changes(image, 0x10000..<0x14000) == ["10000-11000 r--", "13000-14000 r--"])
      #expect(image.state(of: 0x12000) == nil)
      image.saw(.execute, at: 0x12000)
      image.protected(0x12000..<0x13000, [.read, .write, .execute])
      #expect(image.state(of: 0x12000) == nil)
      #expect(image.watch(try Self.mapping(0x12000..<0x14000, "rwx")), "until it is told of anew")
      let state = try #require(image.state(of: 0x12000))
      #expect(state.byRight == [.read, .write, .execute] && state.seen == [])
      #expect(image.state(of: 0x13000)?.byRight == [.read, .execute], "that one was watched")
      #expect(try !image.watch(Self.mapping(0x10000..<0x11000, "rwx")))
    }

    @Test func aReleasedImageMayDoWhatIsItsRight() throws {
      var image = try Self.image()
      image.saw(.execute, at: 0x10000)
      image.release()
      #expect(
        Self.changes(image) == ["10000-14000 r-x", "14000-16000 r--", "16000-18000 rw-"])
    }

    @Test func anImageThatIsOnlyKnownHasNoPages() throws {
      var image = WatchedImage(path: "/lib", addresses: 0x10000..<0x18000, isWatched: false)
      #expect(try !image.watch(Self.mapping(0x10000..<0x14000, "r-x")))
      image.begin()
      image.saw(.execute, at: 0x10000)
      image.release()
      #expect(!image.isWatched && Self.changes(image) == [] && image.state(of: 0x10000) == nil)
    }
  }
#endif
