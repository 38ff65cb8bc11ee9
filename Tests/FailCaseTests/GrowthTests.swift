// Inputs whose parts share bytes, or are at the same places. Each was once read in time or memory that grew with the
// square of the size. `costGrowth` measures the processor time of one thread, at sizes at which the square would
// prevail. Four times the input has to take less than 10 times the time; a square takes 16 times the time.

import Foundation
import FuzzTargets
import TestSupport
import Testing

@Suite(.serialized) struct GrowthTests {
  /// A kind of input, with the reader that reads it.
  struct Kind: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let target: String
    /// Makes an input whose bytes are proportional to the size.
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

  @Test(.needs(.time), arguments: Kind.all)
  func fourTimesTheInputTakesLessThanTenTimesTheTime(_ kind: Kind) throws {
    let target = try #require(FuzzTarget(named: kind.target))
    #expect(costGrowth(from: kind.size, by: 4, of: kind.input, target.run) < 10)
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
    Self("functions that cover the same pages", of: "commands", from: 50) { size in
      let image = image(codeSize: size << 12) { index in
        (nameOffset: 1 + index, address: 0x1000 + UInt64(index))
      }(size)
      return commands(traceOf(size) { 0x1000 + UInt64($0) }, image)
    },
    Self("sections that share notes", of: "elf-notes", from: 100) { size in
      elf(sections: size, type: 7, contents: [UInt8](repeating: 0, count: 12 * size))
    },
    Self("sections that share a block map", of: "elf-blocks", from: 100) { size in
      elf(sections: size, type: 0x6fff_4c0a, contents: [UInt8](repeating: 1, count: 12 * size))
    },
    Self("frames in as many sections", of: "image", from: 500) { framesInSections($0) },
    Self("debug-map entries of one name", of: "image", from: 500) { debugMap(entries: $0) },
    Self("categories in as many segments", of: "macho-start", from: 100) { categories($0) },
    Self("lines of one command", of: "map-lld-elf", from: 1000) { size in
      let head = """
                     VMA              LMA     Size Align Out     In      Symbol
                    1000             1000        4    16 .text
                    1000             1000        4    16         a = b

        """
      return Array((head + String(repeating: "c\n", count: size)).utf8)
    },
    Self("functions of a base, each on pages of its own", of: "check-base", from: 500) { size in
      let functions = (0..<size).map {
        "{\"address\": \"0x\(String($0 << 14, radix: 16))\", \"bytes\": 8192, \"name\": \"f\($0 / 2)\"}"
      }
      return Array(
        """
        {"images": [{"figures": [{"document": "d", "metric": "predictedPages", "source": "diff", "unit": "pages", \
        "value": 5}], "functions": [\(functions.joined(separator: ", "))], "image": "app"}], "schema": "orderfile.check/1"}
        """.utf8)
    },
    Self("limits of a budget", of: "budget", from: 500) { size in
      let limits = (0..<min(size, 4000)).map {
        "{\"max\": \($0), \"metric\": \"pages.textPages\"}\n"
      }
      return Array(
        "{\"limits\": [\(limits.joined(separator: ","))], \"schema\": \"orderfile.budget/1\"}".utf8)
    },
    Self("parts of one stage", of: "launch-log", from: 1000) { size in
      let head = "Total pre-main time: 1.0 seconds (100.0%)\nslowest intializers :\n"
      return Array((head + String(repeating: "a : 1.00 milliseconds (0.1%)\n", count: size)).utf8)
    },
    Self("commits of a history, each a change", of: "history", from: 100) { size in
      let lines = (0..<size).map { commit in
        """
        {"architecture": "a", "commit": "c\(commit)", "image": "i", "metrics": [{"direction": "none", "name": "n", \
        "unit": "pages", "value": \(commit / 10)}], "schema": "orderfile.history/1", "source": "gen", "time": "\(commit)"}

        """
      }
      return Array(lines.joined().utf8)
    },
    Self("metrics of a history, another in each line", of: "history", from: 100) { size in
      let lines = (0..<size).map { commit in
        """
        {"architecture": "a", "commit": "c\(commit)", "image": "i\(commit / 100)", "metrics": [{"direction": "none", \
        "name": "n\(commit % 100)", "unit": "pages", "value": 1}], "schema": "orderfile.history/1", "source": "gen", \
        "time": "\(commit)"}

        """
      }
      return Array(lines.joined().utf8)
    },
    Self("cold sections of namesakes", of: "map-gnu", from: 250) { size in
      gnuMap(size) { index in [".text.unlikely.f a\(index).o", ".text.f a\(index).o"] }
    },
    Self("sections of printed namesakes", of: "map-gnu", from: 250) { size in
      gnuMap(size) { index in [".text.f a\(index).o", ".text.f b\(index).o f"] }
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
    Self("units that share abbreviations", of: "dwarf", from: 300) { size in
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

  /// A map of GNU ld.
  ///
  /// - Parameter sections: the name and the file of each input section, and of a symbol there if there is one.
  private static func gnuMap(_ size: Int, _ sections: (Int) -> [String]) -> [UInt8] {
    var text = "Linker script and memory map\n\n.text           0x1000 0x10000000\n"
    var address = 0x1000
    for section in (0..<size).flatMap(sections) {
      let fields = section.split(separator: " ")
      let start = String(repeating: " ", count: 16) + "0x" + String(address, radix: 16)
      text += " \(fields[0])\n\(start) 0x10 \(fields[1])\n"
      if fields.count > 2 { text += "\(start)                \(fields[2])\n" }
      address += 16
    }
    return Array(text.utf8)
  }

  /// An ELF image with `size` symbols and a string table of one name.
  ///
  /// - Parameter codeSize: in bytes, of a section that has none in the file, and of each symbol.
  private static func image(
    codeSize: Int? = nil, _ symbol: @escaping (Int) -> (nameOffset: Int, address: UInt64)
  ) -> (Int) -> [UInt8] {
    { size in
      var elf = ELFWriter()
      if let codeSize {
        elf.add(
          ELFWriter.Section(
            ".text", type: 8, flags: 6, address: 0x1000, statedSize: UInt64(2 * codeSize)))
      } else {
        elf.addText(address: 0x1000, size: max(size, 16))
      }
      var table = ByteWriter()
      table.write([UInt8](repeating: 0, count: 24))
      for index in 0..<size {
        let (nameOffset, address) = symbol(index)
        table.write(UInt32(nameOffset))
        table.write([0x12, 0] as [UInt8])
        table.write(UInt16(1))
        table.write(address)
        table.write(UInt64(codeSize ?? 1))
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

  /// An ELF image with `count` sections of code and a table of as many frames, one in each.
  private static func framesInSections(_ count: Int) -> [UInt8] {
    let tableAddress: UInt64 = 0x40_0000
    var table = ByteWriter()
    table.write([1, 0x1b, 0x03, 0x3b] as [UInt8])
    table.write(UInt32(0))
    table.write(UInt32(count))
    var elf = ELFWriter()
    for index in 0..<count {
      let address = 0x1000 + 16 * UInt64(index)
      elf.add(ELFWriter.Section(".text", type: 8, flags: 6, address: address, statedSize: 16))
      for field in [address, tableAddress] {
        table.write(UInt32(truncatingIfNeeded: Int64(field) - Int64(tableAddress)))
      }
    }
    let header = elf.add(
      ELFWriter.Section(".eh_frame_hdr", flags: 2, address: tableAddress, contents: table.bytes))
    elf.segments = [(type: 0x6474_e550, section: header)]
    elf.addSymbols([ELFWriter.Symbol("f", value: 0x1000, size: 1)])
    return elf.bytes()
  }

  /// A Mach-O image whose functions share an address and a long name.
  private static func debugMap(entries count: Int) -> [UInt8] {
    let strings =
      [0] + Array("a.o".utf8) + [0] + [UInt8](repeating: UInt8(ascii: "f"), count: count)
    var table = ByteWriter()
    func add(type: UInt8, section: UInt8, name: Int, value: UInt64 = 0) {
      table.write(UInt32(name))
      table.write([type, section, 0, 0] as [UInt8])
      table.write(value)
    }
    add(type: 0x66, section: 0, name: 1)  // N_OSO
    for _ in 0..<count {
      add(type: 0x24, section: 1, name: 5, value: 0x1000)  // N_FUN
      add(type: 0x0f, section: 1, name: 5, value: 0x1000)  // N_SECT | N_EXT
    }
    var writer = MachOWriter()
    writer.segments = [
      MachOWriter.Segment(
        "__TEXT", address: 0x1000, size: 0x1000, isExecutable: true,
        contents: table.bytes + strings + [0],
        sections: [
          MachOWriter.Section("__TEXT", "__text", flags: 0x8000_0400, offset: 0, size: 64)
        ])
    ]
    let start = UInt32(32 + 72 + 80 + 24)
    var command = ByteWriter()
    for field in [
      start, UInt32(2 * count + 1), start + UInt32(table.bytes.count), UInt32(strings.count + 1),
    ] {
      command.write(field)
    }
    writer.addCommand(2, command.bytes)  // LC_SYMTAB
    return writer.bytes()
  }

  /// A Mach-O image with `count` segments, of which the last lists as many categories, each in another segment.
  private static func categories(_ count: Int) -> [UInt8] {
    let address = { (index: Int) in 0x1_0000 + 0x1000 * UInt64(index) }
    var list = ByteWriter()
    var writer = MachOWriter()
    for index in 0..<count {
      list.write(address(index))
      writer.segments.append(
        MachOWriter.Segment(
          "x", address: address(index), size: 0x1000,
          contents: [UInt8](repeating: 0, count: 48)))
    }
    writer.segments.append(
      MachOWriter.Segment(
        "__DATA", address: address(count), size: 0x1000 + 8 * UInt64(count), contents: list.bytes,
        sections: [
          MachOWriter.Section("__DATA", "__objc_nlcatlist", offset: 0, size: 8 * UInt64(count))
        ]))
    return writer.bytes()
  }

  private static func traceOf(_ size: Int, entry: (Int) -> UInt64) -> [UInt8] {
    let image = TraceWriter.Image(
      text: 0x1000..<0x100_0000, guards: 0x20_0000..<0x20_0000 + 4 * UInt64(size))
    var trace = TraceWriter()
    trace.addLoad(image)
    for index in 0..<size { trace.addHit(image, guard: UInt64(index), entry: entry(index)) }
    return trace.bytes()
  }

  /// Returns a trace and an image in the form that the fuzz target reads.
  private static func commands(_ trace: [UInt8], _ image: [UInt8]) -> [UInt8] {
    var input = ByteWriter()
    input.write(UInt32(trace.count))
    return input.bytes + trace + image
  }

  /// Returns debug sections in the form that the fuzz target reads: .debug_info, .debug_abbrev and so on.
  private static func debugSections(_ sections: [[UInt8]]) -> [UInt8] {
    var input = ByteWriter()
    input.write([0] as [UInt8])
    for index in 0..<8 {
      input.write(UInt32(index < sections.count ? sections[index].count : 0))
    }
    return input.bytes + sections.joined()
  }
}
