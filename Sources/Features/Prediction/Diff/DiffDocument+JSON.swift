import ByteReading
import FaultEstimate
import ImageModel
import JSON
import PagesFormat
import Rendering

/// `startupFunctions`, `startupBytes` and `floorPages` are those of the layout after, in total and in
/// each section; `before` and `after` have both layouts'. Sections sum up to the totals. A duration
/// is for the pages saved, so it is negative for a loss; `low` and `high` go with the cost. `costSource`,
/// `millisecondsPerPageIn` and `millisecondsSaved` are present if a cost was given, and for Mach-O images.
///
/// `textPages` and `sections` count the startup functions that a layout has. `textPagesAtMost` adds pages for
/// those that it lacks, which have another name there or are inside another function. `present` has the number of
/// startup functions, and the number and percentage that each layout has.
///
/// `recordable` is present if it is known how much of the recorded image's code could be recorded: the amounts, the
/// `means`, and the rest in `unseen`. Otherwise `recordableUnknown` has the reason. `refusal` is present if this is too
/// little: all figures are then in `recordedOnly`, because they count only what was recorded and predict nothing, and
/// `after` and `before` have only the `path`, the `architecture` and the `id`.
///
/// `newCode` has the functions of each layout that the recorded build lacks, so that no trace can tell whether a launch
/// runs them. No other figure contains them. `comparedWith` is `otherLayout` if the recorded image is gone: then they are
/// the functions of the layout after that the layout before lacks.
///
/// `lowerEnds` is present if a layout lacks startup functions: the members that count only those that it has.
///
/// `perTrace` is present if there were several traces: the predicted `textPages` of each launch by itself, their `mean`,
/// and the `worst`, which is the one with the most pages in the layout after. A trace that counts as several launches, also
/// in the mean, has their number in `launches`.
///
/// `dataPages` is present if touches of data were recorded: the pages of each section of data that hold what launches
/// touched, and those to which the loader writes. `dataPagesUnknown` says why they are not predicted.
///
/// `drifted` is present if basic blocks were recorded, and if both the recorded build and the layout after have a map of
/// them: the functions whose blocks differ, and how.
///
/// `functions` has the startup functions of the layout after, earliest use first. `ordered` is present if an order file was
/// given: whether the linker placed the function where that asks for.
///
/// `functionsByBlocks` is present if basic blocks were recorded: the number of functions in each layout of which only
/// the blocks that ran count, also in `startupBytes`.
///
/// `imageSizes` is present if both layouts are of ELF images: the size of each file and of the parts of it that grow when
/// functions are split.
///
/// `pageMaps` is present if a map was asked for: the pages of each layout that are touched, and why.
///
/// A section's `counted` is `startupFunctions`; for a Mach-O image also `whole`, for sections of which a
/// launch uses unknown parts, and `firstPage` for the header; for an ELF image also what startup functions
/// lead to: `linkageTable`, `cRuntime`, `initializer`, `mergedBody`, `constant`, `firstPage`. `linuxFaults`
/// is present for ELF images: the faults of a warm and a cold launch on Linux. `xnuReads` is present for
/// Mach-O images: what each `kernel` with such pages is predicted to read, in `reads` and `bytesRead`.
/// `measuredPageIns` is present if recordings were given, and `measuredPages` if measured launches were. Only
/// `measuredPageIns`, and `measured` and `onlyExecuted` in `measuredPages`, are measured; everything else is
/// predicted.
extension DiffDocument: ReadableDocument {
  package static let schema = "orderfile.diff/3"

  package func writeMembers(to json: inout JSONWriter) {
    write(refusal == nil ? [.figures, .circumstances] : .circumstances, to: &json)
  }

  /// Kinds of members.
  private struct Members: OptionSet {
    let rawValue: UInt8
    /// What was counted in the layouts.
    static let figures = Members(rawValue: 1)
    static let circumstances = Members(rawValue: 2)
  }

