// The head of an HTTP request, as far as the server of a report needs it: <https://www.rfc-editor.org/rfc/rfc9112>

/// A request of a browser to the server of a report.
package struct LocalRequest: Equatable, Sendable {
  /// `GET` or another method.
  package let method: String
  /// The path, without the query.
  package let path: String
  /// The value of `Host`, in lower case.
  package let host: String

  /// - Parameter head: the lines of the request up to the empty line.
  /// - Returns: `nil` if the first line is not a request line of HTTP/1, or if there is not exactly one `Host`.
  package init?(_ head: [UInt8]) {
    let lines = String(decoding: head, as: UTF8.self).split(
      separator: "\r\n", omittingEmptySubsequences: false)
    let words = (lines.first ?? "").split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, words[2].hasPrefix("HTTP/1."), words[1].hasPrefix("/") else {
      return nil
    }
    method = String(words[0])
    path = String(words[1].prefix { $0 != "?" })
    let hosts = lines.dropFirst().compactMap { line -> String? in
      guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == "host" else {
        return nil
      }
      let value = line[line.index(after: colon)...]
      return value.trimmingPrefix { $0 == " " || $0 == "\t" }.lowercased()
    }
    guard let host = hosts.first, hosts.count == 1 else { return nil }
    self.host = host
  }

  /// Whether the browser asks for this machine by a name that no website can have. A website could give its own name
  /// the address 127.0.0.1, and then read the report. Any port is accepted, because the request may come through a
  /// tunnel.
  package var isForLoopback: Bool {
    let names = ["127.0.0.1", "localhost", "[::1]"]
    return names.contains { name in
      guard host.hasPrefix(name) else { return false }
      let rest = host.dropFirst(name.count)
      return rest.isEmpty
        || (rest.first == ":" && rest.count > 1 && rest.dropFirst().allSatisfy { "0"..."9" ~= $0 })
    }
  }
}
