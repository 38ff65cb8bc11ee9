import ByteReading
import LaunchLogFormat
import TestSupport
import Testing

/// The logs that dyld prints about launches, in both forms that it has had.
@Suite struct DyldLogTests {
  static let short = """
    Total pre-main time: 677.82 milliseconds (100.0%)
             dylib loading time: 520.33 milliseconds (76.7%)
            rebase/binding time:  30.05 milliseconds (4.4%)
                ObjC setup time:  20.10 milliseconds (2.9%)
               initializer time: 107.34 milliseconds (15.8%)
               slowest intializers :
                 libSystem.B.dylib :   4.35 milliseconds (0.6%)
                        小帮快送 : 1.4 seconds (206.5%)

    """
  static let detailed = """
      total time: 2.1 seconds (100.0%)
      total images loaded:  309 (304 from dyld shared cache)
      total segments mapped: 14, into 2352 pages with 140 pages pre-fetched
      total images loading time: 842.08 milliseconds (39.3%)
      total load time in ObjC:  60.00 milliseconds (2.8%)
      total debugger pause time: 400.00 milliseconds (18.6%)
      total dtrace DOF registration time:   0.15 milliseconds (0.0%)
      total rebase fixups:  310,006
      total rebase fixups time:  56.83 milliseconds (2.6%)
      total binding fixups: 376,990
      total binding fixups time: 498.68 milliseconds (23.2%)
      total weak binding fixups time:   0.63 milliseconds (0.0%)
      total redo shared cached bindings time: 500.10 milliseconds (23.3%)
      total bindings lazily fixed up: 0 of 0
      total time in initializers and ObjC +load: 639.21 milliseconds (29.8%)
                             libSystem.B.dylib :   4.35 milliseconds (0.2%)
                                  My App Name : 224.68 milliseconds (10.5%)
    total symbol trie searches:    473750
    total symbol table binary searches:    0
    total images defining/using weak symbols: 26/63

    """

  private func log(_ text: some Sequence<UInt8>) throws -> LaunchLog {
    try LaunchLog(parsing: FileBytes(Array(text)))
  }

  private func names(_ launch: LoggedLaunch, parts: Bool) -> [String] {
    launch.stages.filter { $0.isPart == parts }.map(\.name)
  }