  private func write(_ members: Members, to json: inout JSONWriter) {
    let (hasFigures, hasRest) = (
      members.contains(.figures), members.contains(.circumstances)
    )
    func writeLayout(_ layout: Layout, to json: inout JSONWriter) {
      layout.write(to: &json, hasFigures: hasFigures)
    }
    json.object("after") { writeLayout(after, to: &$0) }
    json.object("before") { writeLayout(before, to: &$0) }
    if hasFigures, let cost { json.member("costSource", cost.source) }
    if hasFigures, let dataPages { json.member("dataPages", dataPages) }
    if hasRest, let dataPagesUnknown { json.member("dataPagesUnknown", dataPagesUnknown) }
    if hasRest, let drifted {
      json.member("drifted", drifted)
    }
    if hasFigures {
      json.object("faultCurveArea") { json in
        json.member("after", faultCurveArea.after)
        json.member("before", faultCurveArea.before)
      }
      json.member("floorPages", after.floorPages)
    }
    if hasRest, let functions {
      json.member("functions", functions)
    }
    if hasFigures {
      if let functionsByBlocks {
        json.object("functionsByBlocks") { json in
          json.member("after", functionsByBlocks.after)
          json.member("before", functionsByBlocks.before)
        }
      }
    }
    if hasRest, let imageSizes {
      json.object("imageSizes") { json in
        json.member("after", imageSizes.after)
        json.member("before", imageSizes.before)
      }
    }
    if hasFigures {
      json.optional("linuxFaults", linuxFaults)
      if !lowerEnds.isEmpty {
        json.member("lowerEnds", lowerEnds)
      }
    }
    if hasRest {
      json.optional("measuredPageIns", measuredPageIns)
      json.optional("measuredPages", measuredPages)
    }
    if hasFigures, let cost, let saving {
      json.object("millisecondsPerPageIn") {
        Self.write((cost.low, cost.typical, cost.high), to: &$0)
      }
      json.object("millisecondsSaved") { Self.write(saving, to: &$0) }
    }
    if hasRest {
      json.member("missing", missing)
      json.optional("newCode", newCode)
      json.optional("order", order)
    }
    if hasFigures, let pageMaps {
      json.object("pageMaps") { json in
        json.member("after", pageMaps.after)
        json.member("before", pageMaps.before)
      }
    }
    if hasFigures { json.member("pageSizeBytes", pageSize) }
    if hasFigures, let mean = meanOfTraces, let worst = worstTracesFirst.first {
      json.object("perTrace") { json in
        json.object("mean") { json in
          json.member("after", mean.after)
          json.member("before", mean.before)
        }
        json.member("traces", traces)
        json.member("worst", worst)
      }
    }
    if hasRest {
      json.optional("present", presence)
      if hasFigures { json.member("provenance", Provenance.predicted) }
      json.optional("recordable", recordable)
      json.optional("recordableUnknown", recordableUnknown?.rawValue)
      json.optional("recordedImage", recordedImage)
      if let refusal {
        json.object("recordedOnly") { write(.figures, to: &$0) }
        json.member("refusal", refusal)
      }
      json.member("schema", Self.schema)
    }
    if hasFigures {
      json.member("sections", sections)
      json.member("startupBytes", after.startupBytes)
      json.member("startupFunctions", after.startupFunctions)
    }
    if hasRest { json.member("startupSource", startupSource) }
    if hasFigures {
      json.member("textPages", pages.withSaving)
      json.object("textPagesAtMost") { json in
        json.member("after", pagesAtMost.after)
        json.member("before", pagesAtMost.before)
      }
    }
    if hasRest {
      json.member("warnings", warnings)
    }
    if hasFigures {
      json.member("windows64k", windows64k.withSaving)
      json.optional("xnuReads", xnuReads)
    }
  }

  private static func write(
    _ band: (low: Milliseconds, typical: Milliseconds, high: Milliseconds),
    to json: inout JSONWriter
  ) {
    json.member("high", band.high)
    json.member("low", band.low)
    json.member("typical", band.typical)
  }

