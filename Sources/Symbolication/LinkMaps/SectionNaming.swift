import Addresses
import ByteReading
import ImageModel
import LinkMapFormat

/// Decides the names of the functions in one input section of a link map.
struct SectionNaming {
  private let bytes: FileBytes
  private let start: StatedAddress
  /// Where the section's name stands in the map.
  let sectionName: Range<Int>
  private let function: NamedSection?

  /// The function that the section is named for has been found in it.
  var isNameTaken = false
  /// The symbol asked for next is the only one at the section's start.
  var isAloneAtStart = false
  /// The section's name, once it has been stored.
  var reference: NameReference?

  init(_ bytes: FileBytes, _ input: LinkMap.InputSection) {
    self.bytes = bytes
    start = input.range.start
    sectionName = input.name.indices
    function = NamedSection(bytes, sectionName)
  }

  /// Whether the section is named for the function with exactly this name.
  func isName(_ name: Range<Int>) -> Bool {
    function.map { bytes.areEqual($0.function, name) } ?? false
  }

  enum Name {
    /// The printed name is the one of the symbol table.
    case printed
    /// The section is named for it. A cold part has its function's name and a suffix.
    case section(Range<Int>, suffix: String?)
    /// The printed name is demangled, and the section's name doesn't help.
    case unknown
  }

  /// The name in the symbol table of the symbol printed as `printed`.
  mutating func name(ofSymbolPrinted printed: Range<Int>, at address: StatedAddress) -> Name {
    let kind = PrintedName(bytes, printed)
    if kind == .mangled { return .printed }
    // A plain name can be a demangled one too, `TLS init function for x`; then nothing else is there.
    if let function, !isNameTaken, address == start, kind == .demangled || isAloneAtStart,
      PrintedName.isMangled(bytes, function.function)
    {
      isNameTaken = true
      return .section(function.function, suffix: coldSuffix(printed, of: function.function))
    }
    return kind == .demangled ? .unknown : .printed
  }

  /// `.cold` if `printed` is a cold part and the section's name does not say so.
  private func coldSuffix(_ printed: Range<Int>, of function: Range<Int>) -> String? {
    guard let suffix = PrintedName.coldSuffix(bytes, printed) else { return nil }
    let isNamed =
      function.count >= suffix.count && bytes.areEqual(function.suffix(suffix.count), suffix)
    return isNamed ? nil : bytes.text(suffix)
  }
}
