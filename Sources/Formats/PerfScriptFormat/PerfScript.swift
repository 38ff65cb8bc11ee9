// The samples that `perf script` prints.
//
//     app 4161/4162 [001] 71906.271772:     250000 cpu-clock:u:
//     	    55d48c85b7c7 load+0x17 (/tmp/app)
//     	    55d48c85b803 main+0x3 (/tmp/app)
//
//     app  4161 71906.272019:   250000 cpu-clock:u:      55d48c85b7c7 load+0x17 (/tmp/app)
//
// A sample begins with a line that has the command, the thread, and the time. If `-F` asks for them, the process is
// before the thread, and the processor after it. If stacks were recorded, the frames follow in lines of their own, the
// innermost first; otherwise the only frame is at the end of the line. Events that are not samples
// (`PERF_RECORD_MMAP2`) have such a first line, too. The columns differ between versions and options, so a line is
// recognized by its time, and missing columns are unknown.
//
// A symbol may contain blanks and parentheses if perf has demangled it, and so may the path of an image: `+0x17 (` is
// the boundary, or else the last ` (`. A frame that perf has made of debug information, `(inlined)`, is not a function
// of the image and is left out.
// <https://github.com/torvalds/linux/blob/master/tools/perf/Documentation/perf-script.txt>,
// <https://github.com/torvalds/linux/blob/master/tools/perf/util/evsel_fprintf.c>

import Addresses
import ByteReading

/// One sample: the place of a thread at one time. All ranges are indexes of the file's bytes.
package struct PerfSample: Sendable {
  package var command: Range<Int>
  /// The number of the process; `nil` if perf printed only the thread.
  package var process: UInt64?
  package var thread: UInt64?
  /// The time of the sample in nanoseconds, since an unspecified moment.
  package var nanoseconds: UInt64
  /// The number of the sample's first line, from 1.
  package var line: Int
  /// The frames of the stack, the innermost first.
  package var frames: [Frame] = []

  /// A function in the stack.
  package struct Frame: Sendable {
    /// The name, as perf prints it; `nil` for `[unknown]`.
    package var symbol: Range<Int>?
    /// The path or name of the image; `nil` if it is unknown.
    package var image: Range<Int>?
    package var line: Int
  }
}

