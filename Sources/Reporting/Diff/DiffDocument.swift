import FaultEstimate
import ImageModel
import JSON

extension DiffReport {
  /// The report for machines: `orderfile.diff/1`.
  ///
  /// `startupFunctions`, `startupBytes` and `floorPages` are those of the layout after, in total and in
  /// each section; `before` and `after` have both layouts'. Sections sum up to the totals. A duration
  /// is for the pages saved, so it is negative for a loss; `low` and `high` go with the cost.
  ///
  /// `functionsByBlocks` is there if basic blocks were recorded: of so many functions of each layout only
  /// those that ran count, in `startupBytes` too.
  ///
  /// A section's `counted` is `startupFunctions`; of a Mach-O image also `whole`, for what a launch reads
  /// or uses unknown parts of, and `firstPage` for the header; of an ELF image what startup functions lead
  /// to: `linkageTable`, `cRuntime`, `initializer`, `mergedBody`, `constant`, `firstPage`. `linuxFaults` is
  /// there for ELF images: what Linux does in a warm and in a cold launch. `xnuReads` is there for Mach-O images: what
  /// each `kernel` with such pages is predicted to read, in `reads` and `bytesRead`. `measuredPageIns` is
  /// there if recordings were given, and `measuredPages` if measured launches were: what stands there under
  /// `measured` and `onlyExecuted`, and `measuredPageIns`, is all that was measured.
  package func json() -> [UInt8] {
    let total = comparison.total
    return JSONWriter.document { json in
      json.object("after") { write(total.after, path: afterPath, to: &$0) }
      json.object("before") { write(total.before, path: beforePath, to: &$0) }
      json.member("costSource", cost.source)
      json.object("faultCurveArea") { json in
        json.member("after", comparison.after.curve.area)
        json.member("before", comparison.before.curve.area)
      }
      json.member("floorPages", total.after.floorPages)
      let (before, after) = comparison.inParts
      if before + after > 0 {
        json.object("functionsByBlocks") { json in
          json.member("after", after)
          json.member("before", before)
        }
      }
      if let linuxFaults { json.object("linuxFaults") { linuxFaults.write(to: &$0) } }
      if let measuredPageIns { json.object("measuredPageIns") { measuredPageIns.write(to: &$0) } }
      if let measuredPages { json.object("measuredPages") { measuredPages.write(to: &$0) } }
      json.object("millisecondsPerPageIn") { writeBand(of: 1, to: &$0) }
      json.object("millisecondsSaved") { writeBand(of: total.savedPages, to: &$0) }
      json.array("missing") { json in for entry in missing { entry.write(to: &json) } }
      if let obedience { json.object("order") { write(obedience, to: &$0) } }
      json.member("pageSizeBytes", comparison.pageSize.bytes)
      json.member("provenance", Provenance.predicted)
      json.member("schema", Self.schema)
      json.array("sections") { json in
        for row in sortedSections { json.object { write(row, to: &$0) } }
      }
      json.member("startupBytes", total.after.startupBytes)
      json.member("startupFunctions", total.after.startupFunctions)
      json.member("startupSource", startupSource)
      json.object("textPages") { write(total, \.pages, to: &$0) }
      json.array("warnings") { json in for warning in warnings { warning.write(to: &json) } }
      json.object("windows64k") { write(total, \.windows64k, to: &$0) }
      if comparison.isMachO {
        json.array("xnuReads") { json in
          for (before, after) in comparison.xnuReads {
            json.object { json in
              json.object("bytesRead") {
                write(before: Int(clamping: before.bytesRead), Int(clamping: after.bytesRead), &$0)
              }
              json.member("kernel", before.kernel.name)
              json.object("reads") { write(before: before.reads, after.reads, &$0) }
            }
          }
        }
      }
    }
  }

  private func write(_ touched: TouchedPages, path: String, to json: inout JSONWriter) {
    json.member("floorPages", touched.floorPages)
    json.member("path", path)
    json.member("startupBytes", touched.startupBytes)
    json.member("startupFunctions", touched.startupFunctions)
  }

  private func write(_ row: LayoutComparison.Row, to json: inout JSONWriter) {
    if let cause = row.cause { json.member("counted", cause.rawValue) }
    json.member("floorPages", row.after.floorPages)
    json.member("name", row.name)
    json.object("pages") { write(row, \.pages, to: &$0) }
    json.member("startupBytes", row.after.startupBytes)
    json.member("startupFunctions", row.after.startupFunctions)
    json.object("windows64k") { write(row, \.windows64k, to: &$0) }
  }

  private func write(
    _ row: LayoutComparison.Row, _ count: KeyPath<TouchedPages, Int>, to json: inout JSONWriter
  ) {
    write(before: row.before[keyPath: count], row.after[keyPath: count], &json)
  }

  private func write(before: Int, _ after: Int, _ json: inout JSONWriter) {
    json.member("after", after)
    json.member("before", before)
    json.member("saved", before - after)
  }

  private func writeBand(of pages: Int, to json: inout JSONWriter) {
    json.member("high", cost.high * pages)
    json.member("low", cost.low * pages)
    json.member("typical", cost.typical * pages)
  }

  private func write(_ obedience: OrderObedience, to json: inout JSONWriter) {
    json.member("entries", obedience.entries)
    if let firstDeviation = obedience.firstDeviation {
      json.member("firstDeviation", firstDeviation)
    }
    json.member("inOrder", obedience.inOrder)
    json.member("present", obedience.present)
    json.array("unorderable") { json in
      for entry in obedience.unorderable { entry.write(to: &json) }
    }
  }
}

extension Diagnostic {
  /// Adds the diagnostic to an array: its context and message in one line, and its hint.
  func write(to json: inout JSONWriter) {
    json.object { json in
      if let hint { json.member("hint", hint) }
      json.member("message", (context + [message]).joined(separator: ": "))
    }
  }
}