  @Test func theShortFormHasFourStagesAndTheSlowestInitializers() throws {
    let log = try log(Self.short.utf8)
    let launch = try #require(log.launches.first)
    #expect(log.launches.count == 1 && log.warnings.isEmpty)
    #expect(launch.form == .dyldStatistics && launch.totalNanoseconds == 677_820_000)
    #expect(
      names(launch, parts: false) == [
        "dylib loading time", "rebase/binding time", "ObjC setup time", "initializer time",
      ])
    #expect(names(launch, parts: true) == ["libSystem.B.dylib", "小帮快送"])
    #expect(
      launch.stages.map(\.nanoseconds) == [
        520_330_000, 30_050_000, 20_100_000, 107_340_000, 4_350_000, 1_400_000_000,
      ])
  }

  /// Published times of empty projects, in the unit that dyld chose for each.
  @Test(arguments: [
    ("19.40 milliseconds", 19_400_000), ("19.65 milliseconds", 19_650_000),
    ("232.19 milliseconds", 232_190_000), ("837.72 milliseconds", 837_720_000),
    ("1.0 seconds", 1_000_000_000),
  ])
  func anEmptyProjectHasItsTime(total: String, nanoseconds: Int) throws {
    let text = """
      Total pre-main time: \(total) (100.0%)
               dylib loading time: \(total) (100.0%)
              rebase/binding time: 0.00 milliseconds (0.0%)
                  ObjC setup time: 0.00 milliseconds (0.0%)
                 initializer time: 0.00 milliseconds (0.0%)

      """
    let launch = try #require(try log(text.utf8).launches.first)
    #expect(launch.totalNanoseconds == Double(nanoseconds))
  }

  /// Lines as other versions of dyld spell them, as a German locale formats the numbers, and with the line ends of
  /// Windows.
  @Test(arguments: [
    short.replacing("ObjC setup time", with: "objc setup"),
    short.replacing("intializers", with: "initializers"),
    short.replacing(".33", with: ",33").replacing(".82", with: ",82"),
    short.replacing("\n", with: "\r\n"),
    short.replacing("677.82 milliseconds", with: "0.67782 seconds"),
    "2017-06-01 12:00:00 App[1:2] hello: 3 files (all)\n" + short + "done\n",
  ])
  func theShortFormIsReadInEachSpelling(_ text: String) throws {
    let launch = try #require(try log(text.utf8).launches.first)
    #expect(names(launch, parts: false).count == 4)
    #expect(names(launch, parts: false)[2] == "ObjC setup time")
    #expect(abs((launch.totalNanoseconds ?? 0) - 677_820_000) < 1)
    #expect(launch.stages[0].nanoseconds == 520_330_000)
  }

  @Test func aDetailedLaunchWithoutItsLastStageIsCutOff() throws {
    let last = try #require(Self.detailed.firstRange(of: "total time in initializers"))
    let log = try log((Self.short + Self.detailed[..<last.lowerBound]).utf8)
    #expect(log.launches.map(\.form) == [.dyldStatistics])
    #expect(
      log.warnings.contains {
        $0.hasPrefix("a launch is left out, because its statistics end after 'total ")
      })
  }

  @Test(arguments: ["1 234,56 milliseconds", "1,234 ms"])
  func aLaunchWithoutAReadableTotalIsLeftOutWithAWarning(total: String) throws {
    let log = try log(
      (Self.short.replacing("677.82 milliseconds (100.0%)", with: total) + Self.short).utf8)
    #expect(log.launches.count == 1)
    #expect(
      log.warnings.contains { $0.hasPrefix("a launch is left out: its total can't be read:") })
  }

  @Test(arguments: [short, detailed])
  func linesOfTheProgramAreNoInitializers(_ text: String) throws {
    let program = "network: 5.00 seconds\ncache: 3.00 milliseconds (0.4%)\n"
    let late = "late.dylib : 4.35 milliseconds (0.6%)\n"
    let alone = try #require(try log(text.utf8).launches.first)
    let both = try #require(try log((text + program + late).utf8).launches.first)
    #expect(both.stages == alone.stages)
  }

  @Test func theMarkOfUTF8MayBeFirst() throws {
    #expect(try log(("\u{feff}" + Self.short).utf8).launches == log(Self.short.utf8).launches)
  }

  @Test func theDetailedFormHasCountsToo() throws {
    let launch = try #require(try log(Self.detailed.utf8).launches.first)
    #expect(launch.form == .dyldStatisticsDetails && launch.totalNanoseconds == 2_100_000_000)
    #expect(names(launch, parts: false).count == 7)
    #expect(
      names(launch, parts: true) == [
        "total debugger pause time", "total redo shared cached bindings time",
        "libSystem.B.dylib", "My App Name",
      ])
    #expect(
      launch.counts.map(\.text) == [
        "309 (304 from dyld shared cache)", "14, into 2352 pages with 140 pages pre-fetched",
        "310,006", "376,990", "0 of 0", "473750", "0", "26/63",
      ])
  }

  /// dyld prints these parts of a stage only after other stages.
  @Test func aPartFollowsTheStageThatContainsIt() throws {
    let stages = try #require(try log(Self.detailed.utf8).launches.first).stages
    for (whole, part) in [
      ("total images loading time", "total debugger pause time"),
      ("total binding fixups time", "total redo shared cached bindings time"),
    ] {
      let place = try #require(stages.firstIndex { $0.name == whole })
      #expect(stages[place + 1].name == part && stages[place + 1].isPart)
    }
  }

  /// dyld of iOS 8, as published in artsy/eigen#586.
  @Test func initializersOfIOS8HaveAnotherTitle() throws {
    let text = """
      total time: 4.6 seconds (100.0%)
      total images loaded:  290 (235 from dyld shared cache)
      total segments mapped: 162, into 2414 pages with 312 pages pre-fetched
      total images loading time: 4.3 seconds (93.8%)
      total dtrace DOF registration time: 0.14 milliseconds (0.0%)
      total rebase fixups time: 55.97 milliseconds (1.2%)
      total binding fixups time: 111.74 milliseconds (2.3%)
      total weak binding fixups time: 0.33 milliseconds (0.0%)
      total bindings lazily fixed up: 0 of 0
      total initializer time: 118.93 milliseconds (2.5%)
          libSystem.B.dylib : 76.47 milliseconds (1.6%)
                      Artsy : 30.45 milliseconds (0.6%)
      total images using weak symbols:  46

      """
    let launch = try #require(try log(text.utf8).launches.first)
    #expect(names(launch, parts: false).last == "total initializer time")
    #expect(names(launch, parts: true) == ["libSystem.B.dylib", "Artsy"])
  }

  @Test(arguments: [
    "2020-05-12 10:11:12.123456+0800 App[312:4711] ", "May 12 10:11:12 iPhone App[312] <Notice>: ",
    "May  2 10:11:12 iPhone My App(dyld)[312] <Error>: ", "2020-05-12T10:11:12+0200 mac App[312]: ",
    "2020-05-12 10:11:12.123456+0800  localhost App[312]: (dyld) ",
    "2020-05-12 10:11:12.123 Df App[312:4711] [com.shop.App:launch] ",
  ])
  func aLoggerMayPutItsPrefixBeforeEachLine(prefix: String) throws {
    let plain = Self.short + Self.detailed + "dyld: loaded: /a\ndyld: loaded: /b\n"
    let lines = plain.split(separator: "\n", omittingEmptySubsequences: false)
    let prefixed = lines.map { prefix + $0 }.joined(separator: "\n") + "\n"
    #expect(try log(prefixed.utf8) == log(plain.utf8))
  }

  @Test func theNameOfTheLoaderIsNoPrefix() throws {
    let id = "<" + String(repeating: "A", count: 36) + ">"
    let plain = ["/a", "/b"].map { "dyld[312]: \(id) \($0)\n" }
    let prefixed = plain.map { "May 12 10:11:12 iPhone \($0)" }
    for text in [plain, prefixed] {
      let lists = try log(text.joined().utf8).libraryLists
      #expect(lists.map(\.process) == [312] && lists.map(\.paths) == [["/a", "/b"]])
    }
  }

  @Test func aLogHasManyLaunches() throws {
    let log = try log((Self.short + Self.detailed + Self.short).utf8)
    #expect(log.launches.map(\.form) == [.dyldStatistics, .dyldStatisticsDetails, .dyldStatistics])
  }

  @Test func aLaunchThatIsCutOffIsLeftOut() throws {
    let cut = Self.short.split(separator: "\n").prefix(3).joined(separator: "\n")
    let both = try log((Self.short + cut).utf8)
    #expect(both.launches.count == 1)
    #expect(
      both.warnings == [
        "a launch is left out, because its statistics end after 'rebase/binding time'"
      ])
    #expect(throws: ParseError.self) { try log(cut.utf8) }
  }

  /// Simulators print times of years.
  @Test func animpossibleTimeIsLeftOut() throws {
    let text = Self.short.replacing(
      "30.05 milliseconds (4.4%)", with: "411015771.6 seconds (336794286.5%)")
    let log = try log(text.utf8)
    #expect(
      log.warnings == [
        "'rebase/binding time' is left out, because it is longer than the whole launch"
      ])
    #expect(names(try #require(log.launches.first), parts: false).count == 3)
  }

  @Test func namesMayBeAnyBytes() throws {
    let launch = try #require(
      try log(
        Array(Self.short.utf8) + [0xff, 0x1b, 0x20, 0x3a, 0x20]
          + Array("1.00 milliseconds (0.1%)\n".utf8)
      )
      .launches.first)
    #expect(launch.stages.last?.name == "\u{fffd}\u{1b}")
  }

  @Test func librariesAreOfTheSystemOrNot() throws {
    let log = try log(
      """
      dyld: loaded: /private/var/containers/Bundle/Application/0A/Empty.app/Empty
      dyld: loaded: /usr/lib/libSystem.B.dylib
      dyld: loaded: <B22BCD8B-784D-365D-BCCB-3441E205D133> /System/Library/Frameworks/UIKit.framework/UIKit
      dyld: loaded: /Xcode/iOS.simruntime/Contents/Resources/RuntimeRoot/usr/lib/libobjc.A.dylib
      dyld[19948]: <9F848759-9AB8-3BD2-96A1-C069DC1FFD43> /private/tmp/a b
      dyld[19948]: loaded something else
      dyld: loaded: /private/var/containers/Bundle/Application/0A/Empty.app/Empty
      dyld: loaded: /usr/lib/libSystem.B.dylib

      """.utf8)
    #expect(log.libraryLists.map(\.paths.count) == [4, 1, 2])
    let paths = log.libraryLists[0].paths
    #expect(paths.map(LoggedLibraries.isOfSystem) == [false, true, true, true])
    #expect(log.libraryLists[1].paths == ["/private/tmp/a b"])
  }

  @Test func linesOfSeveralProcessesMayBeMixed() throws {
    func line(_ process: Int, _ path: String) -> String {
      "dyld[\(process)]: <9F848759-9AB8-3BD2-96A1-C069DC1FFD43> \(path)\n"
    }
    let text =
      line(7, "/app") + line(8, "/helper") + line(7, "/usr/lib/libobjc.A.dylib")
      + line(8, "/usr/lib/libc++.1.dylib") + line(7, "/app") + line(8, "/own.dylib")
    let lists = try log(text.utf8).libraryLists
    #expect(lists.map(\.process) == [7, 8, 7])
    #expect(
      lists.map(\.paths) == [
        ["/app", "/usr/lib/libobjc.A.dylib"],
        ["/helper", "/usr/lib/libc++.1.dylib", "/own.dylib"], ["/app"],
      ])
  }

  @Test func glibcsLoaderCountsCycles() throws {
    let log = try log(
      """
           31481:\t
           31481:\truntime linker statistics:
           31481:\t  total startup time in dynamic loader: 7484804 cycles
           31481:\t            time needed for relocation: 4264486 cycles (56.9%)
           31481:\t                 number of relocations: 12163
           31481:\t           time needed to load objects: 2031057 cycles (27.1%)
           31481:\t
           31481:\truntime linker statistics:
           31481:\t           final number of relocations: 12324

      """.utf8)
    let launch = try #require(log.launches.first)
    #expect(launch.form == .loaderStatistics && launch.totalNanoseconds == 7_484_804)
    #expect(launch.stages.map(\.nanoseconds) == [4_264_486, 2_031_057])
    #expect(launch.counts.map(\.text) == ["12163", "12324"])
  }

  @Test(.needs(.time), arguments: [short, detailed])
  func damagedLogsAreRefusedOrReadInPart(_ text: String) {
    let bytes = Array(text.utf8)
    for length in hostilePrefixLengths(of: bytes, boundaries: lineBoundaries(of: bytes)) {
      _ = try? LaunchLog(parsing: FileBytes(Array(bytes[..<length])))
    }
    for copy in byteFlips(of: bytes) { _ = try? LaunchLog(parsing: FileBytes(copy)) }
  }
}
