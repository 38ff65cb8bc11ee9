// The output of loaders about a launch, between the lines of the program. Apple's dyld until version 3 (iOS 14, macOS
// 11) prints with DYLD_PRINT_STATISTICS:
//
//   Total pre-main time: 677.82 milliseconds (100.0%)
//            dylib loading time: 520.33 milliseconds (76.7%)
//           rebase/binding time:  30.00 milliseconds (4.4%)
//               ObjC setup time:  20.10 milliseconds (2.9%)
//              initializer time: 107.39 milliseconds (15.8%)
//              slowest intializers :
//                libSystem.B.dylib :   4.35 milliseconds (0.6%)
//
// and with DYLD_PRINT_STATISTICS_DETAILS a block that begins with `total time:`, with lines of times and of counts. A
// time of a second or more has tenths of seconds: `Total pre-main time: 1.0 seconds (100.0%)`. Only the initializers
// that took more than a certain share of the whole are listed. Their times include what they wait for, so some take
// longer than the stage of all initializers. A known fault of simulators is a rebase/binding time of years.
//
// Source: ImageLoader::printStatistics, printStatisticsDetails and printTime of dyld's ImageLoader.cpp (dyld-433 to
// dyld-852, github.com/apple-oss-distributions/dyld); dyld 4 has no such code; the manual page dyld(1) lists its
// environment variables. The tests contain several published logs.
//
// DYLD_PRINT_LIBRARIES lists each library, as `dyld: loaded: PATH`, `dyld: loaded: <UUID> PATH` or, in dyld 4,
// `dyld[PID]: <UUID> PATH`.
//
// A logger may put its prefix before each line.
//
// glibc prints with LD_DEBUG=statistics the lines of print_statistics in elf/rtld.c, each line after the process
// number. Numbers are cycles of the machine's counter or, where the processor has no such counter, nanoseconds.

import ByteReading

/// Reads the logs of dyld and of glibc's loader.
struct LoaderLog {
  private var log = LaunchLog()
  /// The launch whose lines are being read.
  private var open: LoggedLaunch?
  /// The places of the lists of libraries that may continue, by process number; 0 for a loader that does not print it.
  private var openLists: [UInt32: Int] = [:]
  /// Whether the last line was a line or the title of the list of initializers.
  private var listsInitializers = false
  private var hasLastStage = false
  private var implausible: [String] = []

  /// - Returns: an empty log for a text of another kind.
  static func read(_ bytes: FileBytes) throws(ParseError) -> LaunchLog {
    var reader = LoaderLog()
    var lines = LineScanner(bytes)
    while let range = lines.next() {
      guard range.count <= mostBytes else { continue }
      try reader.take(trimmed(LogPrefix.removed(from: bytes.text(range)[...])))
    }
    try reader.finish()
    return reader.log
  }

  /// The longest line of a loader in bytes; longer lines belong to the program.
  private static let mostBytes = 8192

  private mutating func take(_ line: Substring) throws(ParseError) {
    guard let last = line.last else { return }
    if line.hasPrefix("dyld") { takeLibrary(line) }
    // Lines after the list belong to the program.
    if !Self.isOfList(line) { listsInitializers = false }
    if last == ")" || last == "s" { try takeTime(line) }
    if line.hasPrefix("total ") || line.hasPrefix("Total ") { takeCount(line) }
    if line.hasPrefix("slowest in") { listsInitializers = open?.form == .dyldStatistics }
    try takeLoaderStatistics(line)
  }

  // MARK: Libraries

