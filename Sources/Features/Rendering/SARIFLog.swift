import Addresses
import ImageModel
import JSON

/// Findings for code scanning, in SARIF 2.1.0: <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>.
package struct SARIFLog {
  /// The rules of all findings that the tool can report.
  package var rules: [Rule]
  package var results: [Result]
  package var toolVersion: String

  package struct Rule: Sendable {
    /// The name of the rule: words in lower case with hyphens.
    package var id: String
    /// The description of the rule, in one sentence.
    package var description: String

    package init(id: String, description: String) {
      self.id = id
      self.description = description
    }
  }

  package enum Level: String, Sendable { case error, warning, note }

  package struct Result {
    /// The `id` of one of the rules.
    package var rule: String
    package var level: Level
    package var message: String
    /// The path of the file that the finding is about: relative to the repository, or as the user gave it if the file
    /// is not in a repository. `nil` if the finding is about no file, such as a limit of the command line.
    package var path: String?
    /// The line number, from 1. It is 1 if the file has no lines, because code scanning does not take results without a
    /// line.
    package var line: Int
    /// The names of the functions, libraries or other things that the finding is about.
    package var names: [String]
    /// The text that identifies the finding and stays the same in the next build, and the name and version of the
    /// method that makes this text.
    package var fingerprint: (name: StaticString, text: String)

    package init(
      rule: String, level: Level, message: String, path: String?, line: Int = 1, names: [String],
      fingerprint: (name: StaticString, text: String)
    ) {
      self.rule = rule
      self.level = level
      self.message = message
      self.path = path
      self.line = line
      self.names = names
      self.fingerprint = fingerprint
    }
  }

  package init(rules: [Rule], results: [Result], toolVersion: String) {
    self.rules = rules
    self.results = results
    self.toolVersion = toolVersion
  }

  package func json() -> [UInt8] {
    JSONWriter.document { json in
      json.member("$schema", "https://json.schemastore.org/sarif-2.1.0.json")
      json.array("runs") { json in
        json.object(isInline: false) { json in
          let unplaced = results.filter { $0.path == nil }
          if !unplaced.isEmpty {
            json.array("invocations") { json in
              json.object { json in
                json.member("executionSuccessful", true)
                json.array("toolExecutionNotifications") { json in
                  for result in unplaced { json.object { writeNotification(result, to: &$0) } }
                }
              }
            }
          }
          json.array("results") { json in
            for result in results {
              guard let path = result.path else { continue }
              json.object { write(result, at: path, to: &$0) }
            }
          }
          json.object("tool") { json in json.object("driver") { writeDriver(to: &$0) } }
        }
      }
      json.member("version", "2.1.0")
    }
  }

  private func writeDriver(to json: inout JSONWriter) {
    json.member("name", "orderfile")
    json.array("rules") { json in
      for rule in rules {
        json.object { json in
          json.member("id", rule.id)
          json.object("shortDescription") { $0.member("text", rule.description) }
        }
      }
    }
    json.member("version", toolVersion)
  }

  /// Writes a finding about no file. Code scanning refuses results without a place, so the finding is a notification of
  /// the run.
  private func writeNotification(_ result: Result, to json: inout JSONWriter) {
    json.object("associatedRule") { json in
      json.member("id", result.rule)
      json.member("index", rules.firstIndex { $0.id == result.rule } ?? 0)
    }
    json.member("level", result.level.rawValue)
    json.object("message") { $0.member("text", result.message) }
  }

  private func write(_ result: Result, at path: String, to json: inout JSONWriter) {
    json.member("level", result.level.rawValue)
    json.array("locations") { json in
      json.object { json in
        json.array("logicalLocations") { json in
          for name in result.names { json.object { $0.member("fullyQualifiedName", name) } }
        }
        json.object("physicalLocation") { json in
          json.object("artifactLocation") { $0.member("uri", Self.uri(ofPath: path)) }
          json.object("region") { $0.member("startLine", result.line) }
        }
      }
    }
    json.object("message") { $0.member("text", result.message) }
    json.object("partialFingerprints") { json in
      json.member(result.fingerprint.name, result.fingerprint.text)
      json.member("primaryLocationLineHash", Self.lineHash(of: result.fingerprint.text))
    }
    json.member("ruleId", result.rule)
    json.member("ruleIndex", rules.firstIndex { $0.id == result.rule } ?? 0)
  }

  /// Returns the value of `primaryLocationLineHash`, the only fingerprint that GitHub compares. Without it, GitHub's
  /// upload computes one from the text of the line, which is the same for all results of an image. The value has the
  /// form of GitHub's: a hash in hexadecimal, here the 64-bit FNV-1a of `fingerprint`, and a number.
  /// <https://docs.github.com/en/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning>
  private static func lineHash(of fingerprint: String) -> String {
    var hash = FNV1a()
    for byte in fingerprint.utf8 { hash.add(byte) }
    return String(hash.value, radix: 16) + ":1"
  }

  /// Returns `path` as a URI reference: percent-encoded, and with the scheme `file` if it is absolute.
  private static func uri(ofPath path: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var text: [UInt8] = []
    for byte in path.utf8 {
      let isPlain =
        byte &- UInt8(ascii: "0") < 10 || (byte | 0x20) &- UInt8(ascii: "a") < 26
        || "-._~/".utf8.contains(byte)
      text +=
        isPlain ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return (path.hasPrefix("/") ? "file://" : "") + String(decoding: text, as: UTF8.self)
  }
}
