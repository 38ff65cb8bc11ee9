import ByteReading
import ImageModel

/// Demangles names for people. The result is never used in an order file, and names are matched by it only where the code
/// of the functions is compared, too.
package struct Demangler: Sendable {
  package enum Mode: String, Hashable, Sendable, CaseIterable {
    /// Names are shown as they are in the symbol table.
    case none
    /// In Swift without modules, generic arguments and types; in C++ without parameters and return types.
    /// Different functions may look the same.
    case short
    /// Names are shown in full, without Rust's hashes.
    case full
  }

  package let mode: Mode
  private let format: ImageFormat?

  /// - Parameter format: the format of the images that the names come from. Mach-O puts an underscore before every name
  ///   except the names of Objective-C. `nil` if unknown: then the first underscore is removed unless it is part of a
  ///   mangling.
  package init(_ mode: Mode, of format: ImageFormat? = nil) {
    self.mode = mode
    self.format = format
  }

  /// `name` demangled; unchanged if its scheme is unknown, if it is not well-formed, or if its text would be
  /// longer than `ParsingLimits.demangledName` bytes.
  ///
  /// A suffix added by the compiler is shown in full mode; in short mode only if it distinguishes parts of a
  /// function: `f [clone .cold]`.
  ///
  /// - Complexity: O(*n* + *t*) for *n* bytes and *t* bytes of text.
  package func demangle(_ name: SymbolName) -> String {
    guard mode != .none, let bytes = withoutUnderscore(name.bytes) else { return name.description }
    let whole = bytes[...]
    // In Rust and C++ a suffix begins after the last byte of the mangling; Swift's demangler reports it.
    switch Mangling(ofBare: bytes, in: bytes.indices) {
    case .none: return name.description
    case .swift:
      guard let text = demangleSwift(whole) else { return name.description }
      return mode == .full ? text : shortSwiftName(text)
    case .rustV0:
      let end = whole.firstIndex { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "$") }
      guard let text = demangleRustV0(bytes, in: 0..<(end ?? bytes.endIndex)) else {
        return name.description
      }
      return String(decoding: text, as: UTF8.self) + clone(bytes[(end ?? bytes.endIndex)...])
    case .itanium:
      if let (text, end) = demangleRustLegacy(bytes) { return text + clone(bytes[end...]) }
      let isMerged = whole.suffix(2).elementsEqual("Tm".utf8)  // Swift's demangler prints `merged`.
      guard let text = demangleItanium(isMerged ? whole.dropLast(2) : whole) else {
        return name.description
      }
      return (isMerged ? "merged " : "") + (mode == .full ? text : shortCxxName(text))
    }
  }

  /// The name without Mach-O's underscore; `nil` for a Mach-O name that has no underscore.
  private func withoutUnderscore(_ name: [UInt8]) -> [UInt8]? {
    let hasUnderscore = name.first == UInt8(ascii: "_")
    guard let format else {
      let isBare = !hasUnderscore || Mangling(ofBare: name, in: name.indices) != .none
      return isBare ? name : Array(name.dropFirst())
    }
    guard format.prefixesUnderscore else { return name }
    return hasUnderscore ? Array(name.dropFirst()) : nil
  }

  /// Returns a suffix of a mangled name in the notation of libstdc++.
  private func clone(_ suffix: ArraySlice<UInt8>) -> String {
    guard !suffix.isEmpty else { return "" }
    let text = " [clone \(String(decoding: suffix, as: UTF8.self))]"
    return mode == .full || tellsPartsApart(text) ? text : ""
  }
}

/// Whether a suffix denotes a part of a function, and so a different piece of code.
func tellsPartsApart(_ suffix: String) -> Bool {
  [".cold", ".part.", ".resume", ".destroy", ".cleanup"].contains {
    suffix.firstRange(of: $0) != nil
  }
}
