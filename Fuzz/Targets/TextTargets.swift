import Budget
import ByteReading
import ChangePoints
import ClusterProfileFormat
import CommandSupport
import Counting
import Demangling
import Exports
import ImageModel
import LaunchLogFormat
import LinkMapFormat
import OrderFileFormat
import PagesFormat
import PerfScriptFormat
import ProfileFormat
import Reports
import Stages
import Symbolication
import TemporalProfileFormat
import TraceSymbolication
import XctraceFormat

extension FuzzTarget {
  /// The title line of a map selects the grammar, and so the dictionary's words.
  static let linkMaps = ["ld64", "lld-elf", "lld-macho", "gnu", "gold", "mold"].map { grammar in
    FuzzTarget("map-\(grammar)") { bytes in
      var diagnostics: [Diagnostic] = []
      let layout = Layout(try LinkMap(parsing: bytes), diagnostics: &diagnostics)
      _ = SymbolMap(layout)
    }
  }

  static let orderFiles = OrderFileDialect.all.map { dialect in
    FuzzTarget("order-\(dialect.name)") { bytes in
      let order = try dialect.read(bytes)
      let written = dialect.write(order.entries)
      _ = try dialect.read(FileBytes(written.bytes))
      guard let last = order.entries.indices.last else { return }
      let renamed = try order.renaming([last: Array("renamed".utf8)], in: bytes)
      _ = try dialect.read(FileBytes(renamed))
    }
  }

  static let documents = [
    FuzzTarget("clusters") { bytes in
      let profile = try ClusterProfile(parsing: bytes)
      let names = profile.functions.flatMap { $0.names + [$0.unit].compactMap { $0 } }
      guard names.allSatisfy(ClusterProfile.isWritable) else { return }
      _ = try ClusterProfile(parsing: FileBytes(profile.written()))
    },
    FuzzTarget("profile") { bytes in
      let profile = try Profile(parsing: bytes)
      let again = try Profile(parsing: FileBytes(profile.bytes))
      precondition(again == profile, "it is written as it is")
      guard let twice = profile.weighted(by: 2) else { return }
      var fold = ProfileFold()
      guard fold.add(profile), fold.add(profile) else { return }
      precondition(fold.profile == twice, "a weight is that many merges")
      _ = Trace(profile, path: "profile")
      for launch in profile.launches { _ = profile.recordedFunctions(of: launch) }
      _ = UsedFunctions(profile, images: Array(profile.images.indices), build: nil)
    },
    FuzzTarget("pages") { bytes in
      for image in try PagesDocument(parsing: bytes).images { _ = DataPages(of: image) }
    },
    FuzzTarget("faults") { bytes in
      let document = try FaultsDocument(parsing: bytes)
      _ = try FaultsDocument(parsing: FileBytes(document.json()))
      _ = FaultsText(document, listsFaults: true).text
      var report = ReportDocument(title: "app", pageSize: .fourKibibytes)
      report.faults = [ReportFaults(path: "faults.json", document, side: nil)]
      _ = report.json()
      PerfettoTrace(
        [],
        faults: [ExportedFaults(path: "faults.json", document, firstHitOfFault: [:])],
        wording: { $0.description }
      ).write { _ in }
    },
    FuzzTarget("report") { bytes in
      let contents = try ReportContents(parsing: bytes)
      _ = ReportContentsText(contents, path: "report.html").text
      if let check = contents.check {
        _ = CheckText(try CheckDocument(parsing: FileBytes(check))).text
      }
    },
    FuzzTarget("report-stages") { bytes in
      var document = ReportDocument(title: "app", pageSize: .fourKibibytes)
      document.stages = try ReportStages.tables(parsing: bytes)
      _ = ReportPage(document, wording: { $0.description }).html
    },
    FuzzTarget("check") { bytes in
      let check = try CheckDocument(parsing: bytes)
      let again = try CheckDocument(parsing: FileBytes(check.json()))
      precondition(again.json() == check.json(), "it is written as it is")
      _ = CheckText(check).text + CheckMarkdown(check).text + JUnitReport(check).text
    },
    FuzzTarget("history") { bytes in
      let history = try HistoryFile(parsing: bytes, path: "history")
      for form in HistoryExport.allCases { _ = form.text(of: history) }
      _ = TrendText(TrendDocument(history, ChangePointDetection())).text
      _ = HistoryText(history).text
    },
    FuzzTarget("budget") { bytes in
      let budget = try Budget(parsing: bytes)
      _ = try BudgetCheck(budget, images: [CheckedImage(name: "app")], base: nil).results()
    },
    FuzzTarget("launches") { bytes in
      let set = try LaunchSet(parsing: bytes)
      let again = try LaunchSet(parsing: FileBytes(set.json()))
      precondition(again.json() == set.json(), "it is written as it is")
    },
    FuzzTarget("check-base") { bytes in
      // The images are compared with themselves, so that functions are matched.
      var images: [CheckedImage] = []
      try images.addBase(bytes, path: "base.json")
      let budget = try BudgetDraft.budget(for: images)
      // With a limit of 0, any figure may exceed it.
      var strict = budget
      for index in strict.limits.indices { strict.limits[index].maximum = .count(0) }
      let results = try BudgetCheck(strict, images: images, base: images).results()
      let document = CheckDocument(budget: "budget", base: [], results: results, images: images)
      _ = CheckMarkdown(document).text + JUnitReport(document).text
    },
    FuzzTarget("committed") { _ = try CommittedDocument(parsing: $0, path: "document") },
    FuzzTarget("launch-log") { _ = try LaunchLog(parsing: $0) },
    FuzzTarget("proftext") { bytes in
      let profile = try TemporalProfile(parsing: bytes)
      for trace in profile.traces {
        profile.forEachName(of: trace) { _ = bytes.copy($0.symbol) }
      }
    },
    FuzzTarget("perf") { bytes in
      try PerfScript(bytes).forEachSample { sample in
        for frame in sample.frames { _ = frame.symbol.map { bytes.copy($0) } }
      }
    },
    FuzzTarget("measured-images") { _ = try MeasuredImages(parsing: $0) },
    FuzzTarget("xctrace") { bytes in
      var export = XctraceExport()
      var frameCount = 0
      try export.read(bytes) { row in frameCount += row.stack == nil ? 0 : 1 }
    },
  ]

  static let names = [
    FuzzTarget("names") { bytes in
      for line in bytes.copy(bytes.all.indices).split(separator: UInt8(ascii: "\n")) {
        let name = SymbolName(bytes: Array(line))
        for mode in Demangler.Mode.allCases { _ = Demangler(mode).demangle(name) }
        _ = CanonicalName(name)
        for form in SwiftNameForm.allCases { _ = form.text(ofMangled: name.bytes) }
      }
    }
  ]
}
