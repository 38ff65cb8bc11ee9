// Facts about a launch from the code of an ELF image
//
// A trace lists the functions that a launch uses. The machine code of these functions shows what else the launch uses:
// the entries of linkage tables that the functions call, the merged bodies that they jump to, and the constants between
// functions that they read. The image also lists the functions that the loader calls before `main`. `LaunchFacts`
// carries these facts to the estimate of page faults.
//
// - An entry of a linkage table (`.plt*`, `.iplt`) is used if a used function branches to it. With lazy binding, the
//   first call also runs the table's first entry and, from `.plt.sec`, the entry in `.plt`.
// - A merged body is a Swift function `…Tm` to which a used function branches.
// - A constant is an address in a section of code, outside of all functions, that an instruction loads from
//   or takes the address of. Its size is unknown, so its first byte counts.
//
// The code of merged bodies, and of the functions that the loader calls, is searched for branches and constants, too.
// Other called functions are not followed. On AArch64, constants that code reaches by ADRP are not found. Code of
// other instruction sets than x86-64 and AArch64 is not searched: the facts are those of names and sections.

import Addresses
import ByteReading
import ImageModel
import ObjectFormat

/// The machine code of one linked ELF image.
package struct ImageCode: Sendable {
  let file: ELFFile
  let scan: CodeScan?
  private let code: [ELFSection]

  /// - Returns: `nil` for a file in another format.
  package init?(of bytes: FileBytes) {
    guard case .elf(let file)? = try? ObjectFile(parsing: bytes) else { return nil }
    self.file = file
    scan =
      switch (file.header.machine, file.header.endianness) {
      case (.x8664, .little): .x8664
      case (.aarch64, .little): .aarch64
      default: nil
      }
    code = file.sections.filter {
      $0.flags.contains(.executable) && $0.flags.contains(.allocated) && $0.type != .noBits
    }
  }

  /// The ranges that the unwind tables cover, ascending by address.
  package func frameRanges() throws(ParseError) -> [AddressRange] { try file.frameRanges() }

  /// The facts about a launch that uses the functions `startup` of `layout`, the layout of this image.
  ///
  /// - Throws: the error in the file's dynamic section or in its arrays of functions.
  /// - Complexity: O(*b* log *n*) for *b* bytes in startup functions and *n* functions.
  package func facts(
    of layout: Layout, initializers: [StatedAddress], startup: [Int]
  ) throws(ParseError) -> LaunchFacts {
    var facts = LaunchFacts(of: layout, hasCode: scan != nil)
    facts.isPositionIndependent = file.header.type == .sharedObject
    facts.executableMappings = file.segments.filter { $0.type == .load && $0.isExecutable }.map {
      FileMapping(
        range: AddressRange(start: $0.range.start, size: min($0.fileSize, $0.range.size)),
        offset: $0.offset)
    }.sorted { $0.range.start < $1.range.start }
    if let header { facts.atStart.insert(LaunchFacts.Touch(.header, header), at: 0) }
    if file.header.entry.rawValue != 0 {
      facts.atStart.append(LaunchFacts.Touch(.cRuntime, body(at: file.header.entry, in: layout)))
    }
    facts.atStart += initializers.map {
      LaunchFacts.Touch(.initializer, body(at: $0, in: layout))
    }
    if let section = file.section(.finiArray) {
      facts.atEnd += try file.pointers(in: section).compactMap { $0 }.reversed().map {
        LaunchFacts.Touch(.initializer, body(at: $0, in: layout))
      }
    }
    guard let scan else { return facts }
    var finder = ReferenceFinder(
      layout, file.bytes, code, scan, bindsLazily: !(try file.bindsAtLoad()))
    finder.add((facts.atStart + facts.atEnd).filter(\.cause.isExecuted).map(\.bytes))
    finder.add(startup.map { body(at: layout.functions[$0].address, in: layout) })
    facts.references = finder.references()
    return facts
  }

  /// The range of the image's headers; `nil` unless an executable segment begins with the headers.
  private var header: AddressRange? {
    guard
      let segment = file.segments.first(where: {
        $0.type == .load && $0.isExecutable && $0.offset.rawValue == 0 && $0.fileSize > 0
      })
    else { return nil }
    return AddressRange(
      start: segment.range.start,
      size: file.header.segmentTableOffset.rawValue &+ UInt64(file.segmentTable.byteCount))
  }

  /// The function at `address`, or only its first byte if its size is unknown.
  private func body(at address: StatedAddress, in layout: Layout) -> AddressRange {
    layout.functions(at: address).last.map { layout.functions[$0].knownBody }
      ?? AddressRange(start: address, size: 1)
  }
}
