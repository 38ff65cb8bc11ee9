import TestSupport
import Testing

/// How often commands open a trace.
@Suite(.needs(.processes)) struct OpenedTracesTests {
  /// Two builds, the recorded build, and a trace of it with the names of its functions or without them.
  private func workshop(isSealed: Bool) throws -> Workshop {
    let workshop = try Workshop()
    let functions = (0..<8).map { "f\($0)" }
    for (index, name) in ["app.rec", "before", "after"].enumerated() {
      try workshop.write(sampleImage(functions, size: 64, id: [UInt8(index)]), name)
    }
    let image = TraceWriter.Image(
      path: workshop.folder.appendingPathComponent("app.rec").path, id: [0])
    var writer = TraceWriter()
    writer.program = image.path
    writer.addLoad(image)
    for number in [4, 0, 6] as [UInt64] {
      writer.addHit(image, guard: number, entry: 0x1000 + 64 * number)
    }
    if isSealed {
      writer.names = functions.enumerated().map {
        .init(address: 0x1000 + 64 * UInt64($0.offset), size: 64, name: $0.element)
      }
    }
    try workshop.write(writer.bytes(), "launch.oftrace")
    return workshop
  }

  @Test(
    .needs("strace"),
    arguments: [
      ["gen", "launch.oftrace", "--image", "after", "-o", "app.order"],
      ["merge", "launch.oftrace", "-o", "app.ofprofile"],
      ["diff", "before", "after", "--trace", "launch.oftrace"],
      ["report", "before", "after", "launch.oftrace", "-o", "report.html"],
      ["export", "csv", "launch.oftrace", "--image", "after", "-o", "launch.csv"],
    ], [true, false])
  func aTraceIsOpenedOnce(command: [String], isSealed: Bool) throws {
    let workshop = try workshop(isSealed: isSealed)
    let traced = ["-f", "-qq", "-e", "trace=open,openat", "-o", "log", Built.orderfile]
    let run = try workshop.run("strace", traced + command)
    #expect(run.status == 0, "\(run.output)")
    let calls = String(decoding: workshop.bytes("log"), as: UTF8.self).split(separator: "\n")
    #expect(calls.count { $0.contains("\"launch.oftrace\"") } == 1)
  }
}
