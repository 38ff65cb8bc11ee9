import ImageModel
import JSON
import PagesFormat

/// The result of `orderfile import`: what was imported, and what could not be used.
package struct ImportDocument: Hashable, Sendable {
  /// The source of the trace: `xctrace`, `perf`, `proftext`, `profdata`, `order`, `symbols` or `addresses`.
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
    case samples(Samples)
  }

  /// An imported list.
  package struct List: Hashable, Sendable {
    /// The number of lines that are not blank or comments; for an order file or a profile, the number of names.
    package var entries: Int
    /// The noun for an entry in the text report: `line`, `entry` or `name`.
    package var noun: String
    package var missing: [MissingLine]

    package init(entries: Int, noun: String = "line", missing: [MissingLine]) {
      self.entries = entries
      self.noun = noun
      self.missing = missing
    }
  }

  /// A line of a list that matches no function.
  package struct MissingLine: Hashable, Sendable {
    /// The line's number in the list, from 1.
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

  /// Imported samples of perf.
  package struct Samples: Hashable, Sendable {
    /// The number of samples that have a frame in the image.
    package var samples: Int
    /// The number of different names in these samples.
    package var names: Int
    /// The number of frames in the image for which perf has no name.
    package var unnamedFrames: Int
    /// The command name of the sampled process, as perf states it.
    package var command: String
    package var missing: [MissingLine]

    package init(
      samples: Int, names: Int, unnamedFrames: Int, command: String, missing: [MissingLine]
    ) {
      self.samples = samples
      self.names = names
      self.unnamedFrames = unnamedFrames
      self.command = command
      self.missing = missing
    }
  }

  /// An imported recording of Instruments.
  package struct Recording: Hashable, Sendable {
    package var process: UInt64
    /// The process as Instruments shows it.
    package var processLabel: String
    /// The number of functions that were first seen in the address or the stack of a fault. Samples gave the other
    /// functions.
    package var functionsByFault: Int
    /// The number of faults of the process that were answered from a file.
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

  package func writeMembers(to json: inout JSONWriter) {
    if case .samples(let samples) = details { json.member("command", samples.command) }
    switch details {
    case .list(let list): json.member("entries", list.entries)
    case .samples(let samples): json.member("entries", samples.names)
    case .recording(let recording): json.member("faults", recording.faults)
    }
    json.member("functions", functions)
    if case .recording(let recording) = details {
      json.member("functionsByFault", recording.functionsByFault)
    }
    if let imageID { json.member("imageID", imageID.description) }
    json.member("imagePath", imagePath)
    json.member("inputPaths", inputPaths)
    if let missing {
      json.array("missing") { json in
        for missing in missing {
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
    if case .samples(let samples) = details { json.member("samples", samples.samples) }
    json.member("schema", Self.schema)
    json.member("source", source)
    if case .samples(let samples) = details { json.member("unnamedFrames", samples.unnamedFrames) }
  }

  /// The entries that match no function; `nil` for a source that has no names.
  private var missing: [MissingLine]? {
    switch details {
    case .list(let list): list.missing
    case .samples(let samples): samples.missing
    case .recording: nil
    }
  }
}
