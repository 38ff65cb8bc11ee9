import ImageModel

/// What `orderfile show` prints of a trace.
package struct TraceReport: Sendable {
  package static let schema = "orderfile.trace/1"

  package var trace: Trace
  /// For each hit the names of the function that was entered and of the body that ran, if that is
  /// another one; empty where none is known. Parallel to `trace.hits`.
  package var hitNames: [[SymbolName]]

  package init(_ trace: Trace, hitNames: [[SymbolName]]) {
    precondition(hitNames.count == trace.hits.count, "parallel arrays")
    self.trace = trace
    self.hitNames = hitNames
  }

  /// The trace for machines: `orderfile.trace/1`. Times are nanoseconds since the process started, and
  /// absent where the clock could not be calibrated; of an imported trace since its source began to
  /// record, and absent where that tells none.
  ///
  /// - Parameter demangle: adds `demangledNames` to the hits.
  package func json(demangle: NameWording? = nil) -> [UInt8] {
    JSONWriter.document { json in
      json.member("end", trace.end.rawValue)
      if let parent = trace.forkedBy { json.member("forkedBy", Int(parent)) }
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
        \(endText)
        sealed:   \(trace.isSealed ? "yes" : "no")

      """
    for (index, image) in trace.images.enumerated() {
      text += "  image \(index): \(printable(image.path)), "
      switch trace.method {
      case .instrumentation: text += "\(counted(image.guardCount, "guard")), "
      case .breakpoints: text += "\(counted(image.guardCount, "breakpoint")), "
      case .imported: break
      }
      text += "ID \(image.id?.description ?? "none")\n"
    }
    return text + hitTable(names).text(width: width)
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
