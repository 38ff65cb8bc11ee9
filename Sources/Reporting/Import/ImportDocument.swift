import ImageModel
import JSON
import PagesFormat

/// The result of `orderfile import`: what was imported, and what could not be used.
package struct ImportDocument: Hashable, Sendable {
  /// `xctrace`, `symbols` or `addresses`.
  package var source: String
  package var inputPaths: [String]
  /// The path of the trace; `-` is stdout.
  package var outputPath: String
  package var imagePath: String
  package var imageID: ImageID?
  /// The number of function records in the trace.
  package var functions: Int
  package var details: Details

  package enum Details: Hashable, Sendable {
    case list(List)
    case recording(Recording)
  }

  /// An imported list.
  package struct List: Hashable, Sendable {
    /// The number of lines that are not blank or comments.
    package var entries: Int
    package var missing: [MissingLine]

    package init(entries: Int, missing: [MissingLine]) {
      self.entries = entries
      self.missing = missing
    }
  }

  /// A line of a list that matches no function.
  package struct MissingLine: Hashable, Sendable {
    /// The line number, from 1.
    package var line: Int
    /// The text of the line.
    package var name: SymbolName
    package var reason: String

    package init(line: Int, name: SymbolName, reason: String) {
      self.line = line
      self.name = name
      self.reason = reason
    }
  }

  /// An imported recording of Instruments.
  package struct Recording: Hashable, Sendable {
    package var process: UInt64
    /// The process as Instruments shows it.
    package var processLabel: String
    /// Functions that were first seen in a fault, in its address or its stack; samples gave the others.
    package var functionsByFault: Int
    /// Faults of the process that were answered from a file.
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
