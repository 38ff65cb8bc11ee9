import ImageModel
import LaunchMeasurement
import Rendering

/// The text report of a measurement: a table for each state of the page cache, then findings, the machine, and what
/// this machine can't show.
package struct MeasureText {
  private let document: MeasureDocument
  private let width: Int?

  /// - Parameter width: the terminal's width in columns; `nil` shortens nothing.
  package init(_ document: MeasureDocument, width: Int? = nil) {
    self.document = document
    self.width = width
  }

  package var text: String {
    var text = ""
    for state in document.states {
      let table = MeasuredStateTable(state, givesTimes: document.givesTimes(state.cache))
      text += table.text(width: width) + "\n"
    }
    if let memory = document.memory { text += MemoryTable(memory).text(width: width) + "\n" }
    for sentence in document.findings { text += sentence + "\n" }
    text += "\n" + machineLines.joined(separator: "\n") + "\n"
    for limit in document.limits { text += "note: \(limit)\n" }
    return text
  }

  private var machineLines: [String] {
    var first =
      "machine: \(document.machine.kernel), \(document.machine.processor ?? "processor unknown"), "
      + counted(document.machine.processors, "processor")
    if let governor = document.machine.governor { first += ", governor \(governor)" }
    let around = ByteCount(UInt64(document.machine.faultAroundBytes)).wording
    var lines = [
      printable(first),
      "pages: \(ByteCount(UInt64(document.machine.pageBytes)).wording); fault-around \(around)"
        + (document.machine.faultAroundIsAssumed ? " (assumed: the kernel's default)" : ""),
    ]
    if let device = document.device { lines.append("device of cold launches: \(device.wording)") }
    for image in document.storage {
      let ahead = image.readAheadBytes.map { ByteCount($0).wording } ?? "unknown"
      lines.append(
        printable(
          "image: \(image.path), \(ByteCount(image.bytes).wording), on \(image.fileSystem ?? "unknown")"
            + (image.device.map { " (\($0))" } ?? "") + ", read-ahead \(ahead)"))
    }
    return lines
  }
}
