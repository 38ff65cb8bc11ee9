import Addresses
import ByteReading

/// Converts the elements of an export to values and rows.
final class XctraceReader: XMLReader {
  private let export: XctraceExport
  private let values: XctraceValues
  private let body: (XctraceRow) -> Void
  /// The open elements, the innermost last.
  private var open: [OpenElement] = []
  /// The frames of the open stacks.
  private var openFrames: [UInt32] = []
  private var table: XctraceTable?
  private var row: XctraceRow?

  private struct OpenElement {
    var element: XctraceElement
    var id: UInt64?
    /// The value to which `ref` refers, or the value of a part of the element.
    var value = XctraceValue()
    /// Whether it is a reference, which is not defined again.
    var isReference = false
    /// The text of the element, if it is a number.
    var number = DecimalNumber()
    /// For a thread or a process: the value of its `tid` or `pid`.
    var ownNumber: UInt64?
    /// The attribute `fmt` of a process, an operation or a period.
    var label: [UInt8] = []
    /// For a thread: the index of its process in `XctraceValues.processes`.
    var process: UInt32?
    /// The attribute `addr` of a frame, or the number in `fmt` of an address.
    var address: LoadedAddress?
    /// For a frame: the index of its binary in `XctraceValues.binaries`.
    var binary: UInt32?
    /// For a stack: the index in `openFrames` of its first frame.
    var firstFrame = 0
  }

  init(_ export: XctraceExport, _ body: @escaping (XctraceRow) -> Void) {
    self.export = export
    values = export.values
    self.body = body
  }

  // MARK: Events

  override func start(_ name: XMLText, _ attributes: XMLAttributes) throws(ParseError) {
    let element = XctraceElement(name)
    var new = OpenElement(element: element)
    new.firstFrame = openFrames.count
    switch element {
    case .other: break
    case .tableOfContents:
      throw rejected(
        .unsupported(found: "a table of contents, expected an export with --xpath"), "trace-toc")
    case .node: table = nil
    case .schema: table = try self.table(attributes)
    case .row: row = table.map(XctraceRow.init)
    default:
      if let reference = attributes["ref"] {
        new.value = values.value(try id(reference, "ref"))
        new.isReference = true
        break
      }
      if let text = attributes["id"] { new.id = try id(text, "id") }
      switch element {
      case .frame:
        if let text = attributes["addr"] {
          new.address = LoadedAddress(rawValue: try hexadecimalNumber(text, "addr"))
        }
      case .binary: new.value = try values.add(try binary(attributes))
      case .operation, .period, .process: new.label = attributes["fmt"]?.bytes ?? []
      case .address:
        new.address = attributes["fmt"]?.hexadecimalNumber.map(LoadedAddress.init(rawValue:))
      default: break
      }
    }
    open.append(new)
  }

  override func text(_ text: XMLText) throws(ParseError) {
    guard let last = open.indices.last else { return }
    if open[last].element.isNumber {
      for index in 0..<text.count { open[last].number.append(text[index]) }
    } else if [.operation, .period].contains(open[last].element), open[last].label.isEmpty {
      open[last].label = text.bytes
    }
  }

  override func end() throws(ParseError) {
    guard let ended = open.popLast() else { return }
    if ended.element == .row {
      if let row { body(row) }
      row = nil
      return
    }
    guard ended.element != .other else { return }
    let value = ended.isReference ? ended.value : try value(of: ended)
    if !ended.isReference, let id = ended.id { try values.define(id, value) }
    guard value.kind != .none, let parent = open.indices.last else { return }
    if open[parent].element == .row {
      row?.fill(ended.element, value, values)
    } else {
      give(value, of: ended.element, to: parent)
    }
  }

  // MARK: Values

  private func value(of ended: OpenElement) throws(ParseError) -> XctraceValue {
    switch ended.element {
    case .sampleTime, .startTime, .eventTime, .duration, .threadNumber, .processNumber, .address,
      .size:
      guard let number = try self.number(ended) else { return XctraceValue() }
      return try values.add(number: number)
    case .operation, .period: return try values.add(label: ended.label)
    case .process:
      guard let number = ended.ownNumber else { return XctraceValue() }
      return try values.add(XctraceProcess(number: number, label: ended.label))
    case .thread:
      return try values.addThread(number: ended.ownNumber, process: ended.process)
    case .frame:
      guard let address = ended.address else { return XctraceValue() }
      return try values.add(
        XctraceFrame(
          address: address, binary: ended.binary))
    case .backtrace, .taggedBacktrace:
      defer { openFrames.removeSubrange(ended.firstFrame...) }
      if ended.value.kind == .stack { return ended.value }
      return try values.addStack(openFrames[ended.firstFrame...])
    case .binary: return ended.value
    case .row, .node, .schema, .tableOfContents, .other: return XctraceValue()
    }
  }

