// Whether functions had sections of their own in their object files
//
// A linker moves sections. If a compiler puts all functions of a file into one, an order file does nothing, and a linked
// image has no sections of object files any more. It still shows them in two ways:
//
// 1. A compilation unit lists the pieces of its code in the debug information, and the compiler makes a piece of each
//    section. With as many pieces as functions, each has its own. With fewer, the rest are together: at least one more
//    function than pieces are missing, because a section that is shared is shared by two. gcc also states its options;
//    it lists `.text.startup` and cold parts as pieces, too.
// 2. LLD fills the gaps between sections of x86-64 code with INT3 (`0xcc`), so that a jump into one traps. Assemblers
//    fill those within a section with instructions that do nothing. So a gap tells whether its neighbours were in one
//    section. Functions whose size is a multiple of their alignment have no gap.
//
// What it leaves out: other linkers fill gaps between sections as assemblers do, and clang aligns AArch64 functions to 4
// bytes, without gaps.

import Addresses
import ByteReading
import DebugInfo
import ImageModel
import ObjectFormat
import OrderFileFormat

extension BuildFacts.FunctionSections {
  /// What the units tell that have at least two functions; `nil` if none does.
  ///
  /// - Complexity: O(*n*) for *n* units.
  package init?(_ debug: DebugFunctions) {
    let option = Array("-ffunction-sections".utf8)
    let states = debug.producers.map { producer -> Bool? in
      guard producer.starts(with: "GNU ".utf8) else { return nil }
      let words = producer.split(separator: UInt8(ascii: " "))
      return words.contains { $0.elementsEqual(option) }
    }
    self.init(.debugInformation, own: 0, all: 0)
    for unit in debug.units where unit.functions > 1 {
      let stated = unit.producer.flatMap { states[$0] }
      if let stated {
        own += stated ? unit.functions : 0
      } else if let pieces = unit.pieces {
        own += pieces < unit.functions ? max(0, pieces - 1) : unit.functions
      } else {
        continue
      }
      all += unit.functions
    }
    if all == 0 { return nil }
  }

  /// Fewer gaps tell nothing: there are some in the C runtime's start files.
  private static let fewestGaps = 8
  private static let trap: UInt8 = 0xcc

  /// What the gaps between functions tell; `nil` if there are few.
  ///
  /// - Complexity: O(*n* + *s*) for *n* functions and *s* segments.
  init?(gapsOf layout: Layout, in file: ELFFile, linkedByLLD: Bool) {
    guard linkedByLLD, file.header.machine == .x8664 else { return nil }
    let segments = file.segments.filter { $0.type == .load && $0.isExecutable }.prefix(8)
    self.init(.gaps, own: 0, all: 0)
    for (function, next) in zip(layout.functions, layout.functions.dropFirst()) {
      guard let size = function.size, function.section == next.section,
        let end = function.address.advanced(by: size), end < next.address,
        next.address - end < 64,
        let segment = segments.first(where: { $0.range.contains(end) }),
        let offset = segment.offset.advanced(by: end - segment.range.start),
        let gap = try? file.bytes.range(offset: offset, size: next.address - end, "gap")
      else { continue }
      all += 1
      // An instruction that does nothing may follow traps, not precede them.
      if file.bytes[gap.indices.lowerBound] == Self.trap { own += 1 }
    }
    if all < Self.fewestGaps { return nil }
  }

  /// What a link map of an ELF linker tells; `nil` if it lists no input sections.
  ///
  /// - Complexity: O(*n*) for *n* functions.
  package init?(ofLinkMap layout: Layout) {
    self.init(.linkMap, own: 0, all: 0)
    for function in layout.functions {
      guard let section = function.inputSection else { continue }
      all += 1
      let isShared = FunctionSection.isShared(
        layout.names[section], of: layout.names[function.name])
      if !isShared { own += 1 }
    }
    if all == 0 { return nil }
  }
}
