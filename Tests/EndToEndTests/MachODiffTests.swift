import Foundation
import TestSupport
import Testing

/// `diff` on Mach-O images of the real linker, compared with LLVM's otool and nm.
@Suite(
  .needs(.appleSDK, "llvm-otool-19", "llvm-nm-19"))
struct MachODiffTests {
  static let hotCount = 60

  /// A source with functions that a launch calls, each between two functions of about 16 KiB that it does not call.
  static var source: String {
    var source = "#include <stdio.h>\n"
    for number in 0..<hotCount {
      source += """
        void cold\(number)(void) { __asm__ volatile(".space 16000"); }
        __attribute__((noinline)) void hot\(number)(void) { puts("\(number)"); }

        """
    }
    let calls = (0..<hotCount).map { "  hot\($0 * 23 % hotCount)();\n" }.joined()
    return source + "int main(void) {\n\(calls)  return 0;\n}\n"
  }

  /// A folder with `plain`, `ordered`, their link maps and `app.order`.
  static func workshop(_ platform: AppleSDK.Platform) throws -> Workshop {
    let sdk = try AppleSDK()
    let workshop = try Workshop()
    try workshop.write(source.utf8, "app.c")
    try sdk.compile("app.c", to: "app.o", for: platform, in: workshop)
    let order = ["_main"] + (0..<hotCount).map { "_hot\($0 * 23 % hotCount)" }
    try workshop.write(order.map { $0 + "\n" }.joined().utf8, "app.order")
    try sdk.link(["app.o"], to: "plain", for: platform, flags: ["-map", "plain.map"], in: workshop)
    try sdk.link(
      ["app.o"], to: "ordered", for: platform,
      flags: ["-map", "ordered.map", "-order_file", "app.order"], in: workshop)
    return workshop
  }

  /// The facts that other tools read from an image.
  struct Judge {
    /// The address ranges of `_main` and of the hot functions.
    var functions: [ClosedRange<UInt64>] = []
    var sections: [String: ClosedRange<UInt64>] = [:]
    var header: UInt64 = 0
    var linkEdit: UInt64 = 0
    var uuid = ""

    init(_ image: String, in workshop: Workshop) throws {
      let symbols = try workshop.must("llvm-nm-19", ["-n", image]).text.split(separator: "\n")
        .compactMap { line -> (address: UInt64, name: Substring)? in
          let words = line.split(separator: " ")
          return words.count == 3 ? (UInt64(words[0], radix: 16) ?? 0, words[2]) : nil
        }
      header = symbols.first { $0.name == "__mh_execute_header" }?.address ?? 0
      var field: [String: Substring] = [:]
      for line in try workshop.must("llvm-otool-19", ["-l", image]).text.split(separator: "\n") {
        let words = line.split(separator: " ")
        guard words.count == 2 else { continue }
        field[String(words[0])] = words[1]
        if words[0] == "vmaddr", field["segname"] == "__LINKEDIT" {
          linkEdit = UInt64(words[1].dropFirst(2), radix: 16) ?? 0
        }
        if words[0] == "uuid" { uuid = String(words[1]) }
        if words[0] == "size",
          let address = field["addr"].flatMap({ UInt64($0.dropFirst(2), radix: 16) }),
          let size = UInt64(words[1].dropFirst(2), radix: 16), size > 0
        {
          let name = "\(field["segname"] ?? ""),\(field["sectname"] ?? "")"
          sections[name] = address...(address + size - 1)
        }
      }
      let textEnd = (sections["__TEXT,__text"]?.upperBound ?? 0) + 1
      for (index, symbol) in symbols.enumerated()
      where symbol.name == "_main" || symbol.name.hasPrefix("_hot") {
        let next = symbols[(index + 1)...].first { $0.address > symbol.address }?.address
        functions.append(symbol.address...(min(next ?? textEnd, textEnd) - 1))
      }
    }

    func pages(_ ranges: [ClosedRange<UInt64>], of bytes: UInt64) -> Set<UInt64> {
      Set(ranges.flatMap { ($0.lowerBound / bytes)...($0.upperBound / bytes) })
    }
  }

