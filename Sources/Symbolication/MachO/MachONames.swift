// What the linkers of Mach-O think of a symbol's name.

import ByteReading
import ImageModel
import OrderFileFormat

/// `name` up to its last `.llvm.`: how ld64 calls a function that ThinLTO promoted (`Atom::getUserVisibleName`
/// in ld.hpp of ld64-956.6).
func cutPromotion(_ name: ArraySlice<UInt8>) -> ArraySlice<UInt8> { cut(name, before: ".llvm.") }

/// `cutPromotion`, and up to the last `.__uniq.`: what LLD 21 and later compare (`getRootSymbol` in
/// lld/Common/Utils.cpp).
func rootSymbol(_ name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
  cut(cutPromotion(name), before: ".__uniq.")
}

private func cut(_ name: ArraySlice<UInt8>, before suffix: String) -> ArraySlice<UInt8> {
  // Most names have no dot: then nothing is compared.
  var end = name.endIndex
  while let dot = name[..<end].lastIndex(of: UInt8(ascii: ".")) {
    if name[dot...].starts(with: suffix.utf8) { return name[..<dot] }
    end = dot
  }
  return name
}

/// `leaf.o` of `libx.a(leaf.o)`; an object file that is no member is its own.
func archiveMember(_ objectFile: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
  guard objectFile.last == UInt8(ascii: ")"),
    let parenthesis = objectFile.lastIndex(of: UInt8(ascii: "("))
  else { return objectFile }
  return objectFile[(parenthesis + 1)...].dropLast()
}

/// How an order file of ld64 names the object file at `path`, as link maps and debug maps have it: by the
/// last component, or for a member of an archive by the archive's and the member's.
///
/// - Returns: `nil` for an object file that no line can name: linkers look for `.o:` or `.o):`. Nor is what
///   link-time optimization made named, which the next build calls otherwise, or calls all of it so.
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

/// `lto.o` is ld64's, `App_lto.o` Xcode's, `0.arm64.thinlto.o` and `0.arm64.lto.o` are in the folder that
/// `-object_path_lto` names. `salto.o` is somebody's.
private func isMadeByLTO(_ name: ArraySlice<UInt8>) -> Bool {
  ["lto.o", "thinlto.o"].contains { ending in
    guard name.suffix(ending.utf8.count).elementsEqual(ending.utf8) else { return false }
    let before = name.dropLast(ending.utf8.count).last
    return before == nil || before == UInt8(ascii: ".") || before == UInt8(ascii: "_")
  }
}

/// Whether no order file should hold `name`, though an image of Mach-O has it: OrderFileEntry+Layout.swift
/// says why.
func isLinkersOwn(_ name: ArraySlice<UInt8>) -> Bool {
  if name.first == UInt8(ascii: "l") || name.first == UInt8(ascii: "L") { return true }
  if isOutlined(name) { return true }
  // `_x.thunk.0`, `_x.island`, `_x.island.1`
  var whole = name
  while let last = whole.last, isDigit(last) { whole.removeLast() }
  if whole.last == UInt8(ascii: ".") { whole.removeLast() }
  return [".thunk", ".island"].contains { whole.suffix($0.utf8.count).elementsEqual($0.utf8) }
}

/// `OUTLINED_FUNCTION_<n>`, with Mach-O's `_` or without: LLVM's machine outliner counts them from 0 in
/// every object file, so that the same name is other code in the next build.
func isOutlined(_ name: ArraySlice<UInt8>) -> Bool {
  let bare = name.first == UInt8(ascii: "_") ? name.dropFirst() : name
  return bare.starts(with: "OUTLINED_FUNCTION_".utf8)
}
