// How Mach-O linkers compare the name of a symbol with the name in a line of an order file.

/// Returns `name` up to its last `.llvm.`. This is ld64's name for a function that ThinLTO promoted
/// (`Atom::getUserVisibleName` in ld.hpp of ld64-956.6).
package func cutPromotion(_ name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
  cut(name, before: ".llvm.")
}

/// Returns `cutPromotion(name)` up to its last `.__uniq.`. LLD 21 and later compare this name (`getRootSymbol` in
/// lld/Common/Utils.cpp).
package func rootSymbol(_ name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
  cut(cutPromotion(name), before: ".__uniq.")
}

extension OrderFileDialect.NamesakeRule {
  /// Returns the part of a symbol's name that a Mach-O linker with this rule compares.
  package func name(of name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    switch self {
    case .movesAll: name
    case .movesAllInObjectFile: rootSymbol(name)
    case .movesFirstInObjectFile: cutPromotion(name)
    }
  }
}

private func cut(_ name: ArraySlice<UInt8>, before suffix: String) -> ArraySlice<UInt8> {
  // Suffixes are compared only at dots, and most names have no dot.
  var end = name.endIndex
  while let dot = name[..<end].lastIndex(of: UInt8(ascii: ".")) {
    if name[dot...].starts(with: suffix.utf8) { return name[..<dot] }
    end = dot
  }
  return name
}
