import Foundation
import TestSupport
import Testing

/// Ordering data, from the pages that a launch touches to a layout in which it touches fewer pages.
@Suite(.needs(.recording)) struct DataOrderTests {
  /// A program with 200 tables and 200 variables of 1 KiB. A launch reads and writes every 20th of them; with an
  /// argument, every 40th.
  private static let program: String = {
    let data = (0..<200).flatMap { index in
      [
        "const int table\(index)[256] = {\(index), 1};", "int value\(index)[256] = {\(index), 1};",
      ]
    }
    let uses = stride(from: 0, to: 200, by: 20).map {
      "if (n < 2 || \($0) % 40 == 0) { sum += ((volatile const int *)table\($0))[n]; ((volatile int *)value\($0))[n] = sum; }"
    }
    return data.joined(separator: "\n") + """

      int main(int count, char **words) {
        (void)words;
        int sum = 0, n = count;
        \(uses.joined(separator: "\n  "))
        return sum == 0;
      }
      """
  }()

  private static let built = PreparedFolder<Workshop> { workshop in
    try workshop.write(program.utf8, "app.c")
    for (object, flags) in [("own.o", ["-fdata-sections"]), ("shared.o", [])] {
      try workshop.must(
        "clang", ["-O1", "-ffunction-sections", "-c", "app.c", "-o", object] + flags)
    }
    try workshop.write(
      """
      exec clang -fuse-ld=lld -Wl,--build-id ${ORDERFILE_ORDER:+-Wl,--symbol-ordering-file="$ORDERFILE_ORDER"} \
        ${OBJECT:-own.o} -Wl,-Map=app.map -o ${IMAGE:-app}
      """.utf8, "link.sh")
    try workshop.must("sh", ["link.sh"])
    try workshop.mustOrderfile("record", "-q", "--breakpoints", "-o", "app.oftrace", "--", "./app")
    try workshop.mustOrderfile("pages", "-q", "--json", "-o", "app.pages", "--", "./app")
  }

  private func pages(_ workshop: Workshop, _ image: String) throws -> Int {
    let pages = try workshop.mustOrderfile("pages", "--json", "--", "./" + image).json
    let images = try #require(pages["images"] as? [[String: Any]])
    let total = try #require(images.first?["dataTotal"] as? [String: Any])
    return try #require(total["pages"] as? Int)
  }

  private func data(_ run: Run) throws -> [String: Any] {
    let images = try #require(run.json["images"] as? [[String: Any]])
    return try #require(images.first?["data"] as? [String: Any])
  }

  @Test func whatALaunchTouchesIsTogether() throws {
    let workshop = try Self.built.copy()
    let gen = try workshop.mustOrderfile(
      "gen", "app.oftrace", "app.pages", "--image", "app", "-o", "app.order", "--json")
    let sections = try #require(try data(gen)["sections"] as? [[String: Any]])
    let symbols = sections.reduce(into: [String: Int]()) {
      $0[$1["name"] as? String ?? ""] = $1["symbols"] as? Int
    }
    #expect((symbols[".rodata"] ?? 0) >= 9 && (symbols[".data"] ?? 0) >= 10)
    let lines = workshop.text("app.order").split(separator: "\n").map(String.init)
    let mark = try #require(lines.firstIndex(of: "# data"))
    #expect(try #require(lines.firstIndex(of: "main")) < mark)
    #expect(lines[mark...].contains("table40") && lines[mark...].contains("value180"))

    try workshop.must(
      "env", ["ORDERFILE_ORDER=app.order", "IMAGE=ordered", "sh", "link.sh"])
    // Ten tables lie on ten pages before, and on three or four pages after; the same is true for ten variables.
    let (before, after) = (try pages(workshop, "app"), try pages(workshop, "ordered"))
    #expect(before - after >= 10)

    let diff = try workshop.mustOrderfile(
      "diff", "app", "ordered", "--trace", "app.oftrace", "--order", "app.order", "--json")
    let order = try #require(diff.json["order"] as? [String: Any])
    let counts = try #require(order["data"] as? [String: Any])
    #expect(counts["entries"] as? Int == counts["inOrder"] as? Int)
    let verify = try workshop.mustOrderfile("verify", "app.order", "--image", "ordered", "--json")
    #expect(verify.json["stale"] as? Int == 0 && verify.json["dataEntries"] as? Int ?? 0 >= 20)
    let show = try workshop.mustOrderfile("show", "app.order").text
    #expect(show.contains(" data"))

    // A document of the ordered build gives the same entries, by their names.
    let again = try workshop.mustOrderfile(
      "gen", "app.oftrace", "app.pages", "--image", "ordered", "-o", "again.order", "--json")
    #expect((try data(again)["missing"] as? [Any])?.isEmpty == true)
    #expect(workshop.text("again.order").contains("table40\n"))
  }

  @Test func aProfileOrdersDataAsItsTracesDo() throws {
    let workshop = try Self.built.copy()
    let recorder = try #require(Built.recorder)
    try workshop.must(
      "clang",
      ["-O1", "-ffunction-sections", "-c", "app.c", "-o", "record.o"]
        + ["\(Build.coverage),trace-loads,trace-stores"])
    try workshop.must(
      "clang", ["-fuse-ld=lld", "-Wl,--build-id", "record.o", recorder, "-o", "app-record"])
    for (name, words) in [("one", []), ("two", ["x"]), ("three", ["x", "y"])] {
      // The exit status of `record` is that of the program.
      _ = try workshop.orderfile(["record", "-q", "-o", name, "--", "./app-record"] + words)
    }
    try workshop.mustOrderfile("merge", "-q", "two", "one", "-o", "both")
    try workshop.mustOrderfile("merge", "-q", "both", "three", "-o", "all")
    try workshop.mustOrderfile("merge", "-q", "three", "one", "two", "-o", "again")
    #expect(workshop.bytes("all") == workshop.bytes("again"))

    func order(_ arguments: String...) throws -> [String] {
      let gen = try workshop.orderfile(
        ["gen", "--image", "app", "-o", "app.order"] + arguments)
      #expect(gen.status == 0, "\(gen.errors)")
      let lines = workshop.text("app.order").split(separator: "\n").map(String.init)
      return lines.drop { $0 != "# data" }
        + gen.errors.split(separator: "\n").map(String.init)
        .filter { $0.contains("data left out") || $0.contains("data are left out") }
    }
    for strategy in ["first-hit", "balanced"] {
      let traced = try order("one", "two", "three", "--strategy", strategy)
      #expect(traced.contains("table20") && traced.contains("value160"))
      #expect(try order("all", "--strategy", strategy) == traced)
    }
    let supported = try order("all", "--min-support", "2")
    #expect(supported.contains("table40") && !supported.contains("table20"))
    // gold can't order data, but it can order the functions.
    let gold = try order("all", "--linker", "gold")
    #expect(
      gold.count == 1
        && gold[0].contains("data are left out of the order: unable to order data with gold"))
  }

  /// The launch is recorded in a build that reports loads and stores, and compared with launches of builds that do not
  /// report them.
  @Test func thePagesOfDataArePredicted() throws {
    let workshop = try Self.built.copy()
    try workshop.must(
      "clang",
      ["-O1", "-c", "app.c", "-o", "record.o", "\(Build.coverage),trace-loads,trace-stores"])
    let recorder = try #require(Built.recorder)
    try workshop.must(
      "clang", ["-fuse-ld=lld", "-Wl,--build-id", "record.o", recorder, "-o", "app-record"])
    try workshop.mustOrderfile("record", "-q", "-o", "data.oftrace", "--", "./app-record")
    try workshop.mustOrderfile("gen", "-q", "data.oftrace", "--image", "app", "-o", "app.order")
    try workshop.must("env", ["ORDERFILE_ORDER=app.order", "IMAGE=ordered", "sh", "link.sh"])
    try workshop.mustOrderfile("pages", "-q", "--json", "-o", "ordered.pages", "--", "./ordered")
    let words = [
      "diff", "app", "ordered", "--trace", "data.oftrace", "--pages-before", "app.pages",
      "--pages-after", "ordered.pages", "--json",
    ]
    func compared() throws -> [String: Any] {
      let run = try workshop.orderfile(words)
      try #require(run.status == 0, "\(run.errors)")
      return run.json
    }
    let diff = try compared()
    let predicted = try #require(diff["dataPages"] as? [String: Any])
    let pages = try #require(predicted["pages"] as? [String: Int])
    #expect(try #require(pages["saved"]) >= 10 && pages["before"] ?? 0 >= 20, "\(predicted)")
    #expect(predicted["unplacedTouches"] as? [String: Int] == ["before": 0, "after": 0])
    let measured = try #require(diff["measuredPages"] as? [String: [String: Any]])
    for side in ["before", "after"] {
      let account = try #require(measured[side]?["dataPrediction"] as? [String: Any])
      let error = try #require(account["error"] as? Int)
      #expect((-1...1).contains(error) && account["onlyPredicted"] as? Int ?? 9 <= 1, "\(account)")
    }

    // Without the recorded image, names do not show which part of a variable was touched.
    try FileManager.default.removeItem(
      atPath: workshop.folder.appendingPathComponent("app-record").path)
    let gone = try compared()
    #expect(gone["dataPages"] == nil)
    let reason = try #require(gone["dataPagesUnknown"] as? String)
    #expect(
      reason.hasSuffix(
        "app-record: the recorded image is no longer at this path: give its new path with --recorded"
      ))
    let map = try workshop.mustOrderfile("diff", "app.map", "ordered", "--trace", "data.oftrace")
    #expect(map.text.contains("no prediction for pages of data: app.map: a link map does not have"))
    try workshop.mustOrderfile("merge", "-q", "data.oftrace", "-o", "app.ofprofile")
    let folded = try workshop.mustOrderfile("diff", "app", "ordered", "--trace", "app.ofprofile")
    #expect(folded.text.contains("no prediction for pages of data: a profile does not state"))
  }

  /// There are more different launches than a profile keeps whole. Each launch touches a table of its own, after the
  /// table that all launches touch.
  @Test func dataOfLaunchesThatAreNotKeptWholeAreListedToo() throws {
    let workshop = try Self.built.copy()
    let image = TraceWriter.Image(path: "/build/app", id: [1, 2])
    for number in 1..<150 as Range<UInt64> {
      var trace = TraceWriter()
      trace.addLoad(image)
      trace.addHit(image, guard: 0, entry: 0x1000)
      trace.names = [.init(address: 0x1000, size: 8, name: "main")]
      for table in [0, number] {
        let address = 0x9000 + 1024 * table
        trace.addRecord(kind: 3, subject: image.number, second: 8, entry: address + image.slide)
        trace.names?.append(.init(address: address, size: 1024, name: "table\(table)"))
      }
      try workshop.write(trace.bytes(), "t\(number)")
    }
    try workshop.must(
      Built.orderfile, ["merge", "-q", "-o", "profile"] + (1..<150).map { "t\($0)" })
    try workshop.mustOrderfile(
      "gen", "-q", "profile", "--image", "app", "--strategy", "first-hit", "-o", "app.order")
    let lines = workshop.text("app.order").split(separator: "\n").map(String.init)
    let data = lines.drop { $0 != "# data" }.dropFirst()
    #expect(Set(data) == Set((0..<150).map { "table\($0)" }), "\(lines)")
  }

  @Test func withoutSectionsOfTheirOwnDataAreLeftOut() throws {
    let workshop = try Self.built.copy()
    try workshop.must("env", ["OBJECT=shared.o", "IMAGE=app", "sh", "link.sh"])
    try workshop.mustOrderfile("pages", "-q", "--json", "-o", "app.pages", "--", "./app")
    let gen = try workshop.mustOrderfile(
      "gen", "app.oftrace", "app.pages", "--image", "app", "--link-map", "app.map", "-o",
      "app.order")
    #expect(gen.errors.contains("without a section of their own (-fdata-sections)"))
    #expect(!workshop.text("app.order").contains("table"))
  }

  @Test func pagesAloneOrderWhatTheyName() throws {
    let workshop = try Self.built.copy()
    // Without --image, the image that was launched is the one to order.
    for arguments in [["app.pages"], ["app.pages", "--image", "app"]] {
      let gen = try workshop.orderfile(["gen", "-o", "pages.order"] + arguments)
      #expect(
        gen.status == 0 && gen.errors.contains("app.pages: no trace given: "), "\(gen.errors)")
      #expect(!gen.errors.contains("left out"), "\(gen.errors)")
    }
    let lines = workshop.text("pages.order").split(separator: "\n").map(String.init)
    #expect(lines.contains { $0.hasSuffix(" of app in 1 launch") })
    let mark = try #require(lines.firstIndex(of: "# data"))
    // The page of code is listed with the function that ran first on it.
    #expect(lines[..<mark].contains("_start"))
    #expect(lines[mark...].contains("table40") && lines[mark...].contains("value180"))
    try workshop.must(
      "env", ["ORDERFILE_ORDER=pages.order", "IMAGE=ordered", "sh", "link.sh"])
    #expect(try pages(workshop, "app") - pages(workshop, "ordered") >= 10)
    try workshop.mustOrderfile("pages", "-q", "--json", "-o", "ordered.pages", "--", "./ordered")
    try workshop.mustOrderfile(
      "refine", "-q", "--order", "pages.order", "--image", "app", "--relink", "sh link.sh", "--",
      "./app")
    #expect(workshop.text("pages.order").contains("table40\n"))

    // Several documents are given: one is of another build, and one has a higher weight.
    try FileManager.default.createDirectory(
      at: workshop.folder.appendingPathComponent("counted"), withIntermediateDirectories: false)
    try workshop.write(
      workshop.text("ordered.pages").replacing("/ordered", with: "/app").utf8, "counted/one")
    let several = try workshop.mustOrderfile(
      "gen", "counted", "--weighted", "3,app.pages", "--image", "app", "-o", "pages.order", "--json"
    )
    let image = try #require((several.json["images"] as? [[String: Any]])?.first)
    #expect(image["launches"] as? Int == 4 && image["strategy"] as? String == "balanced")
    #expect((image["missing"] as? [Any])?.isEmpty == true, "\(several.text)")
  }

  @Test func pagesOfAnotherProgramAreRefused() throws {
    let workshop = try Self.built.copy()
    let json = workshop.text("app.pages")
    let id = try #require(json.firstRange(of: "\"id\": \""))
    // Another build, whose variables have other names; and another program.
    let other = json.replacing("table", with: "elsewhere").replacing("value", with: "nowhere")
      .replacingCharacters(in: id.upperBound..<json.index(id.upperBound, offsetBy: 4), with: "0000")
    for (text, words) in [
      (other, "this image is another program"),
      (other.replacing("/app\"", with: "/tool\""), "missing image"),
    ] {
      try workshop.write(text.utf8, "other.pages")
      let gen = try workshop.orderfile([
        "gen", "app.oftrace", "other.pages", "--image", "app", "-o", "other.order",
      ])
      #expect(gen.status == 3 && gen.errors.contains(words), "\(gen.errors)")
      #expect(!workshop.fileNames.contains("other.order"))
    }
  }

  @Test func pagesOfABuildSinceWhichMostDataWereRenamedOrderTheOthers() throws {
    let workshop = try Self.built.copy()
    let json = workshop.text("app.pages")
    let id = try #require(json.firstRange(of: "\"id\": \""))
    let other = json.replacing("table", with: "elsewhere").replacing("value1", with: "nowhere1")
      .replacingCharacters(in: id.upperBound..<json.index(id.upperBound, offsetBy: 4), with: "0000")
    try workshop.write(other.utf8, "other.pages")
    let gen = try workshop.orderfile([
      "gen", "app.oftrace", "other.pages", "--image", "app", "-o", "other.order",
    ])
    #expect(gen.status == 0, "\(gen.errors)")
    #expect(
      gen.errors.contains(
        /other\.pages: only \d+ of \d+ data \(\d+\.\d%\) that the launch touched were found by name in 'app'/
      ), "\(gen.errors)")
    #expect(workshop.text("other.order").contains("value20\n"))
  }

  @Test func oddRowsAreNoErrors() throws {
    let workshop = try Self.built.copy()
    // These rows are outside of all sections, or have no symbols.
    let odd = workshop.text("app.pages")
      .replacing(#/"touched": "0x[0-9a-f]+"/#, with: "\"touched\": \"0xfffffffffffffff0\"")
    try workshop.write(odd.utf8, "odd.pages")
    let gen = try workshop.mustOrderfile(
      "gen", "app.oftrace", "odd.pages", "--image", "app", "-o", "odd.order", "--json")
    #expect((try data(gen)["sections"] as? [Any])?.isEmpty == true)
    try workshop.write(odd.prefix(odd.count / 2).utf8, "cut.pages")
    let cut = try workshop.orderfile([
      "gen", "app.oftrace", "cut.pages", "--image", "app", "-o", "odd.order",
    ])
    #expect(cut.status == 1, "\(cut.errors)")
    let gold = try workshop.orderfile([
      "gen", "app.oftrace", "app.pages", "--image", "app", "--linker", "gold", "-o", "odd.order",
    ])
    #expect(gold.status == 1 && gold.errors.contains("unable to order data with gold"))
  }

  @Test func refiningOrdersDataUntilNoPageGoes() throws {
    let workshop = try Self.built.copy()
    try workshop.mustOrderfile("gen", "-q", "app.oftrace", "--image", "app", "-o", "app.order")
    let run = try workshop.mustOrderfile(
      "refine", "--order", "app.order", "--image", "app", "--relink", "sh link.sh", "--json", "--",
      "./app")
    let steps = try #require(run.json["steps"] as? [[String: Any]])
    let kept = steps.filter { $0["isKept"] as? Bool ?? false }.compactMap {
      $0["dataPages"] as? Int
    }
    #expect(try #require(kept.first) - #require(kept.last) >= 10, "\(steps)")
    #expect(workshop.text("app.order").contains("# data\n"))
    let data = try #require(run.json["data"] as? [String: Any])
    #expect(data.values.compactMap { $0 as? Int }.reduce(0, +) == kept.last)
    // The last trial lists more data, but saves no page.
    #expect(try #require(data["unlisted"] as? Int) <= 2)
  }
}
