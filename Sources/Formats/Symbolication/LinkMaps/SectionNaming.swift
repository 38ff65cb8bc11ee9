import Addresses
import ByteReading
import ImageModel
import LinkMapFormat

/// Decides the names of the functions in one input section of a link map.
struct SectionNaming {
  private let bytes: FileBytes
  private let start: StatedAddress
  /// The place of the section's name in the map.
  let sectionName: Range<Int>
  private let function: NamedSection?

  /// Whether the section's symbols include the function after which the section is named.
  var isNameTaken = false
  /// Whether the next symbol is the only one at the section's start.
  var isAloneAtStart = false
  /// A reference to the section's name, once it has been stored.
  var reference: NameReference?

  init(_ bytes: FileBytes, _ input: LinkMap.InputSection) {
    self.bytes = bytes
    start = input.range.start
    sectionName = input.name.indices
    function = NamedSection(bytes, sectionName)
  }

  /// Whether the section is named after the function with exactly this name.
  func isName(_ name: Range<Int>) -> Bool {
    function.map { bytes.areEqual($0.function, name) } ?? false
  }

  enum Name {
    /// The printed name is the name in the symbol table.
    case printed
    /// The section is named after the function. A cold part has its function's name and a suffix.
    case section(Range<Int>, suffix: String?)
    /// The printed name is demangled, and the section's name doesn't help.
    case unknown
  }

  /// The name in the symbol table of the symbol printed as `printed`.
  mutating func name(ofSymbolPrinted printed: Range<Int>, at address: StatedAddress) -> Name {
    let kind = PrintedName(bytes, printed)
    if kind == .mangled { return .printed }
    // A demangled name can look plain: `TLS init function for x`. Such a symbol is alone at the section's start.
    if let function, !isNameTaken, address == start, kind == .demangled || isAloneAtStart,
      PrintedName.isMangled(bytes, function.function)
    {
      isNameTaken = true
      return .section(function.function, suffix: coldSuffix(printed, of: function.function))
    }
    return kind == .demangled ? .unknown : .printed
  }

  /// The suffix of `printed`, such as `.cold`, if it is a cold part and the section's name does not show it.
  private func coldSuffix(_ printed: Range<Int>, of function: Range<Int>) -> String? {
    guard let suffix = PrintedName.coldSuffix(bytes, printed) else { return nil }
    let isNamed =
      function.count >= suffix.count && bytes.areEqual(function.suffix(suffix.count), suffix)
    return isNamed ? nil : bytes.text(suffix)
  }
}
