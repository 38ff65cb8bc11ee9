import Foundation
import TestSupport
import Testing

/// Exports, read by Perfetto's own classes, flamegraph.pl, Python's csv and DuckDB. Each export is compared with `show
/// --json`.
@Suite(.needs("python3")) struct ExportIntegrations {
  /// Names with a meaning in CSV, in stacks and in terminals; the last is not UTF-8.
  private static let names: [[UInt8]] =
    [
      "main", "a,\"b\"", "line\r\nbreak", "op;erator ()", "\u{1b}[1m", " ",
    ].map { Array($0.utf8) } + [[0x66, 0xff]]

  /// A sealed trace of two images and two threads, with those names.
  private static func trace(process: UInt32, isCutOff: Bool) -> [UInt8] {
    var trace = TraceWriter()
    trace.processNumber = process
    trace.ticksPerSecond = 1_000_000_000
    trace.firstPair = (1000, 1000)
    trace.lastPair = (9_000_000, 9_000_000)
    trace.processStart = 1000
    trace.lostRecords = isCutOff ? 3 : 0
    let app = TraceWriter.Image()
    let library = TraceWriter.Image(
      number: 2, path: "/lib/lib x.so", slide: 0x30_0000, guards: 0x40_0000..<0x40_0100,
      id: [1, 2])
    trace.addLoad(app)
    trace.addLoad(library)
    trace.names = []
    for (index, name) in names.enumerated() {
      if index == 3 { trace.addMark("first \"screen\"\n", ticks: 4500) }
      let image = index < 4 ? app : library
      let entry = UInt64(0x1000 + index * 0x100)
      trace.addHit(
        image, guard: UInt64(index), entry: entry, ticks: UInt64(2000 + index * 1000),
        thread: UInt32(1 + index % 2))
      var known = TraceWriter.Name(
        image: UInt32(image.number), address: entry, size: UInt64(index + 1) * 8, name: "")
      known.name = name
      trace.names?.append(known)
    }
    return trace.bytes()
  }

  /// A folder with the traces of two processes, one of which lost records, and with the output of `show --json` for
  /// them.
  private static func workshop() throws -> Workshop {
    let workshop = try Workshop()
    for (index, name) in ["one", "two"].enumerated() {
      try workshop.write(trace(process: UInt32(100 + index), isCutOff: index == 1), name)
      try workshop.mustOrderfile("show", "--json", "-o", "\(name).json", name)
    }
    return workshop
  }

  private static func python(_ script: String, in workshop: Workshop) throws -> Run {
    let run = try workshop.start("python3", ["-c", script], environment: pythonEnvironment).end()
    try #require(run.status == 0, "\(run.errors)")
    return run
  }

  /// Prints the tracks of a trace: names, and the names, times and steps of their events.
  private static let decoding = """
    import json, sys
    from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent
    trace = Trace()
    trace.ParseFromString(open("t.pftrace", "rb").read())
    tracks, processes, interned = {}, {}, {}
    for packet in trace.packet:
        known = interned.setdefault(packet.trusted_packet_sequence_id, ({}, {}, {}))
        data = packet.interned_data
        for table, entries in zip(known, (data.event_names, data.debug_annotation_names,
                                          data.debug_annotation_string_values)):
            for entry in entries:
                table[entry.iid] = entry.str.decode() if hasattr(entry, "str") else entry.name
        if packet.HasField("track_descriptor"):
            track = packet.track_descriptor
            if track.HasField("process"):
                processes[track.uuid] = track.process.pid
            tracks[track.uuid] = {"process": processes[track.parent_uuid or track.uuid],
                                  "name": track.name, "events": []}
        elif packet.HasField("track_event"):
            event = packet.track_event
            values = {known[1][a.name_iid]: a.int_value if a.HasField("int_value") else
                      a.pointer_value if a.HasField("pointer_value") else
                      known[2][a.string_value_iid] for a in event.debug_annotations}
            tracks[event.track_uuid]["events"].append(
                {"type": TrackEvent.Type.Name(event.type), "time": packet.timestamp,
                 "name": known[0].get(event.name_iid, ""), "count": event.counter_value,
                 "flows": list(event.flow_ids), **values})
    json.dump({"tracks": list(tracks.values())}, sys.stdout)
    """

  private typealias Event = [String: Any]

  private static func events(
    _ name: String, process: Int, in tracks: [[String: Any]]
  ) -> [Event] {
    tracks.filter { $0["name"] as? String == name && $0["process"] as? Int == process }
      .flatMap { $0["events"] as? [Event] ?? [] }
  }

  @Test(.needs(.python("perfetto"))) func perfettoReadsWhatShowPrints() throws {
    let workshop = try Self.workshop()
    let run = try workshop.mustOrderfile("export", "perfetto", "one", "two", "-o", "t.pftrace")
    #expect(run.errors.contains("two: incomplete: 3 hits lost"))
    let tracks = try #require(
      try Self.python(Self.decoding, in: workshop).json["tracks"] as? [[String: Any]])
    for (name, process) in [("one", 100), ("two", 101)] {
      let shown = try parsedJSON(workshop.bytes("\(name).json"))
      let hits = try #require(shown["hits"] as? [[String: Any]])
      try #require(hits.count == Self.names.count)
      for thread in [1, 2] {
        let events = Self.events("thread \(thread)", process: process, in: tracks)
        let expected = hits.filter { $0["thread"] as? Int == thread }
        #expect(
          events.compactMap { $0["step"] as? Int } == expected.compactMap { $0["step"] as? Int })
        #expect(
          events.compactMap { $0["time"] as? Int }
            == expected.compactMap { $0["nanoseconds"] as? Int })
        #expect(
          events.compactMap { $0["name"] as? String }
            == expected.compactMap { ($0["names"] as? [String])?.first })
        #expect(events.allSatisfy { $0["type"] as? String == "TYPE_INSTANT" })
      }
      let marks = Self.events("marks", process: process, in: tracks)
      #expect(marks.compactMap { $0["name"] as? String } == ["first \"screen\"\n"])
      let stages = Self.events("stages", process: process, in: tracks)
      #expect(
        stages.map { $0["type"] as? String }
          == stages.indices.map { $0 % 2 == 0 ? "TYPE_SLICE_BEGIN" : "TYPE_SLICE_END" })
      #expect(stages.last?["time"] as? Int == hits.last?["nanoseconds"] as? Int)
    }
  }

  @Test(.needs(.recording, .processes, .python("perfetto")))
  func pagesAreThoseOfDiffAndPages() throws {
    let workshop = try SeveralImagesTests.workshop()
    try workshop.must("cp", ["out/plugin.so", "."])
    try workshop.mustOrderfile("record", "--breakpoints", "-o", "t", "--", "out/app")
    try workshop.mustOrderfile("pages", "--json", "-o", "pages.json", "--", "out/app")
    try workshop.mustOrderfile(
      "export", "perfetto", "t", "--image", "out/app", "--pages", "pages.json", "-o", "t.pftrace")
    let tracks = try #require(
      try Self.python(Self.decoding, in: workshop).json["tracks"] as? [[String: Any]])
    let diff = try workshop.mustOrderfile("diff", "out/app", "out/app", "--trace", "t", "--json")
    let pages = try #require(diff.json["textPages"] as? [String: Int])
    let all = tracks.flatMap { $0["events"] as? [Event] ?? [] }
    let counts = all.filter { $0["type"] as? String == "TYPE_COUNTER" }.compactMap {
      $0["count"] as? Int
    }
    #expect(counts.last == pages["after"] && counts == counts.sorted() && !counts.isEmpty)
    let images = try #require(
      try parsedJSON(workshop.bytes("pages.json"))["images"] as? [[String: Any]])
    let touched = try #require(images.first?["pages"] as? [[String: Any]])
    #expect(all.count { $0["page"] != nil } == touched.count)
  }

  /// The launch without a tracer is a process beside the recorded one, and arrows lead from the faults of functions to
  /// their first hits.
  @Test(.needs(.recording, .processes, .faultEvents, .python("perfetto")))
  func faultsAreThoseOfTheDocument() throws {
    // The functions of the program are 64 KiB apart, so that each of them faults.
    let workshop = try MeasureTests.workshop()
    try workshop.mustOrderfile("record", "--breakpoints", "-o", "t", "--", "./a", "touch", "10")
    try workshop.mustOrderfile("faults", "--json", "-o", "faults.json", "--", "./a", "touch", "10")
    try workshop.mustOrderfile(
      "export", "perfetto", "t", "--faults", "faults.json", "-o", "t.pftrace")
    let tracks = try #require(
      try Self.python(Self.decoding, in: workshop).json["tracks"] as? [[String: Any]])
    let faults = try #require(
      try parsedJSON(workshop.bytes("faults.json"))["faults"] as? [[String: Any]])
    func events(where isWanted: (String) -> Bool) -> [Event] {
      tracks.filter { isWanted($0["name"] as? String ?? "") }
        .flatMap { $0["events"] as? [Event] ?? [] }
    }
    let listed = events { $0.hasPrefix("page faults") }
    let begins = listed.filter { $0["type"] as? String == "TYPE_SLICE_BEGIN" }
    #expect(begins.count == faults.count && listed.count == 2 * faults.count)
    for (event, fault) in zip(begins, faults) {
      #expect(event["time"] as? Int == fault["nanoseconds"] as? Int)
      #expect(event["name"] as? String == (fault["kind"] as? String).map { "\($0) fault" })
      #expect(event["symbol"] as? String == fault["symbol"] as? String)
      #expect(event["function"] as? String == fault["function"] as? String)
    }
    for kind in ["major", "minor"] {
      #expect(
        events { $0 == "\(kind) faults" }.last?["count"] as? Int ?? 0
          == faults.count { $0["kind"] as? String == kind })
    }
    // Each flow has two ends: a fault of a function, and the hit of that function.
    let hits = events { $0.hasPrefix("thread ") }
    let ends = begins.flatMap { event in (event["flows"] as? [Int] ?? []).map { ($0, event) } }
    #expect(ends.count >= 10)
    for (flow, fault) in ends {
      let hit = hits.filter { ($0["flows"] as? [Int])?.contains(flow) ?? false }
      #expect(hit.map { $0["name"] as? String } == [fault["symbol"] as? String])
    }

    try workshop.mustOrderfile("faults", "--json", "-o", "other.json", "--", "true")
    let other = try workshop.orderfile(
      "export", "perfetto", "t", "--faults", "other.json", "-o", "u.pftrace")
    #expect(other.status == 3 && other.errors.contains("the page faults are of other images"))
  }

  @Test func otherPagesThanThoseOfTheTraceAreRefused() throws {
    let workshop = try Self.workshop()
    let pages = String(decoding: try fixture("reporting/pages/expected.json"), as: UTF8.self)
    try workshop.write(
      pages.replacing("\"id\": \"9f3a\"", with: "\"id\": \"77\"").utf8, "pages.json")
    let run = try workshop.orderfile(
      "export", "perfetto", "one", "--pages", "pages.json", "-o", "t.pftrace")
    #expect(run.status == 3 && run.errors.contains("the pages are of other images than the traces"))
    #expect(!workshop.fileNames.contains("t.pftrace"))
    #expect(try workshop.orderfile("export", "folded", "one", "--image", "one").status == 64)
    #expect(try workshop.orderfile("export", "perfetto", "one").status == 64)
  }

  @Test(.needs(.python("duckdb"))) func pythonAndDuckDBReadTheTable() throws {
    let workshop = try Self.workshop()
    try workshop.mustOrderfile("export", "csv", "-q", "one", "two", "-o", "t.csv")
    let run = try Self.python(
      """
      import csv, json, sys, duckdb
      rows = list(csv.DictReader(open("t.csv", newline="", encoding="utf-8"), strict=True))
      table = duckdb.sql("select * from read_csv('t.csv', all_varchar=true, header=true)")
      same = [dict(zip(table.columns, ["" if v is None else v for v in row])) for row in table.fetchall()]
      json.dump({"rows": rows, "duckdb": same}, sys.stdout)
      """, in: workshop)
    let rows = try #require(run.json["rows"] as? [[String: String]])
    #expect(run.json["duckdb"] as? [[String: String]] == rows)
    var index = 0
    for name in ["one", "two"] {
      let shown = try parsedJSON(workshop.bytes("\(name).json"))
      let images = try #require(shown["images"] as? [[String: Any]])
      for hit in try #require(shown["hits"] as? [[String: Any]]) {
        let row = rows[index]
        index += 1
        #expect(row["trace"] == name && row["process"] == "\(shown["process"] as? Int ?? 0)")
        for key in ["step", "nanoseconds", "thread"] {
          #expect(row[key] == (hit[key] as? Int).map { "\($0)" }, "\(key)")
        }
        #expect(row["address"] == hit["entry"] as? String)
        #expect(row["symbol"] == (hit["names"] as? [String])?.first)
        #expect(row["image"] == images[hit["image"] as? Int ?? 0]["path"] as? String)
      }
    }
    #expect(index == rows.count && index == 2 * Self.names.count)
  }

  @Test(arguments: [
    ["export", "csv", "one"], ["show", "--json", "one"], ["gen", "one"], ["report", "one"],
  ]) func anOutputThatIsAnInputIsRefused(_ words: [String]) throws {
    let workshop = try Self.workshop()
    let before = workshop.bytes("one")
    try workshop.must("ln", ["one", "link"])
    let run = try workshop.orderfile(words + ["-o", "link"])
    #expect(
      run.status == 1
        && run.errors.contains("link: unable to write the output to this file: it is also an input")
    )
    #expect(workshop.bytes("one") == before)
  }

  @Test func aPageIsNoInputOfAReport() throws {
    let workshop = try Self.workshop()
    try workshop.write("<!doctype html>\n<p>".utf8, "page")
    let run = try workshop.orderfile("report", "page", "-o", "new")
    #expect(run.status == 1 && run.errors.contains("found an HTML page"))
  }

  @Test(.needs(.flameGraph)) func flameGraphDrawsTheBytes() throws {
    let workshop = try Self.workshop()
    try workshop.mustOrderfile("export", "folded", "-q", "one", "two", "-o", "t.folded")
    let picture = try workshop.must(
      "perl", [flameGraphScript, "--countname", "bytes", "--minwidth", "0", "t.folded"]
    ).text
    // Both processes used the same functions: each counts once. 8 + 16 + 24 + 32, and 40 + 48 + 56.
    for title in [
      "all (224 bytes, 100%)", "app (80 bytes, ", "lib x.so (144 bytes, ", "main (8 bytes, ",
      "a,&quot;b&quot; (16 bytes, ", "line\\r\\nbreak (24 bytes, ", "op:erator () (32 bytes, ",
      "\\x1b[1m (40 bytes, ",
    ] { #expect(picture.contains(title), "\(title)") }
  }
}
