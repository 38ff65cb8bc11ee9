import Foundation
import TestSupport
import Testing
import TraceFormat

@Suite(.needs(.compiling)) struct SilenceTests {
  @Test func withoutTheVariableThereIsNoFileAndNoOutput() throws {
    let workshop = try Workshop()
    let program = try workshop.build("program", from: ["launch/main.c"])
    for value in [nil, ""] as [String?] {
      let ended = try workshop.run(
        program, environment: value.map { ["ORDERFILE_TRACE": $0] } ?? [:])
      #expect(ended.status == 0 && ended.text == "" && ended.errors == "")
    }
    #expect(try workshop.files("") == ["program", "program.0.o"])
  }

  @Test func withoutTheVariableEveryGuardIsSeen() throws {
    let workshop = try Workshop()
    let program = try workshop.build("program", from: ["silence/main.c"], coverage: [])
    #expect(try workshop.run(program).status == 0)
    #expect(try workshop.record(program).status == 1)
  }

  @Test(.needs(.root))
  func aSetUserIDProgramBelievesNoEnvironment() throws {
    let workshop = try Workshop()
    chmod(workshop.folder.path, 0o777)
    let program = try workshop.build("program", from: ["launch/main.c"])
    let asked = ["ORDERFILE_TRACE": workshop.path("trace")]
    let other = ["--reuid=65534", "--regid=65534", "--clear-groups", program]
    #expect(try workshop.run("setpriv", other, environment: asked).status == 0)
    #expect(try workshop.files() == ["trace"])
    try FileManager.default.removeItem(atPath: workshop.path("trace"))
    chmod(program, 0o4755)
    let ended = try workshop.run("setpriv", other, environment: asked)
    #expect(ended.status == 0 && ended.errors == "")
    #expect(try workshop.files() == [])
  }

  @Test func aProgramMayNameATraceOfItsOwn() throws {
    let workshop = try Workshop()
    let program = try workshop.build(
      "program", from: ["silence/named.c"],
      flags: ["-O1", "-DPATH=\"\(workshop.path("trace"))\""])
    #expect(try workshop.run(program).status == 0)
    #expect(try workshop.trace().guards.count == 1)
    #expect(
      try workshop.run(program, environment: ["ORDERFILE_TRACE": workshop.path("trace.2")]).status
        == 0)
    #expect(try workshop.files() == ["trace", "trace.2"])
  }

  @Test func aSmallAddressSpaceStaysTheProgramsOwn() throws {
    let workshop = try Workshop()
    let program = try workshop.build("program", from: ["silence/memory.c"])
    let ended = try workshop.record("/bin/sh", ["-c", "ulimit -v 500000; exec '\(program)'"])
    #expect(ended.status == 0 && ended.errors == "")
    #expect(try workshop.trace().guards.count == 1)
  }
}
