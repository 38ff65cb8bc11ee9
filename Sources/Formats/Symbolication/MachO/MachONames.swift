import ByteReading

/// `leaf.o` of `libx.a(leaf.o)`; the name itself if it is not an archive member.
func archiveMember(_ objectFile: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
  guard objectFile.last == UInt8(ascii: ")"),
    let parenthesis = objectFile.lastIndex(of: UInt8(ascii: "("))
  else { return objectFile }
  return objectFile[(parenthesis + 1)...].dropLast()
}

/// The name in an ld64 order file of the object file at `path`, a path from a link map or debug map: its last
/// component or, for a member of an archive, the names of the archive and the member.
///
/// - Returns: `nil` for an object file that no line can name, because linkers look for `.o:` or `.o):`; and
///   for the output of link-time optimization, which the next build may name differently, or which contains
///   all functions.
func orderFileName(ofObjectFile path: ArraySlice<UInt8>) -> [UInt8]? {
  func leaf(_ path: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    path.lastIndex(of: UInt8(ascii: "/")).map { path[($0 + 1)...] } ?? path
  }
  let member = archiveMember(path)
  let name = leaf(member)
  guard name.count > 2, name.suffix(2).elementsEqual(".o".utf8) else { return nil }
  guard member.count < path.count else { return isMadeByLTO(name) ? nil : Array(name) }
  let archive = path[..<(member.startIndex - 1)]
  return Array(leaf(archive)) + Array("(".utf8) + name + Array(")".utf8)
}

/// `lto.o` is created by ld64, `App_lto.o` by Xcode; `0.arm64.thinlto.o` and `0.arm64.lto.o` are in the
/// folder given by `-object_path_lto`. `salto.o` is an ordinary object file.
private func isMadeByLTO(_ name: ArraySlice<UInt8>) -> Bool {
  ["lto.o", "thinlto.o"].contains { ending in
    guard name.suffix(ending.utf8.count).elementsEqual(ending.utf8) else { return false }
    let before = name.dropLast(ending.utf8.count).last
    return before == nil || before == UInt8(ascii: ".") || before == UInt8(ascii: "_")
  }
}

/// Whether an order file should not contain `name` although a Mach-O image has it: OrderFileEntry+Layout.swift explains
/// the reasons.
package func isLinkersOwn(_ name: ArraySlice<UInt8>) -> Bool {
  if name.first == UInt8(ascii: "l") || name.first == UInt8(ascii: "L") { return true }
  if isOutlined(name) { return true }
  // `_x.thunk.0`, `_x.island`, `_x.island.1`
  var whole = name
  while let last = whole.last, isDigit(last) { whole.removeLast() }
  if whole.last == UInt8(ascii: ".") { whole.removeLast() }
  return [".thunk", ".island"].contains { whole.suffix($0.utf8.count).elementsEqual($0.utf8) }
}

/// `OUTLINED_FUNCTION_<n>`, with or without Mach-O's `_`: LLVM's machine outliner counts them from 0 in every
/// object file, so the same name is different code in the next build.
package func isOutlined(_ name: ArraySlice<UInt8>) -> Bool {
  let bare = name.first == UInt8(ascii: "_") ? name.dropFirst() : name
  return bare.starts(with: "OUTLINED_FUNCTION_".utf8)
}
