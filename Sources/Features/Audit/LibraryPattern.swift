import ImageModel

/// A pattern that matches names of libraries: `libicu*.so.72`. `*` matches any bytes, and `?` matches one byte.
///
/// A pattern without a slash is compared with the last part of a library's name and path. If the library is the library
/// of a framework (`A.framework/A`, `A.framework/Versions/B/A`), the pattern is also compared with the name of the
/// framework. A pattern with a slash is compared with the whole name and the whole path. The parts `.` and `..` are
/// resolved first, since they may lead anywhere.
package struct LibraryPattern: Hashable, Sendable {
  package var bytes: [UInt8]

  package init(bytes: [UInt8]) { self.bytes = bytes }

  package func matches(name: SymbolName, path: String?) -> Bool {
    let texts = [name.bytes, path.map { Array($0.utf8) }].compactMap { $0 }
    let hasSlash = bytes.contains(UInt8(ascii: "/"))
    return texts.contains { text in
      let parts = Self.resolved(text)
      if hasSlash {
        let start = text.first == UInt8(ascii: "/") ? "/" : ""
        return matches((Array(start.utf8) + parts.joined(separator: "/".utf8))[...])
      }
      return parts.last.map(matches) ?? false || Self.framework(in: parts).map(matches) ?? false
    }
  }

  /// Returns the parts of a path without `.`, and without each `..` and the part before it.
  private static func resolved(_ path: [UInt8]) -> [ArraySlice<UInt8>] {
    var parts: [ArraySlice<UInt8>] = []
    for part in path.split(separator: UInt8(ascii: "/")) where !part.elementsEqual(".".utf8) {
      guard part.elementsEqual("..".utf8) else {
        parts.append(part)
        continue
      }
      if let last = parts.last, !last.elementsEqual("..".utf8) {
        parts.removeLast()
      } else if path.first != UInt8(ascii: "/") {
        parts.append(part)
      }
    }
    return parts
  }

  /// Returns the name of the framework whose library has the path `parts`.
  private static func framework(in parts: [ArraySlice<UInt8>]) -> ArraySlice<UInt8>? {
    guard let name = parts.last else { return nil }
    var place = parts.count - 2
    if place >= 2, parts[place - 1].elementsEqual("Versions".utf8) { place -= 2 }
    guard place >= 0, parts[place].elementsEqual(Array(name) + Array(".framework".utf8)) else {
      return nil
    }
    return parts[place]
  }

  /// Whether the pattern matches all of `text`.
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
