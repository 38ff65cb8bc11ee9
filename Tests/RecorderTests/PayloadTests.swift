import ByteReading
import Foundation
import TestSupport
import Testing
import TraceFormat

/// Payloads that the recorder writes, compared with the traces of the same launches.
@Suite(.needs(.compiling)) struct PayloadTests {
  private static func workshop() throws -> (Workshop, program: String) {
    let workshop = try Workshop()
    let program = try workshop.build(
      "program", from: ["payload/main.c"], flags: ["-O1", "-rdynamic"], links: ["-ldl"])
    return (workshop, program)
  }

  /// Launches `program` with a payload, and returns the payload.
  private func record(
    _ words: [String], _ environment: [String: String] = [:], of program: String,
    in workshop: Workshop
  ) throws -> FieldPayload? {
    let ended = try workshop.record(
      program, words,
      environment: ["ORDERFILE_PAYLOAD": workshop.path("sent")].merging(environment) { $1 })
    try #require(ended.status == 0 && ended.errors == "", "\(ended.errors)")
    guard try workshop.files("sent") == ["sent"] else { return nil }
    return try payload("sent", in: workshop)
  }

  private func payload(_ name: String, in workshop: Workshop) throws -> FieldPayload {
    let payloads = Array(FieldPayloads(try FileBytes(path: workshop.path(name))))
    try #require(payloads.count == 1)
    return try payloads[0].get()
  }

  /// What a payload of the launch in `trace` must have: for each image with hits its ID, and the guards and quarters of its
  /// functions.
  private func expected(_ trace: TraceFile) -> [[UInt8]: [FieldPayload.Function]] {
    var images: [TraceImageRecord] = []
    var guards: [UInt64] = []
    for record in trace.records {
      switch record.event {
      case .load(_, let image): images.append(image)
      case .function(let guardAddress, _, _): guards.append(guardAddress.rawValue)
      default: break
      }
    }
    var functions: [[UInt8]: [FieldPayload.Function]] = [:]
    for (position, place) in guards.enumerated() {
      guard
        let image = images.first(where: {
          place &- $0.guardStart.rawValue < $0.guardSize
        })
      else { continue }
      let index = Int(place - image.guardStart.rawValue) / 4
      functions[image.id?.bytes ?? [], default: []].append(
        .init(guardIndex: index, quarter: UInt8(4 * position / guards.count)))
    }
    return functions.mapValues { $0.sorted { $0.guardIndex < $1.guardIndex } }
  }

  private func found(_ payload: FieldPayload?) -> [[UInt8]: [FieldPayload.Function]] {
    Dictionary((payload?.tables ?? []).map { ($0.id, $0.functions) }, uniquingKeysWith: { $1 })
  }

  @Test(arguments: [
    ["run=5,1,1"], ["run=9999,1,1"], ["run=0,10000,1"], ["random=1,50"], ["random=2,2000"],
    ["run=9000,100,7", "run=0,3,1", "run=9000,100,7"],
  ]) func aPayloadHasTheFunctionsOfTheTrace(words: [String]) throws {
    let (workshop, program) = try Self.workshop()
    let payload = try record(words, ["ORDERFILE_PAYLOAD_SIZE": "8000"], of: program, in: workshop)
    let trace = try workshop.trace()
    #expect(found(payload) == expected(trace))
    #expect(payload?.tables.first?.guardCount == 10_001 && payload?.tables.first?.isProgram == true)
    #expect(payload?.end == .recording && payload?.machine == trace.header.machine)
    #expect(payload?.token != nil && payload?.omittedTables == 0)
  }

  /// The bound holds for sets that were made to be expensive: pairs of functions that did not run cost most if each pair
  /// is alone.
  @Test(arguments: [["random=3,3565"], ["run=0,3000,3"], ["run=7000,3000,1"]])
  func threeThousandOfTenThousandFunctionsFitIntoTwoKilobytes(words: [String]) throws {
    let (workshop, program) = try Self.workshop()
    let payload = try record(words, of: program, in: workshop)
    #expect((2950...3050).contains(payload?.tables.first?.functions.count ?? 0))
    #expect(found(payload) == expected(try workshop.trace()))
    #expect(try FileBytes(path: workshop.path("sent")).count <= 2048)
  }

  @Test func theLaunchEndsAtTheMarkTheStopOrTheExit() throws {
    let (workshop, program) = try Self.workshop()
    let words = ["run=0,4,1", "mark=a", "run=4,4,1", "stop", "run=8,4,1"]
    let marked = try record(words, ["ORDERFILE_STOP_AT": "a"], of: program, in: workshop)
    #expect(marked?.end == .stoppedByMark && marked?.tables[0].functions.count == 5)
    let stopped = try record(words, of: program, in: workshop)
    #expect(stopped?.end == .stoppedByCall && stopped?.tables[0].functions.count == 9)
    let ended = try record(words.dropLast(2), of: program, in: workshop)
    #expect(ended?.end == .recording && ended?.tables[0].functions.count == 9)
  }

  @Test func thePayloadsOfADayHaveOneToken() throws {
    let (workshop, program) = try Self.workshop()
    let first = try record(["run=0,4,1"], of: program, in: workshop)
    let second = try record(["run=4,4,1"], of: program, in: workshop)
    #expect(first?.token == second?.token && first?.token != nil)
    // The first launch of another day finds the file of yesterday.
    var day = ByteWriter()
    day.write(UInt64(1))
    day.write(UInt64(99))
    try Data(day.bytes).write(to: URL(fileURLWithPath: workshop.path("orderfile.day")))
    let third = try record(["run=4,4,1"], of: program, in: workshop)
    #expect(third?.token != nil && third?.token != 99 && third?.token != first?.token)
  }

  /// The first launches of a day, which end at the same time, agree on a token.
  @Test func processesThatEndTogetherHaveOneToken() throws {
    let (workshop, program) = try Self.workshop()
    var day = ByteWriter()
    day.write(UInt64(1))
    day.write(UInt64(99))
    try Data(day.bytes).write(to: URL(fileURLWithPath: workshop.path("orderfile.day")))
    let script = "for i in $(seq 50); do '\(program)' run=0,4,1 & done; wait"
    let ended = try workshop.run(
      "/bin/sh", ["-c", script],
      environment: [
        "ORDERFILE_TRACE": workshop.path("t.%p"), "ORDERFILE_PAYLOAD": workshop.path("sent.%p"),
      ])
    #expect(ended.status == 0 && ended.errors == "", "\(ended.errors)")
    let tokens = try workshop.files("sent.").map { try payload($0, in: workshop).token }
    #expect(tokens.count == 50 && Set(tokens).count == 1 && tokens.first != .some(nil))
    #expect(try workshop.files("orderfile.day") == ["orderfile.day"])
  }

  /// A program that the launched program starts has the same variables.
  @Test func aHelperProgramDoesNotReplaceThePayload() throws {
    let (workshop, program) = try Self.workshop()
    let words = ["run=0,4,1", "stop", "system='\(program)' run=0,40,1"]
    let payload = try record(words, of: program, in: workshop)
    #expect(payload?.tables.first?.functions.count == 5)
    #expect(try workshop.files().count == 2)
    let each = try workshop.record(
      program, words, environment: ["ORDERFILE_PAYLOAD": workshop.path("each.%p")])
    #expect(each.status == 0)
    let sizes = try workshop.files("each.").map {
      try self.payload($0, in: workshop).tables.first?.functions.count ?? 0
    }
    #expect(sizes.sorted() == [5, 41])
    // A program that begins after the launch, and a program that replaces the launched one, are launches.
    let next = try record(["run=0,7,1", "stop", "quit"], of: program, in: workshop)
    #expect(next?.tables.first?.functions.count == 8)
  }

  /// The launch ends while a library is being registered, and the program ends without exit handlers.
  @Test func aLaunchThatEndsWhileAnImageIsRegisteredHasAPayload() throws {
    let (workshop, program) = try Self.workshop()
    let library = try workshop.build(
      "shared.so", from: ["payload/library.c"], flags: ["-O1", "-shared", "-fPIC"], recorder: nil)
    let payload = try record(
      ["run=0,4,1", "loading=\(library)", "quit"], of: program, in: workshop)
    #expect(payload?.end == .stoppedByCall && payload?.tables.first?.functions.count == 5)
  }

  @Test func aFileThatIsNoPayloadStays() throws {
    let (workshop, program) = try Self.workshop()
    let path = workshop.path("mine")
    try Data("text".utf8).write(to: URL(fileURLWithPath: path))
    for (place, reason) in [
      (path, "the file there is not a payload"), (workshop.path("no/sent"), "no such directory"),
    ] {
      let ended = try workshop.record(
        program, ["run=0,4,1"], environment: ["ORDERFILE_PAYLOAD": place])
      #expect(ended.status == 0)
      #expect(ended.errors == "orderfile: cannot write the payload '\(place)': \(reason)\n")
    }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "text")
    #expect(try workshop.files("mine") == ["mine"])
  }

  @Test func aForkedChildWritesNone() throws {
    let (workshop, program) = try Self.workshop()
    let payload = try record(
      ["run=0,4,1", "fork", "run=4,4,1", "payload=2048"], of: program, in: workshop)
    #expect(payload?.tables.first?.functions.count == 5)
    #expect(try workshop.files().count == 2)
  }

  @Test func withoutATraceThereIsNoPayload() throws {
    let (workshop, program) = try Self.workshop()
    let ended = try workshop.run(
      program, ["run=0,4,1", "payload=2048"],
      environment: ["ORDERFILE_PAYLOAD": workshop.path("sent")])
    #expect(ended.status == 0 && ended.text == "" && ended.errors == "")
    #expect(try workshop.files("sent") == [])
  }

  /// A library that uses the program's recorder, and a library with its own, whose functions only its own recorder knows.
  @Test func eachImageHasATableAndTheProgramIsTheFirst() throws {
    let (workshop, program) = try Self.workshop()
    for (name, recorder) in [("shared.so", nil), ("own.so", try Workshop.runtime.get())] {
      try workshop.build(
        name, from: ["payload/library.c"], flags: ["-O1", "-shared", "-fPIC"], recorder: recorder)
    }
    let words = ["run=0,4,1", "call=\(workshop.path("shared.so"))", "run=4,4,1"]
    let payload = try record(words, of: program, in: workshop)
    #expect(payload?.tables.map(\.isProgram) == [true, false] && payload?.omittedTables == 0)
    #expect(found(payload) == expected(try workshop.trace()))
    let other = try record(
      ["run=0,4,1", "call=\(workshop.path("own.so"))"], of: program, in: workshop)
    #expect(other?.tables.map(\.isProgram) == [true])
  }

  @Test func anImageWithoutRoomIsOmitted() throws {
    let (workshop, program) = try Self.workshop()
    let library = try workshop.build(
      "shared.so", from: ["payload/library.c"], flags: ["-O1", "-shared", "-fPIC"], recorder: nil)
    // One table has room for the library, which is small, but not for the program.
    let payload = try record(
      ["random=1,3000", "call=\(library)"], ["ORDERFILE_PAYLOAD_SIZE": "200"], of: program,
      in: workshop)
    #expect(payload?.tables.map(\.isProgram) == [false] && payload?.omittedTables == 1)
    try FileManager.default.removeItem(atPath: workshop.path("sent"))
    let none = try record(
      ["random=1,3000"], ["ORDERFILE_PAYLOAD_SIZE": "200"], of: program, in: workshop)
    #expect(none == nil)
  }

  @Test func withoutAPCTableAnImageIsOmitted() throws {
    let workshop = try Workshop()
    let program = try workshop.build(
      "program", from: ["payload/main.c"], flags: ["-O1"],
      coverage: ["-fsanitize-coverage=func,trace-pc-guard"], links: ["-ldl"])
    #expect(try record(["run=0,4,1"], of: program, in: workshop) == nil)
  }

  @Test func aProgramCanTakeThePayloadItself() throws {
    let (workshop, program) = try Self.workshop()
    for size in [0, 39, 40, 85] {
      let ended = try workshop.record(program, ["run=0,4,1", "payload=\(size)"])
      #expect(ended.status == 0 && ended.text == "", "\(size)")
    }
    let script = "'\(program)' run=0,4,1 payload=99999 run=4,4,1 > '\(workshop.path("taken"))'"
    #expect(try workshop.record("/bin/sh", ["-c", script]).status == 0)
    let taken = try payload("taken", in: workshop)
    #expect(taken.token == 7 && taken.tables.first?.functions.count == 5)
    #expect(try workshop.files("sent") == [])
  }
}
