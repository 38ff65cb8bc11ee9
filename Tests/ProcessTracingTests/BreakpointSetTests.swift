#if os(Linux) && arch(x86_64)
  import Addresses
  import Foundation
  import TestSupport
  import Testing

  import ProcessTracing

  /// Plants breakpoints in memory of this process, which never executes that memory.
  @Suite struct BreakpointSetTests {
    /// Memory that can't be written, like code, and that is followed by a page that is not mapped.
    private final class Code {
      let memory: ProcessMemory
      let mapping: ProcessMapping
      private let size: Int

      init(_ bytes: [UInt8]) throws {
        size = (bytes.count + 4095) / 4096 * 4096
        let place = mmap(nil, size + 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        try #require(place != MAP_FAILED)
        let start = UInt64(UInt(bitPattern: place))
        munmap(UnsafeMutableRawPointer(bitPattern: UInt(start) + UInt(size)), 4096)
        memory = ProcessMemory(of: getpid())
        let line = [start, start + UInt64(size + 4096)].map { String($0, radix: 16) }
          .joined(separator: "-")
        mapping = try #require(
          ProcessMapping(line: Array("\(line) r-xp 00000000 08:01 7 /code".utf8)[...]))
        try #require(memory.write(bytes[...], at: LoadedAddress(rawValue: start)))
      }

      deinit { munmap(UnsafeMutableRawPointer(bitPattern: UInt(start.rawValue)), size) }

      var start: LoadedAddress { mapping.addresses.lowerBound }
      var bytes: [UInt8] { memory.read(size, at: start) }

      func write(_ bytes: [UInt8], at offset: UInt64) {
        memory.write(bytes[...], at: start + offset)
      }

      func breakpoints(at offsets: [UInt64]) -> BreakpointSet {
        BreakpointSet(
          offsets.map { LoadedAddress(rawValue: start.rawValue &+ $0) }, in: mapping, memory)
      }

      func offsets(of set: BreakpointSet) -> [UInt64] { set.breakpoints.map { $0.address - start } }
    }

    private static let trap: UInt8 = 0xcc

    /// A page of NOP instructions, with an `endbr64` at offset 16 and a breakpoint of the program itself at offset 32.
    private static let page: [UInt8] = {
      var page = [UInt8](repeating: 0x90, count: 4096)
      page.replaceSubrange(16..<20, with: [0xf3, 0x0f, 0x1e, 0xfa])
      page[32] = trap
      return page
    }()

    @Test func eachFunctionHasOneBehindItsLandingPad() throws {
      let code = try Code(Self.page)
      let set = code.breakpoints(at: [0, 0, 16, 32, 48, 5000, UInt64.max])
      #expect(code.offsets(of: set) == [0, 20, 48])
      #expect(set.breakpoints.map(\.distance) == [0, 4, 0])
      var expected = Self.page
      for offset in [0, 20, 48] { expected[offset] = Self.trap }
      #expect(code.bytes == expected)
      #expect([0, 20, 48].map { set.index(of: code.start + $0) } == [0, 1, 2])
      #expect([1, 16, 32, 49, 5000].allSatisfy { set.index(of: code.start + $0) == nil })
      #expect(set.index(of: 0) == nil && set.index(of: LoadedAddress(rawValue: .max)) == nil)
    }

    @Test func removingOnePutsItsInstructionBack() throws {
      let code = try Code(Self.page)
      var set = code.breakpoints(at: [0, 16, 48])
      set.remove(1, code.memory)
      #expect(code.bytes[16..<24].elementsEqual(Self.page[16..<24]))
      #expect(set.breakpoints.map(\.isPlanted) == [true, false, true])
      #expect(set.index(of: code.start + 20) == 1, "a thread may still be on its way from there")
      code.write([0x42], at: 48)
      set.remove(2, code.memory)
      #expect(code.bytes[48] == 0x42, "what the program wrote stays")
    }

    @Test func removingAllLeavesTheCodeAsItWas() throws {
      // The code is larger than the piece that is read at once, and has functions on both sides of the border of two
      // pieces.
      let size = (1 << 20) + 3 * 4096
      var bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 & 0x7f) }
      let offsets = stride(from: 1, to: UInt64(size), by: 97).map { $0 }
      let code = try Code(bytes)
      var set = code.breakpoints(at: offsets)
      #expect(set.breakpoints.count == offsets.count)
      #expect(code.bytes.count { $0 == Self.trap } == offsets.count)
      code.write([0x42], at: offsets[3])
      bytes[Int(offsets[3])] = 0x42
      #expect(set.removeAll(code.memory) == 0)
      #expect(code.bytes == bytes)
      #expect(set.breakpoints.allSatisfy { !$0.isPlanted })
      #expect(set.removeAll(code.memory) == 0)
    }

    /// glibc's loader maps a file a second time, over the first mapping.
    @Test func whatIsMappedAgainIsPlantedAgain() throws {
      let code = try Code(Self.page)
      var set = code.breakpoints(at: [0, 16, 48])
      set.remove(0, code.memory)
      #expect(set.isInPlace(code.memory))
      code.write(Self.page, at: 0)
      #expect(!set.isInPlace(code.memory))
      set.plantAgain(code.memory, in: [code.mapping.addresses])
      #expect(set.isInPlace(code.memory))
      #expect([0, 20, 48].map { code.bytes[$0] } == [0x90, Self.trap, Self.trap])
      #expect(set.removeAll(code.memory) == 0)
      #expect(code.bytes == Self.page)
      #expect(set.isInPlace(code.memory), "none is left to be in place")
    }

    /// A program may move its code. Other memory may look like breakpoints.
    @Test func onlyBreakpointsThatStandAreKept() throws {
      let code = try Code(Self.page + Self.page)
      var set = code.breakpoints(at: [0, 16, 48, 4096, 4096 + 48, 8191])
      let bytes = code.bytes
      #expect(set.plantedCount == 6)
      code.write([0x42], at: 48)
      let first = code.start..<code.start + 4096
      #expect(set.keepStanding(code.memory) { _ in false })
      #expect(set.breakpoints.map(\.isPlanted) == [true, true, false, true, true, true])
      #expect(set.keepStanding(code.memory) { $0 == first })
      #expect(set.breakpoints.map(\.isPlanted) == [false, false, false, true, true, true])
      code.write(bytes, at: 0)
      #expect(set.removeAll(code.memory) == 0)
      #expect(code.bytes[0] == Self.trap, "one that was given up is not touched any more")
      #expect(code.bytes[4096...].elementsEqual(Self.page))
      #expect(!set.keepStanding(code.memory) { _ in false })
    }

    @Test func whatIsMappedAgainIsPlantedOnlyThere() throws {
      let code = try Code(Self.page + Self.page)
      var set = code.breakpoints(at: [0, 48, 4096, 4096 + 48])
      code.write(Self.page + Self.page, at: 0)
      set.plantAgain(code.memory, in: [code.start + 4096..<code.start + 8192])
      #expect(
        [0, 48, 4096, 4096 + 48].map { code.bytes[$0] } == [0x90, 0x90, Self.trap, Self.trap])
    }

    @Test func memoryThatIsNotThereHasNone() throws {
      let code = try Code(Self.page)
      var set = code.breakpoints(at: [4094, 4095, 4096, 8191])
      #expect(code.offsets(of: set) == [4094, 4095])
      #expect(set.removeAll(code.memory) == 0)
      let empty = code.breakpoints(at: [])
      #expect(empty.breakpoints.isEmpty && empty.isInPlace(code.memory))
    }
  }
#endif
