import ByteReading
import CommandSupport
import Foundation
import Synchronization
import TestSupport
import Testing
import TraceFormat

@Suite struct TraceStateTests {
  let workshop: Workshop
  let path: String

  init() throws {
    workshop = try Workshop()
    path = workshop.folder.appendingPathComponent("app.oftrace").path
    try workshop.write(TraceWriter().bytes(), "app.oftrace")
  }

  @Test func aRecordingThatWasStoppedStaysAsItWasStopped() throws {
    #expect(TraceState.read(from: path) == .recording)
    #expect(TraceState.write(.stoppedByMark, to: path))
    #expect(!TraceState.write(.stoppedWhenReady, to: path))
    #expect(TraceState.read(from: path) == .stoppedByMark)
    var header = try #require(FileManager.default.contents(atPath: path))
    #expect(try TraceFile(parsing: FileBytes(Array(header))).header.state == .stoppedByMark)
    // No other bytes have changed.
    let offset = GrowingTrace.stateOffset
    header.replaceSubrange(offset..<offset + 4, with: [0, 0, 0, 0])
    #expect(Array(header) == TraceWriter().bytes())
  }

  @Test func ofSeveralThatStopARecordingAtOnceOneDoes() throws {
    for _ in 0..<50 {
      try workshop.write(TraceWriter().bytes(), "app.oftrace")
      let count = Atomic(0)
      DispatchQueue.concurrentPerform(iterations: 8) { index in
        let state: TraceHeader.State = index % 2 == 0 ? .stoppedByMark : .stoppedWhenReady
        if TraceState.write(state, to: path) { count.add(1, ordering: .relaxed) }
      }
      #expect(count.load(ordering: .relaxed) == 1)
    }
  }

  @Test func whatIsNoWholeTraceStaysAsItIs() throws {
    #expect(!TraceState.write(.stoppedByMark, to: path + ".missing"))
    #expect(TraceState.read(from: path + ".missing") == nil)
    try workshop.write([UInt8](repeating: 0, count: 8), "app.oftrace")
    #expect(!TraceState.write(.stoppedByMark, to: path))
    #expect(FileManager.default.contents(atPath: path)?.count == 8)
  }
}
