import Foundation
import TestSupport
import Testing

/// Importing a recording of Instruments of a real Mach-O image: the export has the image's UUID, and the addresses of
/// LLVM's nm plus a slide.
@Suite(.needs(.appleSDK)) struct MachOImportTests {
  static let source = """
    #define F __attribute__((noinline))
    volatile int sink;
    F void unused(void) { sink = 9; }
    F void last(void) { sink += 3; }
    F static void hidden(void) { sink += 2; last(); sink++; }
    F void faulted(void) { sink += 7; }
    F void first(void) { sink += 1; hidden(); sink++; }
    int main(void) { first(); faulted(); return sink; }
    """
  static let slide: UInt64 = 0x4a8_c000

  /// A folder with `app` for iOS; its UUID, and its functions by name.
  static func workshop() throws -> (Workshop, uuid: String, addresses: [String: UInt64]) {
    let workshop = try Workshop()
    let sdk = try AppleSDK()
    try workshop.write(Array(source.utf8), "app.c")
    try sdk.compile("app.c", to: "app.o", for: .iOS, in: workshop)
    try sdk.link(["app.o"], to: "app", for: .iOS, flags: ["-map", "app.map"], in: workshop)
    let headers = try workshop.must("llvm-objdump-19", ["--macho", "--private-headers", "app"]).text
    let uuid = try #require(headers.firstMatch(of: /uuid ([0-9A-F-]{36})/)?.1)
    var addresses: [String: UInt64] = [:]
    for line in try workshop.must("llvm-nm-19", ["app"]).text.split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count == 3 { addresses[String(words[2])] = UInt64(words[0], radix: 16) }
    }
    return (workshop, String(uuid), addresses)
  }

  /// Returns an export with one sample, whose stack is last, hidden, first, main, and with an earlier fault in
  /// `faulted`.
  static func export(_ addresses: [String: UInt64], uuid: String) throws -> [UInt8] {
    func loaded(_ name: String, _ offset: UInt64) throws -> UInt64 {
      try #require(addresses[name]) + offset + slide
    }
    let load = 0x1_0000_0000 + slide
    var frames = ""
    // The address of the innermost frame is the instruction plus 1, as Instruments writes it; the other frames have
    // return addresses.
    for (id, (name, offset)) in [("_last", 5), ("_hidden", 16), ("_first", 16), ("_main", 12)]
      .enumerated()
    {
      let binary =
        id == 0
        ? "<binary id='90' name='App' UUID='\(uuid)' load-addr='0x\(String(load, radix: 16))' path='/x/app'/>"
        : "<binary ref='90'/>"
      frames +=
        "<frame id='\(20 + id)' addr='0x\(String(try loaded(name, UInt64(offset)), radix: 16))'>\(binary)</frame>"
    }
    return Array(
      """
      <trace-query-result>
      <node><schema name="time-profile"/><row><sample-time id="1">2000</sample-time><process id="2" fmt="app (7)">
      <pid id="3">7</pid></process><backtrace id="4">\(frames)</backtrace></row></node>
      <node><schema name="virtual-memory"/><row><start-time id="5">1000</start-time><vm-op id="6"
      fmt="File Backed Page In">7</vm-op><process ref="2"/><address id="7">\(try loaded("_faulted", 4))</address>
      <sentinel/></row></node></trace-query-result>
      """.utf8)
  }

  @Test func anExportBecomesAnOrderFile() throws {
    let (workshop, uuid, addresses) = try Self.workshop()
    try workshop.write(try Self.export(addresses, uuid: uuid), "launch.xml")
    let imported = try workshop.mustOrderfile(
      "import", "xctrace", "launch.xml", "--image", "app", "-o", "app.oftrace", "--json")
    #expect(imported.json["functions"] as? Int == 5)
    #expect(imported.json["functionsByFault"] as? Int == 1)
    #expect(imported.json["pageIns"] as? Int == 1)
    #expect(imported.json["imageID"] as? String == uuid)
    let gen = try workshop.mustOrderfile(
      "gen", "app.oftrace", "--image", "app", "--link-map", "app.map", "-o", "app.order")
    #expect(!gen.errors.contains("warning"), "\(gen.errors)")
    let lines = workshop.text("app.order").split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(lines == ["_faulted", "_main", "_first", "_hidden", "_last"])

    // An image that is linked with this order has the functions in this order.
    try AppleSDK().link(
      ["app.o"], to: "ordered", for: .iOS, flags: ["-order_file", "app.order"], in: workshop)
    let names = try workshop.must("llvm-nm-19", ["-n", "ordered"]).text.split(separator: "\n")
      .filter { [" T ", " t "].contains(where: $0.contains) }.compactMap {
        $0.split(separator: " ").last
      }
    #expect(names.filter(lines.contains) == lines, "\(names)")
    let show = try workshop.mustOrderfile("show", "app.oftrace").text
    #expect(show.contains("process 7") && show.contains("0.001"), "\(show)")
  }

  @Test func anotherBuildIsRefusedWithBothIDs() throws {
    let (workshop, uuid, addresses) = try Self.workshop()
    let other = "00112233-4455-6677-8899-AABBCCDDEEFF"
    try workshop.write(try Self.export(addresses, uuid: other), "launch.xml")
    let run = try workshop.orderfile(
      "import", "xctrace", "launch.xml", "--image", "app", "-o", "app.oftrace")
    #expect(run.status == 3)
    #expect(run.errors.contains(other) && run.errors.contains(uuid), "\(run.errors)")
    #expect(workshop.bytes("app.oftrace").isEmpty)
  }

  /// A list may have more names of other images than of this one.
  @Test func namesOfOtherImagesAndOfDataAreExplained() throws {
    let workshop = try Workshop()
    let sdk = try AppleSDK()
    let source = """
      #include <stdio.h>
      #include <stdlib.h>
      int table[4] = {1, 2, 3};
      void first(void) {}
      void second(void) {}
      int main(int count, char **words) {
        printf("%d %s", table[count], words[0]);
        exit(3);
      }
      """
    try workshop.write(source.utf8, "app.c")
    try sdk.compile("app.c", to: "app.o", for: .iOS, in: workshop)
    let flags = ["-map", "app.map"]
    try sdk.link(["app.o"], to: "app", for: .iOS, flags: flags, in: workshop)
    try workshop.write("_main\n_printf\n_exit\n_table\n_nobody\n".utf8, "symbols")
    let run = try workshop.mustOrderfile(
      "import", "symbols", "symbols", "--image", "app", "-o", "app.oftrace")
    let elsewhere = "imported from another image, so it can't be ordered in this image"
    for (line, reason) in [
      "missing '_printf': \(elsewhere)", "missing '_exit': \(elsewhere)",
      "missing '_table': data, not a function", "missing '_nobody': no such symbol",
    ].enumerated() {
      #expect(run.errors.contains("symbols:\(line + 2): \(reason)\n"), "\(run.errors)")
    }

    try workshop.write(
      "_main\n_first\n_second\n_printf\n_exit\n_table\n_nobody\n".utf8, "app.order")
    for image in ["app", "app.map"] {
      let diff = try workshop.mustOrderfile(
        "diff", image, image, "--order", "app.order", "--json"
      ).json
      let order = try #require(diff["order"] as? [String: Any])
      #expect(order["dataEntries"] as? Int == 1 && order["present"] as? Int == 3)
      let missing = try #require(order["unorderable"] as? [[String: String]]).map { $0["name"] }
      #expect(missing == ["_printf", "_exit", "_nobody"])
      let functions = try #require(diff["missing"] as? [[String: String]]).map { $0["name"] }
      #expect(functions == (image == "app" ? ["_nobody"] : ["_printf", "_exit", "_nobody"]))
    }
  }

  @Test func listsAreOfTheNamesAndAddressesOfMachO() throws {
    let (workshop, _, addresses) = try Self.workshop()
    let names = ["_main", "_first", "_hidden"]
    try workshop.write(Array(names.joined(separator: "\n").utf8), "symbols")
    let numbers = try names.map { String(try #require(addresses[$0]) + 4, radix: 16) }
    try workshop.write(Array(numbers.joined(separator: "\n").utf8), "addresses")
    for source in ["symbols", "addresses"] {
      try workshop.mustOrderfile(
        "import", source, source, "--image", "app", "--arch", "arm64", "-o", "app.oftrace")
      let order = try workshop.mustOrderfile("gen", "app.oftrace", "--image", "app").text
      #expect(order.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init) == names)
    }
  }
}
