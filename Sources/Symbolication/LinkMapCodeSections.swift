import ByteReading
import LinkMapFormat

/// Tells code from data in a link map by the names of sections: a map states no flags.
struct LinkMapCodeSections {
  let map: LinkMap
  /// For each output section, whether it holds code.
  private(set) var isExecutable: [Bool]
  /// For each output section, whether its code was made by the linker to reach other images.
  private(set) var isLinkage: [Bool]

  init(_ map: LinkMap) {
    self.map = map
    isExecutable = map.sections.map { Self.isCode(map.bytes, $0.name.indices) }
    isLinkage = map.sections.map { Self.isLinkage(map.bytes, $0.name.indices) }
    // A linker script may name an output section as it likes; what goes into it tells then.
    for input in map.inputSections where !isExecutable[Int(input.section)] {
      if Self.isText(map.bytes, input.name.indices) { isExecutable[Int(input.section)] = true }
    }
  }

  /// Whether functions may lie in the input section. Linker scripts put constants into `.text` too.
  func mayHoldFunctions(_ input: LinkMap.InputSection) -> Bool {
    let section = Int(input.section)
    guard isExecutable[section], !isLinkage[section] else { return false }
    let start = input.name.indices.lowerBound
    // Most are `.text…`, and none of the others begins so.
    return map.bytes.hasPrefix(".text", at: start)
      || !Self.dataPrefixes.contains { map.bytes.hasPrefix($0, at: start) }
  }

  private static let dataPrefixes: [StaticString] = [
    ".rodata", ".data", ".bss", ".eh_frame", ".gcc_except_table", ".init_array", ".fini_array",
    ".ARM.ex",
  ]

  private static func isCode(_ bytes: FileBytes, _ name: Range<Int>) -> Bool {
    isText(bytes, name) || isLinkage(bytes, name)
      || equals(bytes, name, ".init") || equals(bytes, name, ".fini")
      // `.init.text` and others of the Linux kernel.
      || name.count > 5 && bytes.hasPrefix(".text", at: name.upperBound - 5)
  }

  /// `.text` or `.text.…`.
  private static func isText(_ bytes: FileBytes, _ name: Range<Int>) -> Bool {
    equals(bytes, name, ".text")
      || name.count > 6 && bytes.hasPrefix(".text.", at: name.lowerBound)
  }

  /// `.plt`, `.plt.got`, `.plt.sec`, `.iplt`.
  private static func isLinkage(_ bytes: FileBytes, _ name: Range<Int>) -> Bool {
    equals(bytes, name, ".plt") || equals(bytes, name, ".iplt")
      || name.count > 5 && bytes.hasPrefix(".plt.", at: name.lowerBound)
  }

  private static func equals(
    _ bytes: FileBytes, _ name: Range<Int>, _ text: StaticString
  ) -> Bool {
    name.count == text.utf8CodeUnitCount && bytes.hasPrefix(text, at: name.lowerBound)
  }
}
