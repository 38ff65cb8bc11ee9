/// Replaces `@file` by the words of that option file, as clang and gcc do.
package enum OptionFiles {
  /// The limit of nesting: an option file may name other option files, and itself.
  private static let mostNested = 10
  private static let mostBytes = 16 << 20

  /// - Parameter contents: the bytes of an option file; `nil` if it can't be read.
  static func expanding(_ words: [Word], _ contents: (Word) -> [UInt8]?) -> [Word] {
    var rest = mostBytes
    return expanding(words, contents, 0, &rest)
  }

  private static func expanding(
    _ words: [Word], _ contents: (Word) -> [UInt8]?, _ depth: Int, _ rest: inout Int
  ) -> [Word] {
    var expanded: [Word] = []
    for word in words {
      guard word.first == UInt8(ascii: "@"), depth < mostNested,
        let bytes = contents(Array(word.dropFirst())), bytes.count <= rest
      else {
        expanded.append(word)
        continue
      }
      rest -= bytes.count
      expanded += expanding(Self.words(in: bytes), contents, depth + 1, &rest)
    }
    return expanded
  }

  /// Returns the words of an option file. Blanks separate words. Quotes of either kind enclose blanks, and a backslash
  /// makes the next byte literal, also within quotes. <libiberty, buildargv>
  package static func words(in bytes: [UInt8]) -> [Word] {
    var words: [Word] = []
    var word: Word?
    var quote: UInt8?
    var isEscaped = false
    for byte in bytes {
      if isEscaped {
        if word == nil { word = [] }
        word?.append(byte)
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if let open = quote {
        if byte == open { quote = nil } else { word?.append(byte) }
      } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
        quote = byte
        word = word ?? []
      } else if [0x20, 0x09, 0x0a, 0x0b, 0x0c, 0x0d].contains(byte) {
        if let complete = word { words.append(complete) }
        word = nil
      } else {
        if word == nil { word = [] }
        word?.append(byte)
      }
    }
    if let word { words.append(word) }
    return words
  }
}
