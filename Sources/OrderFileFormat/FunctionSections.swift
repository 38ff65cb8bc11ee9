// What compilers call the input section of one function: GCC and clang under -ffunction-sections,
// swiftc under -function-sections, rustc always.
// <https://gcc.gnu.org/onlinedocs/gcc/Optimize-Options.html#index-ffunction-sections>

/// The sections that hold the functions of an object compiled without function sections.
private let sharedSections = [
  ".text.unlikely", ".text.startup", ".text.hot", ".text.exit", ".text",
].map { Array($0.utf8) }

/// The same with a dot: what the function's name follows. `.text.` is the last, so that a longer one is
/// found first.
private let functionSectionPrefixes = sharedSections.map { $0 + [UInt8(ascii: ".")] }

/// All names that the input section of function `symbol` can have, the usual one first.
///
/// The compiler chooses by what it thinks of the function: `main` is `.text.startup.main` to GCC, and
/// `.text.unlikely.main` if it calls nothing but cold functions. Without a link map nobody can tell, and
/// a list may name all of them: at most one exists.
package func candidateSections(ofFunction symbol: [UInt8]) -> [[UInt8]] {
  (functionSectionPrefixes.suffix(1) + functionSectionPrefixes.dropLast()).map { $0 + symbol }
}

/// The function that section `name` holds alone; `nil` if the name does not tell.
///
/// `.text.hot.f` is taken for the hot function `f`, not for a function `hot.f`.
package func functionName(ofSection name: [UInt8]) -> [UInt8]? {
  for prefix in functionSectionPrefixes where name.count > prefix.count {
    if name.starts(with: prefix) { return Array(name[prefix.count...]) }
  }
  return nil
}

/// Whether `section` is one that a compiler puts many functions into, not only `symbol`: `.text`, or
/// `.text.startup` for another function than `startup`.
package func isSharedSection(_ section: ArraySlice<UInt8>, of symbol: ArraySlice<UInt8>) -> Bool {
  guard sharedSections.contains(where: { $0.count == section.count && $0[...] == section }) else {
    return false
  }
  return functionName(ofSection: Array(section)).map { $0[...] != symbol } ?? true
}
