import JSON

/// The result of `orderfile doctor`: what keeps a program from being ordered here.
package struct DoctorDocument: Hashable, Sendable {
  package enum Subject: String, Sendable {
    /// A project's folder.
    case project
    /// A linked image.
    case image
    case linkMap
    /// Nothing but this machine.
    case machine
  }

  package var subject: Subject
  /// Of the project, the image or the link map; `nil` for the machine.
  package var path: String?
  package var findings: [Finding]
  /// The methods by which `auto` records.
  package var methods: [Method]

  package struct Method: Hashable, Sendable {
    package var method: AutoDocument.Method
    /// Why it can't succeed, each in a few words; empty if it can.
    package var obstacles: [String]

    package init(_ method: AutoDocument.Method, obstacles: [String]) {
      self.method = method
      self.obstacles = obstacles
    }
  }

  package init(subject: Subject, path: String?, findings: [Finding], methods: [Method]) {
    self.subject = subject
    self.path = path
    self.findings = findings
    self.methods = methods
  }

  /// Whether a method of `auto` can succeed.
  package var canSucceed: Bool { methods.contains { $0.obstacles.isEmpty } }
}

extension DoctorDocument: JSONDocument {
  package static let schema = "orderfile.doctor/1"

  package func write(to json: inout JSONWriter) {
    json.array("findings") { json in
      for finding in findings { json.object { finding.write(to: &$0) } }
    }
    json.array("methods") { json in
      for method in methods {
        json.object { json in
          json.member("canSucceed", method.obstacles.isEmpty)
          json.member("method", method.method.rawValue)
          json.array("obstacles") { json in
            for obstacle in method.obstacles { json.element(obstacle) }
          }
        }
      }
    }
    json.member("path", path)
    json.member("schema", Self.schema)
    json.member("subject", subject.rawValue)
  }
}

extension Finding {
  fileprivate func write(to json: inout JSONWriter) {
    json.member("area", area.rawValue)
    json.member("check", check)
    json.member("finding", finding)
    json.member("remedy", remedy)
    json.member("state", state.rawValue)
  }
}
