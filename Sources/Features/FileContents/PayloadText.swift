import Rendering

/// The text report of payloads.
package struct PayloadText {
  private let document: PayloadDocument
  private let width: Int?
  private let names: NameWording

  /// - Parameter width: the terminal's width in columns; `nil` shortens no name.
  package init(
    _ document: PayloadDocument, width: Int? = nil, names: @escaping NameWording = mangled
  ) {
    self.document = document
    self.width = width
    self.names = names
  }

  package var text: String {
    var text = "payloads \(printable(document.path))\n  payloads: \(document.payloads)\(problems)\n"
    if let launch = document.launch {
      text += "  end:      \(launch.end)\n"
      text += "  memory:   \(launch.memoryClass.map(Self.memory) ?? "unknown")\n"
      text += "  token:    \(launch.hasToken ? "yes" : "no")\n"
      if launch.omittedImages > 0 {
        text +=
          "  omitted:  \(counted(launch.omittedImages, "image")) without room or without a pc-table\n"
      }
    }
    for (index, image) in document.images.enumerated() {
      text += "  image \(index): \(image.path.map { printable($0) + ", " } ?? "")"
      text += "\(counted(image.guardCount, "guard")), ID \(image.id ?? "none")"
      text += document.launch == nil ? ", \(counted(image.payloads, "payload"))\n" : "\n"
    }
    guard let launch = document.launch else { return text }
    var table = Table([
      .init("QUARTER"), .init("IMAGE"), .init("GUARD"), .init("FUNCTION", .left),
    ])
    for function in launch.functions {
      let names = function.names.map { printable(self.names($0)) }.joined(separator: ", ")
      table.add([
        "\(function.quarter + 1)", "\(function.image)", "\(function.guardIndex)",
        names.isEmpty ? function.address.map { "\($0)" } ?? "" : names,
      ])
    }
    return text + table.text(width: width)
  }

  private var problems: String {
    let parts = [
      (document.truncated, "truncated"), (document.damaged, "damaged"),
      (document.laterVersions, "of a later version"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return parts.isEmpty ? "" : " (and \(parts.joined(separator: ", ")))"
  }

  /// The words for a range of sizes that begins at 2 to the power of `memoryClass` bytes.
  private static func memory(_ memoryClass: Int) -> String {
    memoryClass < 30 ? "less than 1 GiB" : "at least \(1 << min(memoryClass - 30, 32)) GiB"
  }
}