  private mutating func takeLibrary(_ line: Substring) {
    var rest: Substring
    var process: UInt32?
    if line.hasPrefix("dyld: loaded: ") {
      rest = line.dropFirst("dyld: loaded: ".count)
      if rest.first == "<", let end = rest.firstIndex(of: ">") { rest = rest[end...].dropFirst() }
    } else {
      guard line.hasPrefix("dyld["), let bracket = line.firstIndex(of: "]") else { return }
      process = UInt32(line[line.index(line.startIndex, offsetBy: 5)..<bracket])
      rest = line[bracket...].dropFirst()
      guard process != nil, rest.hasPrefix(": <"), let end = rest.firstIndex(of: ">"),
        rest.distance(from: rest.startIndex, to: end) == 39
      else { return }
      rest = rest[end...].dropFirst()
    }
    let path = String(rest.drop { $0 == " " })
    guard !path.isEmpty else { return }
    // Lines of several processes may be mixed. The program is listed first. If it is listed again, another launch
    // begins.
    if let place = openLists[process ?? 0], log.libraryLists[place].paths.first != path {
      log.libraryLists[place].paths.append(path)
    } else {
      openLists[process ?? 0] = log.libraryLists.count
      log.libraryLists.append(LoggedLibraries(process: process, paths: [path]))
    }
  }

  // MARK: dyld's statistics

  private mutating func takeTime(_ line: Substring) throws(ParseError) {
    guard let colon = line.lastIndex(of: ":") else { return }
    let name = Self.trimmed(line[..<colon])
    let label = name.lowercased()
    let isTotal = label == "total pre-main time" || label == "total time"
    guard let nanoseconds = Self.nanoseconds(line[colon...].dropFirst()) else {
      if isTotal {
        try finish()
        log.warn(
          "a launch is left out: its total can't be read: '\(line[colon...].dropFirst().prefix(60))'"
        )
      }
      return
    }
    switch label {
    case _ where isTotal:
      try finish()
      open = LoggedLaunch(
        label == "total time" ? .dyldStatisticsDetails : .dyldStatistics)
      open?.totalNanoseconds = nanoseconds
    default:
      guard let launch = open, launch.form != .loaderStatistics, !name.isEmpty else { return }
      let stages = launch.form == .dyldStatistics ? Self.shortStages : Self.detailedStages
      let known = stages[label]
      let isOwn = launch.form == .dyldStatisticsDetails && label.hasPrefix("total ")
      guard known != nil || isOwn || listsInitializers else { return }
      let isPart = known == nil || known == .part
      if Self.endsBeforeList.contains(label) {
        listsInitializers = true
        hasLastStage = true
      }
      if nanoseconds > 10 * (launch.totalNanoseconds ?? .infinity) + 1e8 {
        implausible.append(String(name))
        return
      }
      let title = Self.titles[label] ?? String(name)
      let stage = LoggedStage(title, nanoseconds: nanoseconds, isPart: isPart)
      let place = place(ofPart: label) ?? launch.stages.endIndex
      open?.stages.insert(stage, at: place)
    }
  }

  /// Whether the line belongs to a list of libraries: `libSystem.B.dylib :   4.35 milliseconds (0.6%)`
  private static func isOfList(_ line: Substring) -> Bool {
    guard line.hasSuffix("%)"), let colon = line.lastIndex(of: ":") else { return false }
    return line[..<colon].last == " " && nanoseconds(line[colon...].dropFirst()) != nil
  }

  /// The last stage of the detailed form, as versions of dyld spell it. The initializers are listed after it.
  private static let endsBeforeList: Set = [
    "total time in initializers and objc +load", "total time in initializers and objc setup",
    "total init time time", "total initializer time",
  ]

  /// Parts that dyld does not print right after their stage, with the stage that contains each.
  private static let wholes = [
    "total debugger pause time": "total images loading time",
    "total redo shared cached bindings time": "total binding fixups time",
  ]

  /// Returns the index at which to insert a part after its stage; `nil` if the stage has not been read
  /// or is the last one.
  private func place(ofPart label: String) -> Int? {
    guard let name = Self.wholes[label], let stages = open?.stages,
      let whole = stages.firstIndex(where: { $0.name.lowercased() == name })
    else { return nil }
    return stages[(whole + 1)...].firstIndex { !$0.isPart }
  }

  private enum Kind { case stage, part }

