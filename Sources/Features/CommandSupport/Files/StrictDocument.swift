// Documents that people write: an unknown key is an error and not skipped, and errors state lines.

import Addresses
import ByteReading
import JSON
import Rendering

extension JSONObject {
  /// - Throws: an error for the first member whose key is not in `known`, with the key that was probably meant.
  package func refuseMembers(besides known: [String]) throws(ParseError) {
    guard let (key, position) = firstMember(besides: Set(known)) else { return }
    throw ParseError(
      .invalid(
        expected: "one of \(known.joined(separator: ", "))", found: misspelt(key, known)), "key",
      at: position)
  }
}

/// Returns the word as the finding of an error, with the known word that was probably meant: `'maxx', did you mean
/// 'max'?`.
package func misspelt(_ word: String, _ known: [String]) -> String {
  let suggestion = closestName(to: word, of: known).map { ", did you mean '\($0)'?" } ?? ""
  return "'\(printable(String(word.prefix(60))))'\(suggestion)"
}

/// The places of the line ends of a text.
package struct LineNumbers {
  private var ends: [Int] = []

  /// - Complexity: O(*n*) for *n* bytes.
  package init(of bytes: FileBytes) {
    var index = 0
    while let end = bytes.firstIndex(of: UInt8(ascii: "\n"), in: index..<bytes.count) {
      ends.append(end)
      index = end + 1
    }
  }

  /// - Returns: the number of the line that contains `position`, from 1.
  /// - Complexity: O(log *n*) for *n* lines.
  package func line(of position: FileOffset) -> Int {
    var (low, high) = (0, ends.count)
    while low < high {
      let middle = (low + high) / 2
      if UInt64(ends[middle]) < position.rawValue { low = middle + 1 } else { high = middle }
    }
    return low + 1
  }

  /// Replaces the offset of a byte by the number of its line.
  package func number(_ offset: inout Int) {
    offset = line(of: FileOffset(rawValue: UInt64(offset)))
  }

  /// Reads a document with `read`, and adds the line number to an error.
  package static func placing<Document>(
    _ bytes: FileBytes, _ read: (FileBytes) throws(ParseError) -> Document
  ) throws(ParseError) -> Document {
    do { return try read(bytes) } catch {
      var error = error
      error.line = LineNumbers(of: bytes).line(of: error.position)
      throw error
    }
  }
}
