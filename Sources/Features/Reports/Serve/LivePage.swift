import Addresses
import ImageModel
import Rendering

/// A page that listens for events of the server from which it comes.
package struct LivePage: Sendable {
  package let html: [UInt8]
  /// The hash of the page's data: pages with other data have other versions.
  package let version: String

  package init(_ document: ReportDocument, wording: @escaping NameWording) {
    let page = ReportPage(document, wording: wording)
    let data = page.data
    version = Self.digest(data)
    html = page.html(of: data, liveVersion: version)
  }

  private static func digest(_ bytes: [UInt8]) -> String {
    var hash = FNV1a()
    for byte in bytes { hash.add(byte) }
    return String(hash.value, radix: 16)
  }
}
