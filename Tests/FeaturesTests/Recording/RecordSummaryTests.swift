import Addresses
import ImageModel
import Recording
import Testing

/// The last line that `record` prints.
@Suite struct RecordSummaryTests {
  static func trace(_ process: UInt32, hits: Int, lost: UInt64 = 0, image: String = "/bin/app")
    -> Trace
  {
    var trace = Trace(path: "", program: "/bin/app", processNumber: process)
    trace.images = [
      TraceImage(
        number: 1, path: image, id: ImageID(kind: .buildID, bytes: [1]), slide: Slide(rawValue: 0),
        text: AddressRange(start: StatedAddress(rawValue: 0), size: 0x1000), guardCount: 40)
    ]
    trace.lostRecords = lost
    trace.hits = (0..<hits).map { Hit(step: $0, image: 0, nanoseconds: UInt64($0) * 1_250_000) }
    return trace
  }

  @Test func oneProcess() {
    #expect(
      RecordSummary([Self.trace(1, hits: 3)], paths: ["app.oftrace"], hitsBeforeMain: 1).text
        == "recorded 3 first hits of 40 instrumented functions in 1 image, 1 before main, in 2.5 ms: "
        + "app.oftrace; next: orderfile gen app.oftrace --image RELEASE_IMAGE -o app.order")
  }

  @Test func severalProcessesAndLosses() {
    let summary = RecordSummary(
      [Self.trace(1, hits: 1, lost: 2), Self.trace(2, hits: 1, image: "/lib/x.so")],
      paths: ["my trace", "my trace.2"], hitsBeforeMain: nil)
    #expect(
      summary.text
        == "recorded 2 first hits, the sum over 2 processes, of 80 instrumented functions in 2 images, "
        + "in 0.0 ms, 2 lost: my trace and 1 more trace; next: orderfile gen 'my trace' 'my trace.2' "
        + "--image RELEASE_IMAGE -o 'my trace.order'")
  }

  @Test(
    arguments: [
      (["/bin/app"], "-o app.order"), (["/bin/app", "/lib/x.so"], "-o app.order"),
      (["/lib/x.so"], "-o app.order"), (["/lib/x.so", "/lib/y.so"], "--all-images -o app.orders"),
    ])
  func whatGotBreakpointsIsTheImageToOrder(images: [String], options: String) {
    var trace = Self.trace(1, hits: 1)
    trace.method = .breakpoints
    trace.images = images.flatMap { Self.trace(1, hits: 0, image: $0).images }
    let text = RecordSummary([trace], paths: ["app.oftrace"], hitsBeforeMain: nil).text
    #expect(text.hasSuffix("; next: orderfile gen app.oftrace \(options)"), "\(text)")
  }

  /// The hits of a process that the program has started are not attributed to the program.
  @Test func aProgramWithoutHits() {
    let text = RecordSummary(
      [Self.trace(7, hits: 3)], paths: ["t.7"], beginsWithProgram: false, hitsBeforeMain: 1
    ).text
    #expect(text.hasPrefix("recorded 3 first hits of 40 instrumented functions in 1 image: t.7;"))
  }

  @Test func whatIsBeforeMainIsOfOneProcess() {
    let text = RecordSummary(
      [Self.trace(1, hits: 3), Self.trace(2, hits: 4)], paths: ["t", "t.2"], hitsBeforeMain: 1
    ).text
    #expect(
      text.hasPrefix(
        "recorded 7 first hits, the sum over 2 processes, of 40 instrumented functions in 1 image, "
          + "1 before main in the first process, in 2.5 ms: t and 1 more trace"), "\(text)")
  }

  @Test func manyProcessesAreAPattern() {
    let traces = (1...6).map { Self.trace($0, hits: 1) }
    let paths = ["t"] + (2...6).map { "t.\($0)" }
    let text = RecordSummary(traces, paths: paths, hitsBeforeMain: 0).text
    #expect(
      text.hasSuffix(
        "t and 5 more traces; next: orderfile gen t t.* --image RELEASE_IMAGE -o t.order"))
  }
}
