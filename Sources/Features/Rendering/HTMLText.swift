/// Text as HTML, for an element or a quoted attribute. Characters with a meaning in HTML are escaped. Control
/// characters, which HTML does not allow, become U+FFFD.
package struct HTMLText: Hashable, Sendable {
  package let html: String

  package init(_ text: String) {
    var html = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": html += "&amp;"
      case "<": html += "&lt;"
      case ">": html += "&gt;"
      case "\"": html += "&quot;"
      case "'": html += "&#39;"
      case "\t", "\n": html.unicodeScalars.append(scalar)
      case _ where scalar.properties.generalCategory == .control: html += "\u{fffd}"
      default: html.unicodeScalars.append(scalar)
      }
    }
    self.html = html
  }
}
