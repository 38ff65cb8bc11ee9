// Where an image may get breakpoints: at the first byte of every function, and nowhere else.
//
// A breakpoint in a constant changes what the program computes. So a symbol counts only if its type says
// that it is a function; labels of assembly have no type, and may name a table. What the unwinding tables
// cover is code in any case: that finds the functions of a stripped file, and assembly with unwinding
// information. Where systems install debug files, the one of a stripped file is asked as well.

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
  /// Of the functions that were looked for, those that are here.
  package var named: [String: StatedAddress]

  /// A part of the file that the loader maps as code.
  package struct ExecutableSegment: Sendable {
    package var fileOffset: UInt64
    package var range: AddressRange
  }

  /// - Parameters:
  ///   - path: where `bytes` are from.
  ///   - names: symbols of functions to look for.
  /// - Throws: `unsupported` for what is no linked ELF image of 64 bits, besides what is wrong with it.
  package init(of bytes: FileBytes, at path: String, lookingFor names: [String] = [])
    throws(ParseError)
  {
    guard case .elf(let file) = try ObjectFile(parsing: bytes), file.header.is64Bit else {
      throw ParseError(
        .unsupported(found: "32 bits or another format, breakpoints need ELF of 64 bits"),
        "e_ident", at: FileOffset(rawValue: 4))
    }
    id = try ImageID(file)
    machine = UInt32(file.header.machine.rawValue)
    executableSegments = file.segments.filter { $0.type == .load && $0.isExecutable }.map {
      ExecutableSegment(fileOffset: $0.offset.rawValue, range: $0.range)
    }
    var starts = try file.frameStarts()
    var tables = [try file.dynamicSymbolTable()].compactMap { $0 }
    if let table = try file.symbolTable() ?? Self.symbolsOfDebugFile(of: file, at: path) {
      tables.append(table)
    }
    var found: [String: StatedAddress] = [:]
    for table in tables {
      table.forEachSymbol { symbol in
        let isFunction = symbol.type == .function || symbol.type == .indirectFunction
        guard isFunction, symbol.sectionIndex.isInSection else { return }
        starts.append(symbol.value)
        guard !names.isEmpty, let name = table.names.name(at: symbol.nameOffset) else { return }
        for wanted in names where wanted.utf8.count == name.indices.count {
          if table.names.bytes.text(name.indices) == wanted { found[wanted] = symbol.value }
        }
      }
    }
    named = found
    starts.sort()
    // Stubs are no functions, though a frame description covers them all.
    let code = file.sections.filter { section in
      let name = file.bytes.text(section.name.indices)
      return section.flags.contains(.executable) && !name.hasPrefix(".plt")
    }.map(\.range).sorted { $0.start < $1.start }
    functions = Self.unique(starts, in: code, executableSegments.map(\.range))
  }

  /// `nil` if there is no debug file in the usual places, or none with symbols.
  private static func symbolsOfDebugFile(of file: ELFFile, at path: String) -> ELFSymbolTable? {
    let candidates = try? file.debugFileCandidates(
      at: path, named: nil, roots: DebugFileRequest.systemRoots)
    for candidate in candidates ?? [] {
      if let bytes = try? FileBytes(path: candidate.path),
        let found = try? file.debugFile(in: bytes, candidate), let table = try? found.symbolTable()
      {
        return table
      }
    }
    return nil
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
