// The page of a report: one file without requests. The template, the style and the scripts in the folder Page are embedded in
// the command; the document goes in between. Scripts and document are deflated, which makes a small report half as large, and
// in Base64, which has no character that HTML knows.

import CZlib
import JSON

package struct ReportPage {
  private let document: ReportDocument
  private let wording: NameWording

  /// - Parameter wording: how names are shown to people.
  package init(_ document: ReportDocument, wording: @escaping NameWording) {
    self.document = document
    self.wording = wording
  }

  /// The document that the page contains, on one line.
  package var data: [UInt8] {
    JSONWriter.line { document.write(to: &$0, wording: wording) }
  }

  /// The same inputs give the same bytes with one version of zlib.
  package var html: [UInt8] {
    let values: [String: [UInt8]] = [
      "title": Array(HTMLText(document.title).html.utf8),
      "style": PackageResources.page_css,
      "data": base64(deflated(data)),
      "script": base64(
        deflated(Array("\"use strict\";\n".utf8) + Self.scripts.joined(separator: [0x0a]))),
      "unpack": PackageResources.unpack_js,
    ]
    return Self.filling(PackageResources.page_html) { values[$0] ?? [] }
  }

  /// In the order in which each uses those before it.
  private static var scripts: [[UInt8]] {
    [
      PackageResources.data_js, PackageResources.elements_js, PackageResources.tables_js,
      PackageResources.state_js, PackageResources.layout_js, PackageResources.check_js,
      PackageResources.faults_js,
      PackageResources.report_js, PackageResources.pages_js, PackageResources.cells_js,
      PackageResources.shapes_js, PackageResources.strip_js, PackageResources.map_js,
      PackageResources.drawer_js, PackageResources.axes_js, PackageResources.curve_js,
      PackageResources.timeline_js, PackageResources.strangers_js, PackageResources.bytes_js,
      PackageResources.health_js, PackageResources.limits_js, PackageResources.launches_js,
      PackageResources.history_js, PackageResources.verdict_js, PackageResources.method_js,
      PackageResources.search_js, PackageResources.start_js,
    ]
  }

  /// `template` with each `{{name}}` replaced by its value, in which nothing is replaced.
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

/// `bytes` as a zlib stream: <https://www.rfc-editor.org/rfc/rfc1950>.
func deflated(_ bytes: [UInt8]) -> [UInt8] {
  var count = orderfile_deflate_bound(UInt(bytes.count))
  var output = [UInt8](repeating: 0, count: Int(count))
  let status = orderfile_deflate(&output, &count, bytes, UInt(bytes.count))
  precondition(status == Z_OK, "the bound is enough for any input")
  return Array(output.prefix(Int(count)))
}
