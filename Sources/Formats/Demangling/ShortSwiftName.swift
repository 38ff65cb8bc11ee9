import ByteReading

/// A demangled Swift name without modules, generic arguments and types:
/// `app.Model.load(from: Swift.String) throws -> ()` is `Model.load(from:)`.
///
/// The result is close to the output of `swift-demangle -simplified`, but keeps the words that distinguish two
/// functions: `merged`, the number of a resume function, suffixes. It works on the text, because the runtime offers no
/// shorter form. A text with an unmatched opening bracket is returned unchanged.
func shortSwiftName(_ text: String) -> String {
  var bytes = Array(text.utf8)
  var suffix = ""
  if let start = firstRange(of: " with unmangled suffix \"", in: bytes) {
    suffix = " [clone \(String(decoding: bytes[(start + 24)...], as: UTF8.self).dropLast())]"
    bytes.removeSubrange(start...)
    if !tellsPartsApart(suffix) { suffix = "" }
  }
  var shortener = SwiftNameShortener(bytes)
  guard shortener.run() else { return text }
  return String(decoding: shortener.short, as: UTF8.self) + suffix
}

private struct SwiftNameShortener {
  private let text: [UInt8]
  private var position = 0
  private(set) var short: [UInt8] = []

  init(_ text: [UInt8]) { self.text = text }

  /// - Returns: whether all brackets matched.
  mutating func run() -> Bool {
    while position < text.count {
      let byte = text[position]
      let follows = short.last.map(isSwiftIdentifierByte) ?? false
      if skipSpecialization() { continue }
      if at(" : ") {
        // Examples are `x.getter : Swift.Int` and `in conformance app.S : app.P in app`.
        let isAccessor =
          accessors.contains { short.suffix($0.utf8.count).elementsEqual($0.utf8) }
          || firstRange(of: "initialization expression of ", in: short) != nil
        position += 3
        guard skipType() else { return false }
        if !isAccessor { skipModule() }
      } else if at(" -> ") || at(" throws") || at(" async") {
        position += 1
        guard skipType() else { return false }
      } else if byte == UInt8(ascii: "<"), follows {
        guard skipBrackets() else { return false }
      } else if byte == UInt8(ascii: "("), follows {
        guard labels() else { return false }
      } else if byte == UInt8(ascii: "("), let context = numberedContext {
        if context == "closure" {
          guard skipBrackets() else { return false }
          short.removeLast()
        } else {
          guard labels() else { return false }
        }
      } else if at(" @Sendable (") {
        // A blank stays after a number: `closure #1 (`.
        position += 11
        short.append(UInt8(ascii: " "))
        if numberedContext == nil { short.removeLast() }
      } else if at("(extension in ") {
        guard skipBrackets() else { return false }
        if at(":") { position += 1 }
      } else if byte == UInt8(ascii: "("), isPrivateName {
        position += 1
        copyIdentifier()
        while position < text.count, text[position] != UInt8(ascii: ")") { position += 1 }
        position += 1
      } else if isSwiftIdentifierByte(byte), !follows {
        pathHead()
      } else {
        short.append(byte)
        position += 1
      }
    }
    return true
  }

  private func at(_ words: String) -> Bool { text[position...].starts(with: words.utf8) }

  /// Skips `generic specialization <Swift.Int> of ` and `function signature specialization <Arg[0] = Dead> of `.
  private mutating func skipSpecialization() -> Bool {
    let openings = [
      "generic specialization <", "function signature specialization <",
      "generic partial specialization <", "generic not re-abstracted specialization <",
    ]
    guard let opening = openings.first(where: { at($0) }) else { return false }
    let start = position
    position += opening.utf8.count - 1
    guard skipBrackets(), at(" of ") else {
      position = start
      return false
    }
    position += 4
    if !short.suffix(12).elementsEqual("specialized ".utf8) { short += Array("specialized ".utf8) }
    return true
  }

  /// Skips the first identifier of a path, which is its module.
  private mutating func pathHead() {
    let start = position
    while position < text.count, isSwiftIdentifierByte(text[position]) { position += 1 }
    let isModule =
      position + 1 < text.count && text[position] == UInt8(ascii: ".")
      && text[position + 1] != UInt8(ascii: ".")
      && (short.last ?? 0x20) != UInt8(ascii: ".")
    if isModule {
      position += 1
    } else {
      short += text[start..<position]
    }
    if isModule { copyIdentifier() }
  }

