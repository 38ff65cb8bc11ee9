// Where an image may get breakpoints: at the first byte of every function, and nowhere else.
//
// A breakpoint in a constant changes what the program computes. So a symbol counts only if its type says
// that it is a function; labels of assembly have no type, and may name a table. What the unwinding tables
// cover is code in any case: that finds the functions of a stripped file, and assembly with unwinding
// information.

import Addresses
import ByteReading
import ImageModel
import ObjectFormat

/// What a tracer has to know of an image.
package struct BreakpointPlaces: Sendable {
  package var id: ImageID
  /// ELF's `e_machine`.
  package var machine: UInt32
  /// First bytes of functions, ascending, each once.
  package var functions: [StatedAddress]
  package var executableSegments: [ExecutableSegment]
  /// The function that a loader calls when it has mapped libraries; in others `nil`.
  package var loaderNotice: StatedAddress?

  /// A part of the file that the loader maps as code.
  package struct ExecutableSegment: Sendable {
    package var fileOffset: UInt64
    package var range: AddressRange
  }

  /// - Throws: `unsupported` for what is no linked ELF image of 64 bits, besides what is wrong with it.
  package init(of bytes: FileBytes) throws(ParseError) {
    guard case .elf(let file) = try ObjectFile(parsing: bytes), file.header.is64Bit else {
      throw ParseError(
        .unsupported(found: "no ELF image of 64 bits"), "e_ident", at: FileOffset(rawValue: 4))
    }
    id = try ImageID(file)
    machine = UInt32(file.header.machine.rawValue)
    executableSegments = file.segments.filter { $0.type == .load && $0.isExecutable }.map {
      ExecutableSegment(fileOffset: $0.offset.rawValue, range: $0.range)
    }
    var starts = try file.frameStarts()
    var table = try file.symbolTable()
    if table == nil { table = try file.dynamicSymbolTable() }
    table?.forEachSymbol { symbol in
      let isFunction = symbol.type == .function || symbol.type == .indirectFunction
      if isFunction, symbol.sectionIndex.isInSection { starts.append(symbol.value) }
    }
    starts.sort()
    // Stubs are no functions, though a frame description covers them all.
    let code = file.sections.filter { section in
      let name = file.bytes.text(section.name.indices)
      return section.flags.contains(.executable) && !name.hasPrefix(".plt")
    }.map(\.range).sorted { $0.start < $1.start }
    functions = Self.unique(starts, in: code, executableSegments.map(\.range))
    var notice: StatedAddress?
    if let exported = try file.dynamicSymbolTable() {
      exported.forEachSymbol { symbol in
        guard symbol.sectionIndex.isInSection,
          let name = exported.names.name(at: symbol.nameOffset),
          file.bytes.copy(name.indices) == Array("_dl_debug_state".utf8)
        else { return }
        notice = symbol.value
      }
    }
    loaderNotice = notice
  }

  /// Of the machine that this tool was built for.
  package static var ownMachine: UInt32 {
    #if arch(x86_64)
      UInt32(ELFMachine.x8664.rawValue)
    #else
      UInt32(ELFMachine.aarch64.rawValue)
    #endif
  }

  /// Each once, and only in sections of code; a file without sections has its segments.
  private static func unique(
    _ starts: [StatedAddress], in sections: [AddressRange], _ segments: [AddressRange]
  ) -> [StatedAddress] {
    let ranges = sections.isEmpty ? segments : sections
    var unique: [StatedAddress] = []
    var index = 0
    for start in starts where unique.last != start {
      while index < ranges.count, ranges[index].end <= start { index += 1 }
      guard index < ranges.count else { break }
      if ranges[index].contains(start) { unique.append(start) }
    }
    return unique
  }
}
