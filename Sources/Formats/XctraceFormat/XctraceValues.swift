import Addresses
import ByteReading

/// The value of an element: its kind, and its place in one of the arrays of `XctraceValues`.
struct XctraceValue {
  enum Kind: UInt8 { case none, number, label, process, thread, stack, frame, binary }
  var kind = Kind.none
  var index: UInt32 = 0
}

/// The values of an export: an element with an `id` defines a value, and an element with a `ref` refers to a value.
///
/// Exports number their ids from 1, across all kinds of elements, so the table is an array. It is stored in
/// pages of 64 ids, which are created when one of their ids is defined.
final class XctraceValues {
  private(set) var numbers: [UInt64] = []
  private(set) var labels: [[UInt8]] = []
  private(set) var processes: [XctraceProcess] = []
  private(set) var threads: [(number: UInt64?, process: UInt32?)] = []
  private(set) var binaries: [XctraceBinary] = []
  private(set) var frames: [XctraceFrame] = []
  /// The frames of all stacks, and the end of each stack.
  private var stackFrames: [UInt32] = []
  private var stackEnds: [Int] = []

  private static let pageSize: UInt64 = 64
  /// The index in `table` of each page's first value, by page number.
  private var pages: [UInt64: Int] = [:]
  private var table: [XctraceValue] = []

  func define(_ id: UInt64, _ value: XctraceValue) throws(ParseError) {
    let page = pages[id / Self.pageSize] ?? table.count
    if page == table.count {
      try Self.check(page)
      table += repeatElement(XctraceValue(), count: Int(Self.pageSize))
      pages[id / Self.pageSize] = page
    }
    table[page + Int(id % Self.pageSize)] = value
  }

  /// A value of kind `none` if no supported element has defined it.
  func value(_ id: UInt64) -> XctraceValue {
    guard let page = pages[id / Self.pageSize] else { return XctraceValue() }
    return table[page + Int(id % Self.pageSize)]
  }

  func add(number: UInt64) throws(ParseError) -> XctraceValue {
    numbers.append(number)
    return try Self.last(.number, of: numbers.count)
  }

  func add(label: [UInt8]) throws(ParseError) -> XctraceValue {
    labels.append(label)
    return try Self.last(.label, of: labels.count)
  }

  func add(_ process: XctraceProcess) throws(ParseError) -> XctraceValue {
    processes.append(process)
    return try Self.last(.process, of: processes.count)
  }

  /// - Parameter process: index into `processes`.
  func addThread(
    number: UInt64?, process: UInt32?
  ) throws(ParseError) -> XctraceValue {
    threads.append((number, process))
    return try Self.last(.thread, of: threads.count)
  }

  func add(_ binary: XctraceBinary) throws(ParseError) -> XctraceValue {
    binaries.append(binary)
    return try Self.last(.binary, of: binaries.count)
  }

  func add(_ frame: XctraceFrame) throws(ParseError) -> XctraceValue {
    frames.append(frame)
    return try Self.last(.frame, of: frames.count)
  }

  /// - Parameter frames: indexes into `frames`.
  func addStack(_ frames: ArraySlice<UInt32>) throws(ParseError) -> XctraceValue {
    stackFrames += frames
    stackEnds.append(stackFrames.count)
    return try Self.last(.stack, of: stackEnds.count)
  }

  /// Returns the frames of a stack as indexes into `frames`, the innermost frame first.
  func stack(_ index: Int) -> ArraySlice<UInt32> {
    stackFrames[(index == 0 ? 0 : stackEnds[index - 1])..<stackEnds[index]]
  }

  private static func last(
    _ kind: XctraceValue.Kind, of count: Int
  ) throws(ParseError) -> XctraceValue {
    try check(count)
    // The number fits: the limit has 28 bits.
    return XctraceValue(kind: kind, index: UInt32(count - 1))
  }

  private static func check(_ count: Int) throws(ParseError) {
    guard UInt64(count) <= ParsingLimits.xctraceValues else {
      throw ParseError(
        .tooLarge(limit: ParsingLimits.xctraceValues, found: UInt64(count)), "number of ids",
        at: FileOffset(rawValue: 0))
    }
  }
}
