// Inputs whose parts share bytes, or lie where many others do: each was once read in time or memory that grew
// with the square of their size. Measured is the CPU time of one thread, which no other process changes much,
// and demanded is little: 4 times the input in less than 10 times the time, where a square takes 16.

import Foundation
import FuzzTargets
import TestSupport
import Testing

@Suite(.serialized) struct GrowthTests {
  /// One kind of input.
  struct Kind: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let target: String
    /// That which is made of a size, in no unit but proportional to the bytes.
    let input: @Sendable (Int) -> [UInt8]
    /// The smallest size that is measured.
    let size: Int

    init(
      _ name: String, of target: String, from size: Int,
      _ input: @escaping @Sendable (Int) -> [UInt8]
    ) {
      testDescription = name
      self.target = target
      self.size = size
      self.input = input
    }
  }

  @Test(arguments: Kind.all)
  func fourTimesTheInputTakesLessThanTenTimesTheTime(_ kind: Kind) throws {
    let target = try #require(FuzzTarget(named: kind.target))
    let times = [1, 4].map { factor in
      let input = kind.input(factor * kind.size)
      // The better of two: caches are cold at first, and the machine is shared.
      return (0..<2).map { _ in nanoseconds { target.run(input) } }.min() ?? 0
    }
    #expect(times[1] < 10 * times[0] + 20_000_000, "\(times)")
  }

  /// Of CPU time, in this thread.
  private func nanoseconds(_ body: () -> Void) -> Int {
    func now() -> Int {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
    let start = now()
    body()
    return now() - start
  }
}

extension GrowthTests.Kind {
  static let all = [
    Self("names of symbols that share bytes", of: "image", from: 200) { size in
      image { index in (nameOffset: 1 + index, address: 0x1000 + UInt64(index)) }(size)
    },
    Self("names of one address", of: "commands", from: 100) { size in
      let image = image { index in (nameOffset: size - index % 8, address: 0x1000) }(size)
      return commands(traceOf(size) { _ in 0x1000 }, image)
    },
    Self("functions of one name", of: "commands", from: 100) { size in
      let image = image { index in (nameOffset: size - 1, address: 0x1000 + UInt64(index)) }(size)
      return commands(traceOf(size) { 0x1000 + UInt64($0) }, image)
    },
    Self("sections that share notes", of: "elf-notes", from: 100) { size in
      elf(sections: size, type: 7, contents: [UInt8](repeating: 0, count: 12 * size))
    },
    Self("sections that share a block map", of: "elf-blocks", from: 100) { size in
      elf(sections: size, type: 0x6fff_4c0a, contents: [UInt8](repeating: 1, count: 12 * size))
    },
    Self("lines of one command", of: "map-lld-elf", from: 1000) { size in
      let head = """
                     VMA              LMA     Size Align Out     In      Symbol
                    1000             1000        4    16 .text
                    1000             1000        4    16         a = b

        """
      return Array((head + String(repeating: "c\n", count: size)).utf8)
    },
    Self("load records", of: "trace", from: 500) { size in
      var trace = TraceWriter()
      for index in 0..<size {
        trace.addLoad(
          TraceWriter.Image(
            number: UInt64(index), path: "/\(index)",
            guards: 0x20_0000 + 16 * UInt64(index)..<0x20_0010 + 16 * UInt64(index)))
      }
      for index in 0..<size {
        trace.addRecord(kind: 1, subject: 0x20_0000 + 16 * UInt64(index * 7919 % size))
      }
      return trace.bytes()
    },
    Self("Rust names of nothing but references", of: "names", from: 5) { size in
      let name = "_RNvC1a1f" + String(repeating: "I", count: 40) + "C1aTB_B_EB_B_E\n"
      return Array(String(repeating: name, count: size).utf8)
    },
    Self("C++ names that double", of: "names", from: 5) { size in
      var name = "_Z1f1pIiiES_IS0_S0_E"
      for index in 1..<20 {
        let digit = String(index, radix: 36, uppercase: true)
        name += "S_IS\(digit)_S\(digit)_E"
      }
      return Array(String(repeating: name + "\n", count: size).utf8)
    },
    Self("units that share abbreviations", of: "dwarf", from: 50) { size in
      var abbreviations: [UInt8] = []
      for _ in 0..<size { abbreviations += [0x7f, 0x11, 0, 0, 0] }
      abbreviations += [1, 0x11, 0, 0, 0, 0]
      var info = ByteWriter()
      for _ in 0..<size {
        info.write(UInt32(8))
        info.write(UInt16(4))
        info.write(UInt32(0))
        info.write([8, 1] as [UInt8])
      }
      return debugSections([info.bytes, abbreviations])
    },
  ]

  /// An ELF image with `size` symbols and a string table of one name.
  private static func image(
    _ symbol: @escaping (Int) -> (nameOffset: Int, address: UInt64)
  ) -> (Int) -> [UInt8] {
    { size in
      var elf = ELFWriter()
      elf.addText(address: 0x1000, size: max(size, 16))
      var table = ByteWriter()
      table.write([UInt8](repeating: 0, count: 24))
      for index in 0..<size {
        let (nameOffset, address) = symbol(index)
        table.write(UInt32(nameOffset))
        table.write([0x12, 0] as [UInt8])
        table.write(UInt16(1))
        table.write(address)
        table.write(UInt64(1))
      }
      elf.add(
        ELFWriter.Section(
          ".symtab", type: 2, contents: table.bytes, link: UInt32(elf.sections.count + 2),
          entrySize: 24))
      elf.add(
        ELFWriter.Section(
          ".strtab", type: 3,
          contents: [0] + [UInt8](repeating: UInt8(ascii: "f"), count: size) + [0]))
      elf.addBuildID([0x9f, 0x3a])
      return elf.bytes()
    }
  }

  /// An ELF file with `count` sections of one type, all of the same bytes.
  private static func elf(sections count: Int, type: UInt32, contents: [UInt8]) -> [UInt8] {
    var elf = ELFWriter()
    for _ in 0..<count { elf.add(ELFWriter.Section("", type: type)) }
    var bytes = elf.bytes() + contents
    let table = bytes.count - contents.count - 64 * (count + 2)
    for index in 1...count {
      let header = table + 64 * index
      var fields = ByteWriter()
      fields.write(UInt64(bytes.count - contents.count))
      fields.write(UInt64(contents.count))
      bytes.replaceSubrange(header + 24..<header + 40, with: fields.bytes)
    }
    return bytes
  }

  private static func traceOf(_ size: Int, entry: (Int) -> UInt64) -> [UInt8] {
    let image = TraceWriter.Image(
      text: 0x1000..<0x100_0000, guards: 0x20_0000..<0x20_0000 + 4 * UInt64(size))
    var trace = TraceWriter()
    trace.addLoad(image)
    for index in 0..<size { trace.addHit(image, guard: UInt64(index), entry: entry(index)) }
    return trace.bytes()
  }

  /// As the target reads them.
  private static func commands(_ trace: [UInt8], _ image: [UInt8]) -> [UInt8] {
    var input = ByteWriter()
    input.write(UInt32(trace.count))
    return input.bytes + trace + image
  }

  /// As the target reads them: .debug_info, .debug_abbrev and so on.
  private static func debugSections(_ sections: [[UInt8]]) -> [UInt8] {
    var input = ByteWriter()
    input.write([0] as [UInt8])
    for index in 0..<8 {
      input.write(UInt32(index < sections.count ? sections[index].count : 0))
    }
    return input.bytes + sections.joined()
  }
}
