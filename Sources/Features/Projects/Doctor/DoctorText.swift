import Rendering

/// The text report of `orderfile doctor`: a line for each finding, followed by its hint.
package struct DoctorText {
  private let document: DoctorDocument
  private let isColoured: Bool

  /// - Parameter isColoured: whether severities are green, yellow or red, for a terminal.
  package init(_ document: DoctorDocument, isColoured: Bool = false) {
    self.document = document
    self.isColoured = isColoured
  }

  package var text: String {
    var text = ""
    for area in Finding.Area.allCases {
      let findings = document.findings.filter { $0.area == area }
      if findings.isEmpty { continue }
      text += text.isEmpty ? "" : "\n"
      text += "\(title(of: area))\n"
      for finding in findings { text += finding.lines(isColoured: isColoured) }
    }
    return text
  }

  private func title(of area: Finding.Area) -> String {
    switch area {
    case .project, .image:
      "\(document.subject == .linkMap ? "link map" : area.rawValue) \(printable(document.path ?? ""))"
    case .auto: "orderfile auto"
    default: area.rawValue
    }
  }
}
