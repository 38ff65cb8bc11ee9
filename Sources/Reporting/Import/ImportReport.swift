import ImageModel
import JSON

/// What `orderfile import` made a trace of, and what it could not use.
package struct ImportReport: Sendable {
  package static let schema = "orderfile.import/1"

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

  package enum Details: Sendable {
    case list(List)
    case recording(Recording)
  }

  /// Of a list.
  package struct List: Sendable {
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
  package struct Recording: Sendable {
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

  /// The report as one JSON object: `orderfile.import/1`.
  package func json() -> [UInt8] {
    JSONWriter.document { json in
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

  /// One line: what came of it, and where it is.
  package var text: String {
    var text = "imported \(counted(functions, "function"))"
    switch details {
    case .list(let list):
      text += " from \(counted(list.entries, "line")) of \(printable(inputPaths[0]))"
      if !list.missing.isEmpty {
        text += ", \(list.missing.count) of which name nothing in \(printable(imagePath))"
      }
    case .recording(let recording):
      text += " of \(printable(recording.processLabel)): "
      text += "\(recording.functionsByFault) by \(counted(recording.faults, "fault")) "
      text += "(\(counted(recording.pageIns, "page-in"))), "
      text += "\(functions - recording.functionsByFault) by samples"
    }
    return text + ": \(printable(outputPath))"
  }
}
