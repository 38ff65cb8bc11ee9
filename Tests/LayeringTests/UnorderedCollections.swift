import Foundation

// Finds the places where the elements of a Dictionary or a Set are taken one by one: their order differs from run to
// run.
//
// This is not a type checker. It recognizes a collection by its name, which it learns from two kinds of declarations:
// those with a written type (`var seen: Set<Int>`, `-> [Name: Int]`), and those with an initial value that shows the
// type (`Set(…)`, `[:]`, `[a: b]`). Then it follows what is done with the name. `for` and `map` take elements in their
// order, also after `filter` or `keys`. `count`, `contains` and a subscript do not. After `sorted`, after `min`, or in
// another set, the order no longer matters. A name has the same meaning in the whole file, and a member's name
// (`.named`) in all files. The runs of DeterminismTests may find other places: they compare the output of processes
// with other hash seeds.

/// The names of dictionaries and sets that one file declares.
struct UnorderedNames {
  /// Variables, constants and parameters.
  var values: Set<String> = []
  /// Functions that return a dictionary or a set.
  var functions: Set<String> = []
  /// The names among `values` and `functions` that may follow a dot, in any file.
  var members: Set<String> = []

  init(of file: SourceFile) {
    let text = Code(of: file)
    var start = text.string.startIndex
    let typed = /\b(\w+)\s*:\s*(?:inout\s+)?(?=[\[SD])/
    let assigned = /\b(?:let|var)\s+(\w+)\s*=\s*(?=[\[SD])/
    let result = /->\s*(?=[\[SD])/
    for (_, line) in file.code {
      defer {
        start =
          text.string.utf8.index(
            start, offsetBy: line.utf8.count + 1, limitedBy: text.string.endIndex) ?? start
      }
      guard ["Set<", "Set(", "Dictionary", ": [", "> [", "= ["].contains(where: line.contains)
      else { continue }
      let whole = text.string[start...].prefix { $0 != "\n" }
      for match in whole.matches(of: typed)
      where text.isUnorderedType(at: match.range.upperBound) { add(match.1, line) }
      for match in whole.matches(of: assigned)
      where text.isUnorderedValue(at: match.range.upperBound) { add(match.1, line) }
      if let match = whole.firstMatch(of: result),
        text.isUnorderedType(at: match.range.upperBound),
        let name = text.string[..<match.range.lowerBound].suffix(400).matches(of: /\bfunc\s+(\w+)/)
          .last?.1
      {
        functions.insert(String(name))
        if !line.contains("private ") { members.insert(String(name)) }
      }
    }
  }

  private mutating func add(_ name: Substring, _ line: String) {
    values.insert(String(name))
    let isMember = line.contains(
      #/^ +(?:package |private\(set\) )+(?:static )?(?:var|let) |^ {2}(?:static )?(?:var|let) /#)
    if isMember { members.insert(String(name)) }
  }
}

/// Returns the places in `file` where elements are taken in no order, as "path:line: text".
func unorderedUses(in file: SourceFile, members: Set<String>) -> [String] {
  let names = UnorderedNames(of: file)
  let text = Code(of: file)
  return text.words().compactMap { word in
    let name = String(text.string[word])
    let before = text.string[..<word.lowerBound]
    let isCall = text.string[word.upperBound...].hasPrefix("(")
    let isOther =
      before.hasSuffix(".") && !before.hasSuffix("self.") && !before.hasSuffix("Self.")
    guard
      isOther ? members.contains(name) : (isCall ? names.functions : names.values).contains(name),
      text.takesElements(of: word)
    else { return nil }
    let number = text.number(at: word.lowerBound)
    return "\(file.path):\(number): "
      + file.lines[number - 1].trimmingCharacters(in: .whitespaces)
  }
}

/// A file's code, without comments and text between quotes.
private struct Code {
  let string: String

  init(of file: SourceFile) { string = file.code.map(\.text).joined(separator: "\n") }

  func number(at index: String.Index) -> Int { string[..<index].count { $0 == "\n" } + 1 }

  func line(at index: String.Index) -> Substring {
    let start = string[..<index].lastIndex(of: "\n").map(string.index(after:)) ?? string.startIndex
    return string[start...].prefix { $0 != "\n" }
  }

  /// Returns the names and keywords.
  func words() -> [Range<String.Index>] {
    var words: [Range<String.Index>] = []
    var start: String.Index?
    for (index, byte) in zip(string.utf8.indices, string.utf8) {
      let isPart =
        byte == UInt8(ascii: "_") || byte &- 48 < 10 || (byte | 32) &- 97 < 26 || byte >= 128
      if isPart {
        start = start ?? index
      } else if let first = start {
        words.append(first..<index)
        start = nil
      }
    }
    return words
  }

  // MARK: Types and values

  /// Whether the type at `index` is `Set<…>`, `Dictionary<…>` or `[Key: Value]`, or an optional one.
  func isUnorderedType(at index: String.Index) -> Bool {
    let rest = string[index...]
    if rest.hasPrefix("Set<") || rest.hasPrefix("Dictionary<") { return true }
    return rest.hasPrefix("[") && hasColon(inBracketAt: index)
  }

  /// Whether the value at `index` is `Set(…)`, `Set<…>(…)`, `Dictionary(…)`, `[:]` or `[a: b]`.
  func isUnorderedValue(at index: String.Index) -> Bool {
    let rest = string[index...]
    let makers = ["Set(", "Set<", "Dictionary(", "Dictionary<"]
    guard let maker = makers.first(where: rest.hasPrefix) else {
      return rest.hasPrefix("[") && hasColon(inBracketAt: index)
    }
    // A call that follows at once decides: `Set(a).sorted()`.
    let opening = string.index(index, offsetBy: maker.count - 1)
    guard maker.hasSuffix("("), let end = behindBracket(at: opening) else { return true }
    return !string[end...].hasPrefix(".") || chain(at: end).endsUnordered
  }

  private func hasColon(inBracketAt index: String.Index) -> Bool {
    var depth = 0
    for character in string[index...] {
      switch character {
      case "[", "(", "{": depth += 1
      case "]", ")", "}": depth -= 1
      case ":" where depth == 1: return true
      default: break
      }
      if depth == 0 { return false }
    }
    return false
  }

  private func behindBracket(at index: String.Index) -> String.Index? {
    var depth = 0
    for place in string[index...].indices {
      if "([{".contains(string[place]) { depth += 1 }
      if ")]}".contains(string[place]) { depth -= 1 }
      if depth == 0 { return string.index(after: place) }
    }
    return nil
  }

  // MARK: Uses

  private static let keeping: Set<String> = [
    "keys", "values", "filter", "union", "subtracting", "intersection", "symmetricDifference",
    "mapValues", "compactMapValues", "merging", "lazy",
  ]
  private static let taking: Set<String> = [
    "map", "flatMap", "compactMap", "forEach", "first", "reduce", "prefix", "suffix", "dropFirst",
    "dropLast", "enumerated", "joined", "makeIterator", "popFirst", "removeFirst", "reversed",
    "description", "elementsEqual", "split", "drop", "randomElement", "firstIndex", "startIndex",
  ]
  private static let settling: Set<String> = [
    "sorted", "min", "max", "count", "contains", "allSatisfy", "isEmpty",
  ]

  private struct Chain {
    var takes = false
    var settles = false
    /// Whether no part so far took elements or made anything other than a collection of the same kind.
    var endsUnordered = true
    var end: String.Index
  }

  /// Reads what follows a value at `start`: `.filter { … }.map(…)`.
  private func chain(at start: String.Index) -> Chain {
    var chain = Chain(end: start)
    var index = start
    // Whether a brace begins a closure of the last word, and not the body of a loop.
    var isMethod = false
    while index < string.endIndex {
      var next = index
      while next < string.endIndex, string[next].isWhitespace { next = string.index(after: next) }
      guard next < string.endIndex else { break }
      let character = string[next]
      if character == "(" || character == "[", next == index {
        // A subscript or a call of something that is no collection method.
        if character == "[" && chain.endsUnordered && !chain.takes { chain.endsUnordered = false }
        guard let end = behindBracket(at: next) else { break }
        index = end
        isMethod = false
      } else if character == "{", isMethod {
        guard let end = behindBracket(at: next) else { break }
        index = end
      } else if (character == "?" || character == "!") && next == index {
        index = string.index(after: next)
      } else if character == "." {
        let word = string[string.index(after: next)...].prefix {
          $0.isLetter || $0.isNumber || $0 == "_"
        }
        guard !word.isEmpty else { break }
        let name = String(word)
        if chain.endsUnordered || chain.takes {
          if Self.settling.contains(name) { chain.settles = true }
          if chain.endsUnordered, Self.taking.contains(name) {
            chain.takes = true
            if name == "reduce", string[word.endIndex...].hasPrefix("(0, +)") {
              chain.settles = true
            }
          }
          if !Self.keeping.contains(name) { chain.endsUnordered = false }
        }
        index = word.endIndex
        isMethod =
          Self.taking.contains(name) || Self.keeping.contains(name) || Self.settling.contains(name)
        if ["keys", "values", "lazy", "count", "isEmpty"].contains(name) { isMethod = false }
      } else {
        break
      }
      chain.end = index
    }
    return chain
  }

  /// Whether the elements of the collection `name` are taken in their order.
  func takesElements(of name: Range<String.Index>) -> Bool {
    var start = name.lowerBound
    // The whole path: `self.found.named`.
    while start > string.startIndex {
      let before = string.index(before: start)
      guard "._?!".contains(string[before]) || string[before].isLetter || string[before].isNumber
      else { break }
      start = before
    }
    let before = string[..<start]
    if before.hasSuffix("func ") || before.hasSuffix("let ") || before.hasSuffix("var ") {
      return false
    }
    // If the name is a function's, the call is the collection.
    var end = name.upperBound
    if string[end...].hasPrefix("("), let behind = behindBracket(at: end) { end = behind }
    let chain = chain(at: end)
    if chain.settles { return false }
    // The elements go into another collection without an order.
    let absorbers = [
      "Set(", "formUnion(", "union(", "subtract(", "subtracting(", "isSubset(of: ",
      "isSuperset(of: ",
      "isDisjoint(with: ", "formIntersection(", "intersection(",
    ]
    if absorbers.contains(where: before.hasSuffix) { return false }
    if chain.takes { return true }
    guard chain.endsUnordered else { return false }
    if before.hasSuffix(" in ") && line(at: start).contains(/\bfor\b/) { return true }
    let takers = ["Array(", "contentsOf: ", "zip(", "+= ", " + ", "joined("]
    guard let taker = takers.first(where: before.hasSuffix) else { return false }
    if taker.hasSuffix("("), let behind = behindBracket(at: before.index(before: before.endIndex)) {
      return !self.chain(at: behind).settles
    }
    return true
  }
}