  package init(parsing bytes: FileBytes) throws(ParseError) {
    let object = try JSONObject(document: bytes, schema: Self.schema)
    refusal = try object.optional("refusal")
    let figures = refusal == nil ? object : try object.object("recordedOnly")
    before = try figures.value("before")
    after = try figures.value("after")
    startupSource = try object.value("startupSource")
    pageSize = try figures.value("pageSizeBytes")
    pages = try figures.counts("textPages")
    pagesAtMost = try figures.counts("textPagesAtMost")
    presence = try object.optional("present")
    recordable = try object.optional("recordable")
    recordableUnknown = try object.optional("recordableUnknown")
    recordedImage = try object.optional("recordedImage")
    newCode = try object.optional("newCode")
    windows64k = try figures.counts("windows64k")
    sections = try figures.value("sections")
    faultCurveArea = try figures.value("faultCurveArea")
    functionsByBlocks =
      figures.has("functionsByBlocks") ? try figures.counts("functionsByBlocks") : nil
    cost =
      figures.has("costSource") || figures.has("millisecondsPerPageIn")
      ? try FaultCost(
        figures.object("millisecondsPerPageIn"), source: try figures.value("costSource")) : nil
    linuxFaults = try figures.optional("linuxFaults")
    xnuReads = try figures.optional("xnuReads")
    order = try object.optional("order")
    missing = try object.value("missing")
    drifted = object.has("drifted") ? try object.value("drifted") : nil
    functions = object.has("functions") ? try object.value("functions") : nil
    imageSizes = try object.optional("imageSizes")
    traces = figures.has("perTrace") ? try figures.object("perTrace").value("traces") : []
    dataPages = try figures.optional("dataPages")
    dataPagesUnknown = try object.optional("dataPagesUnknown")
    measuredPageIns = try object.optional("measuredPageIns")
    measuredPages = try object.optional("measuredPages")
    pageMaps = try figures.optional("pageMaps")
    warnings = try object.value("warnings")
  }
}

extension DiffDocument.Layout: JSONReadableObject {
  fileprivate func write(to json: inout JSONWriter, hasFigures: Bool) {
    json.optional("architecture", image.architecture)
    if hasFigures { json.member("floorPages", floorPages) }
    json.optional("id", image.id)
    json.member("path", path)
    if hasFigures {
      json.member("startupBytes", startupBytes)
      json.member("startupFunctions", startupFunctions)
    }
  }

  package init(_ object: JSONObject) throws(ParseError) {
    self.init(
      try ImageReference(object), startupFunctions: try object.count("startupFunctions"),
      startupBytes: try object.value("startupBytes"), floorPages: try object.count("floorPages"))
  }
}

extension DiffDocument.Trace: JSONReadableObject, JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    if launches != 1 { json.member("launches", launches) }
    json.member("path", path)
    json.member("textPages", pages.withSaving)
  }

  package init(_ object: JSONObject) throws(ParseError) {
    let launches = object.has("launches") ? try object.count("launches") : 1
    self.init(
      path: try object.value("path"), pages: try object.counts("textPages"),
      launches: UInt64(max(1, launches)))
  }
}

extension DiffDocument.Section: JSONListedObject {
  package static let members = JSONMembers(
    Self.init, member("name", \.name), optionalMember("counted", \.cause),
    savingMember("pages", \.pages), savingMember("windows64k", \.windows64k),
    countMember("startupFunctions", \.startupFunctions), member("startupBytes", \.startupBytes),
    countMember("floorPages", \.floorPages))
}

extension Presence: JSONReadableObject, JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("after", after)
    if let percent = Percentage.of(after, all) { json.member("afterPercent", percent) }
    json.member("all", all)
    json.member("before", before)
    if let percent = Percentage.of(before, all) { json.member("beforePercent", percent) }
  }

  package init(_ object: JSONObject) throws(ParseError) {
    self.init(
      all: try object.count("all"), before: try object.count("before"),
      after: try object.count("after"))
  }
}

extension XNUReadsChange: JSONListedObject {
  package static let members = JSONMembers(
    Self.init, member("kernel", \.kernel), savingMember("reads", \.reads),
    savingMember("bytesRead", \.bytesRead))
}

extension FaultCost {
  fileprivate init(_ object: JSONObject, source: String) throws(ParseError) {
    let low: Milliseconds = try object.value("low")
    let typical: Milliseconds = try object.value("typical")
    let high: Milliseconds = try object.value("high")
    guard 0...typical.nanoseconds ~= low.nanoseconds, typical.nanoseconds <= high.nanoseconds else {
      throw object.invalid(
        "low", expected: "0 <= low <= typical <= high", found: "\(low), \(typical), \(high)")
    }
    self.init(low: low, typical: typical, high: high, source: source)
  }
}

extension TouchCause: JSONReadable, JSONValue {}
