import Addresses
import ByteReading
import ImageModel
import TestSupport
import Testing
import TraceSymbolication

/// Tests how an export of xctrace gives the functions of one image.
@Suite struct XctraceLaunchTests {
  static let uuid: [UInt8] = [
    0x0f, 0x1e, 0x2d, 0x3c, 0x4b, 0x5a, 0x69, 0x78, 0x87, 0x96, 0xa5, 0xb4, 0xc3, 0xd2, 0xe1, 0xf0,
  ]

  /// An image whose header is at 0x100000000, with functions at these offsets from it, each up to the next.
  static func image(
    _ functions: [(offset: UInt64, name: String)], uuid: [UInt8] = uuid, path: String = "App"
  ) -> Image {
    let header: UInt64 = 0x1_0000_0000
    let end: UInt64 = 0xc400
    var names = NameTable()
    var table: [PlacedSymbol] = []
    for (index, function) in functions.enumerated() {
      let next = index + 1 < functions.count ? functions[index + 1].offset : end
      guard let name = names.append(Array(function.name.utf8)) else { continue }
      table.append(
        PlacedSymbol(
          name: name, address: StatedAddress(rawValue: header + function.offset),
          size: next - function.offset, section: 0))
    }
    let text = Section(
      name: "__TEXT,__text",
      range: AddressRange(
        start: StatedAddress(rawValue: header + 0x4000), size: end - 0x4000), isExecutable: true)
    return Image(
      path: path, id: ImageID(kind: .uuid, bytes: uuid), architecture: .arm64,
      headerAddress: StatedAddress(rawValue: header),
      layout: Layout(
        imageFormat: .machO, sections: [text], functions: table, names: names))
  }

  /// The functions that the fixture's addresses lie in; loaded at 0x102fe4000.
  static let functions: [(offset: UInt64, name: String)] = [
    (0x4000, "_unused"), (0x4100, "_main"), (0x4104, "_behind_main"), (0x4a00, "_open_store"),
    (0x4b00, "_other"), (0x5000, "_folded"), (0x5100, "_last"), (0xc200, "_only_faulted"),
  ]

  static func export(_ text: String) -> XctraceLaunch.Export {
    ("launch.xml", FileBytes(Array(text.utf8)))
  }

  static func fixtureExport() throws -> XctraceLaunch.Export {
    ("input.xml", FileBytes(try fixture("xctrace/launch/input.xml")))
  }

  static func names(_ launch: ImportedLaunch) -> [String] {
    launch.uses.map { use in
      launch.image.layout.names(launch.image.layout.functions(at: use.entry)).joined(separator: "+")
    }
  }

