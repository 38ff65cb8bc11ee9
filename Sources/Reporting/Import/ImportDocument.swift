import ImageModel
import JSON
import PagesFormat

/// What `orderfile import` made a trace of, and what it could not use.
package struct ImportDocument: Hashable, Sendable {
  /// `xctrace`, `symbols` or `addresses`.
  package var source: String
  package var inputPaths: [String]
  /// The trace that was written; `-` is stdout.
  package var outputPath: String
  package var imagePath: String
  package var imageID: ImageID?
  /// First uses in the trace.
  package var functions: Int
  package var details: Details

  package enum Details: Hashable, Sendable {
    case list(List)
    case recording(Recording)
  }

  /// Of a list.
  package struct List: Hashable, Sendable {
    /// Lines that say something.
    package var entries: Int
    package var missing: [MissingLine]

    package init(entries: Int, missing: [MissingLine]) {
      self.entries = entries
      self.missing = missing
    }
  }

  /// A line of a list that stands for no function.
  package struct MissingLine: Hashable, Sendable {
    /// From 1.
    package var line: Int
    /// As it stands there.
    package var name: SymbolName
    package var reason: String

    package init(line: Int, name: SymbolName, reason: String) {
      self.line = line
      self.name = name
      self.reason = reason
    }
  }

  /// Of a recording of Instruments.
  package struct Recording: Hashable, Sendable {
    package var process: UInt64
    /// As Instruments shows it.
    package var processLabel: String
    /// Functions that a fault told first, by its address or its stack; samples told the others.
    package var functionsByFault: Int
    /// Of the process, answered from a file: read, and all.
    package var pageIns: Int
    package var faults: Int

    package init(
      process: UInt64, processLabel: String, functionsByFault: Int, pageIns: Int, faults: Int
    ) {
      self.process = process
      self.processLabel = processLabel
      self.functionsByFault = functionsByFault
      self.pageIns = pageIns
      self.faults = faults
    }
  }

  package init(
    source: String, inputPaths: [String], outputPath: String, imagePath: String,
    imageID: ImageID?, functions: Int, details: Details
  ) {
    self.source = source
    self.inputPaths = inputPaths
    self.outputPath = outputPath
    self.imagePath = imagePath
    self.imageID = imageID
    self.functions = functions
    self.details = details
  }
}

extension ImportDocument: JSONDocument {
  package static let schema = "orderfile.import/1"

  package func write(to json: inout JSONWriter) {
    if case .list(let list) = details { json.member("entries", list.entries) }
    if case .recording(let recording) = details { json.member("faults", recording.faults) }
    json.member("functions", functions)
    if case .recording(let recording) = details {
      json.member("functionsByFault", recording.functionsByFault)
    }
    if let imageID { json.member("imageID", imageID.description) }
    json.member("imagePath", imagePath)
    json.array("inputPaths") { json in for path in inputPaths { json.element(path) } }
    if case .list(let list) = details {
      json.array("missing") { json in
        for missing in list.missing {
          json.object { json in
            json.member("line", missing.line)
            json.member("name", missing.name)
            json.member("reason", missing.reason)
          }
        }
      }
    }
    json.member("outputPath", outputPath)
    if case .recording(let recording) = details {
      json.member("pageIns", recording.pageIns)
      json.member("process", recording.process)
      json.member("processLabel", recording.processLabel)
    }
    json.member("schema", Self.schema)
    json.member("source", source)
  }
}
