import ByteReading
import CommandSupport
import Counting
import ImageModel
import PagesFormat
import ProcessLaunch

/// The launch whose pages are counted after each link. The output of the launched program is not shown.
struct RelinkedLaunch {
  let program: ProgramLaunch
  /// The path of the file that is the program's standard input; `nil` for an empty input.
  let inputPath: String?
  /// The path of the image whose pages are counted.
  let path: String
  let folder: TemporaryFolder
  let environment: LaunchEnvironment

  /// - Parameter end: how the program has to end; `nil` for any end.
  /// - Throws: if the pages can't be counted, or if the program ends in another way.
  func count(_ end: ProgramLaunch.End?) throws -> (image: PagesDocument.Image, CountedPages) {
    let log = ProgramLog(folder.path("launch.log"))
    let counted = try log.streams(input: inputPath) { streams in
      var launch = PageLaunch(program, in: environment)
      launch.program.streams = streams
      launch.images = [path]
      launch.countsLoading = true
      return try launch.run()
    }
    if let end { try check(counted.end, end, log) }
    guard let image = counted.document.images.first(where: { $0.path == path }),
      !image.pages.isEmpty
    else {
      throw Diagnostic(
        "no page of this image was touched: the launch does not use it", context: [path])
    }
    guard image.loading != nil else {
      throw counted.warnings.first
        ?? Diagnostic("the pages that the loader touches were not counted", context: [path])
    }
    return (image, counted)
  }

  /// - Throws: if a launch did not end as an earlier launch.
  func check(
    _ end: ProgramLaunch.End?, _ earlier: ProgramLaunch.End, _ log: ProgramLog
  ) throws(Diagnostic) {
    guard let end, end != earlier else { return }
    throw Diagnostic(
      "the launch ended with \(end), but an earlier launch ended with \(earlier)\(log.lastLines())",
      context: [program.command[0]])
  }
}

/// The identity of a program, by which it is recognized after a link with other options.
struct ProgramIdentity {
  private let architecture: Architecture
  private let isStripped: Bool
  private let names: Set<SymbolName>

  init(_ image: Image) {
    architecture = image.architecture
    let layout = image.layout
    names = Set(layout.functions.map { layout.name(of: $0) })
    isStripped = names.isEmpty
  }

  /// Whether most functions of both programs are the same. All need not be the same, because options remove or fold
  /// functions. Without symbols, only the architecture is compared.
  func isLike(_ other: Self) -> Bool {
    guard architecture == other.architecture else { return false }
    if isStripped || other.isStripped { return true }
    return names.intersection(other.names).count * 2 > min(names.count, other.names.count)
  }
}
