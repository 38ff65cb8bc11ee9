import Addresses
import FunctionOrder
import ImageModel
import OrderFileFormat
import Reporting
import Symbolication

/// From traces to order files: reads what the command line names, checks that it belongs together, and
/// orders one image after the other.
struct OrderGeneration {
  private var traces: [Trace] = []
  private var images = RecordedImages()
  private(set) var warnings: [Diagnostic] = []

  /// - Throws: also if an image in `recorded` is in none of the traces.
  init(traces paths: [String], recorded: [String]) throws(Diagnostic) {
    for path in paths {
      let trace = Trace(try InputFile.trace(path), path: path)
      if trace.hits.isEmpty { warnings.append(.emptyTrace(trace)) }
      traces.append(trace)
    }
    guard traces.contains(where: { !$0.hits.isEmpty }) else {
      throw Diagnostic(
        "nothing was recorded", context: paths.count == 1 ? paths : [],
        hint: "see 'orderfile record --help'", severity: .nothingRecorded)
    }
    for path in recorded {
      let (image, warnings) = try Image.reading(path: path)
      self.warnings += warnings
      let known = traces.flatMap(\.images)
      guard known.contains(where: { $0.id == image.id }) else {
        throw .imageMismatch(path, found: image.id, expected: known.first { $0.hasFileName(path) })
      }
      images.add(image)
    }
    for trace in traces where !trace.isSealed { images.add(imagesOf: trace) }
  }

  /// What each launch used in the image that `paths` are builds of, by file name; else in the
  /// executable.
  mutating func launches(
    forImagesNamed paths: [String]
  ) throws(Diagnostic) -> [RecordedFunctions] {
    try recordedFunctions(try fileName(forImagesNamed: paths))
  }

  /// One image to be ordered.
  struct Target {
    /// Of the recorded image: images of one file name are the same image in all traces.
    let fileName: String
    let release: ReleaseLayout?
  }

  /// The images that order files are wanted for.
  mutating func targets(
    images paths: [String], linkMap: String?, debugFile: String?, all: Bool
  ) throws(Diagnostic) -> [Target] {
    if all {
      let fileNames = recordedFileNames
      var releases: [String: ReleaseLayout] = [:]
      for path in paths {
        let name = OrderFileCommands.fileName(ofPath: path)
        guard fileNames.contains(name) else {
          throw Diagnostic(
            "missing in the traces: an image of this name", context: [path],
            hint: "the traces have \(fileNames.joined(separator: ", "))", severity: .mismatch)
        }
        releases[name] = try ReleaseLayout(path: path)
      }
      return fileNames.map { Target(fileName: $0, release: releases[$0]) }
    }

    let release: ReleaseLayout? =
      switch (paths.first, linkMap) {
      case (let image?, let map?):
        try ReleaseLayout(image: image, linkMap: map, debugFile: debugFile)
      case (let path?, nil): try ReleaseLayout(path: path, debugFile: debugFile)
      case (nil, let path?): try ReleaseLayout(path: path)
      case (nil, nil): nil
      }
    warnings += release?.warnings ?? []
    return [Target(fileName: try fileName(forImagesNamed: paths), release: release)]
  }

  /// The file names of all images in the traces, in the order of their first load.
  private var recordedFileNames: [String] {
    var names: [String] = []
    for image in traces.flatMap(\.images) where !names.contains(image.fileName) {
      names.append(image.fileName)
    }
    return names
  }

  /// The recorded image that a command is about: the one called like a build that was named, else the
  /// executable, else the only one.
  private func fileName(forImagesNamed paths: [String]) throws(Diagnostic) -> String {
    let recorded = recordedFileNames
    let program = OrderFileCommands.fileName(ofPath: traces[0].program)
    for name in paths.map(OrderFileCommands.fileName(ofPath:)) + [program]
    where recorded.contains(name) {
      return name
    }
    if recorded.count == 1 { return recorded[0] }
    throw Diagnostic(
      "the executable '\(program)' is not instrumented, and the traces have several images",
      context: [traces[0].path],
      hint: "name one by --image, or use --all-images: \(recorded.joined(separator: ", "))",
      severity: .mismatch)
  }

