/// What the server of a report answers.
package enum LocalAnswer: Equatable, Sendable {
  case page
  case events
  case refusal(status: String, String)

  /// - Parameter request: `nil` for bytes that are not a request of HTTP.
  package init(to request: LocalRequest?) {
    guard let request else {
      self = .refusal(status: "400 Bad Request", "expected a request of HTTP/1.1 with one Host")
      return
    }
    guard request.isForLoopback else {
      self = .refusal(
        status: "403 Forbidden",
        "expected a request to 127.0.0.1 or localhost, found one to another host")
      return
    }
    guard request.method == "GET" else {
      self = .refusal(status: "405 Method Not Allowed", "expected GET")
      return
    }
    switch request.path {
    case "/": self = .page
    case "/events": self = .events
    default: self = .refusal(status: "404 Not Found", "the report is at /")
    }
  }

  /// Returns a whole response. Its headers forbid browsers to store it, and pages of other sites to show or read it.
  static func response(_ status: String, _ type: String, _ body: [UInt8]) -> [UInt8] {
    let head = """
      HTTP/1.1 \(status)\r
      Content-Type: \(type)\r
      Content-Length: \(body.count)\r
      \(headers)\r
      \r\n
      """
    return Array(head.utf8) + body
  }

  static let beginningOfEvents = Array(
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\(headers)\r\n\r\nretry: 1000\n\n".utf8)

  private static let headers =
    "Cache-Control: no-store\r\nConnection: close\r\nCross-Origin-Resource-Policy: same-origin\r\n"
    + "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY"

  /// Returns a server-sent event; each line of `text` becomes a line of its data.
  package static func event(_ name: String, _ text: String) -> [UInt8] {
    let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
    return Array("event: \(name)\n\(lines.map { "data: \($0)\n" }.joined())\n".utf8)
  }
}