/// Reads the output of `perf script`.
package struct PerfScript: Sendable {
  package let bytes: FileBytes

  package init(_ bytes: FileBytes) { self.bytes = bytes }

  /// The maximum number of frames that are kept of a stack. The innermost frames are kept. perf records 127 unless told
  /// otherwise.
  private static let mostFrames = 4096

  /// Passes each sample to `body`, in the order of the file.
  ///
  /// - Returns: the number of samples.
  /// - Throws: `missing` if no line begins a sample.
  /// - Complexity: O(*n*) for *n* bytes.
  @discardableResult
  package func forEachSample(_ body: (PerfSample) -> Void) throws(ParseError) -> Int {
    var count = 0
    var current: PerfSample?
    func end() {
      guard let sample = current else { return }
      count += 1
      body(sample)
      current = nil
    }
    var lines = LineScanner(bytes)
    while let line = lines.next() {
      if let (sample, isSample) = head(line, number: lines.lineNumber) {
        end()
        if isSample { current = sample }
      } else if current != nil, (current?.frames.count ?? 0) < Self.mostFrames,
        let frame = frame(line, number: lines.lineNumber)
      {
        current?.frames.append(frame)
      }
    }
    end()
    guard count > 0 else {
      throw ParseError(
        .missing, "samples of perf script with a time", at: FileOffset(rawValue: 0), line: 1)
    }
    return count
  }

  /// The first line of an event, and whether it is a sample; `nil` for any other line.
  private func head(_ line: Range<Int>, number: Int) -> (PerfSample, isSample: Bool)? {
    // The command may contain anything; the word before the time is a number, of the thread or the processor.
    var words = Words(bytes, line)
    var previous: Range<Int>?
    var beforePrevious: Range<Int>?
    while let word = words.next() {
      if let time = time(word), let thread = previous {
        let isProcessor = bytes[thread.lowerBound] == UInt8(ascii: "[")
        guard let threadWord = isProcessor ? beforePrevious : thread,
          let (process, thread) = numbers(threadWord)
        else { return nil }
        var sample = PerfSample(
          command: trimmed(line.lowerBound..<threadWord.lowerBound), process: process,
          thread: thread, nanoseconds: time, line: number)
        let rest = words.rest
        if isRecord(rest) { return (sample, false) }
        if let frame = onlyFrame(rest, number: number) { sample.frames = [frame] }
        return (sample, true)
      }
      (beforePrevious, previous) = (previous, word)
    }
    return nil
  }

  /// Whether the text after the time is an event of perf's own, and not a sample.
  private func isRecord(_ rest: Range<Int>) -> Bool {
    bytes.hasPrefix("PERF_RECORD_", at: trimmed(rest).lowerBound)
  }

  /// The frame after the name of the event, which ends with a colon.
  private func onlyFrame(_ rest: Range<Int>, number: Int) -> PerfSample.Frame? {
    var words = Words(bytes, rest)
    while let word = words.next() {
      if bytes[word.upperBound - 1] == UInt8(ascii: ":") {
        return frame(words.rest, number: number)
      }
    }
    return nil
  }

  /// `55d48c85b7c7 load+0x17 (/tmp/app)`; `nil` for a line of another form.
  private func frame(_ line: Range<Int>, number: Int) -> PerfSample.Frame? {
    var words = Words(bytes, line)
    guard let address = words.next(), address.count <= 16,
      address.allSatisfy({ isLowerHexDigit(bytes[$0]) })
    else { return nil }
    let text = trimmed(words.rest)
    guard !text.isEmpty else { return nil }
    guard bytes[text.upperBound - 1] == UInt8(ascii: ")"), let split = imageStart(text) else {
      return PerfSample.Frame(symbol: symbol(text), image: nil, line: number)
    }
    let image = split + 2..<text.upperBound - 1
    guard !bytes.isEqual(image, to: "inlined") else { return nil }
    return PerfSample.Frame(
      symbol: symbol(text.lowerBound..<split),
      image: bytes.isEqual(image, to: "[unknown]") ? nil : withoutOffset(image), line: number)
  }

  /// Returns the index of the ` (` before the image: the first one after a symbol's offset, else the
  /// first one before `/` or `[`, else the last one. A path may contain ` (`: `(/tmp/app (deleted))`.
  private func imageStart(_ text: Range<Int>) -> Int? {
    var last: Int?
    var path: Int?
    var index = text.lowerBound
    while index + 1 < text.upperBound {
      if bytes[index] == UInt8(ascii: " "), bytes[index + 1] == UInt8(ascii: "(") {
        last = index
        let next = bytes[min(index + 2, text.upperBound - 1)]
        if path == nil, next == UInt8(ascii: "/") || next == UInt8(ascii: "[") { path = index }
        if withoutOffset(text.lowerBound..<index).upperBound < index { return index }
      }
      index += 1
    }
    return path ?? last
  }

  private func symbol(_ text: Range<Int>) -> Range<Int>? {
    let name = withoutOffset(trimmed(text))
    return name.isEmpty || bytes.isEqual(name, to: "[unknown]") ? nil : name
  }

  /// Returns `range` without an offset such as `+0x17` at its end.
  private func withoutOffset(_ range: Range<Int>) -> Range<Int> {
    var index = range.upperBound
    while index > range.lowerBound, range.upperBound - index < 17, isLowerHexDigit(bytes[index - 1])
    {
      index -= 1
    }
    let start = index - 3
    guard index < range.upperBound, start >= range.lowerBound, bytes.hasPrefix("+0x", at: start)
    else { return range }
    return range.lowerBound..<start
  }

  /// Returns the nanoseconds of a time such as `71906.271772:`.
  private func time(_ word: Range<Int>) -> UInt64? {
    guard bytes[word.upperBound - 1] == UInt8(ascii: ":"),
      let dot = bytes.firstIndex(of: UInt8(ascii: "."), in: word),
      let seconds = number(word.lowerBound..<dot), seconds < 1 << 32,
      let fraction = number(dot + 1..<word.upperBound - 1)
    else { return nil }
    let digits = word.upperBound - 2 - dot
    guard digits <= 9 else { return nil }
    var nanoseconds = fraction
    for _ in digits..<9 { nanoseconds *= 10 }
    return seconds * 1_000_000_000 + nanoseconds
  }

  /// Reads the numbers of a thread, and of its process if it is stated: `4162`, or `4161/4162`.
  private func numbers(_ word: Range<Int>) -> (process: UInt64?, thread: UInt64)? {
    guard let slash = bytes.firstIndex(of: UInt8(ascii: "/"), in: word) else {
      return number(word).map { (nil, $0) }
    }
    guard let process = number(word.lowerBound..<slash),
      let thread = number(slash + 1..<word.upperBound)
    else { return nil }
    return (process, thread)
  }

  private func number(_ range: Range<Int>) -> UInt64? {
    guard (1...18).contains(range.count) else { return nil }
    var value: UInt64 = 0
    for index in range {
      guard isDigit(bytes[index]) else { return nil }
      value = value * 10 + UInt64(bytes[index] - UInt8(ascii: "0"))
    }
    return value
  }

  private func trimmed(_ range: Range<Int>) -> Range<Int> {
    var (start, end) = (range.lowerBound, range.upperBound)
    while start < end, isBlank(bytes[start]) { start += 1 }
    while start < end, isBlank(bytes[end - 1]) { end -= 1 }
    return start..<end
  }
}

private func isBlank(_ byte: UInt8) -> Bool {
  byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
}

/// The words in a range of bytes, which are separated by blanks.
private struct Words {
  private let bytes: FileBytes
  private(set) var rest: Range<Int>

  init(_ bytes: FileBytes, _ range: Range<Int>) {
    self.bytes = bytes
    rest = range
  }

  mutating func next() -> Range<Int>? {
    var start = rest.lowerBound
    while start < rest.upperBound, isBlank(bytes[start]) { start += 1 }
    var end = start
    while end < rest.upperBound, !isBlank(bytes[end]) { end += 1 }
    rest = end..<rest.upperBound
    return start < end ? start..<end : nil
  }
}
