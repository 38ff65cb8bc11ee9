import ArgumentParser
import CommandSupport
import ImageModel

/// The destinations of the results of several launches: a file for each launch, or stdout. The summary of the launches
/// always goes to stdout.
struct LaunchOutputs {
  private let launches: [DescribedLaunch]
  /// The path of the folder; `nil` for stdout.
  private let folder: String?
  private let json: Bool
  private let inputs: [String]

  /// Refuses several JSON documents on stdout.
  static func check(
    _ described: LaunchSetOptions, _ destination: ReportDestination, json: Bool
  ) throws {
    if described.launches != nil, json, destination.output == "-" {
      throw ValidationError("--json with --launches writes several documents: give -o FOLDER, too")
    }
  }

  /// Makes the folder.
  ///
  /// - Parameter inputs: the paths of the files that the results are made of.
  init(
    _ destination: ReportDestination, _ launches: [DescribedLaunch], json: Bool,
    madeOf inputs: [String]
  ) throws(Diagnostic) {
    self.launches = launches
    folder = destination.output == "-" ? nil : destination.output
    self.json = json
    self.inputs = inputs + launches.prefix(1).map(\.path)
    if let folder { try Folder.make(folder) }
  }

  /// Opens the destination of the result of a launch. On stdout, a line with the name of the launch comes before the
  /// result.
  func output(of launch: DescribedLaunch) throws -> Output {
    if let folder {
      return try Output("\(folder)/\(launch.name).\(json ? "json" : "txt")", madeOf: inputs)
    }
    let isFirst = launch.name == launches.first?.name
    try Console.print(Array("\(isFirst ? "" : "\n")launch '\(launch.name)'\n".utf8))
    return .standardOutput
  }

  /// Prints the summary of the launches.
  func finish(_ summary: LaunchSummary) throws {
    if json { return try Console.print(summary.json()) }
    let text = LaunchSummaryText(summary, width: Console.width).text
    try Console.print(Array(((folder == nil ? "\n" : "") + text).utf8))
  }
}