  /// The order file of one image.
  mutating func order(
    _ target: Target, dialect: OrderFileDialect, largeFunctionBytes: UInt64?, outputPath: String
  ) throws(Diagnostic) -> (bytes: [UInt8], report: GenReport) {
    let launches = try recordedFunctions(target.fileName)
    guard let first = launches.first, launches.contains(where: { !$0.uses.isEmpty }) else {
      throw Diagnostic(
        "nothing was recorded in '\(target.fileName)'", severity: .nothingRecorded)
    }
    let release: ReleaseLayout
    if let given = target.release {
      release = given
    } else {
      release = try releaseIsRecorded(first.image)
    }
    var map = SymbolMap(release.layout)
    var resolved: [ResolvedLaunch] = []
    for launch in launches { resolved.append(ResolvedLaunch(launch, in: &map)) }
    let recordedCount = resolved.reduce(0) { $0 + $1.recordedCount }
    let resolvedCount = resolved.reduce(0) { $0 + $1.resolvedCount }
    guard 2 * resolvedCount >= recordedCount else {
      throw Diagnostic(
        "only \(resolvedCount) of \(counted(recordedCount, "recorded function")) are in it: "
          + "it is another program, or stripped", context: [release.path],
        hint: "give the build to be ordered by --image, unstripped, or its --link-map",
        severity: .mismatch)
    }

    let order = FirstTouchOrder(
      launches: resolved.map(\.uses), layout: release.layout, initializers: release.initializers,
      largeFunctionBytes: largeFunctionBytes)
    let entries = order.functions.flatMap { index in
      release.layout.entries(of: release.layout.functions[index], for: dialect)
    }
    let header = [
      "orderfile \(toolVersion): first uses of \(target.fileName) in "
        + counted(traces.count, "trace"),
      "recorded image \(first.image.id?.description ?? "without ID")"
        + (release.image?.id.map { ", ordered image \($0)" } ?? ""),
    ]
    let written = dialect.write(entries, header: header)
    var missing: [NameWithReason] = []
    var listed: Set<NameWithReason> = []
    for name in resolved.flatMap(\.missing) where listed.insert(name).inserted {
      missing.append(name)
    }
    missing += written.unwritable.filter { $0.reason != .duplicate }.map {
      NameWithReason(
        name: SymbolName(bytes: $0.entry.symbol),
        reason: "unable to write in the \(dialect) dialect: \($0.reason)")
    }
    let layout = release.layout
    let report = GenReport(
      outputPath: outputPath, dialect: dialect.name, recordedImage: first.image.path,
      layoutPath: release.path, traces: traces.map(\.path),
      recordedFunctions: recordedCount, resolvedFunctions: resolvedCount,
      untracedInitializers: order.untracedInitializerCount,
      entries: entries.count - written.unwritable.count,
      startupBytes: layout.bodyBytes(order.functions),
      textBytes: layout.sections.filter(\.isExecutable).reduce(0) { $0 + $1.range.size },
      missing: missing, unnamedHits: launches.reduce(0) { $0 + $1.unnamedHits },
      lostRecords: traces.reduce(0) { $0 + $1.lostRecords })
    return (written.bytes, report)
  }

  /// What each launch used in the images of that file name.
  private mutating func recordedFunctions(
    _ fileName: String
  ) throws(Diagnostic) -> [RecordedFunctions] {
    var launches: [RecordedFunctions] = []
    for trace in traces {
      for group in trace.imageGroups where trace.images[group[0]].fileName == fileName {
        let image = trace.images[group[0]]
        let functions: RecordedImage
        if let read = images.image(for: image) {
          functions = RecordedImage(read)
        } else if trace.isSealed || trace.names.contains(where: { group.contains($0.image) }) {
          functions = RecordedImage(namesOf: trace, group: group)
        } else if let other = images.imageAtPath(of: image) {
          throw .imageMismatch(image.path, found: other.id, expected: image)
        } else {
          throw Diagnostic(
            "missing the image that was recorded", context: [trace.path, image.path],
            hint: "give it by --recorded, or record with 'orderfile record', which seals the trace",
            severity: .mismatch)
        }
        launches.append(RecordedFunctions(trace, group: group, in: functions))
      }
    }
    return launches
  }

  /// Without a build to be ordered, the recorded one is it.
  private mutating func releaseIsRecorded(_ image: TraceImage) throws(Diagnostic) -> ReleaseLayout {
    for trace in traces { images.add(imagesOf: trace) }
    guard let read = images.image(for: image) else {
      if let other = images.imageAtPath(of: image) {
        throw .imageMismatch(image.path, found: other.id, expected: image)
      }
      throw Diagnostic(
        "missing the build to be ordered", context: [image.path],
        hint: "give it by --image or --link-map", severity: .mismatch)
    }
    return ReleaseLayout(read)
  }
}

extension Diagnostic {
  fileprivate static func emptyTrace(_ trace: Trace) -> Diagnostic {
    Diagnostic("nothing was recorded", context: [trace.path])
  }

  /// An image that isn't the one that was recorded.
  static func imageMismatch(
    _ path: String, found: ImageID?, expected: TraceImage?
  ) -> Diagnostic {
    let wanted = expected.map { $0.id?.description ?? "none" } ?? "one of the traces' images"
    return Diagnostic(
      "image ID mismatch: expected \(wanted), found \(found?.description ?? "none")",
      context: [path],
      hint: "it was built again since; record again, or give the recorded image by --recorded",
      severity: .mismatch)
  }
}

extension TraceImage {
  /// The last component of the path.
  var fileName: String { OrderFileCommands.fileName(ofPath: path) }
  func hasFileName(_ path: String) -> Bool { fileName == OrderFileCommands.fileName(ofPath: path) }
}

/// The last component of `path`.
func fileName(ofPath path: String) -> String {
  path.split(separator: "/").last.map(String.init) ?? path
}
