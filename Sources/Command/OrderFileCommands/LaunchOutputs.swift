import ArgumentParser
import CommandSupport
import ImageModel

/// The destinations of the results of several launches: a file for each launch, or stdout.
struct LaunchOutputs {
  private let launches: [DescribedLaunch]
  /// The path of the folder; `nil` for stdout.
  private let folder: String?
  private let suffix: String
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
    suffix = json ? "json" : "txt"
    self.inputs = inputs + launches.prefix(1).map(\.path)
    if let folder { try Folder.make(folder) }
  }

  /// Opens the destination of the result of a launch. On stdout, a line with the name of the launch comes before the
  /// result.
  func output(of launch: DescribedLaunch) throws -> Output {
    if let folder { return try Output("\(folder)/\(launch.name).\(suffix)", madeOf: inputs) }
    let isFirst = launch.name == launches.first?.name
    try Console.print(Array("\(isFirst ? "" : "\n")launch '\(launch.name)'\n".utf8))
    return .standardOutput
  }
}
