import ByteReading
import FaultEstimate
import ImageModel
import JSON
import PagesFormat
import Rendering

/// `startupFunctions`, `startupBytes` and `floorPages` are figures of the layout after, in total and in each section.
/// `before` and `after` have the figures of both layouts. Sections add up to the totals. A duration is for the pages
/// saved, so it is negative for a loss. `low` and `high` go with the cost. `costSource`, `millisecondsPerPageIn` and
/// `millisecondsSaved` are present if a cost was given, and for Mach-O images.
///
/// `textPages` and `sections` count the startup functions that a layout has. `textPagesAtMost` adds pages for the
/// startup functions that the layout lacks, which have another name there or are inside another function. `present` has
/// the number of startup functions, and the number and percentage that each layout has.
///
/// `recordable` is present if it is known how much of the recorded image's code could be recorded: the amounts, the
/// `means`, and the rest in `unseen`. Otherwise `recordableUnknown` has the reason. `refusal` is present if too little
/// could be recorded. All figures are then in `recordedOnly`, because they count only recorded code and predict
/// nothing, and `after` and `before` have only the `path`, the `architecture` and the `id`.
///
/// `newCode` has the functions of each layout that the recorded build lacks. No trace shows whether a launch runs them,
/// and no other figure counts them. `comparedWith` is `otherLayout` if the recorded image is gone: then `newCode` has
/// the functions of the layout after that the layout before lacks.
///
/// `lowerEnds` is present if a layout lacks startup functions. It names the members that count only the startup
/// functions that a layout has.
///
/// `perTrace` is present if there were several traces: the predicted `textPages` of each single launch, their `mean`,
/// and the `worst` launch, with the most pages in the layout after. If a trace counts as several launches, also in the
/// mean, `launches` has their number.
///
/// `dataPages` is present if touches of data were recorded: the pages of each section of data that launches touched,
/// and the pages to which the loader writes. `dataPagesUnknown` says why the pages are not predicted.
///
/// `drifted` is present if basic blocks were recorded, and if both the recorded build and the layout after have a map
/// of basic blocks: the functions whose blocks differ, and how.
///
/// `functions` has the startup functions of the layout after, earliest use first. `ordered` is present if an order file
/// was given: whether the linker placed the function where the order file asks for.
///
/// `functionsByBlocks` is present if basic blocks were recorded: the number of functions in each layout that count only
/// with the blocks that ran, also in `startupBytes`.
///
/// `imageSizes` is present if both layouts are of ELF images: the size of each file, and of its parts that grow when
/// functions are split.
///
/// `inputs` has the order file, the traces and, if it is known, the launch of the comparison.
///
/// `nextSteps` has the steps that would save pages of the layout after. It is empty if there is a `refusal`.
///
/// `pageMaps` is present if a map was asked for: the pages of each layout that are touched, and why.
///
/// A section's `counted` is `startupFunctions`. For a Mach-O image it can also be `whole`, for sections that a launch
/// uses in unknown parts, and `firstPage`, for the header. For an ELF image it can also be code or data that startup
/// functions lead to: `linkageTable`, `cRuntime`, `initializer`, `mergedBody`, `constant`, `firstPage`. `linuxFaults`
/// is present for ELF images: the faults of a warm and a cold launch on Linux. `xnuReads` is present for Mach-O images:
/// the predicted `reads` and `bytesRead` of each `kernel` with pages of this size. `measuredPageIns` is present if
/// recordings were given, and `measuredPages` if measured launches were given. Only `measuredPageIns`, and `measured`
/// and `onlyExecuted` in `measuredPages`, are measured. Everything else is predicted.
///
/// This extension writes and reads the members itself, because the figures are in `recordedOnly` if there is a
/// `refusal`.
extension DiffDocument: ReadableDocument {
  package static let schema = "orderfile.diff/3"

  package func writeMembers(to json: inout JSONWriter) {
    if let refusal {
      json.member("after", after.image)
      json.member("before", before.image)
      json.object("recordedOnly") { writeFigures(to: &$0) }
      json.member("refusal", refusal)
    } else {
      writeFigures(to: &json)
      json.member("provenance", Provenance.predicted)
    }
    compliance.writeMembers(to: &json)
    json.optional("dataPagesUnknown", dataPagesUnknown)
    json.optional("imageSizes", imageSizes)
    json.member("inputs", inputs)
    measurement.writeMembers(to: &json)
    json.member("missing", missing)
    json.optional("newCode", newCode)
    json.member("nextSteps", nextSteps)
    json.optional("present", presence)
    json.optional("recordable", recordable)
    json.optional("recordableUnknown", recordableUnknown)
    json.optional("recordedImage", recordedImage)
    json.member("schema", Self.schema)
    json.member("startupSource", startupSource)
    json.member("warnings", warnings)
  }

  /// Adds the figures that were counted in the layouts.
  private func writeFigures(to json: inout JSONWriter) {
    json.member("after", after)
    json.member("before", before)
    json.member("floorPages", after.floorPages)
    json.member("startupBytes", after.startupBytes)
    json.member("startupFunctions", after.startupFunctions)
    prediction.writeMembers(to: &json)
  }

  package init(parsing bytes: FileBytes) throws(ParseError) {
    let object = try JSONObject(document: bytes, schema: Self.schema)
    refusal = try object.optional("refusal")
    let figures = refusal == nil ? object : try object.object("recordedOnly")
    before = try figures.value("before")
    after = try figures.value("after")
    startupSource = try object.value("startupSource")
    prediction = try DiffPrediction(figures)
    presence = try object.optional("present")
    recordable = try object.optional("recordable")
    recordableUnknown = try object.optional("recordableUnknown")
    recordedImage = try object.optional("recordedImage")
    newCode = try object.optional("newCode")
    missing = try object.value("missing")
    imageSizes = try object.optional("imageSizes")
    dataPagesUnknown = try object.optional("dataPagesUnknown")
    measurement = try Measurement(object)
    compliance = try Compliance(object)
    inputs = try object.optional("inputs") ?? Inputs()
    nextSteps = try object.optional("nextSteps") ?? []
    warnings = try object.value("warnings")
  }
}

extension DiffDocument.Inputs: JSONListedObject {
  package static let members = JSONMembers(
    Self.init, optionalMember("launch", \.launch), optionalMember("order", \.order),
    member("traces", \.traces))
}

extension DiffDocument.Measurement: JSONListedObject {
  package static let members = JSONMembers(
    Self.init, optionalMember("measuredPageIns", \.pageIns),
    optionalMember("measuredPages", \.pages))
}

extension DiffDocument.Compliance: JSONListedObject {
  package static let members = JSONMembers(
    Self.init, optionalMember("order", \.order), optionalMember("drifted", \.drifted),
    optionalMember("functions", \.functions), optionalMember("prefetch", \.prefetch))
}

extension DiffDocument.Layout: JSONListedObject {
  package static let members = JSONMembers(
    Self.init, inlineMembers(\.image), countMember("startupFunctions", \.startupFunctions),
    member("startupBytes", \.startupBytes), countMember("floorPages", \.floorPages))
}

/// This extension writes and reads the members itself, because `launches` is left out if it is 1.
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

/// This extension writes and reads the members itself, because the percentages follow from the counts, and may be
/// missing.
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

extension TouchCause: JSONReadable, JSONValue {}