  /// Passes the value of an element that has ended to the element that contains it. The value of a reference may be of
  /// any kind.
  private func give(_ value: XctraceValue, of element: XctraceElement, to parent: Int) {
    switch (open[parent].element, element, value.kind) {
    case (.thread, .threadNumber, .number), (.process, .processNumber, .number):
      open[parent].ownNumber = values.numbers[Int(value.index)]
    case (.thread, .process, .process): open[parent].process = value.index
    case (.frame, .binary, .binary): open[parent].binary = value.index
    case (.backtrace, .frame, .frame), (.taggedBacktrace, .frame, .frame):
      openFrames.append(value.index)
    case (.taggedBacktrace, .backtrace, .stack): open[parent].value = value
    default: break
    }
  }

  private func table(_ attributes: XMLAttributes) throws(ParseError) -> XctraceTable? {
    guard let name = attributes["name"] else { return nil }
    let table: XctraceTable? =
      if name == "time-profile" || name == "cpu-profile" {
        .samples
      } else if name == "virtual-memory" {
        .virtualMemory
      } else if name == "life-cycle-period" {
        .lifeCycle
      } else { nil }
    if let table {
      export.tables.insert(table)
    } else if !export.otherTables.contains(name.bytes) {
      export.otherTables.append(name.bytes)
    }
    return table
  }

  private func binary(_ attributes: XMLAttributes) throws(ParseError) -> XctraceBinary {
    var binary = XctraceBinary(
      path: (attributes["path"] ?? attributes["name"])?.bytes ?? [],
      uuid: attributes["UUID"]?.uuid, architecture: attributes["arch"]?.bytes ?? [])
    if let text = attributes["load-addr"] {
      binary.loadAddress = LoadedAddress(rawValue: try hexadecimalNumber(text, "load-addr"))
    }
    return binary
  }

  // MARK: Numbers

  /// The number in the text of an element. An address without text has the number in `fmt`.
  ///
  /// - Throws: `invalid` if the text is not a number, unless the element is in a table that is not read.
  private func number(_ ended: OpenElement) throws(ParseError) -> UInt64? {
    if let value = ended.number.value { return value }
    if ended.number.isEmpty { return ended.address?.rawValue }
    guard table != nil else { return nil }
    throw rejected(
      .invalid(expected: "a decimal number", found: "other text"), "\(ended.element.name)")
  }

  private func id(_ text: XMLText, _ field: String) throws(ParseError) -> UInt64 {
    var number = DecimalNumber()
    for index in 0..<text.count { number.append(text[index]) }
    guard let value = number.value else {
      throw rejected(.invalid(expected: "a decimal number", found: text.quoted), field)
    }
    return value
  }

  private func hexadecimalNumber(
    _ text: XMLText, _ field: String
  ) throws(ParseError) -> UInt64 {
    guard let value = text.hexadecimalNumber else {
      throw rejected(.invalid(expected: "0x and hexadecimal digits", found: text.quoted), field)
    }
    return value
  }

  /// The position is added where the error is caught.
  private func rejected(_ reason: ParseError.Reason, _ field: String) -> ParseError {
    ParseError(reason, field, at: FileOffset(rawValue: 0))
  }
}

extension XctraceRow {
  /// Called when a cell of the row has ended. Of several times, durations, addresses, sizes or stacks the first counts;
  /// of several cells of another kind, the last.
  fileprivate mutating func fill(
    _ element: XctraceElement, _ value: XctraceValue, _ values: XctraceValues
  ) {
    let index = Int(value.index)
    switch (element, value.kind) {
    case (.sampleTime, .number), (.startTime, .number), (.eventTime, .number):
      nanoseconds = nanoseconds ?? values.numbers[index]
    case (.duration, .number):
      durationNanoseconds = durationNanoseconds ?? values.numbers[index]
    case (.address, .number):
      address = address ?? LoadedAddress(rawValue: values.numbers[index])
    case (.size, .number): sizeBytes = sizeBytes ?? values.numbers[index]
    case (.operation, .label): operation = values.labels[index]
    case (.period, .label): period = values.labels[index]
    case (.process, .process): process = values.processes[index]
    case (.thread, .thread):
      let cell = values.threads[index]
      thread = cell.number
      if process == nil { process = cell.process.map { values.processes[Int($0)] } }
    case (.backtrace, .stack), (.taggedBacktrace, .stack): stack = stack ?? index
    default: break
    }
  }
}
