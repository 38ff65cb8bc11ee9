import Stages
import TestSupport

/// Launches of an app with two start-up tasks of the stage `first.screen one` and, if asked, a third one. Times vary from
/// launch to launch by about 5%.
struct StageLaunches {
  var launches = 30
  /// The milliseconds that the task `settings` takes.
  var settings = 3.0
  var hasUpload = false
  /// The milliseconds that each launch takes longer than the launch before.
  var drift = 0.0
  var seed: UInt64 = 1

  var all: [StagedLaunch] {
    var random = SeededRandom(seed: seed)
    return (0..<launches).map { number in
      func milliseconds(_ typical: Double) -> Double {
        typical * Double.random(in: 0.95...1.05, using: &random) * 1e6
      }
      let database = milliseconds(5)
      let settings = milliseconds(settings)
      let upload = hasUpload ? milliseconds(1) : 0
      let rest = milliseconds(20) + drift * Double(number) * 1e6
      var stages = [
        LaunchStage("main", .event, nanoseconds: milliseconds(10)),
        LaunchStage(
          "first screen", .event, nanoseconds: rest + database + settings + upload),
        LaunchStage("task database of first.screen one", .task, nanoseconds: database),
        LaunchStage("task settings of first.screen one", .task, nanoseconds: settings),
      ]
      if hasUpload {
        stages.append(
          LaunchStage("task upload of first.screen one", .task, nanoseconds: upload))
      }
      return StagedLaunch(stages)
    }
  }

  var document: StagesDocument {
    var document = StagesDocument(precision: 0.03)
    document.tables = [StageTable(.trace, all, origins: ["launches"])]
    document.image = .init(path: "build/app")
    return document
  }

  func compared(with base: StageLaunches) throws -> StagesDocument {
    var document = document
    try document.compare(with: base.document)
    return document
  }
}
