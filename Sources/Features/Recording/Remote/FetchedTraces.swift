import ByteReading
import ImageModel

/// The traces of a launch on another machine, as the script `RemoteScript.fetching` sends them:
///
///     orderfile: traces STATUS [ended]
///     SIZE SUFFIX
///     (SIZE bytes)
///     ...
///     end
///
/// Other lines may come before, from the login shell.
struct FetchedTraces {
  struct Trace {
    /// The suffix that the recorder appended to the path of the trace: empty for the program, else `.<pid>`.
    var suffix: String
    var bytes: [UInt8]
  }

  /// The exit status of the program; `nil` if the program did not begin, or did not end.
  var status: Int32?
  /// Whether the launch was ended, because the connection had ended, or for this fetch.
  var wasEnded: Bool
  var traces: [Trace] = []

  /// - Returns: `nil` if the bytes are incomplete.
  init?(parsing bytes: FileBytes) {
    var reader = LineReader(bytes)
    let start = RemoteScript.answer + "traces "
    var first: String?
    while first == nil {
      guard let line = reader.line() else { return nil }
      if line.hasPrefix(start) { first = line }
    }
    let words = first?.dropFirst(start.count).split(separator: " ") ?? []
    status = words.first.flatMap { Int32($0) }
    wasEnded = words.dropFirst().first == "ended"
    while let line = reader.line(), line != "end" {
      // Some systems put blanks before the size.
      let words = line.split(separator: " ")
      let suffix = words.count > 1 ? String(words[1]) : ""
      guard let size = words.first.flatMap({ Int($0) }), words.count < 3, Self.isSuffix(suffix),
        let content = reader.bytes(size)
      else { return nil }
      traces.append(Trace(suffix: suffix, bytes: content))
    }
    guard reader.isAfterEnd else { return nil }
  }

  /// Whether `text` may be the end of a trace's name, which becomes the name of a file.
  private static func isSuffix(_ text: String) -> Bool {
    guard !text.isEmpty else { return true }
    let numbers = text.split(separator: ".", omittingEmptySubsequences: false)
    return numbers[0].isEmpty && (2...3).contains(numbers.count)
      && numbers.dropFirst().allSatisfy { UInt64($0) != nil && $0.utf8.first != UInt8(ascii: "+") }
  }

  private struct LineReader {
    private let bytes: FileBytes
    private var place = 0
    /// Whether the last line was `end`.
    private(set) var isAfterEnd = false

    init(_ bytes: FileBytes) { self.bytes = bytes }

    /// Returns the next line; `nil` if no complete line follows.
    mutating func line() -> String? {
      guard let end = bytes.firstIndex(of: UInt8(ascii: "\n"), in: place..<bytes.count) else {
        return nil
      }
      let text = bytes.text(place..<end)
      place = end + 1
      isAfterEnd = text == "end"
      return text
    }

    /// Returns the next `count` bytes; `nil` if there are fewer.
    mutating func bytes(_ count: Int) -> [UInt8]? {
      guard count >= 0, count <= bytes.count - place else { return nil }
      defer { place += count }
      return bytes.copy(place..<place + count)
    }
  }
}
