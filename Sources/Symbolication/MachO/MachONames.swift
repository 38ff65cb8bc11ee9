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
func leafOfObjectFile(_ path: ArraySlice<UInt8>) -> [UInt8] {
  func leaf(_ path: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    path.lastIndex(of: UInt8(ascii: "/")).map { path[($0 + 1)...] } ?? path
  }
  let member = archiveMember(path)
  guard member.count < path.count else { return Array(leaf(path)) }
  let archive = path[..<(member.startIndex - 1)]
  return Array(leaf(archive)) + Array("(".utf8) + leaf(member) + Array(")".utf8)
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

extension Layout {
  /// Of the image that it is the layout of: Mach-O's sections have the segment in their name,
  /// `__TEXT,__text`.
  package var imageFormat: ImageFormat {
    sections.contains { $0.name.bytes.starts(with: "__TEXT,".utf8) } ? .machO : .elf
  }
}
