import Addresses
import ByteReading
import LinkMapFormat

/// Distinguishes code from data in a link map by the names of sections, because a map states no flags.
struct LinkMapCodeSections {
  private let map: LinkMap
  /// For each output section, whether it contains code.
  let isExecutable: [Bool]
  /// For each output section, whether the linker created its code to reach other images.
  let isLinkage: [Bool]

  init(_ map: LinkMap) {
    self.map = map
    let bytes = map.bytes
    guard map.grammar.imageFormat == .elf else {
      let kinds = map.sections.map { MachOSectionKind(bytes, $0.name.indices) }
      isExecutable = kinds.map { $0 != .data }
      isLinkage = kinds.map { $0 == .stubs }
      return
    }
    isLinkage = map.sections.map { Self.isLinkage(bytes, $0.name.indices) }
    var isCode = map.sections.map { Self.isCode(bytes, $0.name.indices) }
    // Linkers sort sections by permission: a section between sections of code, such as `__libc_freeres_fn`,
    // is code.
    let placed = map.sections.indices.filter { Self.isPlaced(map.sections[$0]) }
    let starts = placed.filter { isCode[$0] }.map { map.sections[$0].range.start }
    if let first = starts.min(), let last = starts.max() {
      for index in placed {
        let section = map.sections[index]
        guard section.range.start > first, section.range.start < last else { continue }
        if !Self.isData(bytes, section.name.indices) { isCode[index] = true }
      }
    }
    // `.init.text` and similar sections of the Linux kernel, which has data between its code.
    for index in placed {
      let name = map.sections[index].name.indices
      let hasSuffix = name.count > 5 && bytes.hasPrefix(".text", at: name.upperBound - 5)
      if hasSuffix { isCode[index] = true }
    }
    // A linker script may give an output section any name; then its input sections decide.
    for input in map.inputSections where !isCode[Int(input.section)] {
      if Self.isText(bytes, input.name.indices) { isCode[Int(input.section)] = true }
    }
    isExecutable = isCode
  }

  /// Whether the input section may contain functions. Linker scripts also put constants into `.text`.
  func mayHoldFunctions(_ input: LinkMap.InputSection) -> Bool {
    let section = Int(input.section)
    guard isExecutable[section], !isLinkage[section] else { return false }
    let start = input.name.indices.lowerBound
    // The test for `.text` is a fast path: most names of sections of code begin with it, and no name of a section of
    // data does.
    return map.bytes.hasPrefix(".text", at: start) || !Self.isData(map.bytes, input.name.indices)
  }

  /// Whether the section is loaded; only then does it have an address.
  static func isPlaced(_ section: LinkMap.OutputSection) -> Bool {
    section.range.start.rawValue != 0 && section.range.size > 0
  }

  private static func isData(_ bytes: FileBytes, _ name: Range<Int>) -> Bool {
    dataPrefixes.contains { bytes.hasPrefix($0, at: name.lowerBound) }
  }

  private static let dataPrefixes: [StaticString] = [
    ".rodata", ".data", ".bss", ".eh_frame", ".gcc_except_table", ".init_array", ".fini_array",
    ".ARM.ex",
  ]

  private static func isCode(_ bytes: FileBytes, _ name: Range<Int>) -> Bool {
    isText(bytes, name) || isLinkage(bytes, name)
      || bytes.isEqual(name, to: ".init") || bytes.isEqual(name, to: ".fini")
  }

  /// Whether the section's name is `.text` or `.text.…`.
  private static func isText(_ bytes: FileBytes, _ name: Range<Int>) -> Bool {
    bytes.isEqual(name, to: ".text")
      || name.count > 6 && bytes.hasPrefix(".text.", at: name.lowerBound)
  }

  /// Whether the section is a linkage table: `.plt`, `.plt.got`, `.plt.sec` or `.iplt`.
  private static func isLinkage(_ bytes: FileBytes, _ name: Range<Int>) -> Bool {
    bytes.isEqual(name, to: ".plt") || bytes.isEqual(name, to: ".iplt")
      || name.count > 5 && bytes.hasPrefix(".plt.", at: name.lowerBound)
  }
}
