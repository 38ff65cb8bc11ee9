// Whether functions had sections of their own in their object files
//
// A linker moves sections. If a compiler puts all functions of a file into one section, an order file does nothing. A
// linked image no longer has the sections of its object files, but still shows them in two ways:
//
// 1. A compilation unit lists the pieces of its code in the debug information, and the compiler makes a piece of each
//    section. If there are as many pieces as functions, each function has its own section. If there are fewer pieces,
//    at least one piece is a shared section, and at most the other pieces have one function each. gcc also states its
//    options; it lists `.text.startup` and cold parts as pieces, too.
// 2. LLD fills the gaps between sections of x86-64 code with INT3 (`0xcc`), so that a jump into one traps. Assemblers
//    fill gaps within a section with instructions that do nothing. So a gap shows whether its neighbours were in one
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
  /// Counts the functions of the project's code; `nil` if the image shows nothing about most of them.
  ///
  /// The C runtime's start files and the recorder do not count: they are compiled elsewhere.
  ///
  /// - Complexity: O(*n* log *n*) for *n* functions of the image and of its debug information.
  init?(of layout: Layout, _ debug: DebugFunctions?, in file: ELFFile, linkedByLLD: Bool) {
    let bodies = CodeBodies(layout).all.filter { $0.function != nil }.map(\.bytes)
    if let debug {
      self.init(debug, of: bodies.map(\.start))
      if all > 0, 2 * all >= bodies.count { return }
    }
    guard linkedByLLD, file.header.machine == .x8664 else { return nil }
    self.init(gapsBetween: bodies, of: layout, in: file)
    if all < Self.fewestGaps { return nil }
  }

  /// Counts the functions at `starts`, which ascend, by their compilation units.
  private init(_ debug: DebugFunctions, of starts: [StatedAddress]) {
    let option = Array("-ffunction-sections".utf8)
    let stated = debug.producers.map { producer -> Bool? in
      guard producer.starts(with: "GNU ".utf8) else { return nil }
      let words = producer.split(separator: UInt8(ascii: " "))
      return words.contains { $0.elementsEqual(option) }
    }
    var counts = [Int](repeating: 0, count: debug.units.count)
    for function in debug.functions
    where starts.containsSorted(function.range { starts.containsSorted($0) }.start) {
      counts[function.unitIndex] += 1
    }
    self.init(.debugInformation, own: 0, all: 0)
    for (unit, count) in zip(debug.units, counts) where count > 0 {
      // The only function of a file is alone in its section.
      if let isStated = unit.producer.flatMap({ stated[$0] }), unit.functions > 1 {
        own += isStated ? count : 0
      } else if let pieces = unit.pieces {
        own += pieces < unit.functions ? min(count, max(0, pieces - 1)) : count
      } else {
        continue
      }
      all += count
    }
  }

  /// The minimum number of gaps. Fewer gaps show nothing: the C runtime's start files have some, too.
  package static let fewestGaps = 8
  private static let trap: UInt8 = 0xcc

  /// Counts the gaps between `bodies`, which ascend.
  private init(gapsBetween bodies: [AddressRange], of layout: Layout, in file: ELFFile) {
    let segments = file.segments.filter { $0.type == .load && $0.isExecutable }.prefix(8)
    self.init(.gaps, own: 0, all: 0)
    for (body, next) in zip(bodies, bodies.dropFirst()) {
      let end = body.end
      guard end < next.start, next.start - end < 64,
        layout.functions(containing: end).isEmpty,
        let segment = segments.first(where: { $0.range.contains(end) }),
        let offset = segment.offset.advanced(by: end - segment.range.start),
        let gap = try? file.bytes.range(offset: offset, size: next.start - end, "gap")
      else { continue }
      all += 1
      // An instruction that does nothing may follow traps, not precede them.
      if file.bytes[gap.indices.lowerBound] == Self.trap { own += 1 }
    }
  }

  /// Counts the functions in the link map of an ELF linker; `nil` if the map lists no input sections. The C runtime's
  /// start files do not count.
  ///
  /// - Complexity: O(*n*) for *n* functions.
  package init?(ofLinkMap layout: Layout) {
    self.init(.linkMap, own: 0, all: 0)
    for function in layout.functions {
      guard let section = function.inputSection, !CRuntime.isPart(layout.name(of: function)) else {
        continue
      }
      all += 1
      let isShared = FunctionSection.isShared(
        layout.names[section], of: layout.names[function.name])
      if !isShared { own += 1 }
    }
    if all == 0 { return nil }
  }
}
