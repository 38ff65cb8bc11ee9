// The names that BOLT gives the functions of an image
//
// A profile for BOLT names functions, and BOLT ignores a name that it does not know without a message. A global
// function has the name of its symbol. Several local functions may have one name, so BOLT numbers all local symbols of
// a name by address, from 1: `parse/1`, `parse/2`, even if there is only one such symbol. Symbols that are no functions
// are numbered, too: if a variable `table` has a lower address than a function `table`, the function is `table/2`.
//
// <https://github.com/llvm/llvm-project/blob/main/bolt/lib/Rewrite/RewriteInstance.cpp> (`discoverFileObjects`)

import Addresses
import ByteReading
import Demangling
import ImageModel
import ObjectFormat

/// The facts about an image that matter to BOLT, and BOLT's names of its functions.
package struct BOLTImage: Sendable {
  package var id: ImageID
  /// Whether the linker kept the relocations (`--emit-relocs`), without which BOLT moves no function.
  package var hasRelocations: Bool
  /// The name of a part that gcc has split off a function and jumps to; `nil` if there is none. Functions that LLVM
  /// outlines have such names, too (`f.cold.1`), but they are called.
  package var splitFunction: SymbolName?
  /// Whether it has metadata of Swift, which refers to code in ways that BOLT does not know.
  package var isSwift: Bool
  package var hasDebugInformation: Bool
  /// Whether BOLT has written the image.
  package var isOutput: Bool
  /// The size of the smallest instruction of the instruction set, in bytes.
  package var smallestInstruction: UInt64
  /// A name for each function, by the address of its first byte.
  private var names: [StatedAddress: [UInt8]] = [:]

  private static let smallestInstructions: [ELFMachine: UInt64] = [.aarch64: 4, .riscv: 2]

  /// BOLT's name of the function that begins at `address`; `nil` if it knows none there.
  package func name(of address: StatedAddress) -> [UInt8]? { names[address] }

  /// - Throws: `unsupported` for anything but an ELF image of 64 bits with a symbol table; the error in its tables.
  /// - Complexity: O(*n* log *n*) for *n* symbols.
  package init(of bytes: FileBytes) throws(ParseError) {
    guard case .elf(let file) = try ObjectFile(parsing: bytes), file.header.is64Bit,
      let table = try file.symbolTable()
    else {
      throw ParseError(
        .unsupported(found: "32 bits, another format, or no symbol table; BOLT needs 64-bit ELF"),
        "e_ident", at: FileOffset(rawValue: 4))
    }
    id = ImageID(file)
    func hasSection(_ prefix: StaticString) -> Bool {
      file.sections.contains { bytes.hasPrefix(prefix, at: $0.name.indices.lowerBound) }
    }
    hasRelocations = file.keepsRelocations
    isSwift = hasSection("swift5_")
    isOutput = file.isMadeByBOLT
    hasDebugInformation = hasSection(".debug_info")
    smallestInstruction = Self.smallestInstructions[file.header.machine] ?? 1

    let mayNumberParts = try Self.isOfNumberingGCC(file)
    struct Symbol {
      var address: StatedAddress
      var isFunction: Bool
      var isLocal: Bool
      var name: ByteRange
    }
    var symbols: [Symbol] = []
    var budget = ByteBudget(namesIn: table.names.range.byteCount)
    table.forEachSymbol { symbol in
      guard symbol.type != .file, symbol.type != .section, symbol.value.rawValue != 0,
        symbol.sectionIndex.isInSection, let name = table.names.name(at: symbol.nameOffset),
        !name.indices.isEmpty, budget.take(name.byteCount)
      else { return }
      symbols.append(
        Symbol(
          address: symbol.value,
          isFunction: symbol.type == .function || symbol.type == .indirectFunction,
          isLocal: symbol.binding == .local, name: name))
    }
    guard !budget.isSpent else {
      throw ParseError(
        .tooLarge(limit: budget.limit, found: budget.spent), "names of symbols",
        at: table.names.range.lowerBound)
    }
    // Functions come first; otherwise symbols of one address keep the order of the table.
    let order = symbols.indices.sorted {
      (symbols[$0].address, symbols[$0].isFunction ? 0 : 1, $0)
        < (symbols[$1].address, symbols[$1].isFunction ? 0 : 1, $1)
    }
    var counts: [[UInt8]: Int] = [:]
    for symbol in order.lazy.map({ symbols[$0] }) {
      var name = table.names.bytes.copy(symbol.name.indices)
      if symbol.isFunction, splitFunction == nil,
        NameEnding(of: name, in: 0..<name.count).part == .cold,
        mayNumberParts || !name.suffix(1).allSatisfy(isDigit)
      {
        splitFunction = SymbolName(bytes: name)
      }
      // BOLT renames a label that an assembler would leave out of the symbol table.
      if name.starts(with: ".L".utf8) { name = Array("PG".utf8) + name }
      if symbol.isLocal {
        counts[name, default: 0] += 1
        name += Array("/\(counts[name] ?? 1)".utf8)
      }
      if symbol.isFunction, names[symbol.address] == nil { names[symbol.address] = name }
    }
  }
}

extension BOLTImage {
  /// Whether some code may be from a gcc that numbers the parts of functions. `f.cold.1` is such a part in code of gcc
  /// before version 9, and a function in code of LLVM. `.comment` lists each compiler once. Without this list, the
  /// compiler may be such a gcc.
  fileprivate static func isOfNumberingGCC(_ file: ELFFile) throws(ParseError) -> Bool {
    let compilers = try file.comments()
    return compilers.isEmpty
      || compilers.contains { compiler in
        guard compiler.starts(with: "GCC: ".utf8) else { return false }
        let version = compiler.split(separator: UInt8(ascii: " ")).last ?? []
        let major = Int(String(decoding: version.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self))
        return major.map { $0 < 9 } ?? true
      }
  }
}
