import ByteReading
import ImageModel
import JSON
import PagesFormat
import Rendering

/// The figures of an `AuditDocument`. Other commands read only these figures of the document. Initializers and
/// relocations are counted for the image and the libraries that come with it, because libraries of the system differ
/// from machine to machine.
package struct AuditFigures: Hashable, Sendable {
  /// The image; if a bundle was examined, the program in the bundle.
  package var image: ImageReference
  package var libraries: [Library]
  /// The names of the initializers, in the order of the calls; `nil` for an initializer without a name.
  package var initializers: [SymbolName?]
  /// The number of words that the loader writes.
  package var relocations: Int
  /// The number of findings about what keeps the image from being recorded and ordered.
  package var findings: Int
  /// The start-up tasks of the image and of the libraries that come with it, in the order in which they run.
  package var tasks: [Task]

  /// A start-up task that an image registers.
  package struct Task: Hashable, Sendable {
    package var name: SymbolName
    package var stage: SymbolName
    /// Whether the task runs with its stage: it has no problem that `AuditedTask` names.
    package var runs: Bool

    package init(name: SymbolName, stage: SymbolName, runs: Bool = true) {
      self.name = name
      self.stage = stage
      self.runs = runs
    }

    /// The task as the rows of `stages` have it: `database of first screen`.
    package var title: SymbolName { SymbolName(bytes: name.bytes + " of ".utf8 + stage.bytes) }
  }

  package struct Library: Hashable, Sendable {
    package var name: SymbolName
    package var path: String?
    package var isEmbedded: Bool?

    package init(name: SymbolName, path: String? = nil, isEmbedded: Bool? = nil) {
      self.name = name
      self.path = path
      self.isEmbedded = isEmbedded
    }
  }

  package init(parsing bytes: FileBytes) throws(ParseError) {
    let object = try JSONObject(document: bytes, schema: AuditDocument.schema)
    let images: [Image] = try object.value("images")
    let all: [Initializer] = try object.value("initializers")
    let findings: [FindingFigures] = try object.value("findings")
    guard let main = images.first else {
      throw object.invalid("images", expected: "at least one", found: "none")
    }
    image = ImageReference(
      path: main.path, architecture: try object.optional("architecture"),
      id: try object.optional("id"))
    libraries = try object.value("libraries")
    let own = Set([main.name] + libraries.filter { $0.isEmbedded == true }.map(\.name))
    initializers = all.filter { own.contains($0.image) && $0.origin != "c runtime" }.map(\.name)
    let registered: [RegisteredTask] = try object.optional("tasks") ?? []
    tasks = registered.filter { own.contains($0.image) }.map(\.task)
    relocations = images.filter { own.contains($0.name) }.map(\.relocations).saturatingSum()
    self.findings = findings.count { $0.severity != Finding.Severity.ok.rawValue }
  }

  fileprivate struct Image {
    var name: SymbolName
    var path: String
    var relocations: Int
  }

  fileprivate struct Initializer {
    var image: SymbolName
    var name: SymbolName?
    var origin: String?
  }

  fileprivate struct RegisteredTask {
    var image: SymbolName
    var task: Task
  }

  fileprivate struct FindingFigures {
    var severity: String
  }
}

extension AuditDocument {
  /// Returns the figures that another command reads from this document's JSON.
  package func figures() throws(Diagnostic) -> AuditFigures {
    do { return try AuditFigures(parsing: FileBytes(json())) } catch {
      throw Diagnostic("\(error)", context: [path])
    }
  }
}

extension AuditFigures.Library: JSONReadableObject {
  package init(_ object: JSONObject) throws(ParseError) {
    self.init(
      name: try object.value("name"), path: try object.optional("path"),
      isEmbedded: try object.optional("embedded"))
  }
}

extension AuditFigures.Image: JSONReadableObject {
  init(_ object: JSONObject) throws(ParseError) {
    self.init(
      name: try object.value("name"), path: try object.value("path"),
      relocations: try object.object("relocations").count("words"))
  }
}

extension AuditFigures.Initializer: JSONReadableObject {
  init(_ object: JSONObject) throws(ParseError) {
    self.init(
      image: try object.value("image"), name: try object.optional("name"),
      origin: try object.optional("origin"))
  }
}

extension AuditFigures.RegisteredTask: JSONReadableObject {
  init(_ object: JSONObject) throws(ParseError) {
    let problem: String? = try object.optional("problem")
    self.init(
      image: try object.value("image"),
      task: AuditFigures.Task(
        name: try object.value("name"), stage: try object.value("stage"), runs: problem == nil))
  }
}

extension AuditFigures.FindingFigures: JSONReadableObject {
  init(_ object: JSONObject) throws(ParseError) {
    self.init(severity: try object.value("severity"))
  }
}
