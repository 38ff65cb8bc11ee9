// The page of a report: one file that requests no others. The template, the style and the scripts are in CReportPage;
// the document is put into the template. Style, scripts and document are deflated, which makes a small report less than
// half as large. They are in Base64, which has no character with a meaning in HTML.

import CReportPage
import CZlib
import JSON
import Rendering

package struct ReportPage {
  private let document: ReportDocument
  private let wording: NameWording

  /// - Parameter wording: how names are shown to people.
  package init(_ document: ReportDocument, wording: @escaping NameWording) {
    self.document = document
    self.wording = wording
  }

  /// The JSON document that the page contains, on one line.
  package var data: [UInt8] {
    JSONWriter.line { document.write(to: &$0, wording: wording) }
  }

  /// The page. The same inputs give the same bytes with one version of zlib.
  package var html: [UInt8] { html(of: data, liveVersion: nil) }

  /// - Parameters:
  ///   - data: the bytes of `data`.
  ///   - liveVersion: the version of a page that listens for events of its server; `nil` for a page that makes no requests.
  func html(of data: [UInt8], liveVersion: String?) -> [UInt8] {
    let values: [String: [UInt8]] = [
      "title": Array(HTMLText(document.title).html.utf8),
      "style": base64(deflated(Array(String(cString: orderfile_page_style()).utf8))),
      "data": base64(deflated(data)),
      "script": base64(deflated(Self.scripts)),
      "unpack": Array(String(cString: orderfile_page_unpack()).utf8),
      "connections": Array((liveVersion == nil ? "" : "; connect-src 'self'").utf8),
      "live": Array((liveVersion.map { " data-live=\"\(HTMLText($0).html)\"" } ?? "").utf8),
    ]
    let template = String(cString: orderfile_page_template())
    return Self.filling(Array(template.utf8)) { values[$0] ?? [] }
  }

  /// The scripts without indentation and without lines that are comments, which are a sixth of a small report. No other
  /// line of a script begins with `//`, `/*` or `*`, and no string spans lines.
  static var scripts: [UInt8] {
    let lines = String(cString: orderfile_page_scripts()).utf8.split(separator: UInt8(ascii: "\n"))
      .map { $0.drop { $0 == UInt8(ascii: " ") } }
      .filter {
        !$0.starts(with: "//".utf8) && !$0.starts(with: "/*".utf8) && !$0.starts(with: "*".utf8)
      }
    return Array("\"use strict\";\n".utf8) + lines.joined(separator: "\n".utf8)
  }

  /// Returns `template` with each `{{name}}` replaced by its value. Nothing is replaced in values.
  static func filling(_ template: [UInt8], _ value: (String) -> [UInt8]) -> [UInt8] {
    let brace = UInt8(ascii: "{")
    var filled: [UInt8] = []
    var rest = template[...]
    while let start = rest.firstIndex(of: brace) {
      filled += rest[..<start]
      rest = rest[start...]
      let name = rest.dropFirst(2).prefix { $0 != UInt8(ascii: "}") }
      guard rest.starts(with: [brace, brace]),
        rest[name.endIndex...].starts(with: "}}".utf8)
      else {
        filled.append(brace)
        rest = rest.dropFirst()
        continue
      }
      filled += value(String(decoding: name, as: UTF8.self))
      rest = rest[name.endIndex...].dropFirst(2)
    }
    return filled + rest
  }
}

/// Returns `bytes` as a zlib stream: <https://www.rfc-editor.org/rfc/rfc1950>.
func deflated(_ bytes: [UInt8]) -> [UInt8] {
  var count = orderfile_deflate_bound(UInt(bytes.count))
  var output = [UInt8](repeating: 0, count: Int(count))
  let status = orderfile_deflate(&output, &count, bytes, UInt(bytes.count))
  precondition(status == Z_OK, "the bound is enough for any input")
  return Array(output.prefix(Int(count)))
}
