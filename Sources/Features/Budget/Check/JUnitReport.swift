// The form of test reports that build servers read. There is no standard: this report follows the schema of Jenkins'
// xUnit plugin, <https://github.com/jenkinsci/xunit-plugin>. Each limit is a test case. A limit without a verdict is
// skipped, or is an error if it fails the command.

import ImageModel
import Rendering

/// A check as JUnit XML.
package struct JUnitReport {
  private let document: CheckDocument
  private let isStrict: Bool
  private let names: NameWording

  /// - Parameter isStrict: whether inconclusive measurements fail the command.
  package init(
    _ document: CheckDocument, isStrict: Bool = false, names: @escaping NameWording = mangled
  ) {
    self.document = document
    self.isStrict = isStrict
    self.names = names
  }

  package var text: String {
    let results = document.results
    let undecided = document.count(.inconclusive)
    let skipped =
      document.count(.noBaseline) + document.count(.alreadyInBase) + (isStrict ? 0 : undecided)
    let counts =
      "tests=\"\(results.count)\" failures=\"\(document.count(.fail))\" errors=\"\(isStrict ? undecided : 0)\""
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites \(counts)>\n"
    text +=
      "<testsuite name=\"\(escaped("orderfile check \(document.budget)"))\" \(counts) skipped=\"\(skipped)\">\n"
    for result in results { text += testCase(result) }
    return text + "</testsuite>\n</testsuites>\n"
  }

  private func testCase(_ result: CheckResult) -> String {
    let start =
      "<testcase classname=\"\(escaped("orderfile.\(result.image)"))\" name=\"\(escaped("\(result.subject): \(result.requirementWording)"))\""
    switch result.outcome {
    case .pass: return "\(start)/>\n"
    case .alreadyInBase:
      let reason = "already exceeded in the base: \(FailedFigure(results: [result]).wording)"
      return "\(start)>\n<skipped message=\"\(escaped(reason))\"/>\n</testcase>\n"
    case .noBaseline, .inconclusive:
      let reason = "\(result.outcome.rawValue): \(result.reason ?? "")"
      guard isStrict, result.outcome == .inconclusive else {
        return "\(start)>\n<skipped message=\"\(escaped(reason))\"/>\n</testcase>\n"
      }
      return
        "\(start)>\n<error type=\"inconclusive\" message=\"\(escaped(reason))\"/>\n</testcase>\n"
    case .fail:
      let causes = result.causes.map {
        let detail = $0.detail.isEmpty ? "" : " (\($0.detail))"
        return escaped("\($0.kind.rawValue): \(names($0.name))\(detail)") + "\n"
      }
      return
        "\(start)>\n<failure type=\"budget\" message=\"\(escaped(FailedFigure(results: [result]).wording))\">"
        + "\(causes.joined())</failure>\n</testcase>\n"
    }
  }

  /// Returns `text` as XML. Characters that XML can't contain become escapes or U+FFFD.
  private func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in printable(text).unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "\u{fffe}", "\u{ffff}": escaped += "\u{fffd}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
