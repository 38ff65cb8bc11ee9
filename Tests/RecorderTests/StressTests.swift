import Foundation
import TestSupport
import Testing
import TraceFormat

@Suite(.needs(.compiling)) struct StressTests {
  static let guards = 200_000

  /// Returns the numbers of functions and losses. Checks that each guard occurs at most once, and that each thread's
  /// own guards are in ascending order.
  private func check(_ trace: TraceFile) -> (functions: Int, lost: Int) {
    guard
      let range = trace.records.compactMap({ record in
        if case .load(_, let image) = record.event { image.guardStart.rawValue } else { nil }
      }).first
    else {
      Issue.record("the image is not in the trace")
      return (0, 0)
    }
    var isSeen = [Bool](repeating: false, count: Self.guards)
    var latest: [UInt32?: UInt64] = [:]
    var functions = 0
    var twice = 0
    var disorder = 0
    for record in trace.records {
      guard case .function(let address, _, _) = record.event else { continue }
      let index = Int((address.rawValue - range) / 4)
      functions += 1
      if isSeen[index] { twice += 1 }
      isSeen[index] = true
      guard index >= 100_000 else { continue }
      if let before = latest[record.thread], before >= address.rawValue { disorder += 1 }
      latest[record.thread] = address.rawValue
    }
    #expect(twice == 0)
    #expect(disorder == 0)
    #expect(trace.inFlightRecords == 0)
    return (functions, Int(trace.header.lostRecords))
  }

  @Test func sixteenThreadsAndAHundredThousandGuardsLoseNothing() throws {
    let workshop = try Workshop()
    let program = try workshop.build("program", from: ["stress/main.c"], coverage: [])
    let ended = try workshop.record(program)
    #expect(ended.status == 0 && ended.text == "unharmed\n")
    let counts = check(try workshop.trace())
    #expect(counts.functions == Self.guards && counts.lost == 0)
  }

  @Test(arguments: [65_536, 1_000_000])
  func aFileLimitCostsCountedRecordsAndNoSignal(limit: Int) throws {
    let workshop = try Workshop()
    let program = try workshop.build("program", from: ["stress/main.c"], coverage: [])
    let ended = try workshop.record(program, ["limit", "\(limit)"])
    #expect(ended.status == 0 && ended.text == "unharmed\n")
    let trace = try workshop.trace()
    let counts = check(trace)
    #expect(counts.lost > 0 && counts.functions + counts.lost == Self.guards)
    #expect(counts.functions > (limit - 65_536) / TraceRecord.size / 2)
  }

  @Test func aFileLimitBelowTheSmallestTraceLeavesTheProgramUnrecorded() throws {
    let workshop = try Workshop()
    let program = try workshop.build("program", from: ["stress/main.c"], coverage: [])
    let ended = try workshop.record(program, ["limit", "8192"])
    #expect(ended.status == 0 && ended.text == "unharmed\n")
    #expect(ended.errors.contains("file size limit reached") && ended.errors.hasSuffix("\n"))
    #expect(try workshop.files() == [])
  }

  @Test(
    .needs(.mounting), arguments: ["256k", "2m"])
  func aFullDiskCostsCountedRecordsAndNoSignal(size: String) throws {
    let workshop = try Workshop()
    let program = try workshop.build("program", from: ["stress/main.c"], coverage: [])
    let disk = try workshop.makeFolder("disk")
    let script = """
      mount -t tmpfs -o size=\(size) none \(disk) && \
      ORDERFILE_TRACE=\(disk)/trace \(program) && cp \(disk)/trace \(workshop.path("trace"))
      """
    let ended = try workshop.run("unshare", ["-m", "sh", "-c", script])
    #expect(ended.status == 0 && ended.text == "unharmed\n", "\(ended.errors)")
    let counts = check(try workshop.trace())
    #expect(counts.lost > 0 && counts.functions + counts.lost == Self.guards)
  }

  /// - Parameter waiting: the number of hits of each thread before the first initializer.
  @Test(arguments: [20, 2900])
  func threadsThatHitWhileTheTraceIsMadeLoseNothingAndKeepTheirOrder(waiting: Int) throws {
    let workshop = try Workshop()
    let program = try workshop.build(
      "program", from: ["stress/before.c"], flags: ["-O1", "-DWAIT=\(waiting)"], coverage: [])
    for _ in 0..<5 {
      #expect(try workshop.record(program).status == 0)
      let trace = try workshop.trace()
      var byThread: [UInt32?: [UInt64]] = [:]
      for record in trace.records {
        if case .function(let address, _, _) = record.event {
          byThread[record.thread, default: []].append(address.rawValue)
        }
      }
      #expect(byThread.values.map(\.count) == [3000, 3000, 3000])
      #expect(byThread.values.allSatisfy { $0 == $0.sorted() })
      #expect(trace.header.lostRecords == 0 && trace.inFlightRecords == 0)
    }
  }

  @Test func killedAtAHundredInstantsEveryFunctionFinishedBeforeIsReadBack() throws {
    let seed = "20"
    let workshop = try Workshop()
    let victim = try workshop.build("victim", from: ["kill/victim.c"], coverage: [])
    let killer = try workshop.build("killer", from: ["kill/killer.c"], coverage: [], recorder: nil)
    let ended = try workshop.run(killer, [victim, workshop.folder.path, "100", seed])
    let progress = ended.text.split(separator: "\n").compactMap { Int($0) }
    try #require(ended.status == 0 && progress.count == 100, "\(ended.status) \(ended.errors)")
    #expect(Set(progress).count > 40, "the instants hardly differ, seed \(seed): \(progress)")
    for (round, count) in progress.enumerated() {
      guard try workshop.files("trace.\(round)").contains("trace.\(round)") else {
        #expect(count == 0, "round \(round) left no trace, seed \(seed)")
        continue
      }
      let guards = try workshop.trace("trace.\(round)").guards
      #expect(
        guards.count - count == 0 || guards.count - count == 1, "round \(round), seed \(seed)")
      #expect(zip(guards, guards.dropFirst()).allSatisfy { $1 == $0 + 4 })
    }
  }
}
