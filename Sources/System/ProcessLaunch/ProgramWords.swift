import CProcess
import LibC

extension ProgramLaunch {
  /// Calls `body` with `command` as C strings. The words that come from this process's own command line are
  /// passed on byte by byte, because a Swift string cannot hold bytes that are not UTF-8.
  package static func withArguments<R>(
    _ command: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> R
  ) -> R {
    let all = CommandLine.arguments
    guard all.count == Int(CommandLine.argc) else { return withCStrings(command, body) }
    let own = zip(all.reversed(), command.reversed()).prefix { $0 == $1 }.count
    return withCStrings(Array(command.dropLast(own))) { others in
      body(
        others.dropLast() + (all.count - own..<all.count).map { CommandLine.unsafeArgv[$0] } + [nil]
      )
    }
  }

  /// Returns the bytes of the words that a program would get for `command`.
  package static func bytes(of command: [String]) -> [[UInt8]] {
    withArguments(command) { words in words.compactMap { $0 }.map(bytes) }
  }

  /// The ascending indexes of the words of this process's command line that are not UTF-8. `CommandLine.arguments` has
  /// changed words in their places.
  package static var repairedArguments: [Int] {
    (0..<Int(CommandLine.argc)).filter { index in
      guard let word = CommandLine.unsafeArgv[index] else { return false }
      return String(validatingCString: word) == nil
    }
  }

  /// The words of this process's command line, byte by byte.
  package static var ownWords: [[UInt8]] {
    (0..<Int(CommandLine.argc)).map { CommandLine.unsafeArgv[$0].map(bytes) ?? [] }
  }

  private static func bytes(of word: UnsafeMutablePointer<CChar>) -> [UInt8] {
    (0..<strlen(word)).map { UInt8(bitPattern: word[$0]) }
  }
}

/// Calls `body` with a NULL-terminated array of C strings that lives as long as the call.
package func withCStrings<R>(
  _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> R
) -> R {
  let copies = strings.map { strdup($0) }
  defer { for copy in copies { free(copy) } }
  return body(copies + [nil])
}
