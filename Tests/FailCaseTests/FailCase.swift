import Foundation
import FuzzTargets
import TestSupport
import Testing

/// An input that once made a reader trap, hang, or take more memory than `ParsingLimits` allows.
struct FailCase: Sendable, CustomTestStringConvertible {
  /// The name of the fuzz target.
  let target: String
  let path: String
  var testDescription: String { "\(target)/\((path as NSString).lastPathComponent)" }

  static let folder = projectFolder.appendingPathComponent("Fuzz/FailCases").path

  /// The cases of all targets, by path.
  static let all: [FailCase] = FuzzTarget.all.flatMap { target in
    let folder = "\(Self.folder)/\(target.name)"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.sorted().map { FailCase(target: target.name, path: "\(folder)/\($0)") }
  }
}
