// The table of launches. Each trace is folded into a profile of one launch, and that profile is written as a row. So a
// row has exactly what a profile needs. Folding the rows, as docs/how-to/FLEET.md describes, gives the profile that
// `merge` would have made of the traces.

import ByteReading
import CommandSupport
import ImageModel
import Ordering
import ProfileFormat

/// Launches as rows of a Parquet file: `orderfile export parquet`.
package struct LaunchTable {
  package struct Options {
    /// The paths of the traces, as `LaunchFiles.init` takes them.
    package var paths: [String]
    /// The paths of recorded images.
    package var recorded: [String] = []
    package var architecture: Architecture?
    /// The number of devices that must have run a function of a payload, so that rows have the function.
    package var leastDevices = 50

    package init(paths: [String]) { self.paths = paths }
  }

  /// The bytes of the Parquet file.
  package let bytes: FileBytes
  package let warnings: [Diagnostic]

  /// - Throws: an error if there is no Parquet writer, if a file is no trace or can't be read, if nothing was recorded,
  ///   for numbers that a column can't hold; `mismatch` for launches on several machines.
  package init(_ options: Options, _ environment: LaunchEnvironment) throws(Diagnostic) {
    let writer = try ParquetWriter(environment)
    let inputs = try LaunchFiles(options.paths)
    let folder = try TemporaryFolder(in: environment)
    let lines = folder.path("launches.jsonl")
    var rows = LaunchRows(inputs.files, options)
    let file = try OutputFile(lines)
    try file.finish { rows.write(to: $0) }
    warnings = try inputs.warnings + rows.finish()
    bytes = try writer.table(ofLinesIn: lines, in: folder)
  }
}

/// Makes a row of the table from each trace, one after the other, and then from each payload.
private struct LaunchRows {
  private let files: [LaunchFiles.File]
  private let options: LaunchTable.Options
  private var folder: FileFolding
  private var payloads: PayloadFolding?
  private var described = LaunchRow.Described()
  private var machines = ProfileFold()
  private var usesAnything = false
  private var failure: Diagnostic?

  init(_ files: [LaunchFiles.File], _ options: LaunchTable.Options) {
    self.files = files
    self.options = options
    var merge = LaunchMerge.Options(paths: [])
    merge.recorded = options.recorded
    merge.architecture = options.architecture
    folder = FileFolding([], merge)
  }

  mutating func write(to sink: ([UInt8]) -> Void) {
    var rows: [UInt8] = []
    do throws(Diagnostic) {
      var others: [LaunchFiles.File] = []
      for file in files {
        guard let profile = try folder.launch(in: file) else {
          others.append(file)
          continue
        }
        try add(profile, file.path, weight: file.weight, to: &rows, sink)
      }
      if !others.isEmpty { try addPayloads(in: others, to: &rows, sink) }
    } catch { failure = error }
    sink(rows)
  }

  private mutating func addPayloads(
    in others: [LaunchFiles.File], to rows: inout [UInt8], _ sink: ([UInt8]) -> Void
  ) throws(Diagnostic) {
    var folding = try PayloadFolding(
      others, recorded: options.recorded, options.architecture, leastDevices: options.leastDevices)
    let folder = folding
    var count = 0
    try folding.forEachLaunch { launch throws(Diagnostic) in
      count += 1
      var fold = ProfileFold()
      _ = folder.add(launch, to: &fold, weight: 1)  // one launch is not too many
      // A row is of one device: the name of the payload's file may say whose.
      try add(fold.profile, "", weight: launch.weight, to: &rows, sink)
    }
    if count == 0 { throw folding.nothingShown }
    payloads = folding
  }

  /// Adds the row of the launch in `profile`.
  private mutating func add(
    _ profile: Profile, _ path: String, weight: UInt64, to rows: inout [UInt8],
    _ sink: ([UInt8]) -> Void
  ) throws(Diagnostic) {
    usesAnything = usesAnything || profile.counts.emptyLaunches == 0
    for image in profile.images { _ = machines.image(image) }
    rows += try LaunchRow(profile, path: path, weight: weight, &described).line
    guard rows.count >= 1 << 20 else { return }
    sink(rows)
    rows = []
  }

  /// - Returns: warnings about images, and about launches that are given twice.
  func finish() throws(Diagnostic) -> [Diagnostic] {
    if let failure { throw failure }
    let unread = folder.unread.filter { payloads?.unusedImages.contains($0) ?? true }
    if let path = unread.first { throw .noLaunch(of: path) }
    guard usesAnything else { throw .nothingRecorded(files.count == 1 ? [files[0].path] : []) }
    if let mismatch = Diagnostic.machineMismatch(machines.profile.images) { throw mismatch }
    let repeated = zip(files, files.dropFirst()).filter { $0.path == $1.path }.map(\.0.path)
    return folder.warnings + (payloads?.warnings ?? [])
      + repeated.map {
        Diagnostic(
          "this trace is given more than once, so its hits count several times", context: [$0])
      }
  }
}
