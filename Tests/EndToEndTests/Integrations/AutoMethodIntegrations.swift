import Foundation
import TestSupport
import Testing

/// How `orderfile auto` records if breakpoints can't be used, and what it measures: `make test-integrations`.
@Suite(.needs(.recording)) struct AutoMethodIntegrations {
  /// Tracing is forbidden here, as in a container.
  @Test(.needs(.x8664Machine, "qemu-x86_64"))
  func withoutTheRightToTraceAnEmulatorRecords() throws {
    let project = try AutoProject()
    let run = try project.startWithoutTracing(["--launch", "./app | cat; ./app more"]).end()
    try #require(run.status == 0, "\(run.errors)")
    #expect(run.json["method"] as? String == "qemu")
    let reason = try #require(run.json["methodReason"] as? String)
    #expect(reason.hasPrefix("breakpoints: a program can't be traced: "))
    let pages = try #require(run.json["pages"] as? [String: Int])
    #expect(try #require(pages["saved"]) > 5, "\(run.json)")
    // No message mentions that the program was started under another name.
    #expect(run.json["warnings"] as? [String] == [])
    let text = try String(contentsOfFile: "\(project.output)/summary.txt", encoding: .utf8)
    #expect(
      text.contains("recorded by QEMU's emulator, running the release build (breakpoints: "))
    let trace = try project.workshop.mustOrderfile(
      "show", "\(project.output)/traces/launch-1.oftrace")
    #expect(trace.text.contains("/work/tree/app,") && !trace.text.contains(".emulated"))
    // The programs are at their places again.
    try project.workshop.must("make", ["-s", "-C", "\(project.output)/work/tree", "check"])
    let tree = try FileManager.default.contentsOfDirectory(atPath: "\(project.output)/work/tree")
    #expect(!tree.contains { $0.hasSuffix(".emulated") })

    // When tracing is permitted again, breakpoints are used, and traces that were recorded without them are not kept.
    let words = ["--launch", "./app | cat; ./app more"]
    let permitted = try project.start(words).end()
    #expect(permitted.json["method"] as? String == "breakpoints", "\(permitted.errors)")
    #expect(try project.start(words).end().errors.contains("nothing has changed since"))
  }

  @Test func aBuildThatRecordsItselfIsMadeAndLeft() throws {
    let project = try AutoProject()
    let summary = try project.expectOrdered([
      "--launch", "./app", "--instrument", "--", "make", "CC=clang",
    ])
    #expect(summary["method"] as? String == "instrument")
    #expect(summary["methodReason"] as? String == "--instrument")
    for image in ["images/app", "images/default/app", "work/tree/libshared.so"] {
      let symbols = try project.workshop.must("nm", ["\(project.output)/\(image)"])
      #expect(!symbols.text.contains("sanitizer_cov"), "\(image)")
    }
  }

  /// 100 tables of 1 KiB, of which the launch reads every tenth.
  @Test func dataAreRecordedAndOrderedOnRequest() throws {
    let project = try AutoProject()
    let main = try String(contentsOfFile: "\(project.folder)/src/main.c", encoding: .utf8)
    let tables = (0..<100).map { "const int table\($0)[256] = {\($0)};\n" }.joined()
    let reads = stride(from: 0, to: 100, by: 10).map {
      "  if (((volatile const int *)table\($0))[count] != 0) return 4;\n"
    }
    try project.write(
      "src/main.c",
      tables
        + main.replacing("  int n = count - 1;\n", with: "  int n = count - 1;\n" + reads.joined()))
    let words = ["--launch", "./app", "--data"]
    let build = ["--", "make", "CC=clang"]
    let summary = try project.expectOrdered(words + build)
    #expect(summary["method"] as? String == "instrument")
    #expect((summary["methodReason"] as? String)?.contains("--data needs") ?? false)
    let order = try String(contentsOfFile: "\(project.output)/orders/app.order", encoding: .utf8)
    let entries = order.split(separator: "\n").drop { $0 != "# data" }
    #expect(entries.contains("table10") && !entries.contains("table11"), "\(order)")
    let text = try String(contentsOfFile: "\(project.output)/summary.txt", encoding: .utf8)
    #expect(text.contains(" of data\n") && text.contains("-fdata-sections"), "\(text)")
    #expect(try project.start(words + build).end().errors.contains("nothing has changed since"))

    for (option, words) in [
      ("--linker", ["--linker", "gold"]), ("--breakpoints", ["--breakpoints"]),
      ("--data and --split", ["--split"]),
    ] {
      let run = try project.start(["--launch", "./app", "--data"] + words + build).end()
      #expect(run.status != 0 && run.errors.contains("error: \(option)"), "\(run.errors)")
    }
    let cargo = try project.auto("--launch", "./app", "--data", "--", "cargo", "build")
    #expect(
      cargo.status == 64
        && cargo.errors.contains(
          "unable to order data: expected a project of C or C++, found cargo"),
      "\(cargo.errors)")
  }

  @Test(.needs("gcc")) func whatGCCCannotInstrumentIsSaid() throws {
    let project = try AutoProject()
    let run = try project.start([
      "--launch", "./app", "--instrument", "--", "make", "CC=gcc",
    ]).end()
    #expect(
      run.status == 1 && run.errors.contains("hint: only clang can instrument: CC=clang"),
      "\(run.errors)")
  }

  /// No tracer and no emulator runs AddressSanitizer and LeakSanitizer.
  @Test func aSanitizedProgramRecordsItself() throws {
    let project = try AutoProject()
    let run = try project.start([
      "--launch", "./app", "--", "make", "CC=clang -fsanitize=address",
    ]).end()
    try #require(run.status == 0, "\(run.errors)")
    #expect(run.json["method"] as? String == "instrument")
    #expect((run.json["methodReason"] as? String)?.contains(" contains a sanitizer") ?? false)
  }

  /// Pages of programs for another machine can't be counted here.
  @Test(.needs("aarch64-linux-gnu-gcc", "qemu-aarch64"))
  func aProgramOfAnotherMachineIsEmulated() throws {
    let project = try AutoProject()
    try project.write(
      "src/main.c",
      try String(contentsOfFile: "\(project.folder)/src/main.c", encoding: .utf8)
        .replacingOccurrences(of: ".fill 200, 1, 0x90", with: ".fill 50, 4, 0xd503201f"))
    for library in ["shared.c", "static.c"] {
      try project.write(
        library,
        try String(contentsOfFile: "\(project.folder)/\(library)", encoding: .utf8)
          .replacingOccurrences(of: ".fill 5000, 1, 0x90", with: ".fill 1250, 4, 0xd503201f"))
    }
    let words = ["--launch", "./app", "--linker", "gnu-ld"]
    let build = ["--", "make", "CC=aarch64-linux-gnu-gcc"]
    let run = try project.start(words + build).end()
    try #require(run.status == 0, "\(run.errors)")
    #expect(run.json["method"] as? String == "qemu" && run.json["pages"] == nil)
    #expect(run.json["notCounted"] as? String == "an emulator does not count pages")
    let predicted = try #require(run.json["predictedPages"] as? [String: Int])
    #expect(try #require(predicted["saved"]) > 3, "\(run.json)")
    let text = try String(contentsOfFile: "\(project.output)/summary.txt", encoding: .utf8)
    #expect(text.hasPrefix("predicted: ") && !text.contains("measured"))
    let control = try project.start(words + ["--control"] + build).end()
    #expect(control.status == 1 && control.errors.contains("--control: unable to measure"))
  }

  /// Each launch notes which build it found.
  @Test func launchesFindBothBuildsInTurn() throws {
    let project = try AutoProject()
    let log = project.workshop.path("log")
    let launch = "./app && cksum app libshared.so >>\(log)"
    let summary = try project.expectOrdered(["--launch", launch, "--control"])
    let measurements = try #require(summary["measurements"] as? [[String: Any]])
    let measurement = try #require(measurements.first)
    #expect(measurement["launch"] as? String == launch)
    let states = try #require(measurement["states"] as? [[String: Any]])
    #expect(states.last?["state"] as? String == "warm")
    let rounds = states.compactMap { $0["launches"] as? Int }.reduce(0, +)
    func sum(_ name: String) throws -> Substring {
      let text = try project.workshop.must("cksum", ["\(project.output)/\(name)"]).text
      return text.prefix { $0 != " " }
    }
    let found = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
    for image in ["app", "libshared.so"] {
      let (usual, ordered) = (try sum("images/default/\(image)"), try sum("images/\(image)"))
      let before = found.count { $0.hasPrefix(usual) && $0.hasSuffix(" \(image)") }
      let after = found.count { $0.hasPrefix(ordered) && $0.hasSuffix(" \(image)") }
      // The other launches of the program: it was tried, recorded and counted, and counted again in the new order.
      #expect(
        after > rounds && before - 3 == 2 * (after - 1), "\(before) \(after) \(rounds)")
    }
    // The image that was linked last is at its path again, so a second run has nothing to do.
    let again = try project.start(["--launch", launch, "--control"]).end()
    #expect(again.errors.contains("nothing has changed"), "\(again.errors)")
    let text = try String(contentsOfFile: "\(project.output)/summary.txt", encoding: .utf8)
    #expect(text.contains("launched in the default order and in the new one"))
    let document = project.output + "/" + (measurement["measurement"] as? String ?? "")
    #expect(try String(contentsOfFile: document, encoding: .utf8).contains("orderfile.measure/2"))
  }

  /// No build system compiles again if the variables that choose compilers change.
  @Test(.needs("gcc")) func anotherCompilerBeginsWithANewCopy() throws {
    let project = try AutoProject()
    for compiler in ["gcc", "clang", "gcc"] {
      let run = try project.workshop.orderfile(
        "auto", "--project", project.folder, "--output", project.output, "--launch", "./app",
        environment: ["CC": compiler])
      #expect(run.status == 0 && run.errors.contains("orderfile: record"), "\(run.errors)")
      let comment = try project.workshop.must(
        "readelf", ["-p", ".comment", "\(project.output)/images/app"])
      #expect(comment.text.contains("clang") == (compiler == "clang"))
    }
    for compiler in ["clang", "gcc"] {
      let run = try project.start(["--launch", "./app", "--", "make", "CC=\(compiler)"]).end()
      #expect(run.status == 0 && run.errors.contains("orderfile: record"), "\(run.errors)")
    }
  }
}
