import Foundation
import TestSupport
import Testing

/// Payloads of devices, as a user shows and folds them.
@Suite(.needs(.recording)) struct PayloadTests {
  private func functions(_ profile: String, in workshop: Workshop) throws -> [String: Int] {
    let shown = try workshop.mustOrderfile("show", profile, "--json").json
    let functions = try #require(shown["functions"] as? [[String: Any]])
    return Dictionary(
      functions.compactMap { function in
        guard let name = function["name"] as? String, let launches = function["launches"] as? Int
        else { return nil }
        return (name, launches)
      }, uniquingKeysWith: { $1 })
  }

  @Test func showNamesTheFunctionsOfOnePayloadOnlyWithItsImage() throws {
    let program = try FieldProgram()
    let workshop = program.workshop
    func names(_ arguments: String...) throws -> [[String]] {
      let shown = try workshop.mustOrderfile(["show", "real", "--json"] + arguments).json
      let launch = try #require(shown["launch"] as? [String: Any])
      return try #require(launch["functions"] as? [[String: Any]]).compactMap {
        $0["names"] as? [String]
      }
    }
    #expect(try names("--recorded", "app") == [["main"], ["f3"], ["f1"], ["f59"]])
    #expect(try names() == [[], [], [], []])
    let refused = try workshop.orderfile("show", "real", "--recorded", "release")
    #expect(refused.status == 3 && refused.errors.contains("missing the table of functions"))
    // The functions of several devices are not listed.
    try workshop.write(workshop.bytes("real") + program.payload([4], token: 5), "two")
    let text = try workshop.mustOrderfile("show", "two", "--recorded", "app").text
    #expect(text.contains("2 payloads"))
    // The image ID may have these characters, too.
    #expect(!text.split { !$0.isLetter && !$0.isNumber }.contains("f3"))
  }

  @Test func aFunctionNeedsEnoughDevices() throws {
    let program = try FieldProgram()
    let workshop = program.workshop
    var file: [UInt8] = []
    for device in 1...60 {
      // 60 devices ran f0, 50 ran f1, 49 ran f2. f3 ran in 60 launches of one device, f4 on devices without tokens.
      let device = UInt64(device)
      file += program.payload(
        [0] + (device <= 50 ? [1] : []) + (device <= 49 ? [2] : []), token: device)
      file += program.payload([0, 3], token: 1)
      file += program.payload([0, 4], token: 0)
    }
    try workshop.write(file, "payloads")
    try workshop.mustOrderfile("merge", "payloads", "--recorded", "app", "-o", "profile")
    #expect(try functions("profile", in: workshop) == ["main": 180, "f0": 180, "f1": 50])
    try workshop.mustOrderfile(
      "merge", "payloads", "--recorded", "app", "--min-devices", "49", "-o", "more")
    #expect(try functions("more", in: workshop)["f2"] == 49)
    try workshop.mustOrderfile(
      "merge", "payloads", "--recorded", "app", "--min-devices", "1", "-o", "all")
    #expect(try functions("all", in: workshop).count == 6)
    let refused = try workshop.orderfile(
      "merge", "payloads", "--recorded", "app", "--min-devices", "61", "-o", "none")
    #expect(refused.status == 4 && !workshop.fileNames.contains("none"))
    #expect(
      refused.errors.contains(
        "nothing can be shown: expected functions that at least 61 devices ran, found payloads of 60 devices"
      ))
  }

  @Test func oneFileOrManyInAnyOrderGiveTheSameBytes() throws {
    let program = try FieldProgram()
    let workshop = program.workshop
    let payloads = program.payloads(devices: 120, seed: 1)
    try FileManager.default.createDirectory(
      atPath: workshop.path("sent"), withIntermediateDirectories: false)
    for (number, payload) in payloads.enumerated() {
      try workshop.write(payload, "sent/\(number)")
    }
    try workshop.write(payloads.reversed().flatMap { $0 }, "all")
    try workshop.mustOrderfile("merge", "sent", "--recorded", "app", "-o", "one")
    try workshop.mustOrderfile("merge", "all", "--recorded", "app", "-o", "two")
    #expect(workshop.bytes("one") == workshop.bytes("two"))
    // Traces are launches of known devices: all of their functions are shown.
    try workshop.mustOrderfile("merge", "all", "trace", "--recorded", "app", "-o", "both")
    #expect(try functions("both", in: workshop)["f59"] == 1)
    #expect(try functions("both", in: workshop)["f3"] == 121)
    let gen = try workshop.mustOrderfile(
      "gen", "one", "--image", "release", "--json", "-o", "order")
    let images = try #require(gen.json["images"] as? [[String: Any]])
    let shown = try functions("one", in: workshop).count
    #expect(shown > 50 && shown < 60)
    #expect(images.map { $0["recordedFunctions"] as? Int } == [shown])
  }

  @Test func payloadsThatCannotBeUsedAreCountedAndHideNoOthers() throws {
    let program = try FieldProgram()
    let workshop = program.workshop
    let good = program.payloads(devices: 60, seed: 2)
    try workshop.write(good.flatMap { $0 }, "good")
    var later = program.payload([1], token: 1)
    later[8] = 2
    var damaged = program.payload([1], token: 1)
    damaged[50] ^= 1
    let bad =
      [program.payloadOfAnotherBuild(token: 1), program.payload([1], token: 1, machine: 183)]
      + [later, damaged, Array("text".utf8)]
    let mixed = good[..<30].flatMap { $0 } + bad.flatMap { $0 } + good[30...].flatMap { $0 }
    try workshop.write(mixed + good[0].dropLast(3), "mixed")
    try workshop.mustOrderfile("merge", "good", "--recorded", "app", "-o", "one")
    let run = try workshop.mustOrderfile("merge", "mixed", "--recorded", "app", "-o", "two")
    #expect(workshop.bytes("one") == workshop.bytes("two"))
    #expect(
      run.errors.contains(
        "left out: 5 of 65 payloads: 1 truncated, 1 damaged, 1 of a later version of the format, 2 of another build"
      ),
      "\(run.errors)")
    try workshop.write(bad.flatMap { $0 }, "bad")
    let refused = try workshop.orderfile("merge", "bad", "--recorded", "app", "-o", "none")
    #expect(
      refused.status == 3 && refused.errors.contains("none of 4 payloads is of a given image"))
    for command in [
      ["gen", "good", "--image", "app"], ["diff", "app", "release", "--trace", "good"],
    ] {
      let run = try workshop.orderfile(command)
      #expect(run.status != 0 && run.errors.contains("found a payload"), "\(run.errors)")
    }
    let unnamed = try workshop.orderfile("merge", "good", "-o", "none")
    #expect(unnamed.status == 3 && unnamed.errors.contains("with --recorded"))
  }

  /// A file is opened to see what it is, to count its devices, and to fold its payloads.
  @Test(.needs("strace")) func aFileThatVanishesMeanwhileIsAnError() throws {
    let program = try FieldProgram()
    let workshop = program.workshop
    for opening in 1...3 {
      let run = try workshop.start(
        "strace",
        [
          "-f", "-o", "/dev/null", "-P", workshop.path("real"), "-e", "trace=openat", "-e",
          "inject=openat:error=ENOENT:when=\(opening)", Built.orderfile, "merge",
          workshop.path("real"), "--recorded", "app", "--min-devices", "1", "-o", "profile",
        ]
      ).end()
      #expect(run.status == 1 && !workshop.fileNames.contains("profile"), "\(run.errors)")
      #expect(run.errors.contains("/real: No such file or directory"), "\(run.errors)")
    }
  }

  @Test(.needs(.time)) func aMillionTruncatedPayloadsTakeLittleMemory() throws {
    let program = try FieldProgram()
    let workshop = program.workshop
    let good = program.payloads(devices: 60, seed: 3)
    let cut = good[0].prefix(39)
    var file: [UInt8] = []
    for _ in 0..<1_000_000 { file += cut }
    try workshop.write(file + good.flatMap { $0 }, "million")
    try workshop.write(good.flatMap { $0 }, "good")
    try workshop.mustOrderfile("merge", "good", "--recorded", "app", "-o", "one")
    let command = "ulimit -d 400000; '\(Built.orderfile)' merge million --recorded app -o two"
    let run = try workshop.start("/bin/sh", ["-c", command]).end()
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.errors.contains("left out: 1000000 of 1000060 payloads"), "\(run.errors)")
    #expect(workshop.bytes("one") == workshop.bytes("two"))
  }
}
