import Addresses
import FunctionOrder
import ImageModel
import OrderFileFormat
import Reporting
import Symbolication

/// From launches to the order file of one image.
package struct OrderGeneration {
  /// Of the recorded image.
  let fileName: String
  /// The build to be ordered.
  package let release: ReleaseLayout
  /// The functions of `release` by name.
  private let map: SymbolMap
  private let launches: [RecordedFunctions]
  private let resolved: [ResolvedLaunch]
  private let recordedCount: Int
  private let resolvedCount: Int

  /// - Throws: `mismatch` if fewer than half of the recorded functions are in `release`: it is another
  ///   program then.
  package init(
    _ inputs: inout LaunchInputs, fileName: String, release: ReleaseLayout?
  ) throws(Diagnostic) {
    self.fileName = fileName
    launches = try inputs.launches(inImageNamed: fileName)
    if let release {
      self.release = release
    } else {
      self.release = ReleaseLayout(try inputs.recordedImage(of: launches[0].image))
    }
    var map = SymbolMap(self.release.layout)
    var resolved: [ResolvedLaunch] = []
    for launch in launches { resolved.append(ResolvedLaunch(launch, in: &map)) }
    self.map = map
    self.resolved = resolved
    recordedCount = resolved.reduce(0) { $0 + $1.recordedCount }
    resolvedCount = resolved.reduce(0) { $0 + $1.resolvedCount }
    guard 2 * resolvedCount >= recordedCount else {
      throw Diagnostic(
        "only \(resolvedCount) of \(counted(recordedCount, "recorded function")) are in it: "
          + "it is another program, or stripped", context: [self.release.path],
        hint: "give the build to be ordered by --image, unstripped, or its --link-map; of Rust "
          + "compile both builds with -Ccodegen-units=1, else they inline differently",
        severity: .mismatch)
    }
  }

  /// An order file's bytes, and what is to be said about them.
  package struct Output {
    package let bytes: [UInt8]
    package let image: OrderedImage
    package let warnings: [Diagnostic]
  }

  /// - Parameter architecture: the only one that the order file is to be for, in a dialect that can say so.
  package func write(
    dialect: OrderFileDialect, architecture: Architecture?, largeFunctionBytes: UInt64?,
    outputPath: String, traces: [Trace]
  ) -> Output {
    let layout = release.layout
    let order = FirstTouchOrder(
      launches: resolved.map(\.uses), layout: layout, initializers: release.initializers,
      largeFunctionBytes: largeFunctionBytes)
    let placing = PlacingEntries(
      of: order.parts, in: map, for: dialect, architecture: architecture)
    let written = dialect.write(placing.entries, header: header(traces))
    let image = OrderedImage(
      outputPath: outputPath, dialect: dialect.name, recordedImage: launches[0].image.path,
      layoutPath: release.path, traces: traces.map(\.path),
      recordedFunctions: recordedCount, resolvedFunctions: resolvedCount,
      untracedInitializers: order.untracedInitializerCount,
      entries: placing.entries.count - written.unwritable.count,
      startupBytes: layout.byteCount(of: order.parts),
      textBytes: layout.sections.filter(\.isExecutable).map(\.range.size).saturatingSum(),
      missing: missing(placing, written),
      unnamedHits: launches.reduce(0) { $0 + $1.unnamedUses.count },
      lostRecords: traces.map(\.lostRecords).saturatingSum())
    let cannotMove = Diagnostic.sharedInputSections(
      order.parts, in: layout, path: release.path)
    return Output(
      bytes: written.bytes, image: image,
      warnings: release.warnings
        + [
          cannotMove, .ambiguous(placing, path: release.path),
          .ofSeveralFiles(placing, path: release.path),
          .weakID(launches[0].image, layout.imageFormat),
        ].compactMap { $0 })
  }

  /// Who made the file, and of what; no time and no path, so that the same inputs give the same bytes.
  private func header(_ traces: [Trace]) -> [String] {
    let recorded = launches[0].image.id?.description ?? "without ID"
    let ordered = release.image?.id.map { ", ordered image \($0)" } ?? ""
    return [
      "orderfile \(toolVersion): first uses of \(fileName) in \(counted(traces.count, "trace"))",
      "recorded image \(recorded)\(ordered)",
    ]
  }

  /// What no line stands for, each once.
  private func missing(
    _ placing: PlacingEntries, _ written: WrittenOrderFile
  ) -> [NameWithReason] {
    let unnamable = placing.unnamable.map {
      NameWithReason(name: $0, reason: "unable to write: a label, or made by the linker")
    }
    let unwritable =
      unnamable
      + written.unwritable.filter { $0.reason != .duplicate }.map {
        NameWithReason(
          name: SymbolName(bytes: $0.entry.symbol), reason: "unable to write: \($0.reason)")
      }
    var listed: Set<NameWithReason> = []
    return (resolved.flatMap(\.missing) + unwritable).filter { listed.insert($0).inserted }
  }
}
