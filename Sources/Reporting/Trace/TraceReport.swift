import ImageModel
import JSON

/// What `orderfile show` prints of a trace.
package struct TraceReport: Sendable {
  package static let schema = "orderfile.trace/1"

  package var trace: Trace
  /// For each hit the names of the function that was entered and of the body that ran, if that is
  /// another one; empty where none is known. Parallel to `trace.hits`.
  package var hitNames: [[SymbolName]]

  /// What was used, by function; empty unless basic blocks were recorded.
  package var functions: [ExecutedFunction]

  package init(_ trace: Trace, hitNames: [[SymbolName]], functions: [ExecutedFunction] = []) {
    precondition(hitNames.count == trace.hits.count, "parallel arrays")
    self.trace = trace
    self.hitNames = hitNames
    self.functions = functions
  }

  /// The trace for machines: `orderfile.trace/1`. Times are nanoseconds since the process started, and
  /// absent where the clock could not be calibrated; of an imported trace since its source began to
  /// record, and absent where that tells none.
  ///
  /// `blocks`, `functions`, `executedBytes` and `startupBytes` are there if basic blocks were recorded.
  /// The last two are the sums of those of the functions: a function of which no block was recorded counts
  /// as executed from end to end, and has no `blocks`.
  ///
  /// - Parameter demangle: adds `demangledNames` to the hits and `demangledName` to the functions.
  package func json(demangle: NameWording? = nil) -> [UInt8] {
    JSONWriter.document { json in
      if hasBlocks {
        json.array("blocks") { json in
          for hit in trace.blockHits {
            json.object { json in
              json.member("address", hit.block.start)
              json.member("image", hit.image)
              json.member("sizeBytes", hit.block.size)
              json.member("step", hit.step)
            }
          }
        }
      }
      json.member("end", trace.end.rawValue)
      if hasBlocks { json.member("executedBytes", executedBytes) }
      if let parent = trace.forkedBy { json.member("forkedBy", Int(parent)) }
      if hasBlocks {
        json.array("functions") { json in
          for function in functions { json.object { function.write(to: &$0, demangle) } }
        }
      }
      json.array("hits") { json in
        for (hit, names) in zip(trace.hits, hitNames) {
          json.object { json in
            if let demangle {
              json.array("demangledNames") { json in
                for name in names { json.element(demangle(name)) }
              }
            }
            if let entry = hit.entry { json.member("entry", entry) }
            if let index = hit.guardIndex { json.member("guard", index) }
            json.member("image", hit.image)
            json.array("names") { json in for name in names { json.element(name) } }
            if let time = hit.nanoseconds { json.member("nanoseconds", time) }
            if let address = hit.returnAddress { json.member("returnAddress", address) }
            json.member("step", hit.step)
            if hit.thread > 0 { json.member("thread", hit.thread) }
          }
        }
      }
      json.array("images") { json in
        for image in trace.images {
          json.object { json in
            if hasBlocks { json.member("blockCount", image.blockCount) }
            json.member("guardCount", image.guardCount)
            if let id = image.id { json.member("id", id.description) }
            json.member("number", image.number)
            json.member("path", image.path)
          }
        }
      }
      json.member("inFlightRecords", trace.inFlightRecords)
      json.member("lostRecords", trace.lostRecords)
      json.array("marks") { json in
        for mark in trace.marks {
          json.object { json in
            json.member("name", mark.name)
            if let time = mark.nanoseconds { json.member("nanoseconds", time) }
            json.member("step", mark.step)
          }
        }
      }
      json.member("method", trace.method.rawValue)
      json.member("path", trace.path)
      json.member("process", Int(trace.processNumber))
      json.member("program", trace.program)
      json.member("schema", Self.schema)
      json.member("sealed", trace.isSealed)
      if hasBlocks { json.member("startupBytes", startupBytes) }
      json.member("unattributedHits", trace.unattributedHits)
    }
  }

  /// The trace for people: who ran, what was loaded, and a line for each hit and mark.
  ///
  /// - Parameter width: the terminal's, in columns; `nil` shortens no name.
  package func text(width: Int? = nil, names: NameWording = mangled) -> String {
    var text = """
      trace \(printable(trace.path))
        program:  \(printable(trace.program))\(processText)
        images:   \(trace.images.count)
        hits:     \(trace.hits.count)\(lossText)
        \(executedText)\(endText)
        sealed:   \(trace.isSealed ? "yes" : "no")

      """
    for (index, image) in trace.images.enumerated() {
      text += "  image \(index): \(printable(image.path)), "
      switch trace.method {
      case .instrumentation: text += "\(counted(image.guardCount, "guard")), "
      case .breakpoints:
        text +=
          image.blockCount == 0
          ? "\(counted(image.guardCount, "breakpoint")), "
          : "\(counted(image.guardCount, "function")) and \(counted(image.blockCount, "basic block")), "
      case .imported: break
      }
      text += "ID \(image.id?.description ?? "none")\n"
    }
    text += hitTable(names).text(width: width)
    if hasBlocks { text += "\n" + functionTable(names).text(width: width) }
    return text
  }

  private var hasBlocks: Bool { trace.images.contains { $0.blockCount > 0 } }
  private var startupBytes: UInt64 { functions.reduce(0) { $0 &+ $1.sizeBytes } }
  private var executedBytes: UInt64 { functions.reduce(0) { $0 &+ $1.executedBytes } }

  private var executedText: String {
    guard hasBlocks else { return "" }
    return "executed: \(executedBytes) of \(startupBytes) bytes of "
      + "\(counted(functions.count, "startup function")), "
      + "\(counted(trace.blockHits.count, "basic block"))\n  "
  }

  /// The largest first.
  private func functionTable(_ names: NameWording) -> Table {
    var table = Table([
      .init("EXECUTED"), .init("OF BYTES"), .init("SHARE"), .init("BLOCKS"), .init("STEP"),
      .init("FUNCTION", .left),
    ])
    let sorted = functions.sorted { ($1.sizeBytes, $0.step) < ($0.sizeBytes, $1.step) }
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
      "\(executedBytes)", "\(startupBytes)",
      Percentage.share(Int(clamping: executedBytes), of: Int(clamping: startupBytes)),
      "\(trace.blockHits.count)", "", "TOTAL",
    ])
    return table
  }

  private var processText: String {
    if trace.method == .imported && trace.processNumber == 0 { return "" }
    return ", process \(trace.processNumber)"
      + (trace.forkedBy.map { ", forked by \($0)" } ?? "")
  }

  private var endText: String {
    trace.method == .imported
      ? "source:   imported, not recorded: holds what its source saw"
      : "end:      \(trace.end.rawValue)"
  }

  private var lossText: String {
    var parts: [String] = []
    if trace.lostRecords > 0 { parts.append("\(trace.lostRecords) lost") }
    if trace.inFlightRecords > 0 { parts.append("\(trace.inFlightRecords) in flight") }
    if trace.unattributedHits > 0 {
      parts.append("\(trace.unattributedHits) of no image in the trace")
    }
    return parts.isEmpty ? "" : ", " + parts.joined(separator: ", ")
  }

  private func hitTable(_ names: NameWording) -> Table {
    var table = Table([
      .init("STEP"), .init("MS"), .init("THREAD"), .init("IMAGE"), .init("FUNCTION", .left),
    ])
    var marks = trace.marks[...]
    func add(_ mark: Mark) {
      table.add(["\(mark.step)", time(mark.nanoseconds), "", "", "-- \(printable(mark.name)) --"])
    }
    for (hit, hitNames) in zip(trace.hits, hitNames) {
      while let mark = marks.first, mark.step < hit.step {
        add(mark)
        marks.removeFirst()
      }
      let address = hit.entry ?? hit.returnAddress
      let text =
        hitNames.isEmpty
        ? address?.description ?? "?"
        : hitNames.map { printable(names($0)) }.joined(separator: " → ")
      table.add([
        "\(hit.step)", time(hit.nanoseconds), hit.thread > 0 ? "\(hit.thread)" : "",
        "\(hit.image)", text,
      ])
    }
    for mark in marks { add(mark) }
    return table
  }

  /// Milliseconds with three places.
  private func time(_ nanoseconds: UInt64?) -> String {
    guard let nanoseconds else { return "" }
    let fraction = String(nanoseconds / 1000 % 1000)
    return "\(nanoseconds / 1_000_000)."
      + String(repeating: "0", count: 3 - fraction.count) + fraction
  }
}
