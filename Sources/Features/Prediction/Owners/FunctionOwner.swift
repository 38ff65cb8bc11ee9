import ImageModel

/// The module, archive or file that a function belongs to.
package struct FunctionOwner: Hashable, Sendable {
  /// The module, the archive or the file; `nil` if it is unknown.
  package var name: SymbolName?
  /// The file within a module, or the member of an archive; `nil` if it is unknown, or if the owner is itself a file.
  package var object: SymbolName?

  /// - Parameters:
  ///   - module: the module that the function's name states.
  ///   - file: the object file or source file of the function; `libx.a(leaf.o)` for a member of an archive.
  package init(module: SymbolName?, file: SymbolName?) {
    let archive = file.flatMap(Self.archive)
    name = module ?? archive ?? file
    object = file == name ? nil : file
  }

  /// Returns for each file the module that more than half of its functions with a module state.
  ///
  /// - Parameters:
  ///   - files: the file of each function.
  ///   - modules: the module that the name of each function states.
  package static func modulesByFile(
    _ files: [SymbolName?], _ modules: [SymbolName?]
  ) -> [SymbolName: SymbolName] {
    var counts: [SymbolName: [SymbolName: Int]] = [:]
    for case (let file?, let module?) in zip(files, modules) {
      counts[file, default: [:]][module, default: 0] += 1
    }
    return counts.compactMapValues { counts in
      let all = counts.values.reduce(0, +)
      return counts.first { 2 * $0.value > all }?.key
    }
  }

  /// Returns the file name of the archive, `libx.a`, for the member `build/libx.a(leaf.o)`; `nil` for a file that is
  /// not a member.
  private static func archive(of file: SymbolName) -> SymbolName? {
    guard file.bytes.last == UInt8(ascii: ")"),
      let open = file.bytes.lastIndex(of: UInt8(ascii: "(")), open > 0
    else { return nil }
    let path = file.bytes[..<open]
    let start = path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? path.startIndex
    return start < open ? SymbolName(bytes: Array(path[start..<open])) : nil
  }
}
