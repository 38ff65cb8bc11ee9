import ByteReading
import ImageModel
import Rendering

/// The text report of a trace: the program, its images, and a line for each hit and mark.
///
/// The names of hits have 1 KiB for each hit, and 1 MiB more. Further names are cut off after 64 bytes, so that the text
/// is not longer than a multiple of the trace. The document has the whole names.
package struct TraceText {
  private let document: TraceDocument
  private let width: Int?
  private let names: NameWording
  private var trace: Trace { document.trace }

  /// - Parameter width: the terminal's width, in columns; `nil` shortens no name.
  package init(
    _ document: TraceDocument, width: Int? = nil, names: @escaping NameWording = mangled
  ) {
    self.document = document
    self.width = width
    self.names = names
  }

  package var text: String {
    var text = """
      trace \(printable(trace.path))
        program:  \(printable(trace.program))\(processText)
        images:   \(trace.images.count)
        hits:     \(trace.hits.count)\(lossText)
        \(executedText)\(dataText)\(endText)
        sealed:   \(trace.isSealed ? "yes" : "no")

      """
    if let workload = trace.workload {
      text += "  \(workload.summary.text)\n"
      for input in workload.inputs {
        text += "    input \(WorkloadSummary.text(input.hash)) \(printable(input.path))\n"
      }
    }
    for (index, image) in trace.images.enumerated() {
      text += "  image \(index): \(printable(image.path)), "
      switch trace.method {
      case .instrumentation: text += "\(counted(image.guardCount, "guard")), "
      case .emulation:
        text += "\(counted(image.guardCount, "function")) and "
        text +=
          image.hasExecutedRuns
          ? "no map of basic blocks, " : "\(counted(image.blockCount, "basic block")), "
      case .breakpoints:
        text +=
          image.blockCount == 0
          ? "\(counted(image.guardCount, "breakpoint")), "
          : "\(counted(image.guardCount, "function")) and \(counted(image.blockCount, "basic block")), "
      case .imported: break
      }
      text += "ID \(image.id?.description ?? "none")\n"
      if let code = document.recordable[index] {
        text += "    \(code.wording)"
        let units = code.unseenUnits(keeping: 3)
        text += units.isEmpty ? "\n" : "; \(code.means.lack): \(units)\n"
      }
    }
    text += hits.text(width: width)
    if document.hasBlocks { text += "\n" + functions.text(width: width) }
    if !trace.dataHits.isEmpty { text += "\n" + data.text(width: width) }
    return text
  }

  private var executedText: String {
    guard document.hasBlocks else { return "" }
    return "executed: \(document.executedBytes) of \(document.startupBytes) bytes of "
      + "\(counted(document.functions.count, "startup function")), "
      + "\(counted(trace.blockHits.count, "basic block"))\n  "
  }

  private var dataText: String {
    guard !trace.dataHits.isEmpty else { return "" }
    let bytes = trace.dataHits.map(\.touch.bytes.size).saturatingSum()
    return "data:     \(counted(trace.dataHits.count, "granule")) touched, \(bytes) bytes\n  "
  }

  /// A line for each variable or constant, and for each other section, with its first touch.
  private var data: Table {
    struct Key: Hashable {
      var image: Int
      var data: TouchedData
    }
    var touched: [Key: UInt64] = [:]
    var firsts: [(key: Key, touch: DataTouch)] = []
    for (hit, data) in zip(trace.dataHits, document.touchedData) {
      let key = Key(image: hit.image, data: data)
      if touched[key] == nil { firsts.append((key, hit.touch)) }
      touched[key, default: 0] += hit.touch.bytes.size
    }
    var table = Table([
      .init("STEP"), .init("MS"), .init("IMAGE"), .init("BYTES"), .init("SECTION", .left),
      .init("DATA", .left),
    ])
    for (key, touch) in firsts {
      let names = key.data.names.map { printable(self.names($0)) }.joined(separator: ", ")
      table.add([
        "\(touch.step)", time(touch.nanoseconds), "\(key.image)", "\(touched[key] ?? 0)",
        key.data.section.map { printable($0.description) } ?? "",
        names.isEmpty ? "without a name, first at \(touch.bytes.start)" : names,
      ])
    }
    return table
  }

  /// A line for each function, the largest function first.
  private var functions: Table {
    var table = Table([
      .init("EXECUTED"), .init("OF BYTES"), .init("SHARE"), .init("BLOCKS"), .init("STEP"),
      .init("FUNCTION", .left),
    ])
    let sorted = document.functions.sorted { ($1.sizeBytes, $0.step) < ($0.sizeBytes, $1.step) }
    for function in sorted {
      let name = function.name.map { printable(names($0)) }
      table.add([
        "\(function.executedBytes)", "\(function.sizeBytes)",
        Percentage.share(
          Int(clamping: function.executedBytes), of: Int(clamping: function.sizeBytes)),
        function.blockCount.map { "\($0)" } ?? "", "\(function.step)",
        name ?? function.address.description,
      ])
    }
    table.add([
      "\(document.executedBytes)", "\(document.startupBytes)",
      Percentage.share(
        Int(clamping: document.executedBytes), of: Int(clamping: document.startupBytes)),
      "\(trace.blockHits.count)", "", "TOTAL",
    ])
    return table
  }

  private var processText: String {
    guard let number = trace.processNumber else { return "" }
    return ", process \(number)" + (trace.forkedBy.map { ", forked by \($0)" } ?? "")
  }

  private var endText: String {
    trace.method == .imported
      ? "source:   imported, not recorded: only as complete as its source"
      : "end:      \(trace.end.rawValue)"
  }

  private var lossText: String {
    var parts: [String] = []
    if trace.lostRecords > 0 { parts.append("\(trace.lostRecords) lost") }
    if trace.lostMarks > 0 {
      parts.append("\(trace.lostMarks) \(trace.lostMarks == 1 ? "mark" : "marks") lost")
    }
    if trace.earlyFunctions > 0, !trace.dataHits.isEmpty {
      let functions = counted(Int(clamping: trace.earlyFunctions), "function")
      parts.append("touches of data by \(functions) before their images registered")
    }
    if trace.inFlightRecords > 0 {
      parts.append("\(trace.inFlightRecords) being written at the end")
    }
    if trace.unattributedHits > 0 {
      parts.append("\(trace.unattributedHits) outside the trace's images")
    }
    return parts.isEmpty ? "" : ", " + parts.joined(separator: ", ")
  }

  private var hits: Table {
    var table = Table([
      .init("STEP"), .init("MS"), .init("THREAD"), .init("IMAGE"), .init("FUNCTION", .left),
    ])
    // The names have a budget of bytes, because many hits may be in one function with a long name.
    var budget = ByteBudget(limit: UInt64(trace.hits.count) << 10 + ParsingLimits.smallTable)
    func wording(_ name: SymbolName) -> String {
      if budget.take(name.bytes.count) || name.bytes.count <= 64 { return names(name) }
      return String(decoding: name.bytes.prefix(64), as: UTF8.self) + "…"
    }
    var marks = trace.marks[...]
    func add(_ mark: Mark) {
      table.add(["\(mark.step)", time(mark.nanoseconds), "", "", "-- \(printable(mark.name)) --"])
    }
    for (hit, hitNames) in zip(trace.hits, document.hitNames) {
      while let mark = marks.first, mark.step < hit.step {
        add(mark)
        marks.removeFirst()
      }
      let address = hit.entry ?? hit.returnAddress
      let text =
        hitNames.isEmpty
        ? address?.description ?? "?"
        : hitNames.map { wording($0) }.joined(separator: " → ")
      table.add([
        "\(hit.step)", time(hit.nanoseconds), hit.thread.map { "\($0)" } ?? "",
        "\(hit.image)", text,
      ])
    }
    for mark in marks { add(mark) }
    return table
  }

  /// Returns a time in milliseconds with three decimal places.
  private func time(_ nanoseconds: UInt64?) -> String {
    guard let nanoseconds else { return "" }
    let fraction = String(nanoseconds / 1000 % 1000)
    return "\(nanoseconds / 1_000_000)."
      + String(repeating: "0", count: 3 - fraction.count) + fraction
  }
}
