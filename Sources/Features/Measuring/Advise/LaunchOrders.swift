import ByteReading
import CommandSupport
import ImageModel
import LibC
import OrderFileFormat
import Ordering
import PagesFormat
import ProcessLaunch
import Recording
import Symbolication

/// Makes order files from launches of an image. Each function uses the build that is at the image's path when the
/// function is called.
struct LaunchOrders {
  let launch: RelinkedLaunch
  /// The dialect of the linker; `nil` for the linker that the image states. GNU ld states nothing.
  let linker: OrderFileDialect?

  private var image: String { launch.path }

  /// Records a launch, and makes the order file and what belongs to it.
  ///
  /// - Parameters:
  ///   - name: the name of a new folder for the files.
  ///   - isSplit: whether functions are split. The image must have a map of its basic blocks.
  ///   - prefetches: whether the image is to prefetch what the launch touches.
  ///   - end: how the launch has to end.
  /// - Throws: if the launch can't be recorded, or if no order can be made from it.
  func files(
    _ name: String, isSplit: Bool, prefetches: Bool, end: ProgramLaunch.End
  ) throws -> OrderedBuildFiles {
    let folder = launch.folder.path(name)
    guard !folder.contains(where: { $0.isWhitespace || $0 == "," }) else {
      throw Diagnostic(
        "expected a folder for temporary files without blanks and commas", context: [folder],
        hint: "set TMPDIR")
    }
    try Folder.make(folder)
    var files = OrderedBuildFiles(
      folder: folder, name: fileName(ofPath: image), dialect: try dialect())
    files.isSplit = isSplit
    files.prefetches = prefetches
    var options = OrderGeneration.Options(
      traces: try record(to: "\(folder)/launch.oftrace", blocks: isSplit, end: end))
    options.builds = .one(image: image)
    options.linker = files.dialect
    options.ordersData = false
    options.environment = launch.environment
    if isSplit {
      options.split = .clang
      options.splitPath = files.profile
    }
    if prefetches {
      let pages = try launch.count(end).1.document
      let path = "\(folder)/launch.pages"
      try OutputFile(path).finish(pages.json())
      options.traces.append(path)
      options.prefetchPath = files.source
    }
    var generation = try OrderGeneration(options)
    guard let recorded = generation.fileNames.first else {
      throw Diagnostic("nothing was recorded", context: [image])
    }
    let order = try generation.order(ofImageNamed: recorded, outputPath: files.order)
    try OutputFile(files.order).finish(order.bytes)
    if isSplit { try OutputFile(files.profile).finish(order.splitProfile ?? []) }
    if prefetches {
      try OutputFile(files.source).finish(order.prefetchSource ?? [])
      try compile(files)
    }
    return files
  }

  /// Returns the dialect of the linker that linked the image.
  ///
  /// - Throws: if this linker takes no order files.
  private func dialect() throws(Diagnostic) -> OrderFileDialect {
    if let linker { return linker }
    guard let stated = BuildFacts.linker(ofImage: try InputFile.bytes(image)) else { return .gnuLD }
    guard let dialect = OrderFileDialect(linkerStating: stated) else {
      throw Diagnostic(
        "\(stated) takes no order files: expected \(OrderFileDialect.listForELF)", context: [image],
        hint: "link with one of these linkers")
    }
    return dialect
  }

  /// Records the functions, and the basic blocks if they are wanted, that a launch runs.
  ///
  /// - Returns: the paths of the traces.
  private func record(
    to path: String, blocks: Bool, end: ProgramLaunch.End
  ) throws -> [String] {
    var breakpoints = LaunchRecording.Breakpoints(onlyImages: [image])
    breakpoints.blocks = blocks
    let log = ProgramLog(launch.folder.path("launch.log"))
    let recorded = try log.streams(input: launch.inputPath) { streams in
      var program = launch.program
      program.streams = streams
      return try LaunchRecording(
        .breakpoints(.launch(program), breakpoints), outputPath: path, in: launch.environment
      ).run()
    }
    if let failure = recorded.failure { throw failure }
    try launch.check(recorded.end, end, log)
    guard !recorded.paths.isEmpty else {
      throw Diagnostic("nothing was recorded", context: [image])
    }
    return recorded.paths
  }

  /// Compiles the source file with which the image prefetches.
  private func compile(_ files: OrderedBuildFiles) throws(Diagnostic) {
    let compiler = ["cc", "clang", "gcc"].lazy.compactMap {
      try? launch.environment.program(named: $0)
    }.first
    guard let compiler else {
      throw Diagnostic("PATH has no C compiler", hint: "install clang or gcc")
    }
    let compilation = ProgramLaunch(
      command: [compiler, "-O2", "-fPIC", "-c", files.source, "-o", files.object])
    let end: ProgramLaunch.End
    do { end = try compilation.run().end } catch {
      throw Diagnostic("unable to run: \(error)", context: [compiler])
    }
    guard end == .exited(0) else {
      throw Diagnostic("the compiler failed (\(end))", context: [files.source])
    }
  }
}
