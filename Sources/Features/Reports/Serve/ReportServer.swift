// The server of a report
//
// One thread answers browsers and looks at the files twice a second. It makes the page again when the files have changed
// and then have stayed as they are, so that it does not read a document that is being written. The page listens for
// server-sent events (<https://html.spec.whatwg.org/multipage/server-sent-events.html>), and loads itself again when an
// event names another version than its own.

import ByteReading
import CLocalServer
import ImageModel
import ProcessLaunch

/// Shows a report in browsers of this machine, and makes it again when its files change.
package struct ReportServer: ~Copyable {
  private let server: OpaquePointer
  /// The page, or the error that kept it from being made; the last page is kept.
  private var page: LivePage
  private var problem: Diagnostic?

  /// - Parameters:
  ///   - port: the TCP port at which the server listens; 0 is any free port.
  ///   - page: the first page.
  /// - Throws: an error if the port is taken, or if this process may not use it.
  package init(port: UInt16, page: LivePage) throws(Diagnostic) {
    var made: OpaquePointer?
    let error = clocal_open(port, &made)
    guard error == 0, let made else {
      let failure = SystemError("listen", errno: error)
      throw Diagnostic(
        "unable to listen at port \(port) of 127.0.0.1: \(failure)", context: ["--port"],
        hint: "give another port, or leave out --port for any free one")
    }
    server = made
    self.page = page
  }

  deinit { clocal_close(server) }

  /// The address of the page.
  package var address: String { "http://127.0.0.1:\(clocal_port(server))/" }

  /// Answers browsers until `hasEnded`.
  ///
  /// - Parameters:
  ///   - files: the files of the page, as they were before the first page was made.
  ///   - hasEnded: whether to end; it is asked at least four times a second.
  ///   - remake: makes the page of the changed files.
  ///   - report: is told about each page that was made again, or about the error that kept it from being made.
  package mutating func run(
    watching files: WatchedFiles, until hasEnded: () -> Bool,
    remake: () throws(Diagnostic) -> LivePage, report: (Diagnostic?) -> Void
  ) {
    var watched = files
    var nextLook = ContinuousClock.now + WatchedFiles.interval
    while !hasEnded() {
      let client = clocal_next(server, 250)
      if client >= 0 { answer(client) }
      guard ContinuousClock.now >= nextLook else { continue }
      nextLook = ContinuousClock.now + WatchedFiles.interval
      guard watched.haveChanged() else { continue }
      do throws(Diagnostic) {
        page = try remake()
        problem = nil
      } catch { problem = error }
      report(problem)
      publish()
    }
  }

  private func answer(_ client: Int32) {
    var head = [UInt8](repeating: 0, count: Int(CLOCAL_HEAD))
    let size = clocal_head(server, client, &head)
    switch LocalAnswer(to: LocalRequest(Array(head.prefix(size)))) {
    case .page: send(LocalAnswer.response("200 OK", "text/html; charset=utf-8", page.html), client)
    case .events:
      let bytes = LocalAnswer.beginningOfEvents + events
      clocal_keep(server, client, bytes, bytes.count)
    case .refusal(let status, let text):
      send(
        LocalAnswer.response(status, "text/plain; charset=utf-8", Array("\(text)\n".utf8)), client)
    }
  }

  private func send(_ bytes: [UInt8], _ client: Int32) {
    clocal_answer(server, client, bytes, bytes.count)
  }

  private func publish() {
    let bytes = events
    clocal_publish(server, bytes, bytes.count)
  }

  private var events: [UInt8] {
    guard let problem else { return LocalAnswer.event("page", page.version) }
    return LocalAnswer.event("problem", "\(problem)")
  }
}

/// What the server of a report answers.
package enum LocalAnswer: Equatable, Sendable {
  case page
  case events
  case refusal(status: String, String)

  /// - Parameter request: `nil` for a request that is none of HTTP.
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

  /// A whole response. Nothing may keep it, and no page of another site may show or read it.
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

  /// An event of one name; each line of `text` is a line of its data.
  package static func event(_ name: String, _ text: String) -> [UInt8] {
    let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
    return Array("event: \(name)\n\(lines.map { "data: \($0)\n" }.joined())\n".utf8)
  }
}

/// The files of which a page is made, and whether they have changed.
package struct WatchedFiles {
  /// How long files have to stay as they are before the page is made again.
  static let interval = Duration.milliseconds(500)

  private let paths: [String]
  private var known: [FileStamp?]
  private var pending: [FileStamp?]?

  package init(_ paths: [String]) {
    self.paths = paths
    known = paths.map { FileStamp(path: $0) }
  }

  /// Returns whether files differ from those of the last change, and are the same as at the last call. A linker or a command
  /// that is still writing keeps its files changing.
  package mutating func haveChanged() -> Bool {
    let now = paths.map { FileStamp(path: $0) }
    guard now != known else {
      pending = nil
      return false
    }
    guard now == pending else {
      pending = now
      return false
    }
    (known, pending) = (now, nil)
    return true
  }
}
