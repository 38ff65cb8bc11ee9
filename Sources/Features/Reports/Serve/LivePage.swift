import Rendering

/// A page that listens for events of the server from which it comes.
package struct LivePage: Sendable {
  package let html: [UInt8]
  /// Names the contents: pages with other contents have another version.
  package let version: String

  package init(_ document: ReportDocument, wording: @escaping NameWording) {
    let page = ReportPage(document, wording: wording)
    let data = page.data
    version = Self.digest(data)
    html = page.html(of: data, liveVersion: version)
  }

  /// The hash FNV-1a of 64 bits: <http://www.isthe.com/chongo/tech/comp/fnv/>. Nobody has a reason to forge it.
  private static func digest(_ bytes: [UInt8]) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return String(hash, radix: 16)
  }
}