  private mutating func copyIdentifier() {
    while position < text.count, isSwiftIdentifierByte(text[position]) {
      short.append(text[position])
      position += 1
    }
  }

  /// Whether a private name is next: `(name in _0123456789ABCDEF)`.
  private var isPrivateName: Bool {
    var end = position + 1
    while end < text.count, isSwiftIdentifierByte(text[end]) { end += 1 }
    return end > position + 1 && text[end...].starts(with: " in _".utf8)
  }

  /// Returns the word before a number: `closure #1 ` or `helper #2 `.
  private var numberedContext: String? {
    let words = short.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard words.count >= 3, words[words.count - 1].isEmpty,
      words[words.count - 2].first == UInt8(ascii: "#"),
      words[words.count - 2].dropFirst().allSatisfy(isDigit)
    else { return nil }
    return String(decoding: words[words.count - 3], as: UTF8.self)
  }

  /// Skips ` in app` after a conformance, but not ` in app.Model`.
  private mutating func skipModule() {
    guard at(" in ") else { return }
    var end = position + 4
    while end < text.count, isSwiftIdentifierByte(text[end]) { end += 1 }
    if end == text.count || text[end] != UInt8(ascii: ".") { position = end }
  }

  /// Prints the list `(from: Swift.String, Swift.Int)` as `(from:_:)`.
  private mutating func labels() -> Bool {
    let start = position + 1
    guard skipBrackets() else { return false }
    var labels: [UInt8] = []
    var element = start
    var depth = 0
    var label: Range<Int>?
    for index in start..<position {
      switch text[index] {
      case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "<"): depth += 1
      case UInt8(ascii: ":") where depth == 0 && label == nil:
        label = min(element, index)..<index  // a comma may end the text, or have no blank after it
      case UInt8(ascii: ">") where text[index - 1] == UInt8(ascii: "-"): break
      case UInt8(ascii: ","), UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: ">"):
        if depth == 0 {
          if index > element { labels += label.map { Array(text[$0]) } ?? [UInt8(ascii: "_")] }
          if index > element { labels.append(UInt8(ascii: ":")) }
          element = index + 2
          label = nil
        } else if text[index] != UInt8(ascii: ",") {
          depth -= 1
        }
      default: break
      }
    }
    short.append(UInt8(ascii: "("))
    short += labels
    short.append(UInt8(ascii: ")"))
    return true
  }

  /// Skips a type, up to the words that may follow a type, or up to an enclosing closing bracket.
  private mutating func skipType() -> Bool {
    while position < text.count {
      if at(" in ") || at(" and ") { return true }
      switch text[position] {
      case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "<"):
        guard skipBrackets() else { return false }
      case UInt8(ascii: ">") where text[position - 1] == UInt8(ascii: "-"): position += 1
      case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: ">"), UInt8(ascii: ","): return true
      default: position += 1
      }
    }
    return true
  }

  /// Skips a bracket and its contents.
  private mutating func skipBrackets() -> Bool {
    var closers: [UInt8] = []
    repeat {
      guard position < text.count else { return false }
      let byte = text[position]
      switch byte {
      case UInt8(ascii: "("): closers.append(UInt8(ascii: ")"))
      case UInt8(ascii: "["): closers.append(UInt8(ascii: "]"))
      case UInt8(ascii: "<"): closers.append(UInt8(ascii: ">"))
      case UInt8(ascii: ">") where text[position - 1] == UInt8(ascii: "-"): break
      case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: ">"):
        guard closers.popLast() == byte else { return false }
      default: break
      }
      position += 1
    } while !closers.isEmpty
    return true
  }
}

private let accessors = [
  ".getter", ".setter", ".modify", ".modify2", ".read", ".read2", ".init", ".unsafeAddressor",
  ".unsafeMutableAddressor", ".willset", ".didset",
]

private func isSwiftIdentifierByte(_ byte: UInt8) -> Bool {
  isWordByte(byte) || isDigit(byte) || byte >= 0x80 || byte == UInt8(ascii: "$")
}
