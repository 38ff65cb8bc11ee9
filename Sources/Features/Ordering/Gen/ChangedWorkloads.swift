// Which launches have changed?
//
// Launches with different command lines are normal, and so are launches whose inputs are not named. What counts is a
// launch that was recorded again: the previous order file has a launch of the same name. It has changed if it has a
// command line or inputs with which it was not recorded before; inputs that were not named show nothing. Launches that
// are given together and have the same name and the same command line should have read the same inputs. If not, some
// were recorded before their inputs changed.

import ImageModel
import Rendering

extension Diagnostic {
  /// Returns warnings about launches that changed. A launch about which nothing is known gives no warning.
  static func changedWorkloads(
    _ workloads: [WorkloadSummary], since previous: PreviousOrder?
  ) -> [Diagnostic] {
    var warnings: [Diagnostic] = []
    var changes: [(launch: String, what: String)] = []
    for workload in workloads {
      let launch = printable(workload.launch)
      let before = previous?.workloads.filter { $0.launch == launch } ?? []
      guard !before.isEmpty, changes.last?.launch != launch else { continue }
      let sameCommand = before.filter { $0.commandLine == workload.commandLine }
      if sameCommand.isEmpty {
        changes.append((launch, "command line"))
      } else if let inputs = workload.inputs,
        !sameCommand.contains(where: { $0.inputs ?? inputs == inputs })
      {
        changes.append((launch, "inputs"))
      }
    }
    if let previous, !changes.isEmpty {
      warnings.append(
        Diagnostic(
          "launches have changed since this order file was made: "
            + listed(changes.map { "\($0.what) of \($0.launch)" }), context: [previous.path]))
    }
    let mixed = zip(workloads, workloads.dropFirst()).filter {
      $0.launch == $1.launch && $0.commandLine == $1.commandLine && $0.inputs != nil
    }
    var launches = mixed.map { printable($0.0.launch) }
    launches = launches.indices.filter { $0 == 0 || launches[$0 - 1] != launches[$0] }
      .map { launches[$0] }
    if !launches.isEmpty {
      warnings.append(
        Diagnostic(
          "launches of the same name and command line had different inputs: \(listed(launches))",
          hint:
            "some launches were recorded before their inputs changed: record these launches again"))
    }
    return warnings
  }

  /// Returns the first three of `texts`, and the number of the others, in words.
  private static func listed(_ texts: [String]) -> String {
    texts.prefix(3).joined(separator: ", ")
      + (texts.count > 3 ? ", and \(texts.count - 3) more" : "")
  }
}
