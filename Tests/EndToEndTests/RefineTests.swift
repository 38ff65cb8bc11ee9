import Foundation
import TestSupport
import Testing

/// `orderfile refine`: relink, measure, keep what is better.
@Suite(.needs(.recording)) struct RefineTests {
  /// 400 functions of some 500 bytes; the launch calls every 40th, and jumps into the middle of `tail`.
  private static let program: String = {
    let functions = (0..<400).map { index in
      """
      __attribute__((noinline)) int f\(index)(int n) {
        __asm__ volatile(".fill 480, 1, 0x90");
        return n + \(index);
      }
      """
    }
    let calls = stride(from: 0, to: 400, by: 40).map { "n = f\($0)(n);" }
    return functions.joined(separator: "\n") + """

      char *getenv(const char *);

      int main(int count, char **words) {
        (void)words;
        int n = count;
        \(calls.joined(separator: "\n  "))
        if (getenv("MORE")) n = f7(n);
        if (count > 1) __builtin_trap();
        return n == 0;
      }
      """
  }()

  /// A folder with the program `app`, which `link.sh` links, and an order that lacks most of what it runs.
  private static func workshop() throws -> Workshop { try built.copy() }

  private static let built = PreparedFolder<Workshop> { workshop in
    try workshop.write(program.utf8, "app.c")
    try workshop.must("clang", ["-O1", "-ffunction-sections", "-c", "app.c", "-o", "app.o"])
    try workshop.write(
      """
      test ! -e app || exit 9
      exec clang -fuse-ld=lld -Wl,--build-id -Wl,--symbol-ordering-file="$ORDERFILE_ORDER" app.o -o app
      """.utf8, "link.sh")
    try workshop.write("# by hand\nf399\nmain\nf0\nf40\nno_such_function\n".utf8, "app.order")
    try workshop.must("clang", ["-fuse-ld=lld", "-Wl,--build-id", "app.o", "-o", "app"])
  }

  private func refine(
    _ workshop: Workshop, relink: String = "sh link.sh", arguments: [String] = []
  ) throws -> Run {
    try workshop.orderfile(
      ["refine", "--order", "app.order", "--image", "app", "--relink", relink, "-o", "best.order"]
        + ["--json", "--page-size", "4k", "--", "./app"] + arguments)
  }

  /// Starts `refine`, to interrupt it.
  private func start(
    _ workshop: Workshop, relink: String, options: [String] = []
  ) throws -> RunningProcess {
    try workshop.start(
      Built.orderfile,
      ["refine", "--order", "app.order", "--image", "app", "--relink", relink, "-o", "best.order"]
        + options + ["--", "./app"])
  }

  private func textPages(_ workshop: Workshop) throws -> Int {
    let pages = try workshop.mustOrderfile("pages", "--json", "--", "./app").json
    let images = try #require(pages["images"] as? [[String: Any]])
    return try #require(images.first?["textPages"] as? Int)
  }

  @Test func whatTheOrderLacksIsAdded() throws {
    let workshop = try Self.workshop()
    let run = try refine(workshop)
    try #require(run.status == 0, "\(run.errors)")
    let steps = try #require(run.json["steps"] as? [[String: Any]])
    let counts = steps.compactMap { $0["textPages"] as? Int }
    let kept = steps.filter { $0["isKept"] as? Bool ?? false }.compactMap {
      $0["textPages"] as? Int
    }
    #expect(counts.count == steps.count && kept.first == counts.first)
    #expect(kept == kept.sorted(by: >) && kept.count >= 2)
    let floor = try #require(run.json["floor"] as? [String: Any])
    #expect(try #require(kept.last) <= (floor["pages"] as? Int ?? 0) + 1)

    // The image that is there is the best one, and the order that was written makes it.
    #expect(try textPages(workshop) == kept.last)
    let lines = workshop.text("best.order").split(separator: "\n").map(String.init)
    #expect(lines.first == "# by hand" && !lines.contains("no_such_function"))
    #expect(lines.contains("# refined by orderfile refine"))
    #expect(run.json["droppedEntries"] as? Int == 1)
    for index in stride(from: 0, to: 400, by: 40) { #expect(lines.contains("f\(index)")) }
    #expect(workshop.text("app.order").hasPrefix("# by hand\nf399\n"))
    #expect(!workshop.fileNames.contains { $0.hasSuffix("kept") })

    // No further trial can save a page.
    try workshop.write(workshop.bytes("best.order"), "app.order")
    let again = try refine(workshop)
    #expect(again.status == 0, "\(again.errors)")
    #expect(workshop.bytes("best.order") == workshop.bytes("app.order"))
  }

  @Test func anOrderIsImprovedForAllLaunchesOfAFile() throws {
    let workshop = try Self.workshop()
    let launches = """
      {"schema": "orderfile.launches/1", "launches": [
        {"name": "plain", "command": ["./app"]},
        {"name": "more", "command": ["./app"], "environment": ["MORE=1"]},
        {"name": "fail", "command": ["./app", "x"], "required": false}
      ]}
      """
    try workshop.write(launches.utf8, "l.json")
    let command = [
      "refine", "--order", "app.order", "--image", "app", "--relink", "sh link.sh", "-o",
      "best.order", "--json", "--page-size", "4k", "--launches",
    ]
    let run = try workshop.orderfile(command + ["l.json"])
    try #require(run.status == 0, "\(run.errors)")
    #expect(
      run.errors.contains(
        "l.json: line 4: launch 'fail': ./app: left out, because it failed"),
      "\(run.errors)")
    let figures = try #require(run.json["launches"] as? [[String: Any]])
    #expect(figures.map { $0["name"] as? String } == ["plain", "more"])
    func sum(_ key: String) -> Int {
      figures.reduce(0) { sum, launch in
        sum + ((launch[key] as? [String: Any])?["textPages"] as? Int ?? 0)
      }
    }
    let steps = try #require(run.json["steps"] as? [[String: Any]])
    let kept = steps.filter { $0["isKept"] as? Bool ?? false }
      .compactMap { $0["textPages"] as? Int }
    #expect(kept.first == sum("before") && kept.last == sum("after") && kept.count > 1)
    let floors = figures.compactMap { $0["floorPages"] as? Int }
    let floor = try #require(run.json["floor"] as? [String: Any])
    #expect(floors.reduce(0, +) == floor["pages"] as? Int)
    let lines = workshop.text("best.order").split(separator: "\n").map(String.init)
    for name in ["f7", "f40", "f360"] { #expect(lines.contains(name)) }

    try workshop.write(
      launches.replacingOccurrences(of: ", \"required\": false", with: "").utf8, "strict.json")
    let strict = try workshop.orderfile(command + ["strict.json"])
    #expect(
      strict.status == 1 && strict.errors.contains("strict.json: line 4: launch 'fail': "),
      "\(strict.errors)")
  }

  @Test func aRelinkThatFailsLeavesWhatWasThere() throws {
    let workshop = try Self.workshop()
    let image = workshop.bytes("app")
    for (command, problem) in [
      ("echo broken >&2; exit 3", "--relink: the command failed: exit status 3\n  broken"),
      ("true", "--relink: the command created no image: expected "),
    ] {
      let run = try refine(workshop, relink: command)
      #expect(
        run.status == 1 && run.errors.contains("orderfile: error: \(problem)"), "\(run.errors)")
      #expect(workshop.bytes("app") == image)
      #expect(!workshop.fileNames.contains("best.order"))
    }
  }

  @Test func aRelinkThatFailsLaterLeavesTheBestSoFar() throws {
    let workshop = try Self.workshop()
    let run = try refine(
      workshop,
      relink:
        "test ! -e second || exit 4; echo >>runs; sh link.sh; test $(wc -l <runs) -lt 2 || touch second"
    )
    #expect(run.status == 1 && run.errors.contains("exit status 4"), "\(run.errors)")
    #expect(workshop.text("best.order").contains("f360"))
    try workshop.write(workshop.bytes("best.order"), "app.order")
    #expect(try textPages(workshop) < 8)
  }

  @Test func aLaunchThatIsKilledIsAnError() throws {
    let workshop = try Self.workshop()
    let run = try refine(workshop, arguments: ["crash"])
    #expect(run.status == 1)
    #expect(run.errors.contains("./app: the launch was killed by signal 4"), "\(run.errors)")
  }

  @Test func aLaunchThatFailsIsAnErrorAndNothingIsWritten() throws {
    let workshop = try Self.workshop()
    let image = workshop.bytes("app")
    let run = try workshop.orderfile(
      "refine", "--order", "app.order", "--image", "app", "--relink", "sh link.sh", "--", "sh",
      "-c",
      "./app; exit 3")
    #expect(run.status == 1)
    #expect(run.errors.contains("sh: the launch failed: exit status 3"), "\(run.errors)")
    #expect(workshop.bytes("app") == image && workshop.text("app.order").contains("by hand"))
  }

  @Test func anImageThatAKilledRunKeptIsNeverPutBackUnasked() throws {
    let workshop = try Self.workshop()
    let image = workshop.bytes("app")
    try workshop.write("stale".utf8, "app.orderfile-kept")
    let run = try refine(workshop, relink: "exit 3")
    #expect(run.status == 1)
    #expect(run.errors.contains("app.orderfile-kept: unable to relink: an earlier run was killed"))
    #expect(workshop.bytes("app") == image && workshop.text("app.orderfile-kept") == "stale")
  }

  /// A linker that went on would take away the image that was put back.
  @Test func whatTheRelinkStartsEndsWithIt() throws {
    let workshop = try Self.workshop()
    let image = workshop.bytes("app")
    let refine = try start(
      workshop, relink: "sh -c 'trap \"\" TERM; touch waiting; sleep 60; touch app' & wait")
    try refine.wait(for: "the link") { workshop.fileNames.contains("waiting") }
    refine.send(SIGTERM)
    #expect(refine.endAlone().status == 1)
    #expect(workshop.bytes("app") == image && refine.leavesNothing())
  }

  /// The shell may continue after SIGINT if the signal comes between two commands.
  @Test func interruptedItLeavesTheBestSoFar() throws {
    let workshop = try Self.workshop()
    let refine = try start(
      workshop,
      relink:
        "trap '' INT; test ! -e app || exit 9; echo >>runs; test $(wc -l <runs) -lt 3 || { touch waiting; sleep infinity; }; sh link.sh",
      options: ["--page-size", "4k"])
    try refine.wait(for: "the third relink") { workshop.fileNames.contains("waiting") }
    refine.sendToGroup(SIGINT)
    let run = refine.endAlone()
    #expect(run.status == 1 && run.errors.contains("wrote the best order so far: best.order\n"))
    #expect(run.errors.hasSuffix("orderfile: error: interrupted\n"), "\(run.errors)")
    #expect(refine.leavesNothing())
    #expect(workshop.text("best.order").contains("f360"))
    #expect(try workshop.must("./app", []).status == 0)
    #expect(!workshop.fileNames.contains { $0.hasSuffix("kept") })
  }

  @Test func interruptedBeforeAnythingIsBetterItSaysThatNothingIsWritten() throws {
    let workshop = try Self.workshop()
    let refine = try start(
      workshop,
      relink:
        "echo >>runs; test $(wc -l <runs) -lt 2 || { touch waiting; exec sleep infinity; }; sh link.sh"
    )
    try refine.wait(for: "the second relink") { workshop.fileNames.contains("waiting") }
    refine.send(SIGTERM)
    let run = refine.endAlone()
    #expect(run.status == 1 && refine.leavesNothing())
    #expect(
      run.errors.hasSuffix(
        "orderfile: found no better order: nothing was written\norderfile: error: interrupted\n"),
      "\(run.errors)")
    #expect(!workshop.fileNames.contains("best.order"))
  }
}
