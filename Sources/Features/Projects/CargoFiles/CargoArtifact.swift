import ByteReading
import CommandSupport
import ImageModel
import JSON

/// An executable or shared library that cargo has built.
package struct CargoArtifact: Hashable, Sendable {
  /// The absolute path of the file.
  package var path: String
  package var isLibrary: Bool

  package var name: String { fileName(ofPath: path) }

  package init(path: String, isLibrary: Bool) {
    self.path = path
    self.isLibrary = isLibrary
  }

  /// The artifact of the last target of a build.
  ///
  /// - Parameter messages: the output of `cargo --message-format=json`. Each line with an object is a message; other
  ///   lines are output of the build. <https://doc.rust-lang.org/cargo/reference/external-tools.html#json-messages>
  /// - Throws: if the last target is not linked.
  /// - Complexity: O(*n*) for *n* bytes.
  package init(inMessages messages: [UInt8]) throws(Diagnostic) {
    var last: Message?
    for line in messages.split(separator: UInt8(ascii: "\n")) where line.first == UInt8(ascii: "{")
    {
      var cursor = JSONCursor(FileBytes(Array(line)))
      do throws(ParseError) {
        let message = try Message(JSONObject(parsing: &cursor, "message"))
        if message.isArtifact { last = message }
      } catch {
        throw Diagnostic("unable to read its messages: \(error)", context: ["cargo"])
      }
    }
    guard let last else { throw Diagnostic("cargo reported no build artifact") }
    let library = last.files.first { $0.hasSuffix(".so") || $0.hasSuffix(".dylib") }
    if let path = last.executable {
      self.init(path: path, isLibrary: false)
    } else if let path = library, last.crateTypes.contains(where: { $0.hasSuffix("dylib") }) {
      self.init(path: path, isLibrary: true)
    } else {
      throw Diagnostic(
        "the target is not linked: expected bin or cdylib, found \(last.crateTypes.joined(separator: ", "))",
        context: [last.name], hint: "choose a target that is linked: --bin NAME, or --package NAME",
        severity: .usage)
    }
  }
}

/// A message of cargo. If it is not about an artifact, only its kind is read.
private struct Message {
  var isArtifact: Bool
  var name = ""
  var crateTypes: [String] = []
  var files: [String] = []
  var executable: String?

  init(_ object: JSONObject) throws(ParseError) {
    let reason: String? = try object.optional("reason")
    isArtifact = reason == "compiler-artifact"
    guard isArtifact else { return }
    let target = try object.object("target")
    name = try target.value("name")
    crateTypes = try target.value("crate_types")
    files = try object.value("filenames")
    executable = try object.optional("executable")
  }
}
