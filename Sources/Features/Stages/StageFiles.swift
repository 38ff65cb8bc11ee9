import ByteReading
import CommandSupport
import ImageModel
import JSON
import LaunchLogFormat
import Rendering
import Symbolication
import TraceFormat
import TraceSymbolication
import XctraceFormat

/// Reads traces and logs of launches, or a document of `stages`: `orderfile stages FILE...`.
package struct StageFiles {
  /// The paths of traces, logs and folders of them; `-` is standard input. A document of `stages` stands alone.
  package var paths: [String]
  /// The wanted precision of the mean, as a share, from which the number of needed launches is computed.
  package var precision: Double
  /// The event at which a launch is over; `nil` for the last event.
  package var end: String?

  /// The files with launches that did not have the event `end`, and the number of these launches.
  private var endless: [(path: String, launches: Int)] = []

  package init(_ paths: [String], precision: Double, end: String? = nil) {
    self.paths = paths
    self.precision = precision
    self.end = end
  }

  /// The launches that files of one kind of source describe.
  private struct Group {
    var source: StageTable.Source
    var launches: [StagedLaunch] = []
    var origins: [String] = []
    var counts: [StageTable.Count] = []
  }

  /// - Throws: if a file can't be read or describes no launch, or if no launch has the event at which it is over.
  package func read() throws(Diagnostic) -> StagesDocument {
    var reader = self
    reader.paths = []
    for path in paths { reader.paths += try Self.files(at: path) }
    return try reader.readFiles()
  }

  /// Returns the files in the folder at `path`, ascending by name, without hidden files; `path` itself if it is no folder.
  private static func files(at path: String) throws(Diagnostic) -> [String] {
    guard Folder.isFolder(path) else { return [path] }
    let files = Folder.names(in: path).filter { !$0.hasPrefix(".") }.map { "\(path)/\($0)" }
      .filter { !Folder.isFolder($0) }
    if files.isEmpty {
      throw Diagnostic("the folder has no files of launches", context: [path])
    }
    return files
  }

  /// Reads a document of `stages`.
  private func document(_ bytes: FileBytes, _ path: String) throws(Diagnostic) -> StagesDocument {
    guard paths.count == 1 else {
      throw Diagnostic(
        "a document of 'orderfile stages' is a set of launches by itself", context: [path],
        hint: "give it alone, or give the files from which it was made")
    }
    var document: StagesDocument
    do throws(ParseError) { document = try StagesDocument(parsing: bytes) } catch {
      throw Diagnostic("\(error)", context: [path])
    }
    document.precision = precision
    guard let end else { return document }
    // The comparison is of whole launches, so it does not hold for launches that are cut off at `end`.
    document.comparison = nil
    var leftOut = 0
    document.tables = document.tables.compactMap { table in
      if table.source.hasAllTime { return table }
      let launches = table.launches.compactMap { $0.until(end) }
      leftOut += table.launches.count - launches.count
      if launches.isEmpty { return nil }
      return StageTable(table.source, launches, origins: table.origins, counts: table.counts)
    }
    if document.tables.isEmpty {
      throw Diagnostic("no launch has the event '\(end)'", context: [path])
    }
    if leftOut > 0 { document.warnings.append(.leftOut(leftOut, without: end, context: [path])) }
    return document
  }

  private mutating func readFiles() throws(Diagnostic) -> StagesDocument {
    var document = StagesDocument(precision: precision)
    var groups: [Group] = []
    var programs: [ImageReference] = []
    for path in paths {
      let bytes = try InputFile.bytes(path)
      if Self.isDocument(bytes) { return try self.document(bytes, path) }
      if TraceHeader.begins(bytes) {
        let trace = Trace(try InputFile.traceFile(bytes, path), path: path)
        programs.append(
          ImageReference(
            path: trace.program,
            architecture: trace.machine == 0 ? nil : Architecture(machine: trace.machine)))
        let launch = StagedLaunch(trace)
        if launch.stages.isEmpty {
          document.warnings.append(
            Diagnostic(
              "left out: the trace has no times", context: [path],
              hint:
                "a trace has times if at least 0.1 ms were recorded, and not by an emulator"
            ))
        } else {
          add([launch], from: path, to: .trace, &groups, &document)
        }
        continue
      }
      do throws(ParseError) {
        if Self.isXML(bytes) {
          add(try StagedLaunch.lifeCycles(bytes), from: path, to: .xctrace, &groups, &document)
        } else {
          add(try LaunchLog(parsing: bytes), from: path, &groups, &document)
        }
      } catch { throw Diagnostic("\(error)", context: [path]) }
    }
    if let end, let first = endless.first {
      let count = endless.reduce(0) { $0 + $1.launches }
      let files = Set(endless.map(\.path)).count
      document.warnings.append(
        .leftOut(
          count, without: end, files > 1 ? ", of \(counted(files, "file"))" : "",
          context: files > 1 ? [] : [first.path]))
    }
    for source in StageTable.Source.allCases {
      guard let group = groups.first(where: { $0.source == source }) else { continue }
      if group.launches.isEmpty { continue }
      document.tables.append(
        StageTable(source, group.launches, origins: group.origins, counts: group.counts))
    }
    // The recorded build usually differs from the build that is shipped, so its image ID is left out.
    if let program = programs.first, Set(programs).count == 1 {
      document.image = program
    }
    if document.tables.isEmpty, document.histograms.isEmpty, document.libraries.isEmpty {
      throw document.warnings.first
        ?? Diagnostic("no launch to report", context: paths)
    }
    return document
  }

  /// Whether the file is a document of `stages`. Payloads of MetricKit are JSON, too, and have no schema.
  private static func isDocument(_ bytes: FileBytes) -> Bool {
    guard bytes.hasPrefix("{", at: 0) else { return false }
    var cursor = JSONCursor(bytes)
    let schema: String? = try? JSONObject(parsing: &cursor, "document").optional("schema")
    return schema == StagesDocument.schema
  }

  private static func isXML(_ bytes: FileBytes) -> Bool {
    var index = bytes.hasPrefix("\u{feff}", at: 0) ? 3 : 0
    while index < bytes.count, [0x20, 0x09, 0x0a, 0x0d].contains(bytes[index]) { index += 1 }
    return index < bytes.count && bytes[index] == UInt8(ascii: "<")
  }

  private mutating func add(
    _ launches: [StagedLaunch], from path: String, counts: [StageTable.Count] = [],
    to source: StageTable.Source, _ groups: inout [Group], _ document: inout StagesDocument
  ) {
    var launches = launches
    if let end, !source.hasAllTime {
      let all = launches.count
      launches = launches.compactMap { $0.until(end) }
      if launches.count < all { endless.append((path, all - launches.count)) }
    }
    if groups.allSatisfy({ $0.source != source }) { groups.append(Group(source: source)) }
    guard let place = groups.firstIndex(where: { $0.source == source }), !launches.isEmpty else {
      return
    }
    // Only counts that all launches share are kept.
    groups[place].counts =
      groups[place].launches.isEmpty ? counts : groups[place].counts.filter(counts.contains)
    groups[place].launches += launches
    if groups[place].origins.last != path { groups[place].origins.append(path) }
  }

  private mutating func add(
    _ log: LaunchLog, from path: String, _ groups: inout [Group],
    _ document: inout StagesDocument
  ) {
    document.warnings += log.warnings.map { Diagnostic($0, context: [path]) }
    for form in LoggedLaunch.Form.allCases {
      let logged = log.launches.filter { $0.form == form }
      guard let first = logged.first else { continue }
      let source: StageTable.Source
      switch form {
      case .dyldStatistics: source = .dyldStatistics
      case .dyldStatisticsDetails: source = .dyldStatisticsDetails
      case .stopwatch: source = .stopwatch
      case .loaderStatistics:
        document.warnings.append(
          Diagnostic(
            "left out the loader's statistics: they are in cycles of an unknown length",
            context: [path], hint: "measure the launch itself: orderfile stages -- COMMAND"))
        continue
      }
      add(
        logged.map { StagedLaunch($0) }, from: path,
        counts: first.counts.filter { count in logged.allSatisfy { $0.counts.contains(count) } }
          .map { StageTable.Count($0.name, $0.text) }, to: source, &groups,
        &document)
    }
    let isOfDyld = log.launches.contains { $0.form != .stopwatch && $0.form != .loaderStatistics }
    if isOfDyld, document.warnings.allSatisfy({ $0 != Self.oldLoader }) {
      document.warnings.append(Self.oldLoader)
    }
    document.histograms += log.histograms.map { histogram in
      LaunchHistogram(
        name: histogram.name, origin: path,
        buckets: histogram.buckets.map {
          LaunchHistogram.Bucket(
            start: $0.startMilliseconds * 1e6, end: $0.endMilliseconds * 1e6, count: $0.count)
        })
    }
    document.libraries += log.libraryLists.map { list in
      StagesDocument.LibraryList(
        origin: path, process: list.process.map(UInt64.init),
        system: list.paths.filter(LoggedLibraries.isOfSystem),
        others: list.paths.filter { !LoggedLibraries.isOfSystem($0) })
    }
  }

  private static let oldLoader = Diagnostic(
    "these are statistics of an old dyld: since iOS 15 and macOS 12, dyld prints no statistics",
    hint: "use marks, or xctrace's App Launch template")
}

extension Diagnostic {
  /// Launches were left out because they do not have the event at which launches are over.
  fileprivate static func leftOut(
    _ count: Int, without end: String, _ place: String = "", context: [String]
  ) -> Diagnostic {
    Diagnostic(
      "left out \(counted(count, "launch", "launches")) without the event '\(end)'\(place)",
      context: context)
  }
}
