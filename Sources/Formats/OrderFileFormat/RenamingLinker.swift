/// A linker that places functions together by the names of their input sections, without an order file.
///
/// | linker | sections | order of the startup functions |
/// |---|---|---|
/// | mold | `.startup.03`, which become output sections, sorted by name | the groups have the order; the functions of a group are in the order of the objects on the command line |
/// | gold, GNU ld | `.text.sorted.00017.f`, which the default layout of both sorts by name | exact |
///
/// Tried with mold 1.10.1, 2.37.1 and 3.0.0, gold 1.16 (binutils 2.40), and GNU ld 2.40, 2.44 and 2.47.
package struct RenamingLinker: Hashable, Sendable {
  /// The name on the command line.
  package let name: String
  /// The options of a compiler driver with which the linker places functions by the names of their sections.
  package let linkOptions: String
  /// Whether the linker sorts input sections by name. Otherwise the linker sorts output sections.
  package let sortsInputSections: Bool

  package static let all = [
    RenamingLinker(name: "mold", linkOptions: "-fuse-ld=mold", sortsInputSections: false),
    RenamingLinker(name: "gold", linkOptions: "-fuse-ld=gold", sortsInputSections: true),
    RenamingLinker(name: "gnu-ld", linkOptions: "-fuse-ld=bfd", sortsInputSections: true),
  ]

  /// The size of a group in bytes: the size of all pages that Linux maps at one fault. Smaller groups save hardly a
  /// fault more: docs/how-to/BUILD-SYSTEMS.md compares groups with an output section for each function.
  static let groupBytes: UInt64 = 64 << 10

  /// The beginning of the names of output sections.
  private static let groupPrefix = ".startup."

  /// The linker called `name`; `nil` if no linker of this name places functions by section names.
  package init?(name: String) {
    guard let linker = Self.all.first(where: { $0.name == name }) else { return nil }
    self = linker
  }

  /// The linker whose statement about itself is `text`, such as `mold 1.10.1`; `nil` if the linker takes order files or
  /// does not place functions by section names.
  package init?(stating text: String) {
    guard let linker = Self.all.first(where: { text.hasPrefix("\($0.name) ") }),
      OrderFileDialect(name: linker.name) == nil
    else { return nil }
    self = linker
  }

  private init(name: String, linkOptions: String, sortsInputSections: Bool) {
    self.name = name
    self.linkOptions = linkOptions
    self.sortsInputSections = sortsInputSections
  }

  /// The beginning of the command that renames sections for the linker.
  package var command: String { "'orderfile gen --linker \(name) --rename-sections'" }

  /// Returns the names by which the linker places sections.
  ///
  /// - Parameter sections: the function that each section is named for, and the section's size in bytes, in the order to
  ///   place them.
  package func names(
    of sections: [(function: ArraySlice<UInt8>, size: UInt64)]
  ) -> [[UInt8]] {
    if sortsInputSections {
      return zip(Self.numbers(sections.indices.map { $0 }), sections).map { number, section in
        Array("\(FunctionSection.sortedPrefix)\(number).".utf8) + section.function
      }
    }
    var bytes: UInt64 = 0
    let groups = sections.map { section in
      let group = Int(clamping: bytes / Self.groupBytes)
      bytes += min(section.size, .max - bytes)
      return group
    }
    return Self.numbers(groups).map { Array("\(Self.groupPrefix)\($0)".utf8) }
  }

  /// Returns the ascending `numbers` as texts of one width, so that they also ascend as texts.
  private static func numbers(_ numbers: [Int]) -> [String] {
    let width = String(numbers.last ?? 0).count
    return numbers.map { number in
      let digits = String(number)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
  }

  /// Whether `section` is an output section that one of the linkers makes of renamed sections.
  package static func makes(_ section: [UInt8]) -> Bool {
    let number = section.dropFirst(groupPrefix.utf8.count)
    return section.starts(with: groupPrefix.utf8) && !number.isEmpty
      && number.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}