  private static let shortStages: [String: Kind] = [
    "dylib loading time": .stage, "rebase/binding time": .stage, "objc setup time": .stage,
    "objc setup": .stage, "initializer time": .stage,
  ]
  private static let detailedStages: [String: Kind] = [
    "total images loading time": .stage, "total load time in objc": .stage,
    "total debugger pause time": .part, "total dtrace dof registration time": .stage,
    "total rebase fixups time": .stage, "total binding fixups time": .stage,
    "total weak binding fixups time": .stage, "total redo shared cached bindings time": .part,
    "total time in initializers and objc +load": .stage,
    "total time in initializers and objc setup": .stage, "total init time time": .stage,
    "total initializer time": .stage,
  ]

  /// One title for each stage that versions of dyld spell in several ways, so that it has one row for several logs.
  private static let titles = [
    "objc setup": "ObjC setup time", "objc setup time": "ObjC setup time",
  ]

  /// Returns the nanoseconds of `677.82 milliseconds (100.0%)` or `1.0 seconds`.
  private static func nanoseconds(_ text: Substring) -> Double? {
    let words = text.split(separator: " ", maxSplits: 3)
    guard (2...3).contains(words.count), let number = LogNumber.decimal(words[0]) else {
      return nil
    }
    if words.count == 3, !(words[2].first == "(" && words[2].hasSuffix("%)")) { return nil }
    switch words[1] {
    case "milliseconds": return (number * 1e6).rounded()
    case "seconds": return (number * 1e9).rounded()
    default: return nil
    }
  }

  private mutating func takeCount(_ line: Substring) {
    guard open?.form == .dyldStatisticsDetails, let colon = line.firstIndex(of: ":") else { return }
    let text = Self.trimmed(line[colon...].dropFirst())
    guard text.first?.isNumber ?? false, Self.nanoseconds(text) == nil else { return }
    open?.counts.append(LoggedCount(name: String(line[..<colon]), text: String(text)))
  }

  // MARK: glibc's statistics

  private mutating func takeLoaderStatistics(_ line: Substring) throws(ParseError) {
    // `1234:\ttime needed for relocation: 311090 cycles (60.9%)`
    guard let colon = line.firstIndex(of: ":"), UInt32(line[..<colon]) != nil else { return }
    let rest = Self.trimmed(line[colon...].dropFirst())
    guard let second = rest.lastIndex(of: ":") else { return }
    let name = rest[..<second]
    let words = rest[second...].dropFirst().split(separator: " ")
    guard let number = words.first.flatMap({ UInt64($0) }) else { return }
    if name == "total startup time in dynamic loader" {
      try finish()
      open = LoggedLaunch(.loaderStatistics)
      open?.totalNanoseconds = Double(number)
      return
    }
    guard open?.form == .loaderStatistics else { return }
    if words.count > 1, words[1] == "cycles" {
      open?.stages.append(LoggedStage(String(name), nanoseconds: Double(number)))
    } else if name.hasPrefix("number of ") || name.hasPrefix("final number of ") {
      open?.counts.append(LoggedCount(name: String(name), text: "\(number)"))
    }
  }

  // MARK: Launches

  /// Adds the launch whose lines have been read.
  private mutating func finish() throws(ParseError) {
    defer {
      open = nil
      listsInitializers = false
      hasLastStage = false
      implausible = []
    }
    guard let launch = open else { return }
    let whole = launch.stages.filter { !$0.isPart }
    let least = launch.form == .loaderStatistics ? 2 : 4
    // Without the last stage of the detailed form, its time would count as time that belongs to no stage.
    let isWhole = launch.form != .dyldStatisticsDetails || hasLastStage
    guard isWhole, whole.count + implausible.count >= least else {
      log.warn(
        "a launch is left out, because its statistics end after \(whole.last.map { "'\($0.name)'" } ?? "its total")"
      )
      return
    }
    for name in implausible {
      log.warn("'\(name)' is left out, because it is longer than the whole launch")
    }
    try log.add(launch)
  }

  private static func trimmed(_ text: some StringProtocol) -> Substring {
    var text = Substring(text)
    // The byte order mark of UTF-8 may be at the beginning of a file.
    while let first = text.first, first.isWhitespace || first == "\u{feff}" { text.removeFirst() }
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return text
  }
}
