/// The elements that are read. A cell's element is named after the engineering type of its column, so the
/// name identifies it; the mnemonics of columns and their order differ between versions of Instruments.
enum XctraceElement: CaseIterable {
  case frame, binary, row, backtrace, taggedBacktrace
  case sampleTime, startTime, eventTime, duration
  case thread, threadNumber, process, processNumber
  case operation, address, size, period
  case node, schema
  case tableOfContents
  case other

  var name: StaticString {
    switch self {
    case .frame: "frame"
    case .binary: "binary"
    case .row: "row"
    case .backtrace: "backtrace"
    case .taggedBacktrace: "tagged-backtrace"
    case .sampleTime: "sample-time"
    case .startTime: "start-time"
    case .eventTime: "event-time"
    case .duration: "duration"
    case .thread: "thread"
    case .threadNumber: "tid"
    case .process: "process"
    case .processNumber: "pid"
    case .operation: "vm-op"
    case .address: "address"
    case .size: "size-in-bytes"
    case .period: "app-period"
    case .node: "node"
    case .schema: "schema"
    case .tableOfContents: "trace-toc"
    case .other: ""
    }
  }

  /// Whether the element's text is a decimal number.
  var isNumber: Bool {
    switch self {
    case .sampleTime, .startTime, .eventTime, .duration, .threadNumber, .processNumber, .address,
      .size:
      true
    default: false
    }
  }

  init(_ name: XMLText) {
    for element in Self.named where name == element.name {
      self = element
      return
    }
    self = .other
  }

  /// The most frequent elements first.
  private static let named = allCases.filter { $0 != .other }
}