  @Test(arguments: AppleSDK.Platform.allCases)
  func pagesAreThoseThatOtherToolsCount(_ platform: AppleSDK.Platform) throws {
    let workshop = try Self.workshop(platform)
    let json = try workshop.mustOrderfile(
      "diff", "plain", "ordered", "--order", "app.order", "--json"
    ).json
    let pageBytes: UInt64 = platform == .macOSx8664 ? 4096 : 16384
    #expect(json["pageSizeBytes"] as? UInt64 == pageBytes)
    for (side, image) in [("before", "plain"), ("after", "ordered")] {
      let judge = try Judge(image, in: workshop)
      #expect(judge.functions.count == Self.hotCount + 1)
      let functions = judge.pages(judge.functions, of: pageBytes)
      let stubs = try #require(judge.sections["__TEXT,__stubs"])
      let others = judge.pages([judge.header...judge.header, stubs], of: pageBytes)
      let helper = judge.sections["__TEXT,__stub_helper"].map { judge.pages([$0], of: pageBytes) }
      #expect(Self.pages(of: "__TEXT,__text", side, in: json) == functions.count)
      #expect(
        Self.number(["textPages", side], in: json)
          == functions.union(others).union(helper ?? []).count)
    }
    let pages = json["textPages"] as? [String: Int] ?? [:]
    #expect(pages["before"] ?? 0 > Self.hotCount - 5)
    #expect(pages["after"] ?? .max <= 4)
    let kernels = try #require(json["xnuReads"] as? [[String: Any]])
    #expect(
      kernels.map { $0["kernel"] as? String }
        == (platform == .macOSx8664 ? ["macOS"] : ["iOS", "macOS"]))
    for kernel in kernels {
      let reads = kernel["reads"] as? [String: Int] ?? [:]
      #expect(reads["after"] ?? .max < reads["before"] ?? 0)
      #expect(reads["before"] ?? .max <= pages["before"] ?? 0)
    }
  }

  /// The launch is executed in an emulator, and the touched pages are compared with the predicted pages. The launch
  /// also reads strings, which are not predicted and are all on one page.
  @Test(.needs(.machOEmulator), arguments: [AppleSDK.Platform.iOS, .macOS])
  func predictedPagesAreThoseThatALaunchTouches(_ platform: AppleSDK.Platform) throws {
    let workshop = try Self.workshop(platform)
    let emulator = try MachOEmulator()
    let json = try workshop.mustOrderfile(
      "diff", "plain", "ordered", "--order", "app.order", "--json"
    ).json
    for (side, image) in [("before", "plain"), ("after", "ordered")] {
      let run = try emulator.run(image, in: workshop)
      #expect(run.status == 0)
      let launch = try #require(run.report.images.first)
      let predicted = try #require(Self.number(["textPages", side], in: json))
      #expect((0...2).contains(launch.touchedTextPages16k - predicted), "\(image)")
      let judge = try Judge(image, in: workshop)
      let code = launch.executedPages16k.filter { page in
        judge.functions.contains {
          $0.lowerBound / 16384 <= page.address / 16384
            && page.address / 16384 <= $0.upperBound / 16384
        }
      }
      #expect(Self.pages(of: "__TEXT,__text", side, in: json) == code.count, "\(image)")
    }
  }

  /// All figures but bytes are equal: an image does not distinguish a function from the padding after it.
  @Test(arguments: AppleSDK.Platform.allCases)
  func linkMapsGiveTheSameFiguresAsImages(_ platform: AppleSDK.Platform) throws {
    let workshop = try Self.workshop(platform)
    func figures(_ before: String, _ after: String) throws -> NSDictionary {
      let json = try workshop.mustOrderfile(
        "diff", before, after, "--order", "app.order", "--json"
      ).json
      let keys = [
        "textPages", "xnuReads", "windows64k", "faultCurveArea", "order", "pageSizeBytes",
      ]
      var figures = json.filter { keys.contains($0.key) }
      #expect(figures.count == keys.count)
      let sections = try #require(json["sections"] as? [[String: Any]])
      figures["sections"] = sections.map { row in
        row.filter { ["name", "counted", "pages"].contains($0.key) }
      }
      return NSDictionary(dictionary: figures)
    }
    #expect(try figures("plain", "ordered") == figures("plain.map", "ordered.map"))
  }

  static func pages(of section: String, _ side: String, in json: [String: Any]) -> Int? {
    let sections = json["sections"] as? [[String: Any]] ?? []
    let row = sections.first { $0["name"] as? String == section }
    return number(["pages", side], in: row ?? [:])
  }

  static func number(_ path: [String], in json: [String: Any]) -> Int? {
    path.dropLast().reduce(json) { $0[$1] as? [String: Any] ?? [:] }[path.last ?? ""] as? Int
  }

  // MARK: Recordings

  /// Returns an export as xctrace might write it for a launch in which each of `addresses` was paged in, in 100
  /// microseconds each.
  static func export(_ judge: Judge, _ addresses: [UInt64], slide: UInt64) -> String {
    let load = String(judge.header + slide, radix: 16)
    var rows = ""
    for (number, address) in addresses.enumerated() {
      let stack =
        number == 0
        ? """
        <backtrace id="10"><frame id="11" name="x" addr="0x\(load)"><binary id="12" name="plain" \
        UUID="\(judge.uuid)" arch="arm64" load-addr="0x\(load)" path="/x/plain"/></frame></backtrace>
        """ : #"<backtrace ref="10"/>"#
      let process =
        number == 0
        ? #"<process id="2" fmt="plain (7)"><pid id="3" fmt="7">7</pid></process>"#
        : #"<process ref="2"/>"#
      rows += """
        <row><start-time id="\(2 * number + 100)">\(number * 1000)</start-time>\
        <duration id="\(2 * number + 101)">100000</duration>\
        <vm-op id="\(number + 100_000)" fmt="File Backed Page In">7</vm-op>\(process)\
        <address id="\(number + 200_000)">\(address &+ slide)</address>\(stack)</row>

        """
    }
    return """
      <?xml version="1.0"?>
      <trace-query-result><node xpath='//trace-toc[1]/run[1]/data[1]/table[1]'>\
      <schema name="virtual-memory"></schema>
      \(rows)</node></trace-query-result>

      """
  }

  @Test func measuredPageInsStandBesideThePrediction() throws {
    let workshop = try Self.workshop(.iOS)
    for (image, name, slide) in [
      ("plain", "before.xml", 0x20_0000), ("ordered", "after.xml", 0x4000),
    ] as [(String, String, UInt64)] {
      let judge = try Judge(image, in: workshop)
      // The addresses are the header, the first address of each function, symbols, and two addresses outside of the
      // image.
      let addresses =
        [judge.header] + judge.functions.map(\.lowerBound)
        + [judge.linkEdit, 0, judge.header + 0x10_0000_0000]
      try workshop.write(Self.export(judge, addresses, slide: slide).utf8, name)
    }
    let arguments = [
      "diff", "plain", "ordered", "--order", "app.order", "--page-ins-before", "before.xml",
      "--page-ins-after", "after.xml",
    ]
    let json = try workshop.must(Built.orderfile, arguments + ["--json"]).json
    let measured = try #require(json["measuredPageIns"] as? [String: Any])
    #expect(measured["provenance"] as? String == "measured")
    for (side, image) in [("before", "plain"), ("after", "ordered")] {
      let judge = try Judge(image, in: workshop)
      let starts = judge.functions.map { $0.lowerBound...$0.lowerBound }
      let pages = judge.pages(starts + [judge.header...judge.header], of: 16384)
      #expect(Self.number([side, "pages"], in: measured) == pages.count + 1)
      #expect(Self.pages(of: "__LINKEDIT", side, in: measured) == 1)
      let recording = measured[side] as? [String: Any] ?? [:]
      #expect(recording["process"] as? String == "plain (7)")
      // Each fault of the image took 0.1 ms, several on one page too.
      let milliseconds = try #require(recording["milliseconds"] as? Double)
      #expect(abs(milliseconds - 0.1 * Double(Self.hotCount + 3)) < 1e-9)
      // A page that the header shares with functions counts for the header, which is read first.
      let header = pages.contains(judge.header / 16384) ? 1 : 0
      #expect(
        Self.pages(of: "__TEXT,__text", side, in: measured) == pages.count - header)
    }
    let text = try workshop.must(Built.orderfile, arguments).text
    #expect(text.contains("\nmeasured page-ins"))
    #expect(text.contains("plain (7) in before.xml"))
  }

  @Test func aRecordingOfAnotherBuildIsRefused() throws {
    let workshop = try Self.workshop(.iOS)
    let judge = try Judge("plain", in: workshop)
    try workshop.write(Self.export(judge, [judge.header], slide: 0x4000).utf8, "plain.xml")
    let other = try workshop.orderfile(
      "diff", "plain", "ordered", "--order", "app.order", "--page-ins-after", "plain.xml")
    #expect(other.status == 3)
    #expect(other.output.isEmpty)
    let none = try workshop.orderfile(
      "diff", "plain", "ordered", "--order", "app.order", "--page-ins-before", "app.order")
    #expect(none.status == 1)
    #expect(none.errors.contains("app.order: "))
    let map = try workshop.orderfile(
      "diff", "plain.map", "ordered", "--order", "app.order", "--page-ins-before", "plain.xml")
    #expect(map.status == 1)
    #expect(map.errors.contains("hint: give the linked image in place of the link map"))
    try workshop.write(
      Self.export(judge, [judge.header - 0x4000], slide: 0x4000).utf8, "outside.xml")
    let outside = try workshop.mustOrderfile(
      "diff", "plain", "ordered", "--order", "app.order", "--page-ins-before", "outside.xml")
    #expect(outside.errors.contains("outside.xml: no page of the image was paged in"))
    #expect(outside.text.contains("measured 0 → - pages"))
  }
}
