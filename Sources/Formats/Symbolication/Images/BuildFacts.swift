import Addresses
import ByteReading
import DebugInfo
import ImageModel
import ObjectFormat
import OrderFileFormat

/// The facts about its build that an ELF image shows. Nothing is guessed: a fact that the image does not show is `nil`.
package struct BuildFacts: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case positionIndependentExecutable
    /// The image is a program that the loader can't move.
    case fixedExecutable
    case sharedLibrary
  }
  package var kind: Kind
  /// Whether the program needs no loader.
  package var isStatic: Bool
  /// The linker with its version, `LLD 19.1.4`; `nil` if the image does not state it, because GNU ld does not name
  /// itself.
  package var linker: String?
  package var hasDebugInformation: Bool
  /// Whether the linker kept the relocations, which BOLT needs: `--emit-relocs`.
  package var hasRelocations: Bool
  /// Whether it has a map of basic blocks: `-fbasic-block-address-map`.
  package var hasBlockMap: Bool
  package var isMadeByBOLT: Bool
  /// Whether the image contains code of Go.
  package var isMadeByGo = false
  /// How many functions have a section of their own in their object file; `nil` if the image does not show it.
  package var functionSections: FunctionSections?
  /// The compilations that state their options; empty if no compilation does.
  package var optimization: Optimization

  /// The number of functions with a section of their own, among the examined functions.
  package struct FunctionSections: Hashable, Sendable {
    package enum Source: Hashable, Sendable {
      /// The numbers come from the pieces of code that compilation units list.
      case debugInformation
      /// The numbers come from the bytes that fill the gaps between functions.
      case gaps
      case linkMap
    }
    package var source: Source
    package var own: Int
    package var all: Int

    package init(_ source: Source, own: Int, all: Int) {
      self.source = source
      self.own = own
      self.all = all
    }
  }

  /// The numbers of compilations with each level of optimization.
  package struct Optimization: Hashable, Sendable {
    /// The number of compilations with `-O0`, or without an option for optimization.
    package var none = 0
    package var some = 0
    /// The number of functions compiled with `-flto`.
    package var atLink = 0

    package init(none: Int = 0, some: Int = 0, atLink: Int = 0) {
      self.none = none
      self.some = some
      self.atLink = atLink
    }
  }

  package init(
    kind: Kind = .positionIndependentExecutable, isStatic: Bool = false, linker: String? = nil,
    hasDebugInformation: Bool = false, hasRelocations: Bool = false, hasBlockMap: Bool = false,
    isMadeByBOLT: Bool = false, functionSections: FunctionSections? = nil,
    optimization: Optimization = Optimization()
  ) {
    self.kind = kind
    self.isStatic = isStatic
    self.linker = linker
    self.hasDebugInformation = hasDebugInformation
    self.hasRelocations = hasRelocations
    self.hasBlockMap = hasBlockMap
    self.isMadeByBOLT = isMadeByBOLT
    self.functionSections = functionSections
    self.optimization = optimization
  }

  /// - Parameter layout: the layout of the image.
  /// - Returns: `nil` for another format, and for a file whose headers are damaged. Facts from other parts that can't
  ///   be read are missing.
  /// - Complexity: O(*n*) for *n* bytes of debug information, symbols and sections.
  package init?(of bytes: FileBytes, _ layout: Layout) {
    guard case .elf(let file)? = try? ObjectFile(parsing: bytes) else { return nil }
    let hasLoader = file.segments.contains { $0.type == .interpreter }
    // An image with a library's name counts as a library: a library such as libc.so.6 may be a program, too.
    let isLibrary = ((try? file.soname()) ?? nil) != nil
    let isPIE = (try? file.isMarkedAsPIE()) ?? false || hasLoader && !isLibrary
    kind =
      file.header.type == .executable
      ? .fixedExecutable : isPIE ? .positionIndependentExecutable : .sharedLibrary
    isStatic = !hasLoader && kind != .sharedLibrary
    linker = file.statedLinker
    hasRelocations = file.keepsRelocations
    hasBlockMap = file.section(.blockMap) != nil
    isMadeByBOLT = file.isMadeByBOLT
    isMadeByGo = Self.isMadeByGo(bytes)
    let debug = (try? DebugFunctions(file)) ?? nil
    hasDebugInformation = debug != nil
    optimization = debug.map { Optimization($0) } ?? Optimization()
    functionSections = FunctionSections(
      of: layout, debug, in: file,
      linkedByLLD: linker.flatMap { OrderFileDialect(linkerStating: $0) } == .lld)
  }
}

extension BuildFacts {
  /// Returns the linker that the image in `bytes` states, as in `linker`; `nil` if the image states no linker, or has
  /// another format than ELF.
  package static func linker(ofImage bytes: FileBytes) -> String? {
    guard case .elf(let file)? = try? ObjectFile(parsing: bytes) else { return nil }
    return file.statedLinker
  }

  /// Whether the image contains code of Go, as the notes and sections of Go's linker show. False for another format than ELF.
  package static func isMadeByGo(_ bytes: FileBytes) -> Bool {
    guard case .elf(let file)? = try? ObjectFile(parsing: bytes) else { return false }
    return [".note.go.buildid", ".go.buildinfo"].contains { file.section(named: $0) != nil }
  }
}

extension ELFFile {
  /// The linker, as the file states it: LLD and mold leave a string in `.comment`, gold a note.
  fileprivate var statedLinker: String? {
    for note in notes().notes where bytes.text(note.owner.indices) == "GNU" {
      // NT_GNU_GOLD_VERSION
      guard note.type.rawValue == 4, note.descriptor.byteCount < 100 else { continue }
      return "GNU " + bytes.text(note.descriptor.indices).filter { $0 != "\0" }
    }
    for text in (try? comments()) ?? [] {
      let text = String(decoding: text, as: UTF8.self)
      if text.hasPrefix("mold ") { return String(text.prefix { $0 != "(" }.trimmingEnd) }
      if text.hasPrefix("Linker: ") {
        return String(text.dropFirst("Linker: ".count).prefix { $0 != "(" }.trimmingEnd)
      }
    }
    return nil
  }
}

extension Substring {
  /// The text without blanks at its end.
  fileprivate var trimmingEnd: Substring {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}

extension BuildFacts.Optimization {
  /// gcc states its options; clang does with `-grecord-command-line`.
  fileprivate init(_ debug: DebugFunctions) {
    self.init()
    let options = debug.producers.map { producer in
      producer.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
    }
    for unit in debug.units {
      guard let producer = unit.producer else { continue }
      let words = options[producer]
      guard words.contains(where: { $0.hasPrefix("-") }) else { continue }
      // Of several options, the last option counts.
      let level = words.last { $0.hasPrefix("-O") } ?? "-O0"
      if level == "-O0" { none += unit.functions } else { some += unit.functions }
      if words.last(where: { $0.hasPrefix("-flto") || $0 == "-fno-lto" })?.hasPrefix("-flto")
        ?? false
      {
        atLink += unit.functions
      }
    }
  }
}
