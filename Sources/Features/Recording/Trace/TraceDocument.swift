import Addresses
import ImageModel
import JSON
import PagesFormat
import Rendering

/// A trace, with the names of the functions that it recorded.
package struct TraceDocument: Sendable {
  package var trace: Trace
  /// For each hit, the names of the function that was entered, and of the body that ran if it is another function;
  /// empty if unknown. Parallel to `trace.hits`.
  package var hitNames: [[SymbolName]]

  /// The functions that were used; empty unless basic blocks were recorded.
  package var functions: [ExecutedFunction]
  /// The data that each of `trace.dataHits` touched, parallel to `trace.dataHits`.
  package var touchedData: [TouchedData]
  /// How much of each image's code could be recorded, by the image's index in the trace; without images for which this
  /// is unknown.
  package var recordable: [Int: RecordableCode]
  /// Whether basic blocks were recorded.
  package let hasBlocks: Bool

  package init(
    _ trace: Trace, hitNames: [[SymbolName]], functions: [ExecutedFunction] = [],
    touchedData: [TouchedData] = [], recordable: [Int: RecordableCode] = [:]
  ) {
    precondition(hitNames.count == trace.hits.count, "parallel arrays")
    precondition(touchedData.count == trace.dataHits.count, "parallel arrays")
    self.touchedData = touchedData
    self.recordable = recordable
    self.trace = trace
    hasBlocks = trace.images.contains(where: \.hasBlocks)
    self.hitNames = hitNames
    self.functions = functions
  }

  /// The total size of the functions that were used.
  package var startupBytes: UInt64 { functions.map(\.sizeBytes).saturatingSum() }
  /// The number of bytes of the used functions that ran.
  package var executedBytes: UInt64 { functions.map(\.executedBytes).saturatingSum() }
}

/// The variables and constants in a granule of data, and its section.
package struct TouchedData: Hashable, Sendable {
  /// The first name of each variable or constant in the granule; empty if none has a name.
  package var names: [SymbolName]
  /// The section that contains the granule; `nil` if the recorded image is gone.
  package var section: SymbolName?

  package init(names: [SymbolName], section: SymbolName?) {
    self.names = names
    self.section = section
  }
}

extension TraceDocument: ShownDocument {
  package static let schema = "orderfile.trace/1"

  /// Times are nanoseconds since the process started, or since the recording began if that was later, and
  /// absent if the clock could not be calibrated. In an imported trace they count from the start of the
  /// source's recording, and are absent if the source has none.
  ///
  /// An image has `recordable` if the trace is sealed or if the recorded file still exists: how much of its code could be
  /// recorded, by which `means`, and the rest in `unseen`.
  ///
  /// `blocks`, `functions`, `executedBytes` and `startupBytes` are present if basic blocks were recorded. The last two
  /// are sums over the functions: a function without a recorded block counts as executed from end to end, and has no
  /// `blocks`.
  ///
  /// `data` is present if touches of data were recorded.
  package func write(to json: inout JSONWriter, demangle: NameWording?) {
    if hasBlocks {
      json.member("blocks", trace.blockHits)
    }
    if !trace.dataHits.isEmpty {
      json.array("data") { json in
        for (hit, data) in zip(trace.dataHits, touchedData) {
          json.object { hit.write(to: &$0, data, demangle) }
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
        json.object { hit.write(to: &$0, names, demangle) }
      }
    }
    if trace.earlyFunctions > 0, !trace.dataHits.isEmpty {
      json.member("earlyFunctions", trace.earlyFunctions)
    }
    json.array("images") { json in
      for (index, image) in trace.images.enumerated() {
        json.object { image.write(to: &$0, recordable[index], hasBlocks: hasBlocks) }
      }
    }
    json.member("inFlightRecords", trace.inFlightRecords)
    json.member("lostMarks", trace.lostMarks)
    json.member("lostRecords", trace.lostRecords)
    json.member("marks", trace.marks)
    json.member("method", trace.method.rawValue)
    json.member("path", trace.path)
    json.member("process", Int(trace.processNumber ?? 0))
    json.member("program", trace.program)
    json.member("schema", Self.schema)
    json.member("sealed", trace.isSealed)
    if hasBlocks { json.member("startupBytes", startupBytes) }
    json.member("unattributedHits", trace.unattributedHits)
    json.optional("workload", trace.workload)
  }
}

extension Workload: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("commandLine", WorkloadSummary.text(commandLine))
    json.array("inputs") { json in
      for input in inputs {
        json.object { json in
          json.member("hash", WorkloadSummary.text(input.hash))
          json.member("path", input.path)
        }
      }
    }
    json.member("launch", launch)
  }
}

extension BlockHit: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("address", block.start)
    json.member("image", image)
    json.member("sizeBytes", block.size)
    json.member("step", step)
  }
}

extension DataHit {
  fileprivate func write(
    to json: inout JSONWriter, _ data: TouchedData, _ demangle: NameWording?
  ) {
    json.member("address", touch.bytes.start)
    if let demangle {
      json.array("demangledNames") { json in
        for name in data.names { json.element(demangle(name)) }
      }
    }
    json.member("image", image)
    json.member("names", data.names)
    json.optional("nanoseconds", touch.nanoseconds)
    json.optional("section", data.section)
    json.member("sizeBytes", touch.bytes.size)
    json.member("step", touch.step)
  }
}

extension Hit {
  fileprivate func write(
    to json: inout JSONWriter, _ names: [SymbolName], _ demangle: NameWording?
  ) {
    if let demangle {
      json.array("demangledNames") { json in for name in names { json.element(demangle(name)) } }
    }
    json.optional("entry", entry)
    json.optional("guard", guardIndex)
    json.member("image", image)
    json.member("names", names)
    json.optional("nanoseconds", nanoseconds)
    json.optional("returnAddress", returnAddress)
    json.member("step", step)
    json.optional("thread", thread)
  }
}

extension TraceImage {
  fileprivate func write(
    to json: inout JSONWriter, _ recordable: RecordableCode?, hasBlocks: Bool
  ) {
    if hasBlocks { json.member("blockCount", blockCount) }
    if hasExecutedRuns { json.member("executedRuns", true) }
    json.member("guardCount", guardCount)
    if let id { json.member("id", id.description) }
    json.member("number", number)
    json.member("path", path)
    json.optional("recordable", recordable)
  }
}

extension Mark: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("name", name)
    json.optional("nanoseconds", nanoseconds)
    json.member("step", step)
  }
}
