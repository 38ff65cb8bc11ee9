// The server of a report
//
// One thread answers browsers and looks at the files twice a second. It makes the page again when the files have changed
// and then have stayed as they are, so that it does not read a document that is being written. The page listens for
// server-sent events (<https://html.spec.whatwg.org/multipage/server-sent-events.html>), and loads itself again when an
// event names another version than its own.

import ByteReading
import CLocalServer
import ImageModel

/// Shows a report in browsers of this machine, and makes it again when its files change.
package struct ReportServer: ~Copyable {
  private let server: OpaquePointer
  /// The last page that could be made.
  private var page: LivePage
  /// Why no page could be made of the files as they are now; `nil` if `page` shows them.
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
  ///   - hasEnded: returns whether to end; called at least four times a second.
  ///   - remake: makes the page of the changed files.
  ///   - report: called with `nil` after a page was made again, and with the error if no page could be made.
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
