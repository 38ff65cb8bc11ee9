import Foundation
import TestSupport
import Testing

/// `orderfile merge` as a user calls it, with traces that were written for it.
@Suite(.needs(.processes)) struct MergeTests {
  /// A sealed trace of a launch that used the functions with these numbers.
  private func trace(_ used: [UInt64], machine: UInt32 = 62) -> [UInt8] {
    let image = TraceWriter.Image(path: "/bin/app", id: [UInt8(machine), 0x3a])
    var writer = TraceWriter()
    writer.machine = machine
    writer.addLoad(image)
    for number in used { writer.addHit(image, guard: number, entry: 0x1000 + 64 * number) }
    writer.names = (0..<8).map { .init(address: 0x1000 + 64 * $0, size: 64, name: "f\($0)") }
    return writer.bytes()
  }

  /// Five traces; two in the folder `more`, and a list of two.
  private func workshop() throws -> Workshop {
    let workshop = try Workshop()
    try FileManager.default.createDirectory(
      at: workshop.folder.appendingPathComponent("more"), withIntermediateDirectories: false)
    try workshop.write(trace([0, 1, 2]), "a")
    try workshop.write(trace([0, 2, 3]), "b")
    try workshop.write(trace([0, 1, 2]), "c")
    try workshop.write(trace([0, 4]), "more/d")
    try workshop.write(trace([5, 0]), "more/e")
    try workshop.write("b\n2,c\n".utf8, "list")
    return workshop
  }

  private func merge(
    _ workshop: Workshop, _ arguments: String..., to name: String
  ) throws -> [UInt8] {
    let run = try workshop.orderfile(["merge"] + arguments + ["-o", name])
    #expect(run.status == 0, "\(run.errors)")
    return workshop.bytes(name)
  }

  @Test func anyGroupingOfTheSameLaunchesGivesTheSameBytes() throws {
    let workshop = try workshop()
    let all = try merge(workshop, "a", "@list", "--weighted", "3,more", to: "all")
    _ = try merge(workshop, "more/e", "a", "more/e", to: "one")
    _ = try merge(workshop, "--weighted", "2,c", "more", to: "two")
    _ = try merge(workshop, "two", "more/e", "b", to: "three")
    #expect(try merge(workshop, "three", "--weighted", "2,more/d", "a", to: "unlike") != all)
    #expect(try merge(workshop, "three", "--weighted", "2,more/d", "one", to: "like") != all)
    _ = try merge(workshop, "more/e", "a", to: "four")
    #expect(try merge(workshop, "--weighted", "2,more/d", "four", "three", to: "same") == all)
    let printed = try workshop.orderfile("merge", "-q", "three", "four", "--weighted", "2,more/d")
    #expect(printed.output == all && printed.errors.isEmpty)

    let summary = try workshop.orderfile("merge", "a", "@list", "--json", "-o", "summary")
    #expect(summary.json["launches"] as? Int == 4)
    #expect(summary.errors.contains("4 launches, 4 functions of 1 build"))
    let functions = try #require(
      (try workshop.orderfile("show", "all", "--json")).json["functions"] as? [[String: Any]])
    let launches = functions.map { "\($0["name"] ?? "") \($0["launches"] ?? "")" }.sorted()
    #expect(launches == ["f0 10", "f1 3", "f2 4", "f3 1", "f4 3", "f5 3"])
  }

  @Test func whatCannotBeReadIsNamedAndOnlyLeftOutOnRequest() throws {
    let workshop = try workshop()
    try workshop.write(trace([0]).dropLast(8), "cut")
    try workshop.write("text".utf8, "text")
    var newer = try merge(workshop, "a", "b", to: "newer")
    newer[8] = 9
    try workshop.write(newer, "newer")
    let run = try workshop.orderfile("merge", "a", "cut", "newer", "text", "gone", "-o", "out")
    #expect(run.status == 1 && !workshop.fileNames.contains("out"))
    #expect(run.errors.contains("error: cut: the trace ends early"), "\(run.errors)")
    #expect(run.errors.contains("3 more files can't be read: gone, newer, text"))
    #expect(run.errors.contains("give --keep-going to leave out"))
    let kept = try workshop.orderfile(
      "merge", "a", "cut", "newer", "text", "gone", "--keep-going", "-o", "out")
    #expect(kept.status == 0, "\(kept.errors)")
    #expect(kept.errors.contains("newer: left out: unsupported version: found 9"))
    #expect(try merge(workshop, "a", to: "alone") == workshop.bytes("out"))
    let nothing = try workshop.orderfile("merge", "newer", "--keep-going")
    #expect(nothing.status == 1 && nothing.text.isEmpty)
    #expect(nothing.errors.contains("error: newer: unsupported version"))
  }

  @Test func launchesOnSeveralMachinesAreRefused() throws {
    let workshop = try workshop()
    try workshop.write(trace([0, 1], machine: 183), "arm")
    let run = try workshop.orderfile("merge", "a", "arm", "-o", "out")
    #expect(run.status == 3 && !workshop.fileNames.contains("out"))
    #expect(
      run.errors.contains("machine mismatch: expected launches on one machine, found"),
      "\(run.errors)")
    _ = try merge(workshop, "arm", to: "arms")
    #expect(try workshop.orderfile("merge", "a", "arms").status == 3)
  }

  @Test(arguments: ["0,a", "281474976710657,a", "a", "1.5,a"])
  func aWeightIsAWholeNumber(argument: String) throws {
    let run = try workshop().orderfile("merge", "--weighted", argument)
    #expect(run.status == 64 && run.errors.contains("invalid weight"), "\(run.errors)")
  }

  @Test func launchesThatExceedWhatAProfileCountsAreRefused() throws {
    let workshop = try workshop()
    let most = "281474976710656,a"
    _ = try merge(workshop, "--weighted", most, to: "most")
    let run = try workshop.orderfile("merge", "most", "b")
    #expect(run.status == 1 && run.errors.contains("too many launches"), "\(run.errors)")
  }
}
