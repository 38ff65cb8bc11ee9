import Foundation
import ImageModel
import Rendering
import Reports
import TestSupport
import Testing

@Suite struct LocalRequestTests {
  private static func request(_ text: String) -> LocalRequest? { LocalRequest(Array(text.utf8)) }

  @Test(arguments: [
    ("127.0.0.1", true), ("127.0.0.1:8080", true), ("LocalHost", true), ("localhost:1", true),
    ("[::1]:8080", true), ("", false), ("localhost:", false), ("localhost:80x", false),
    ("localhost.example", false), ("127.0.0.1.example", false), ("example", false),
    ("example:8080", false), ("127.0.0.1:8080@example", false), ("[::1]x", false),
  ]) func onlyNamesOfThisMachineAreItsOwn(_ host: String, _ isOwn: Bool) {
    let request = Self.request("GET / HTTP/1.1\r\nAccept: */*\r\nhost: \(host)\r\n\r\n")
    #expect(request?.isForLoopback == isOwn)
    let answer = LocalAnswer(to: request)
    if isOwn {
      #expect(answer == .page)
    } else if case .refusal(let status, _) = answer {
      #expect(status == "403 Forbidden")
    } else {
      Issue.record("\(host): \(answer)")
    }
  }

  @Test(arguments: [
    ("GET /?now HTTP/1.1\r\nHost: localhost\r\n\r\n", "page"),
    ("GET /events HTTP/1.0\r\nHost: localhost\r\n\r\n", "events"),
    ("GET /other HTTP/1.1\r\nHost: localhost\r\n\r\n", "404 Not Found"),
    ("POST / HTTP/1.1\r\nHost: localhost\r\n\r\n", "405 Method Not Allowed"),
    ("GET / HTTP/1.1\r\n\r\n", "400 Bad Request"),
    ("GET / HTTP/1.1\r\nHost: localhost\r\nHost: example\r\n\r\n", "400 Bad Request"),
    ("GET http://example/ HTTP/1.1\r\nHost: localhost\r\n\r\n", "400 Bad Request"),
    ("GET / SPDY/1\r\nHost: localhost\r\n\r\n", "400 Bad Request"),
    ("\r\n\r\n", "400 Bad Request"), ("", "400 Bad Request"),
  ]) func eachRequestHasAnAnswer(_ text: String, _ expected: String) {
    let answer = LocalAnswer(to: Self.request(text))
    switch answer {
    case .page: #expect(expected == "page")
    case .events: #expect(expected == "events")
    case .refusal(let status, _): #expect(status == expected)
    }
  }

  @Test func everyPrefixIsRefusedOrAnswered() {
    let whole = "GET /events HTTP/1.1\r\nHost: localhost:8080\r\n\r\n\u{0}\u{ff}"
    for end in whole.indices { _ = LocalAnswer(to: Self.request(String(whole[..<end]))) }
  }

  @Test func aTextOfSeveralLinesIsOneEvent() {
    let event = LocalAnswer.event("problem", "a: wrong\n  hint: b\r\n")
    #expect(
      String(decoding: event, as: UTF8.self)
        == "event: problem\ndata: a: wrong\ndata:   hint: b\ndata: \n\n")
  }
}

@Suite struct ReportServerTests {
  private static let page = LivePage(ReportDocumentTests.document, wording: mangled)

  @Test func onlyAServedPageMayConnect() {
    let served = String(decoding: Self.page.html, as: UTF8.self)
    #expect(served.contains("img-src data:; connect-src 'self'\""))
    #expect(served.contains("<body data-live=\"\(Self.page.version)\">"))
    let file = String(
      decoding: ReportPage(ReportDocumentTests.document, wording: mangled).html, as: UTF8.self)
    #expect(file.contains("img-src data:\">") && file.contains("<body>"))
  }

  @Test func otherContentsHaveAnotherVersion() {
    var document = ReportDocumentTests.document
    #expect(LivePage(document, wording: mangled).version == Self.page.version)
    document.title = "other"
    #expect(LivePage(document, wording: mangled).version != Self.page.version)
  }

  @Test func filesHaveChangedOnceTheyStayAsTheyAre() throws {
    let folder = try TemporaryFolder()
    let (first, second) = (folder.path("a"), folder.path("b"))
    try Data("1".utf8).write(to: URL(fileURLWithPath: first))
    var watched = WatchedFiles([first, second])
    let unchanged = watched.haveChanged()
    try Data("12".utf8).write(to: URL(fileURLWithPath: first))
    let whileWriting = watched.haveChanged()
    try Data("123".utf8).write(to: URL(fileURLWithPath: second))
    let whileWritingMore = watched.haveChanged()
    let afterwards = (watched.haveChanged(), watched.haveChanged())
    #expect(!unchanged && !whileWriting && !whileWritingMore)
    #expect(afterwards == (true, false))
  }

  /// Sends a request from bash, which opens connections by itself, and prints the answer.
  private static func client(_ server: borrowing ReportServer, _ request: String) throws
    -> RunningProcess
  {
    let port = server.address.dropLast().split(separator: ":").last ?? ""
    return try RunningProcess(
      "/bin/bash",
      ["-c", "exec 3<>/dev/tcp/127.0.0.1/\(port); printf '\(request)' >&3; cat <&3"])
  }

  @Test(.needs("bash")) func aBrowserGetsThePageAndHearsOfChanges() throws {
    let folder = try TemporaryFolder()
    let watched = folder.path("document.json")
    var server = try ReportServer(port: 0, page: Self.page)
    #expect(server.address.hasPrefix("http://127.0.0.1:"))
    let page = try Self.client(server, "GET / HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n")
    let events = try Self.client(server, "GET /events HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n")
    var reports: [String] = []
    var isWritten = false
    server.run(
      watching: WatchedFiles([watched]),
      until: {
        // The file changes when both have their first answers.
        if !isWritten, page.output.contains("</html>"), events.output.contains("event: page\n") {
          isWritten = (try? Data("1".utf8).write(to: URL(fileURLWithPath: watched))) != nil
        }
        return !reports.isEmpty
      },
      remake: { () throws(Diagnostic) in
        throw Diagnostic("the file is wrong", context: ["document.json"])
      }, report: { reports.append($0?.message ?? "") })
    #expect(reports == ["the file is wrong"])
    #expect(page.output.hasPrefix("HTTP/1.1 200 OK\r\n"))
    try events.waitForOutput("event: problem\ndata: document.json: the file is wrong\n\n")
    #expect(events.output.contains("Content-Type: text/event-stream\r\n"))
  }

  @Test func aTakenPortIsAnError() throws {
    let server = try ReportServer(port: 0, page: Self.page)
    let port = UInt16(server.address.dropLast().split(separator: ":").last ?? "")
    let error = #expect(throws: Diagnostic.self) {
      _ = try ReportServer(port: try #require(port), page: Self.page)
    }
    #expect(error?.message.contains("in use") == true && error?.hint != nil)
  }
}
