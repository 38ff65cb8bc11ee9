import ImageModel

/// What the name of a library may be: `libicu*.so.72`. `*` stands for any bytes and `?` for one.
///
/// A pattern without a slash is compared with the last part of a library's name and path, and with the name of the
/// framework that it is in; one with a slash with all of the name or path.
package struct LibraryPattern: Hashable, Sendable {
  package var bytes: [UInt8]

  package init(bytes: [UInt8]) { self.bytes = bytes }

  package func matches(_ library: AuditedLibrary) -> Bool {
    matches(name: library.name, path: library.path)
  }

  package func matches(name: SymbolName, path: String?) -> Bool {
    let texts = [name.bytes, path.map { Array($0.utf8) }].compactMap { $0 }
    if bytes.contains(UInt8(ascii: "/")) { return texts.contains { matches($0[...]) } }
    return texts.contains { text in
      let parts = text.split(separator: UInt8(ascii: "/"))
      return parts.indices.contains { index in
        let isLast = index == parts.indices.last
        let isFramework = parts[index].suffix(10).elementsEqual(".framework".utf8)
        return (isLast || isFramework) && matches(parts[index])
      }
    }
  }

  /// Whether the pattern is all of `text`.
  ///
  /// - Complexity: O(*p* × *t*) for both lengths: after a mismatch only the last `*` is tried again.
  package func matches(_ text: ArraySlice<UInt8>) -> Bool {
    var place = 0
    var at = text.startIndex
    var star: (place: Int, at: Int)?
    while at < text.endIndex {
      if place < bytes.count, bytes[place] == UInt8(ascii: "*") {
        star = (place, at)
        place += 1
      } else if place < bytes.count,
        bytes[place] == UInt8(ascii: "?") || bytes[place] == text[at]
      {
        place += 1
        at += 1
      } else if let last = star {
        place = last.place + 1
        at = last.at + 1
        star = (last.place, at)
      } else {
        return false
      }
    }
    return bytes[place...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}
