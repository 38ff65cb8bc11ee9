import JSON
import Rendering

/// The result of `orderfile doctor`: what keeps a program from being ordered here.
package struct DoctorDocument: Hashable, Sendable {
  package enum Subject: String, CaseIterable, Sendable {
    /// A project's folder.
    case project
    /// A linked image.
    case image
    case linkMap
    /// Only this machine was examined.
    case machine
  }

  package var subject: Subject
  /// The path of the project, the image or the link map; `nil` for the machine.
  package var path: String?
  package var findings: [Finding]
  /// Why `auto` can't succeed, each in a few words; empty if it can.
  package var obstacles: [String]

  package init(subject: Subject, path: String?, findings: [Finding], obstacles: [String]) {
    self.subject = subject
    self.path = path
    self.findings = findings
    self.obstacles = obstacles
  }

  /// Whether `auto` can succeed.
  package var canSucceed: Bool { obstacles.isEmpty }
}

extension DoctorDocument: JSONDocument {
  package static let schema = "orderfile.doctor/1"

  package func writeMembers(to json: inout JSONWriter) {
    json.member("canSucceed", canSucceed)
    json.member("findings", findings)
    json.member("obstacles", obstacles)
    json.member("path", path)
    json.member("schema", Self.schema)
    json.member("subject", subject.rawValue)
  }
}
