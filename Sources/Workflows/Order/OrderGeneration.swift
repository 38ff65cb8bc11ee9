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
  /// As the first trace that has it states it.
  private let recordedImage: TraceImage
  private let profile: LaunchProfile
  private let resolved: ResolvedProfile

  /// - Throws: `mismatch` if fewer than half of the recorded functions are in `release`: it is another
  ///   program then.
  package init(
    _ inputs: inout LaunchInputs, fileName: String, release: ReleaseLayout?
  ) throws(Diagnostic) {
    self.fileName = fileName
    profile = try inputs.profile(ofImageNamed: fileName)
    guard let image = inputs.traces.images.first(where: { $0.fileName == fileName }) else {
      throw Diagnostic("missing image '\(fileName)' in the traces")
    }
    recordedImage = image
    if let release {
      self.release = release
    } else {
      self.release = ReleaseLayout(try inputs.recordedImage(of: image))
    }
    var map = SymbolMap(self.release.layout)
    resolved = ResolvedProfile(profile, in: &map)
    self.map = map
    guard 2 * resolved.resolvedCount >= resolved.recordedCount else {
      throw Diagnostic(
        "only \(resolved.resolvedCount) of "
          + "\(counted(resolved.recordedCount, "recorded function")) are in it: "
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
    outputPath: String, traces: TraceSet
  ) -> Output {
    let layout = release.layout
    let order = FirstTouchOrder(
      launches: [resolved.uses], layout: layout, initializers: release.initializers,
      largeFunctionBytes: largeFunctionBytes)
    let placing = PlacingEntries(
      of: order.parts, in: map, for: dialect, architecture: architecture)
    let written = dialect.write(placing.entries, header: header(traces))
    let image = OrderedImage(
      outputPath: outputPath, dialect: dialect.name, recordedImage: recordedImage.path,
      layoutPath: release.path, traces: traces.members.map(\.path),
      recordedFunctions: resolved.recordedCount, resolvedFunctions: resolved.resolvedCount,
      untracedInitializers: order.untracedInitializerCount,
      entries: placing.entries.count - written.unwritable.count,
      startupBytes: layout.byteCount(of: order.parts),
      textBytes: layout.sections.filter(\.isExecutable).map(\.range.size).saturatingSum(),
      missing: missing(placing, written),
      unnamedHits: profile.unnamedHits,
      lostRecords: traces.members.map(\.lostRecords).saturatingSum())
    let cannotMove = Diagnostic.sharedInputSections(
      order.parts, in: layout, path: release.path)
    return Output(
      bytes: written.bytes, image: image,
      warnings: release.warnings
        + [
          cannotMove, .ambiguous(placing, path: release.path),
          .ofSeveralFiles(placing, path: release.path),
          .weakID(recordedImage, layout.imageFormat),
        ].compactMap { $0 })
  }

  /// Who made the file, and of what; no time and no path, so that the same inputs give the same bytes.
  private func header(_ traces: TraceSet) -> [String] {
    let recorded = recordedImage.id?.description ?? "without ID"
    let ordered = release.image?.id.map { ", ordered image \($0)" } ?? ""
    return [
      "orderfile \(toolVersion): first uses of \(fileName) in \(counted(traces.members.count, "trace"))",
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
    return (resolved.missing + unwritable).filter { listed.insert($0).inserted }
  }
}
