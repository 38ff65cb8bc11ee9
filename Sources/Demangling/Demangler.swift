import ByteReading
import ImageModel

/// Mangled names as people read them. Never for an order file, and never for matching.
package struct Demangler: Sendable {
  package enum Mode: String, Hashable, Sendable, CaseIterable {
    /// The name as the linker knows it.
    case none
    /// Without modules, generic arguments and types in Swift, without parameters and return types in
    /// C++. Different functions may read alike.
    case short
    /// All that the name says, but for Rust's hashes.
    case full
  }

  package let mode: Mode
  private let format: ImageFormat?

  /// - Parameter format: of the images that the names come from: Mach-O puts an underscore before every
  ///   name but those of Objective-C. `nil` if it isn't known; then the name itself must tell.
  package init(_ mode: Mode, of format: ImageFormat? = nil) {
    self.mode = mode
    self.format = format
  }

  /// `name` demangled, or as it is where its scheme isn't known or it isn't well-formed.
  ///
  /// A suffix that compilers add is shown in full, and in short if it tells one part of a function from
  /// another: `f [clone .cold]`.
  ///
  /// So is a name whose text would have more than `ParsingLimits.demangledName` bytes.
  ///
  /// - Complexity: O(*n* + *t*) for *n* bytes and *t* bytes of text.
  package func demangle(_ name: SymbolName) -> String {
    guard mode != .none, let bytes = withoutUnderscore(name.bytes) else { return name.description }
    let whole = bytes[...]
    // In Rust and C++ a suffix begins behind the last byte that mangling uses; Swift's says so itself.
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
      let isMerged = whole.suffix(2).elementsEqual("Tm".utf8)  // by Swift, which prints `merged`
      guard let text = demangleItanium(isMerged ? whole.dropLast(2) : whole) else {
        return name.description
      }
      return (isMerged ? "merged " : "") + (mode == .full ? text : shortCxxName(text))
    }
  }

  /// The name as the language knows it; `nil` for one of Mach-O that no mangling made.
  private func withoutUnderscore(_ name: [UInt8]) -> [UInt8]? {
    let hasUnderscore = name.first == UInt8(ascii: "_")
    guard let format else {
      let isBare = !hasUnderscore || Mangling(ofBare: name, in: name.indices) != .none
      return isBare ? name : Array(name.dropFirst())
    }
    guard format.prefixesUnderscore else { return name }
    return hasUnderscore ? Array(name.dropFirst()) : nil
  }

  /// A suffix as libstdc++ writes it.
  private func clone(_ suffix: ArraySlice<UInt8>) -> String {
    guard !suffix.isEmpty else { return "" }
    let text = " [clone \(String(decoding: suffix, as: UTF8.self))]"
    return mode == .full || tellsPartsApart(text) ? text : ""
  }
}

/// Whether a suffix names one part of a function, and so a different piece of code.
func tellsPartsApart(_ suffix: String) -> Bool {
  [".cold", ".part.", ".resume", ".destroy", ".cleanup"].contains {
    suffix.firstRange(of: $0) != nil
  }
}
