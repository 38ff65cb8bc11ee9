import Rendering

/// The text report of an import: one line with what was imported, and the path of the trace.
package struct ImportText {
  private let document: ImportDocument

  package init(_ document: ImportDocument) { self.document = document }

  package var text: String {
    var text = "imported \(counted(document.functions, "function"))"
    switch document.details {
    case .list(let list):
      text +=
        " from \(entriesCounted(list.entries, list.noun)) of \(printable(document.inputPaths[0]))"
      text += unmatched(list.missing)
    case .samples(let samples):
      text +=
        " from \(counted(samples.samples, "sample")) of \(printable(samples.command)), which have "
      text += counted(samples.names, "name") + unmatched(samples.missing)
      if samples.unnamedFrames > 0 {
        text += "; \(counted(samples.unnamedFrames, "frame")) without a name"
      }
    case .recording(let recording):
      text += " from \(printable(recording.processLabel)): "
      text += "\(recording.functionsByFault) from \(counted(recording.faults, "fault")) "
      text += "(\(counted(recording.pageIns, "page-in"))), "
      text += "\(document.functions - recording.functionsByFault) from samples"
    }
    return text + ": \(printable(document.outputPath))"
  }

  private func unmatched(_ missing: [ImportDocument.MissingLine]) -> String {
    missing.isEmpty
      ? "" : ", \(missing.count) without a matching function in \(printable(document.imagePath))"
  }
}

/// The number of entries of a list, with their noun: `1 line`, `2 entries`.
package func entriesCounted(_ count: Int, _ noun: String) -> String {
  counted(count, noun, noun.hasSuffix("entry") ? noun.dropLast() + "ies" : nil)
}
