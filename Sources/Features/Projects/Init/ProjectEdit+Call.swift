extension ProjectEdit {
  /// A call at the start of a line, such as `project(app)`, in a file that describes a project.
  package struct Call: Hashable, Sendable {
    package let name: String
    private let language: Language

    private enum Language: Hashable, Sendable {
      /// <https://cmake.org/cmake/help/latest/manual/cmake-language.7.html#syntax>
      case cmake
      /// <https://mesonbuild.com/Syntax.html>
      case meson
    }

    /// - Parameter system: the build system that reads the file: `cmake` or `meson`.
    package init(_ name: String, in system: String) {
      self.name = name
      language = system == "cmake" ? .cmake : .meson
    }

    /// Returns the range between the parentheses of the first call; `nil` if the file has no such call. Upper and lower
    /// case are the same in the call's name.
    ///
    /// - Complexity: O(*n*) for *n* bytes.
    package func arguments(in contents: [UInt8]) -> Range<Int>? {
      var index = 0
      var isAtStart = true
      var depth = 0
      var start = 0
      while index < contents.count {
        if let end = endOfText(at: index, in: contents) {
          index = end
          continue
        }
        switch contents[index] {
        case UInt8(ascii: "(") where depth > 0: depth += 1
        case UInt8(ascii: ")") where depth == 1: return start..<index
        case UInt8(ascii: ")") where depth > 1: depth -= 1
        default:
          if depth == 0, isAtStart, let parenthesis = parenthesis(at: index, in: contents) {
            depth = 1
            index = parenthesis
            start = index + 1
          }
        }
        switch contents[index] {
        case UInt8(ascii: "\n"): isAtStart = true
        case UInt8(ascii: " "), UInt8(ascii: "\t"): break
        default: isAtStart = false
        }
        index += 1
      }
      return nil
    }

    /// Returns the offset of the opening parenthesis if there is a call at `index`.
    private func parenthesis(at index: Int, in contents: [UInt8]) -> Int? {
      let end = index + name.utf8.count
      guard end < contents.count,
        contents[index..<end].lazy.map({ $0 | 0x20 }).elementsEqual(name.utf8)
      else { return nil }
      let next = contents[end...].firstIndex { $0 != UInt8(ascii: " ") }
      return next.flatMap { contents[$0] == UInt8(ascii: "(") ? $0 : nil }
    }

    /// Returns the end of the comment, quoted text, bracket argument or escaped character that begins at `index`; `nil`
    /// if none of these begins there.
    private func endOfText(at index: Int, in contents: [UInt8]) -> Int? {
      let quote = UInt8(ascii: language == .cmake ? "\"" : "'")
      switch contents[index] {
      case UInt8(ascii: "#"):
        return endOfBrackets(at: index + 1, in: contents)
          ?? contents[index...].firstIndex(of: UInt8(ascii: "\n")) ?? contents.count
      case quote:
        if language == .meson, contents[index...].starts(with: [quote, quote, quote]) {
          return Self.end(of: [quote, quote, quote], from: index + 3, in: contents)
        }
        var next = index + 1
        while next < contents.count, contents[next] != quote {
          next += contents[next] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(next + 1, contents.count)
      case UInt8(ascii: "\\"): return min(index + 2, contents.count)
      default: return endOfBrackets(at: index, in: contents)
      }
    }

    /// Returns the end of the bracket argument of CMake that begins at `index`: `[[text]]`, `[=[text]=]`; `nil` if none begins
    /// there.
    private func endOfBrackets(at index: Int, in contents: [UInt8]) -> Int? {
      let bracket = UInt8(ascii: "[")
      guard language == .cmake, index < contents.count, contents[index] == bracket else {
        return nil
      }
      let equals = contents[(index + 1)...].prefix { $0 == UInt8(ascii: "=") }
      guard equals.endIndex < contents.count, contents[equals.endIndex] == bracket else {
        return nil
      }
      let closing = UInt8(ascii: "]")
      return Self.end(
        of: [closing] + equals + [closing], from: equals.endIndex + 1, in: contents)
    }

    private static func end(of text: [UInt8], from start: Int, in contents: [UInt8]) -> Int {
      contents[start...].firstRange(of: text)?.upperBound ?? contents.count
    }
  }
}
