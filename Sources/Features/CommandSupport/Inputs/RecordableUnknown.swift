import JSON

/// Why it is unknown how much code could be recorded.
package enum RecordableUnknown: String, CaseIterable, Sendable {
  case noTrace, importedTrace, recordedImageGone, notShownByImage
}

extension RecordableUnknown: JSONReadable, JSONValue {}