  @Test func faultsAndSamplesComeByTime() throws {
    let image = Self.image(Self.functions)
    let recorded = try XctraceLaunch([try Self.fixtureExport()], of: image)
    #expect(recorded.process.number == 581 && recorded.otherProcesses.isEmpty)
    #expect(recorded.slide.rawValue == 0x2fe_4000)
    #expect(recorded.faults.map(\.address.rawValue) == [0x1_0000_4100, 0x1_0000_c200])
    #expect(recorded.faults.map(\.sizeBytes) == [16384, 16384])
    #expect(recorded.faults.map(\.durationNanoseconds) == [152_083, 152_083])
    let (launch, byFault) = ImportedLaunch.reading(recorded, of: image)
    // The return address is the first byte after the calling function. The call itself is in main.
    #expect(Self.names(launch) == ["_main", "_only_faulted", "_open_store", "_folded"])
    #expect(
      launch.uses.map(\.nanoseconds) == [411_900_125, 413_000_000, 413_101_250, 414_101_291])
    #expect(launch.uses.map(\.thread) == [4778, 4778, 4778, 4778])
    #expect(byFault == 2)
    #expect(launch.processNumber == 581)
  }

  /// The two tables of one recording are exported to two files, which are read in either order.
  @Test(arguments: [[0, 1], [1, 0]]) func twoExportsAreOneRecording(order: [Int]) throws {
    let image = Self.image(Self.functions)
    func document(_ body: String) -> XctraceLaunch.Export {
      Self.export("<trace-query-result><node>\(body)</node></trace-query-result>")
    }
    let samples = document(
      """
      <schema name="time-profile"/><row><sample-time id="1">20</sample-time><process id="2" fmt="App (5)">
      <pid id="3">5</pid></process><backtrace id="4"><frame id="5" name="x" addr="0x200005001"><binary
      id="6" path="/App" UUID="0F1E2D3C-4B5A-6978-8796-A5B4C3D2E1F0" load-addr="0x200000000"/></frame>
      </backtrace></row>
      """)
    let faults = document(
      """
      <schema name="virtual-memory"/><row><start-time id="1">10</start-time><vm-op id="2" fmt="Page Cache Hit">4
      </vm-op><process id="3" fmt="App (5)"><pid id="4">5</pid></process><address id="5">8589951232</address>
      <sentinel/></row>
      <row><start-time id="6">11</start-time><vm-op id="7" fmt="Copy On Write"/><process ref="3"/>
      <address id="8">8589955072</address><sentinel/></row>
      """)
    let recorded = try XctraceLaunch(order.map { [samples, faults][$0] }, of: image)
    // 8589951232 is 0x200004100. A copy-on-write fault does not count as a use.
    #expect(Self.names(ImportedLaunch.reading(recorded, of: image).launch) == ["_main", "_folded"])
    #expect(recorded.faults.map(\.isPageIn) == [false])
  }

  @Test func anotherProcessWithTheImageIsLeftOut() throws {
    let row = { (time: Int, process: Int, load: UInt64, offset: UInt64) in
      """
      <row><sample-time>\(time)</sample-time><process fmt="App (\(process))"><pid>\(process)</pid></process>
      <backtrace><frame addr="0x\(String(load + offset, radix: 16))"><binary path="/App"
      UUID="0f1e2d3c4b5a69788796a5b4c3d2e1f0" load-addr="0x\(String(load, radix: 16))"/></frame></backtrace></row>
      """
    }
    let text =
      "<q><schema name='time-profile'/>" + row(30, 7, 0x9000_0000, 0x4a00)
      + row(10, 8, 0x5000_0000, 0x4100) + row(20, 8, 0x5000_0000, 0x5000) + "</q>"
    let image = Self.image(Self.functions)
    let recorded = try XctraceLaunch([Self.export(text)], of: image)
    #expect(recorded.process.number == 8)
    #expect(recorded.otherProcesses.map(\.number) == [7])
    #expect(Self.names(ImportedLaunch.reading(recorded, of: image).launch) == ["_main", "_folded"])
  }

  @Test func anExportWithoutTheImagesLoadAddressSaysSo() throws {
    let text = String(decoding: try fixture("xctrace/launch/input.xml"), as: UTF8.self)
      .replacing(#/ load-addr="[^"]*"/#, with: "")
    let error = #expect(throws: Diagnostic.self) {
      try XctraceLaunch([Self.export(text)], of: Self.image(Self.functions))
    }
    #expect(error?.message.hasPrefix("missing load address: no 'binary' of ") ?? false)
  }

  struct Failure: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var text: String
    var path = "App"
    var message: String
  }

  @Test(arguments: [
    Failure(
      testDescription: "another build", text: "",
      message: "App: image ID mismatch: expected "
        + "0F1E2D3C-4B5A-6978-8796-A5B4C3D2E1F0, found 00000000-0000-0000-0000-000000000000\n"
        + "  hint: give the profiled build with --image"),
    Failure(
      testDescription: "another program", text: "", path: "build/Other",
      message: "input.xml: missing the image: no stack has a frame of "
        + "00000000-0000-0000-0000-000000000000\n"),
    Failure(
      testDescription: "another table",
      text: "<q><node><schema name='os-log'/></node><node><schema name='tick'/></node></q>",
      message:
        "launch.xml: missing table 'time-profile' or 'virtual-memory': found 'os-log', 'tick'\n"),
    Failure(
      testDescription: "no table", text: "<q/>",
      message: "launch.xml: missing table 'time-profile' or 'virtual-memory': found none\n"),
    Failure(
      testDescription: "no XML", text: "{}",
      message: "launch.xml: invalid XML: expected well-formed XML, found not well-formed"),
  ])
  func whatDoesNotFitIsSaidSo(_ example: Failure) throws {
    let export = example.text.isEmpty ? try Self.fixtureExport() : Self.export(example.text)
    let image = Self.image(
      Self.functions, uuid: [UInt8](repeating: 0, count: 16), path: example.path)
    do throws(Diagnostic) {
      _ = try XctraceLaunch([export], of: image)
      Issue.record("it was read")
    } catch {
      #expect(error.description.hasPrefix(example.message), "\(error)")
    }
  }

  @Test func anELFImageIsRefused() {
    do throws(Diagnostic) {
      _ = try XctraceLaunch([], of: ImportedLaunchTests.image)
      Issue.record("it was read")
    } catch { #expect(error.severity == .mismatch) }
  }
}
