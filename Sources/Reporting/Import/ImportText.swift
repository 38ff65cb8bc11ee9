/// The text report of an import: one line with what was imported, and the path of the trace.
package struct ImportText {
  private let document: ImportDocument

  package init(_ document: ImportDocument) { self.document = document }

  package var text: String {
    var text = "imported \(counted(document.functions, "function"))"
    switch document.details {
    case .list(let list):
      text += " from \(counted(list.entries, "line")) of \(printable(document.inputPaths[0]))"
      if !list.missing.isEmpty {
        text +=
          ", \(list.missing.count) of which match no function in \(printable(document.imagePath))"
      }
    case .recording(let recording):
      text += " from \(printable(recording.processLabel)): "
      text += "\(recording.functionsByFault) from \(counted(recording.faults, "fault")) "
      text += "(\(counted(recording.pageIns, "page-in"))), "
      text += "\(document.functions - recording.functionsByFault) from samples"
    }
    return text + ": \(printable(document.outputPath))"
  }
}
